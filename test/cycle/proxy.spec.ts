/** FETCH through a proxy, over HTTP/2, with several agent names: from the property to the request and the row. */
import { once } from 'node:events';
import http2, { type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { selfSigned } from '../net/self-signed.js';
import { type ProxyRules, type SmallProxy, startProxy } from '../net/small-proxy.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { byPath, pageAt, passDays } from './table.js';

let secure: Http2SecureServer;
let secureUrl = '';
let number = 0;
let crawlId = '';
const proxies: SmallProxy[] = [];
useCrawler();
beforeAll(async () => {
  const pair = selfSigned('a.test', new Date('2020-01-01'), new Date('2040-01-01'));
  secure = http2.createSecureServer({ ...pair, allowHTTP1: true }, (req, res) => {
    if (req.url === '/robots.txt') res.writeHead(404).end();
    else res.writeHead(200, { 'content-type': 'text/html' }).end(`<title>${req.httpVersion}</title>`);
  });
  secure.listen(0, '127.0.0.1');
  await once(secure, 'listening');
  secureUrl = `https://127.0.0.1:${(secure.address() as AddressInfo).port}`;
});
beforeEach(() => {
  crawlId = `p${++number}`;
});
afterEach(async () => {
  for (const proxy of proxies.splice(0)) await proxy.close();
});
afterAll(() => void secure.close());

type Conf = Record<string, string>;
const lax = { 'http.tls.certificates.check': 'false', 'fetcher.parse': 'true', 'store.protocol.versions': 'true' };

async function crawled(urls: string[], conf: Conf): Promise<void> {
  await crawler.inject(crawlId, urls);
  await crawler.round(crawlId, { ...lax, ...conf });
}

async function proxied(rules: ProxyRules, conf: Conf = {}): Promise<{ proxy: SmallProxy; conf: Conf }> {
  const proxy = await startProxy(rules);
  proxies.push(proxy);
  return { proxy, conf: { 'http.proxy.host': '127.0.0.1', 'http.proxy.port': String(proxy.port), ...conf } };
}

describe('http.proxy.*', () => {
  it.each(['HTTP', 'SOCKS', 'socks5'])('of type %s is used for robots.txt and pages', async (type) => {
    const web = await crawler.site({ '/a': page('<title>a</title>') });
    const kind = type === 'HTTP' ? 'http' : 'socks';
    const { proxy, conf } = await proxied({ kind, login: 'me:pw' }, { 'http.proxy.type': type });
    const login = { 'http.proxy.username': 'me', 'http.proxy.password': 'pw' };
    await crawled([`${web.url}/a`, `${secureUrl}/b`], { ...conf, ...login });
    expect(await byPath(cycle, ({ status, title }) => [status, title], crawlId)).toEqual({
      '/a': [2, 'a'],
      '/b': [2, '1.1'],
    });
    expect(web.log.map(({ path }) => path)).toEqual(['/robots.txt', '/a']);
    expect(web.log.filter(({ headers }) => 'proxy-authorization' in headers)).toEqual([]);
    expect(proxy.asked.length).toBeGreaterThanOrEqual(2);
  });

  it('with DIRECT or an exception for the host does not use the proxy', async () => {
    const web = await crawler.site({ '*': page('x') });
    const { proxy, conf } = await proxied({});
    await crawled([`${web.url}/a`], { ...conf, 'http.proxy.type': 'DIRECT' });
    await crawled([`${web.url}/b`], { ...conf, 'http.proxy.exception.list': 'other.test,127.0.0.1' });
    expect([proxy.asked, await byPath(cycle, ({ status }) => status, crawlId)]).toEqual([[], { '/a': 2, '/b': 2 }]);
  });

  it('with a proxy that is down defers its pages and makes none gone', async () => {
    const { proxy, conf } = await proxied({});
    await proxy.close();
    proxies.splice(0);
    const once = { ...conf, 'http.robots.503.defer.visits': 'false', 'db.fetch.retry.max': '1' };
    await crawled([`${secureUrl}/a`], once);
    await passDays(cycle, 2, crawlId);
    await crawler.round(crawlId, { ...lax, ...once });
    const { status, protocol_code, protocol_args, retries_since_fetch } = await pageAt(cycle, '/a', crawlId);
    expect([status, retries_since_fetch, protocol_code]).toEqual([1, 0, 15]);
    expect(protocol_args).toEqual(['refused: the proxy cannot be reached']);
  });

  it('with a proxy that cannot reach a host counts that as a failure of its pages', async () => {
    const { conf } = await proxied({ says: 'HTTP/1.1 502 Bad Gateway\r\n\r\n' });
    await crawled([`${secureUrl}/a`], { ...conf, 'http.robots.503.defer.visits': 'false' });
    const { status, protocol_code, retries_since_fetch } = await pageAt(cycle, '/a', crawlId);
    expect([status, retries_since_fetch, protocol_code]).toEqual([1, 1, 16]);
  });

  it('does not reach private addresses: the egress guard checks the target before the proxy is used', async () => {
    const { proxy, conf } = await proxied({});
    await crawled(['http://10.0.0.1/', 'http://169.254.169.254/latest/'], {
      ...conf,
      'http.filter.ipaddress.exclude': 'private,linklocal',
    });
    expect(proxy.asked).toEqual([]);
    expect(await byPath(cycle, ({ protocol_code: code }) => code, crawlId)).toEqual({ '/': 17, '/latest/': 17 });
  });
});

describe('http.useHttp2', () => {
  it.each([
    ['true', '2.0', 'h2,TLSv1.3'],
    ['false', '1.1', 'http/1.1,TLSv1.3'],
  ])('%s: a server with both versions is requested over HTTP/%s', async (value, version, protocols) => {
    await crawled([`${secureUrl}/a`], { 'http.useHttp2': value });
    expect(await pageAt(cycle, '/a', crawlId)).toMatchObject({
      title: version,
      metadata: { _protocol_versions_: protocols },
    });
  });

  it('true applies in the tunnel of a proxy', async () => {
    const { proxy, conf } = await proxied({});
    await crawled([`${secureUrl}/a`], { ...conf, 'http.useHttp2': 'true' });
    expect((await pageAt(cycle, '/a', crawlId)).title).toBe('2.0');
    expect(proxy.asked[0]).toMatch(/^CONNECT 127\.0\.0\.1:/);
  });
});

describe('http.agent.rotate', () => {
  it('sends one of http.agent.rotate.rules; robots.txt is matched with the name of the crawler', async () => {
    const web = await crawler.site({ '/robots.txt': page('User-agent: orbweaver-test\nDisallow: /b'), '*': page('x') });
    const rules = { 'http.agent.rotate': 'true', 'http.agent.rotate.rules': 'one/1\n# two\ntwo/2' };
    await crawled([`${web.url}/a`, `${web.url}/b`, `${web.url}/c`], rules);
    for (const { headers } of web.log) expect(['one/1', 'two/2']).toContain(headers['user-agent']);
    expect(await byPath(cycle, ({ status }) => status, crawlId)).toEqual({ '/a': 2, '/b': 3, '/c': 2 });
  });
});
