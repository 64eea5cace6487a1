import { expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { page, reset } from '../support/site.js';
import { KIB, client, getOk, useClient, web } from './fetching.js';

useClient();

it('a client closes the connection that is idle for longest when there are more than maxIdle', async () => {
  const [one, other] = [await web(page('x')), await web(page('y'))];
  const own = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true, maxIdle: 1 });
  for (const { url } of [one, other, one]) await own.fetch({ url, headers: {} });
  own.close();
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

it('a request on a kept connection that the server closes is sent again, once (RFC 9110 §9.2.2)', async () => {
  let served = 0;
  const { url, connections } = await web((req, res) => {
    served += 1;
    if (served === 2) reset(req, res);
    else res.end('ok');
  });
  await getOk(url);
  expect((await getOk(url)).body.toString()).toBe('ok');
  expect([served, connections()]).toEqual([3, 2]);
});

it('a request on a kept connection that the server closes fails as stale with resend off', async () => {
  let served = 0;
  const { url } = await web((req, res) => {
    served += 1;
    if (served === 2) reset(req, res);
    else res.end('ok');
  });
  await getOk(url);
  expect(await client.fetch({ url, headers: {}, resend: false })).toMatchObject({
    ok: false,
    code: 'reset',
    stale: true,
  });
  expect(served).toBe(2);
});

it('a request that is to be sent over a new connection uses no kept one', async () => {
  const used = new WeakSet<object>();
  const { url } = await web((req, res) => {
    if (used.has(req.socket)) return reset(req, res);
    used.add(req.socket);
    setTimeout(() => res.end('ok'), 50);
  });
  await Promise.all([getOk(url), getOk(url)]);
  const request = { url, headers: {}, resend: false };
  expect(await client.fetch(request)).toMatchObject({ ok: false, stale: true });
  expect(await client.fetch({ ...request, fresh: true })).toMatchObject({ ok: true });
});
