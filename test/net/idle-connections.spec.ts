import { expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { page } from '../support/site.js';
import { useClient, web } from './fetching.js';

useClient();

it('a client closes the connection that is idle for longest when there are more than maxIdle', async () => {
  const [one, other] = [await web(page('x')), await web(page('y'))];
  const client = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true, maxIdle: 1 });
  for (const { url } of [one, other, one]) await client.fetch({ url, headers: {} });
  client.close();
  expect(one.connections()).toBe(2);
});
