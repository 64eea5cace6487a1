import { expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { page } from '../support/site.js';
import { KIB, getOk, useClient, web } from './fetching.js';

useClient();

it('a client closes the connection that is idle for longest when there are more than maxIdle', async () => {
  const [one, other] = [await web(page('x')), await web(page('y'))];
  const client = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true, maxIdle: 1 });
  for (const { url } of [one, other, one]) await client.fetch({ url, headers: {} });
  client.close();
  expect(one.connections()).toBe(2);
});

it('the bytes of earlier answers over a connection do not count as those of a later one', async () => {
  const { url, connections } = await web(page('x'.repeat(60 * KIB)));
  // Together more than one answer of this content limit may have with its framing, which is 768 KiB.
  const limits = { contentLimit: 64 * KIB };
  const answers = [];
  for (let n = 0; n < 20; n++) answers.push(await getOk(url, limits));
  expect(answers.filter(({ body, truncated }) => body.length !== 60 * KIB || truncated)).toEqual([]);
  expect(connections()).toBe(1);
});
