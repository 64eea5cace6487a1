/**
 * `http.cookies` and `http.agent.host.cookie.rules`: RFC 6265 with the public suffix list, within bounds. The name prefixes are
 * those of draft-ietf-httpbis-rfc6265bis.
 */
import { afterEach, describe, expect, it } from 'vitest';
import { CookieStore } from '../../src/net/cookie-store.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { HttpSession, type SessionRules, agentNames, cookieRules } from '../../src/net/http-session.js';
import { opened, web, useClient } from './fetching.js';

useClient();

const clients: HttpClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

async function kept(at: string, ...cookies: string[]): Promise<CookieStore> {
  const store = new CookieStore();
  await store.keep(new URL(at), cookies.join('\n'));
  return store;
}

describe('a cookie', () => {
  it.each([
    ['RFC 6265 §5.4', 'https://a.example.com/', 'a=1', 'https://a.example.com/x', 'a=1'],
    ['RFC 6265 §8.5', 'https://a.example.com/', 'a=1', 'http://a.example.com:8080/', 'a=1'],
    ['RFC 6265 §5.3', 'https://a.example.com/', 'a=1', 'https://b.example.com/', ''],
    ['RFC 6265 §5.3', 'https://a.example.com/', 'a=1', 'https://example.com/', ''],
    ['RFC 6265 §5.1.3', 'https://a.example.com/', 'a=1; Domain=example.com', 'https://b.example.com/', 'a=1'],
    ['RFC 6265 §5.2.3', 'https://a.example.com/', 'a=1; Domain=.example.com', 'https://example.com/', 'a=1'],
    ['RFC 6265 §5.3', 'https://a.example.com/', 'a=1; Domain=b.example.com', 'https://b.example.com/', ''],
    ['RFC 6265 §5.3', 'https://a.example.com/', 'a=1; Domain=other.com', 'https://other.com/', ''],
    ['RFC 6265 §5.3', 'https://a.example.com/', 'a=1; Domain=com', 'https://b.com/', ''],
    ['RFC 6265 §5.3', 'https://a.co.uk/', 'a=1; Domain=co.uk', 'https://b.co.uk/', ''],
    ['RFC 6265 §5.3', 'https://a.github.io/', 'a=1; Domain=github.io', 'https://b.github.io/', ''],
    ['RFC 6265 §5.4', 'https://a.example.com/', 'a=1; Secure', 'http://a.example.com/', ''],
    ['RFC 6265 §5.1.4', 'https://a.example.com/', 'a=1; Path=/in', 'https://a.example.com/', ''],
    ['RFC 6265 §5.1.4', 'https://a.example.com/', 'a=1; Path=/in', 'https://a.example.com/in/x', 'a=1'],
    ['RFC 6265 §5.2.2', 'https://a.example.com/', 'a=1; Max-Age=0', 'https://a.example.com/', ''],
    [
      'RFC 6265 §5.2.1',
      'https://a.example.com/',
      'a=1; Expires=Thu, 01 Jan 1970 00:00:00 GMT',
      'https://a.example.com/',
      '',
    ],
    ['RFC 6265bis §4.1.3', 'http://a.example.com/', '__Secure-a=1; Secure', 'https://a.example.com/', ''],
    [
      'RFC 6265bis §4.1.3',
      'https://a.example.com/',
      '__Host-a=1; Secure; Domain=example.com',
      'https://a.example.com/',
      '',
    ],
    ['RFC 6265 §8.5', 'http://127.0.0.1:8080/', 'a=1', 'http://127.0.0.1:8081/', 'a=1'],
    ['RFC 6265 §5.1.3', 'http://127.0.0.1/', 'a=1; Domain=0.0.1', 'http://127.0.0.1/', ''],
    ['RFC 6265 §5.4', 'http://localhost/', 'a=1', 'http://localhost/', 'a=1'],
    ['RFC 6265 §5.3', 'http://intranet/', 'a=1; Domain=intranet', 'http://a.intranet/', ''],
    ['RFC 6265 §5.2', 'https://a.example.com/', '', 'https://a.example.com/', ''],
    ['RFC 6265 §5.2', 'https://a.example.com/', 'nonsense', 'https://a.example.com/', ''],
    ['RFC 6265 §4.1.1', 'https://a.example.com/', 'a=\u0001', 'https://a.example.com/', ''],
    ['RFC 6265 §6.1', 'https://a.example.com/', `a=${'x'.repeat(4096)}`, 'https://a.example.com/', ''],
  ])('%s: set by %s as %.60j, is sent to %s as %j', async (_clause, at, cookie, to, expected) => {
    expect(await (await kept(at, cookie)).cookiesFor(new URL(to))).toBe(expected);
  });

  it('is replaced by a later one with its name, and removed by an expired one (RFC 6265 §5.3)', async () => {
    const store = await kept('http://a.test/', 'a=1', 'b=2', 'a=3');
    expect(await store.cookiesFor(new URL('http://a.test/'))).toBe('a=3; b=2');
    await store.keep(new URL('http://a.test/'), 'a=; Max-Age=0');
    expect(await store.cookiesFor(new URL('http://a.test/'))).toBe('b=2');
  });
});

