/** `http.proxy.*` against a small real proxy: tunnels, forwarding, credentials, and the egress guard behind it. */
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type EgressRules, makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { DEFAULT_FETCH_LIMITS, HttpClient } from '../../src/net/http-client.js';
import { Proxy, type ProxySettings } from '../../src/core/http/proxy.js';
import * as site from '../support/site.js';
import { selfSigned } from './self-signed.js';
import { type ProxyRules, type SmallProxy, startProxy } from './small-proxy.js';

const OPEN: EgressRules = { exclude: [], include: [] };
const names: Record<string, string[]> = { 'inner.test': ['10.0.0.1'], 'mixed.test': ['127.0.0.1', '10.0.0.1'] };
let web: site.Site;
let secure: Server;
let securePort: number;
const proxies: SmallProxy[] = [];
const clients: HttpClient[] = [];

beforeAll(async () => {
  web = await site.startSite((req, res) => void res.end(`${req.url} ${req.headers.host}`));
  secure = createServer(selfSigned('a.test', new Date('2020-01-01'), new Date('2040-01-01')), (req, res) => {
    res.end(`secret ${req.url}`);
  });
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  securePort = (secure.address() as AddressInfo).port;
});
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const proxy of proxies.splice(0)) await proxy.close();
});
afterAll(async () => {
  await web.close();
  secure.closeAllConnections();
  secure.close();
});

async function behind(
  given: ProxyRules,
  settings: Partial<ProxySettings> = {},
  rules: EgressRules = OPEN,
): Promise<{ client: HttpClient; proxy: SmallProxy; get: (url: string) => ReturnType<HttpClient['fetch']> }> {
  const proxy = await startProxy(given);
  proxies.push(proxy);
  const type = given.kind ?? 'http';
  const plain = { type, host: '127.0.0.1', port: proxy.port, username: '', password: '', realm: '', exceptions: [] };
  const client = new HttpClient({
    guard: makeEgressGuard(rules),
    resolve: (name) => Promise.resolve(names[name] ?? ['127.0.0.1']),
    verifyTls: false,
    proxy: new Proxy({ ...plain, guard: makeEgressGuard(OPEN), ...settings }),
  });
  clients.push(client);
  const limits = { ...DEFAULT_FETCH_LIMITS, connectTimeout: 1500, totalTimeout: 3000 };
  return { client, proxy, get: (url) => client.fetch({ url, headers: { 'user-agent': 'o' } }, limits) };
}

const bodyOf = (answer: Awaited<ReturnType<HttpClient['fetch']>>) =>
  answer.ok ? answer.body.toString() : `${answer.code}: ${answer.message}`;

