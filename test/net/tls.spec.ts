/**
 * C10 of the threat list: with `http.tls.certificates.check` a wrong certificate is a failure, without it the page is fetched.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { TLSSocket, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { DEFAULT_FETCH_LIMITS, HttpClient } from '../../src/net/http-client.js';
import { selfSigned } from './self-signed.js';
import { page, startRawSite, startSite } from '../support/site.js';

const clientOf = (verifyTls: boolean) =>
  new HttpClient({
    guard: makeEgressGuard({ exclude: [], include: [] }),
    resolve: () => Promise.resolve(['127.0.0.1']),
    verifyTls,
  });
const names: unknown[] = [];
let server: Server;
let port: number;
const strict = clientOf(true);
const lax = clientOf(false);

beforeAll(async () => {
  const pair = selfSigned('good.test', new Date('2020-01-01'), new Date('2021-01-01'));
  server = createServer(pair, (req, res) => {
    if (req.socket instanceof TLSSocket) names.push((req.socket as TLSSocket & { servername?: unknown }).servername);
    res.end('over TLS');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  port = (server.address() as AddressInfo).port;
});
afterAll(() => {
  strict.close();
  lax.close();
  server.closeAllConnections();
  server.close();
});

it.each(['good.test', 'other.test', '127.0.0.1'])('an expired, self-signed certificate fails for %s', async (host) => {
  const answer = await strict.fetch({ url: `https://${host}:${port}/`, headers: {} });
  expect(answer).toMatchObject({ ok: false, code: 'tls' });
});

it.each(['good.test', 'other.test', '127.0.0.1'])(
  'without http.tls.certificates.check %s is fetched with that certificate',
  async (host) => {
    const answer = await lax.fetch({ url: `https://${host}:${port}/`, headers: {} });
    expect(answer.ok && answer.body.toString()).toBe('over TLS');
  },
);

describe('a certificate of a trusted issuer (RFC 9525 §6)', () => {
  const NOW = [new Date('2020-01-01'), new Date('2040-01-01')] as const;
  const before = getCACertificates('default');
  afterEach(() => setDefaultCACertificates(before));

  it.each([
    ['for the requested name is accepted', 'good.test', NOW, true],
    ['for another name fails', 'other.test', NOW, false],
    ['without an address fails for an address', '127.0.0.1', NOW, false],
    ['that has expired fails', 'good.test', [new Date('2020-01-01'), new Date('2021-01-01')] as const, false],
  ])('%s', async (_, host, [from, until], isTaken) => {
    const pair = selfSigned('good.test', from, until);
    setDefaultCACertificates([...before, pair.cert]);
    const trusted = createServer(pair, (_req, res) => void res.end('over TLS')).listen(0, '127.0.0.1');
    await once(trusted, 'listening');
    const client = clientOf(true);
    const answer = await client.fetch({
      url: `https://${host}:${(trusted.address() as AddressInfo).port}/`,
      headers: {},
    });
    client.close();
    trusted.closeAllConnections();
    trusted.close();
    expect(answer).toMatchObject(isTaken ? { ok: true, status: 200 } : { ok: false, code: 'tls' });
  });
});

it('SNI contains the host name, never an address (RFC 6066 §3)', async () => {
  names.length = 0;
  const fresh = clientOf(false);
  for (const host of ['good.test', 'good.test.', '127.0.0.1']) {
    await fresh.fetch({ url: `https://${host}:${port}/`, headers: {} });
  }
  expect(names).toEqual(['good.test', 'good.test', false]);
  fresh.close();
});

it('an address that does not respond leaves time for the next one', async () => {
  const silent = await startRawSite(() => undefined);
  const responds = createServer(selfSigned('good.test', new Date('2020-01-01'), new Date('2040-01-01')), (_req, res) =>
    res.end('over TLS'),
  ).listen(silent.port, '127.0.0.2');
  await once(responds, 'listening');
  const client = new HttpClient({
    guard: makeEgressGuard({ exclude: [], include: [] }),
    resolve: () => Promise.resolve(['127.0.0.1', '127.0.0.2']),
    verifyTls: false,
  });
  const limits = { ...DEFAULT_FETCH_LIMITS, connectTimeout: 4_000 };
  const answer = await client.fetch({ url: `https://good.test:${silent.port}/`, headers: {} }, limits);
  client.close();
  responds.closeAllConnections();
  responds.close();
  await silent.close();
  expect(answer).toMatchObject({ ok: true, status: 200, address: '127.0.0.2' });
});

it('of many addresses, some of each family are tried, so that a name is reached where IPv6 does not work', async () => {
  const site = await startSite(page('reached'));
  const refusing = Array.from({ length: 8 }, (_, n) => `::ffff:127.0.0.${n + 2}`);
  const client = new HttpClient({
    guard: makeEgressGuard({ exclude: [], include: [] }),
    resolve: () => Promise.resolve([...refusing, '127.0.0.1']),
    verifyTls: true,
  });
  const answer = await client.fetch({ url: `http://two-families.test:${site.port}/`, headers: {} });
  client.close();
  await site.close();
  expect(answer).toMatchObject({ ok: true, status: 200, address: '127.0.0.1' });
});

it.each([true, false])('a server without TLS is a failure (check: %s)', async (verify) => {
  const site = await startRawSite((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  const answer = await (verify ? strict : lax).fetch({ url: `https://plain.test:${site.port}/`, headers: {} });
  expect(answer).toMatchObject({ ok: false, code: 'tls' });
  await site.close();
});