describe('limits of the cookie store', () => {
  it('a domain keeps its 50 newest (RFC 6265 §6.1: at least 50)', async () => {
    const store = new CookieStore();
    const url = new URL('http://a.test/');
    for (let i = 0; i < 4; i++) {
      await store.keep(url, Array.from({ length: 40 }, (_, j) => `c${i * 40 + j}=1`).join('\n'));
    }
    const names = (await store.cookiesFor(url)).split('; ').map((pair) => pair.split('=')[0]);
    expect(names).toEqual(Array.from({ length: 50 }, (_, j) => `c${110 + j}`));
  });

  it('one response sets at most 50 cookies', async () => {
    const store = await kept('http://a.test/', ...Array.from({ length: 60 }, (_, i) => `c${i}=1`));
    expect((await store.cookiesFor(new URL('http://a.test/'))).split('; ').at(-1)).toBe('c49=1');
  });

  it('a Cookie field has at most 8192 characters, of whole cookies', async () => {
    const cookies = Array.from({ length: 10 }, (_, i) => `c${i}=${'x'.repeat(2000)}`);
    const field = await (await kept('http://a.test/', ...cookies)).cookiesFor(new URL('http://a.test/'));
    expect(field.split('; ').map((one) => one.length)).toEqual([2003, 2003, 2003, 2003]);
  });

  it('all domains together keep 16 MiB; the least recently used is evicted', async () => {
    const store = new CookieStore();
    const big = Array.from({ length: 50 }, (_, i) => `c${i}=${'x'.repeat(4000)}`).join('\n');
    for (let i = 0; i < 100; i++) {
      await store.keep(new URL(`http://h${i}.test/`), big);
      await store.cookiesFor(new URL('http://h0.test/'));
    }
    expect(store.bytes).toBeLessThanOrEqual(16 * 1024 * 1024);
    const here = async (i: number) => (await store.cookiesFor(new URL(`http://h${i}.test/`))) !== '';
    expect([await here(0), await here(1), await here(99)]).toEqual([true, false, true]);
  });
});