describe('an HTTP proxy', () => {
  it('receives plain http requests with the absolute URL as their target (RFC 9112 §3.2.2)', async () => {
    const { proxy, get } = await behind({});
    expect(bodyOf(await get(`http://a.test:${web.port}/x?y#z`))).toBe(`/x?y a.test:${web.port}`);
    expect(proxy.asked).toEqual([`GET http://a.test:${web.port}/x?y HTTP/1.1`]);
  });

  it('opens a tunnel for https (CONNECT, RFC 9110 §9.3.6), to the address that was checked', async () => {
    const { proxy, get } = await behind({});
    const answer = await get(`https://a.test:${securePort}/s`);
    expect(bodyOf(answer)).toBe('secret /s');
    expect(answer).toMatchObject({ address: '127.0.0.1' });
    expect(proxy.asked).toEqual([`CONNECT 127.0.0.1:${securePort} HTTP/1.1`]);
    expect(proxy.heads.join()).not.toContain('user-agent');
  });

  it('opens one tunnel for two pages', async () => {
    const { proxy, get } = await behind({});
    await get(`https://a.test:${securePort}/1`);
    expect(bodyOf(await get(`https://a.test:${securePort}/2`))).toBe('secret /2');
    expect(proxy.asked).toHaveLength(1);
  });

  it.each([
    ['http', () => `http://a.test:${web.port}/`],
    ['https', () => `https://a.test:${securePort}/`],
  ])('receives its credentials with the first request (%s), and the server never does', async (_scheme, url) => {
    const { proxy, get } = await behind({ login: 'me:pass word' }, { username: 'me', password: 'pass word' });
    web.log.length = 0;
    expect((await get(url())).ok).toBe(true);
    expect(proxy.asked).toHaveLength(1);
    expect(JSON.stringify(web.log)).not.toContain('authorization');
  });

  it.each([
    ['http', () => `http://a.test:${web.port}/`],
    ['https', () => `https://a.test:${securePort}/`],
  ])('with http.proxy.realm receives them only after a challenge of that realm (%s)', async (_scheme, url) => {
    const login = { username: 'me', password: 'pw', realm: 'small' };
    const { proxy, get } = await behind({ login: 'me:pw' }, login);
    expect((await get(url())).ok).toBe(true);
    expect(proxy.asked).toHaveLength(2);
    const other = await behind({ login: 'me:pw', realm: 'another' }, login);
    expect(bodyOf(await other.get(url()))).toBe('refused: the proxy rejects the configured credentials');
    expect(other.proxy.heads.join()).not.toMatch(/proxy-authorization/i);
  });

  it.each([
    ['http', () => `http://a.test:${web.port}/`],
    ['https', () => `https://a.test:${securePort}/`],
  ])('that refuses them fails the fetch, without a page status (%s)', async (_scheme, url) => {
    const { get } = await behind({ login: 'me:pw' }, { username: 'me', password: 'wrong' });
    expect(bodyOf(await get(url()))).toBe('refused: the proxy rejects the configured credentials');
  });

  it.each([
    ['an error', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'refused: the proxy could not reach the host (HTTP 502)'],
    [
      'an error and a page',
      `HTTP/1.1 403 Forbidden\r\n\r\n${'<p>no</p>'.repeat(9_000)}`,
      'refused: the proxy could not reach the host (HTTP 403)',
    ],
    ['another protocol', 'SSH-2.0-OpenSSH\r\n\r\n', 'refused: the proxy does not speak HTTP'],
    ['20 kB of header', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}`, 'refused: the proxy sent too much data'],
    ['bytes after its response', 'HTTP/1.1 200 OK\r\n\r\nand more', 'refused: the proxy sent too much data'],
    ['half a response', 'HTTP/1.1 200', 'timeout: no connection in time'],
  ])('that answers CONNECT with %s is a failure', async (_what, says, expected) => {
    const { get } = await behind({ says });
    expect(bodyOf(await get(`https://a.test:${securePort}/`))).toBe(expected);
  });

  it('that cannot be reached is a failure', async () => {
    const { proxy, get } = await behind({});
    await proxy.close();
    expect(bodyOf(await get(`https://a.test:${securePort}/`))).toBe('refused: the proxy cannot be reached');
    expect(bodyOf(await get(`http://a.test:${web.port}/`))).toBe('refused: the proxy cannot be reached');
  });
});

describe('a SOCKS 5 proxy (RFC 1928)', () => {
  it.each([
    ['http', () => `http://a.test:${web.port}/p`, () => web.port],
    ['https', () => `https://a.test:${securePort}/p`, () => securePort],
  ])('opens a tunnel for %s, to the address that was checked', async (_scheme, url, port) => {
    const { proxy, get } = await behind({ kind: 'socks' });
    expect(bodyOf(await get(url()))).toContain('/p');
    expect(proxy.asked).toEqual([`SOCKS 127.0.0.1:${port()}`]);
  });

  it('receives user and password (RFC 1929), and its refusal is a failure', async () => {
    const login = { username: 'me', password: 'pä:ss' };
    const good = await behind({ kind: 'socks', login: 'me:pä:ss' }, login);
    expect((await good.get(`http://a.test:${web.port}/`)).ok).toBe(true);
    const bad = await behind({ kind: 'socks', login: 'you:other' }, login);
    expect(bodyOf(await bad.get(`http://a.test:${web.port}/`))).toBe(
      'refused: the proxy rejects the configured credentials',
    );
    const none = await behind({ kind: 'socks', login: 'you:other' });
    expect(bodyOf(await none.get(`http://a.test:${web.port}/`))).toBe('refused: the proxy asks for other credentials');
  });

  it('that cannot reach the host is a failure with that reason', async () => {
    const { get } = await behind({ kind: 'socks' });
    expect(bodyOf(await get('http://a.test:1025/'))).toBe('refused: the proxy was refused by the host');
  });

  it.each([
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'), 'refused: the proxy sent too much data'],
    ['SOCKS 4', Buffer.from([4, 0]), 'refused: the proxy does not speak SOCKS 5'],
    ['half a response', Buffer.from([5]), 'timeout: no connection in time'],
  ])('that answers with %s is a failure', async (_what, says, expected) => {
    const { get } = await behind({ kind: 'socks', says });
    expect(bodyOf(await get(`http://a.test:${web.port}/`))).toBe(expected);
  });
});