describe('an HTTP client with session rules', () => {
  const clientOf = (rules: Partial<SessionRules>): HttpClient => {
    const session = new HttpSession({ keepCookies: false, cookies: new Map(), auth: [], agents: [], ...rules });
    const guard = makeEgressGuard({ exclude: [], include: [] });
    const client = new HttpClient({ guard, verifyTls: true, session, resolve: () => Promise.resolve(['127.0.0.1']) });
    clients.push(client);
    return client;
  };
  const sent = () => opened[0]?.log.map(({ headers }) => headers.cookie ?? null);

  it('sends the cookies of a host to that host only (RFC 6265 §5.4), and shares them with no other client', async () => {
    const { port } = await web((_req, res) => void res.setHeader('set-cookie', ['a=1', 'b=2; HttpOnly']).end());
    const client = clientOf({ keepCookies: true });
    const get = (host: string, by = client) => by.fetch({ url: `http://${host}:${port}/`, headers: {} });
    for (const host of ['a.test', 'a.test', 'b.test']) await get(host);
    await get('a.test', clientOf({ keepCookies: true }));
    await get('a.test', clientOf({}));
    expect(sent()).toEqual([null, 'a=1; b=2', null, null, null]);
  });

  it('sends the cookies of its rules to their hosts, before those that were set', async () => {
    const { port } = await web((_req, res) => void res.setHeader('set-cookie', 'b=2').end());
    const client = clientOf({ keepCookies: true, cookies: cookieRules('# x\na.test\tconsent=yes; lang=en\n') });
    for (const host of ['a.test', 'a.test', 'b.test'])
      await client.fetch({ url: `http://${host}:${port}/`, headers: {} });
    expect(sent()).toEqual(['consent=yes; lang=en', 'consent=yes; lang=en; b=2', null]);
  });

  it('sends one of the configured agent names, or its own User-Agent without any', async () => {
    const { url, log } = await web((_req, res) => void res.end());
    const client = clientOf({ agents: agentNames('one/1 (+http://a.test/)\n# comment\ntwo/2\n') });
    for (let i = 0; i < 40; i++) await client.fetch({ url, headers: { 'user-agent': 'own' } });
    await clientOf({}).fetch({ url, headers: { 'user-agent': 'own' } });
    expect(new Set(log.slice(0, 40).map(({ headers }) => headers['user-agent']))).toEqual(
      new Set(['one/1 (+http://a.test/)', 'two/2']),
    );
    expect(log[40]?.headers['user-agent']).toBe('own');
  });
});

describe('cookie rules of hosts', () => {
  it.each([
    ['a.test', 'rule 1: a rule has two fields separated by a tab: host and cookie (…)'],
    ['a.test\ta=1\tb=2', 'rule 1: a rule has two fields'],
    ['http://a.test/\ta=1', 'rule 1, position 1: the first field must be a host name without scheme, port or path'],
    ['a.test\ta=1\nb.test\ta=\u0007', 'rule 2: the cookie must be text for a header field'],
    ['\ta=1', 'rule 1, position 1'],
  ])('%j are refused', (text, message) => {
    expect(() => cookieRules(text)).toThrow(message);
  });

  it('of agent names: a name must be printable ASCII', () => {
    expect(() => agentNames('ok/1\nkäfer/1')).toThrow('rule 2, position 1: a name must be');
    expect(() => agentNames('a.test\t*\tme\tsecret')).toThrow('rule 1, position 1: a name must be');
  });
});

describe('the bytes of cookies', () => {
  it.each(['Path=/', 'Unknown='])('include their attributes: %s', async (attribute) => {
    const store = await kept('http://a.test/', `a=1; ${attribute}${'x'.repeat(4_000)}`);
    expect(store.bytes).toBeGreaterThan(4_000);
  });
});

describe('cookies of two answers at the same time', () => {
  it('of one domain are both kept', async () => {
    const store = new CookieStore();
    await Promise.all([
      store.keep(new URL('http://www.site.test/'), 'a=1; Domain=site.test'),
      store.keep(new URL('http://site.test/'), 'b=2; Domain=site.test'),
    ]);
    expect((await store.cookiesFor(new URL('http://site.test/'))).split('; ').sort()).toEqual(['a=1', 'b=2']);
  });

  it('are counted once', async () => {
    const [one, other] = [new CookieStore(), new CookieStore()];
    const answers = ['a=1', 'b=2', 'c=3'].map((cookie) => [new URL('http://site.test/'), cookie] as const);
    for (const [url, cookie] of answers) await one.keep(url, cookie);
    await Promise.all(answers.map(([url, cookie]) => other.keep(url, cookie)));
    expect(other.bytes).toBe(one.bytes);
  });
});