describe('http.proxy.exception.list', () => {
  it.each([
    ['a.test', 'a.test', false],
    ['A.TEST', 'a.test.', false],
    ['.test', 'a.b.test', false],
    ['*.b.test', 'a.b.test', false],
    ['.b.test', 'b.test', true],
    ['b.test', 'a.b.test', true],
    ['127.0.0.1', '127.0.0.1', false],
    ['Bücher.test', 'xn--bcher-kva.test', false],
    ['.bücher.test', 'a.xn--bcher-kva.test', false],
  ])('%s: http://%s/ goes through the proxy: %s', async (exception, host, through) => {
    const { proxy, get } = await behind({}, { exceptions: [exception] });
    expect((await get(`http://${host}:${web.port}/`)).ok).toBe(true);
    expect(proxy.asked.length > 0).toBe(through);
  });
});

describe.each(['::1', '[::1]'])('http.proxy.exception.list with the IPv6 address %s', (exception) => {
  it('connects to it without the proxy and sends it no proxy credentials', async () => {
    const here = await site.startSite((req, res) => void res.end(req.url), { host: '::1' });
    const login = { username: 'me', password: 'pw', exceptions: [exception] };
    const { proxy, get } = await behind({ login: 'me:pw' }, login);
    expect(bodyOf(await get(`http://[::1]:${here.port}/`))).toBe('/');
    expect(proxy.asked).toEqual([]);
    expect(here.log.map(({ path, headers }) => [path, headers['proxy-authorization']])).toEqual([['/', undefined]]);
    await here.close();
  });
});

describe('the egress guard behind a proxy', () => {
  const inner: EgressRules = { exclude: ['private'], include: [] };

  it.each(['http', 'socks'] as const)('refuses inner addresses without a request to the proxy (%s)', async (kind) => {
    const { proxy, get } = await behind({ kind }, {}, inner);
    for (const host of ['10.0.0.1', 'inner.test', 'mixed.test', '[::ffff:10.0.0.1]']) {
      for (const scheme of ['http', 'https'])
        expect(await get(`${scheme}://${host}:8080/`)).toMatchObject({ ok: false, code: 'blocked' });
    }
    expect(proxy.asked).toEqual([]);
  });

  it('refuses a loopback target although the proxy itself is on loopback', async () => {
    const { get } = await behind({}, {}, { exclude: ['loopback'], include: [] });
    expect(await get(`http://127.0.0.1:${web.port}/`)).toMatchObject({ code: 'blocked' });
  });

  it('refuses a proxy on a port of this server', async () => {
    const guard = makeEgressGuard({ ...OPEN, ownPorts: [web.port] });
    const { get } = await behind({}, { port: web.port, guard });
    expect(bodyOf(await get(`https://a.test:${securePort}/`))).toBe('refused: the proxy would be this server itself');
    const named = makeEgressGuard({ ...OPEN, ownPorts: [{ host: 'a.test', port: web.port }] });
    const behindName = await behind({}, { port: web.port, guard: named });
    expect(bodyOf(await behindName.get(`https://a.test:${securePort}/`))).toBe(
      'refused: the proxy would be this server itself',
    );
  });
});
