/**
 * C1 and C2 of the threat list, on whole crawls: pages of a public site point to inner addresses in every way that a page, a
 * redirect, a robots.txt or a seed can, in every spelling. The guard has its default rules. The site is public by a name that
 * only this test resolves, and by an address that only its sockets map to loopback; every other address that a socket is opened
 * to is recorded, and canaries listen there. Nothing may be recorded.
 */
import dns from 'node:dns/promises';
import net from 'node:net';
import tls from 'node:tls';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyOf } from '../../src/core/conf/properties.js';
import { WebhooksUnderTest } from '../job/webhooks-under-test.js';
import { innerHosts, innerNames } from '../net/inner-addresses.js';
import { replaceBuiltin } from '../support/builtins.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, redirect, startSite, status } from '../support/site.js';
import { type ApiUnderTest, apiUnderTest } from '../api/api-under-test.js';
import { pages } from './table.js';

const world = {
  /** Address of the public site. */
  publicAddress: '93.184.215.14',
  /** Addresses, other than that, that a socket was opened to. */
  dialled: [] as string[],
  /** Number of lookups of each name. */
  asked: new Map<string, number>(),
  names: new Map<string, (time: number) => string[]>(),
};

replaceBuiltin(dns, {
  lookup(name: string) {
    const time = (world.asked.get(name) ?? 0) + 1;
    world.asked.set(name, time);
    const found = world.names.get(name)?.(time) ?? (name.endsWith('.public.test') ? [world.publicAddress] : undefined);
    if (!found) return Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }));
    return Promise.resolve(found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
  },
});

const rerouted = <T extends { host?: string; port?: unknown }>(target: T): T => {
  if (target.host === world.publicAddress) return { ...target, host: '127.0.0.1' };
  world.dialled.push(`${target.host}:${String(target.port)}`);
  return target;
};
const connect = { tcp: net.connect, tls: tls.connect };
replaceBuiltin(net, { connect: (target: object) => connect.tcp(rerouted(target) as never) });
replaceBuiltin(tls, { connect: (target: object) => connect.tls(rerouted(target) as never) });

const shipped = {
  'http.agent.name': 'orbweaver-test',
  'http.filter.ipaddress.exclude': propertyOf('http.filter.ipaddress.exclude')!.defaultText,
  'fetcher.server.delay': '0',
  'fetcher.threads.fetch': '30',
  'db.max.outlinks.per.page': '-1',
  // The shipped filter drops URLs with @ and such before the guard sees them.
  'urlfilter.regex.rules': '+.',
};

let cycle: Cycle;
let site: Site;
let canaries: Site[];
/** Every inner URL, on the port of a canary and on that of the site itself. */
let inner: string[];

beforeAll(async () => {
  for (const [name, addresses] of Object.entries(innerNames)) world.names.set(name, () => addresses);
  cycle = await openCycle();
  site = await startSite(answer);
  const everywhere = await startSite(page('inner secret'), { host: '0.0.0.0' });
  const six = await startSite(page('inner secret'), { host: '::1', port: everywhere.port }).catch(() => undefined);
  canaries = [everywhere, await startSite(page('inner secret')), ...(six ? [six] : [])];
  inner = innerHosts.map((host, at) => `http://${host}:${canaries[at % 2]!.port}/secret`);
});
afterAll(async () => {
  await cycle?.close();
  await site?.close();
  for (const canary of canaries ?? []) await canary.close();
});

/** `/way/n` points to inner address n in that way; hosts `robots-<code>-<n>` and `sitemap-<n>` do so by their robots.txt. */
const answer: Handler = (req, res) => {
  const [, robots, code = '', n = ''] = /^(robots-(\d+)|sitemap)-(\d+)\./.exec(req.headers.host ?? '') ?? [];
  if (req.url === '/robots.txt' && robots) {
    const target = inner[Number(n)]!;
    return code
      ? sent(target, Number(code))(req, res)
      : page(`Sitemap: ${target}?robots\n`, { 'content-type': 'text/plain' })(req, res);
  }
  const [, way = '', index = '0'] = /^\/(\w+)\/(\d+)/.exec(req.url ?? '') ?? [];
  const handler =
    ways[way]?.(`${inner[Number(index)] ?? ''}?${way}`) ?? (/^\d+$/.test(way) ? undefined : page('<p>a page</p>'));
  return (req.url === '/robots.txt' ? status(404) : (handler ?? status(404)))(req, res);
};

/** Headers are Latin-1: other letters go percent-encoded, as servers send them. */
const sent = (url: string, code: number): Handler =>
  redirect(url.replaceAll(/[^\x20-\x7e]/g, encodeURIComponent), code);

const ways: Record<string, (url: string) => Handler> = {
  r301: (url) => sent(url, 301),
  r302: (url) => sent(url, 302),
  r303: (url) => sent(url, 303),
  r307: (url) => sent(url, 307),
  r308: (url) => sent(url, 308),
  meta: (url) => page(`<meta http-equiv="refresh" content="0; url=${url}"><p>moved</p>`),
  later: (url) => page(`<meta http-equiv="refresh" content="30; url='${url}'"><p>moves</p>`),
  header: (url) => page('<p>moved</p>', { refresh: `0; url=${encodeURI(url)}` }),
  canonical: (url) => page(`<link rel="canonical" href="${url}"><p>a page</p>`),
  base: (url) => page(`<base href="${url}"><a href="/based">link</a>`),
  links: (url) => page(`<a href="${url}">a</a><iframe src="${url}"></iframe><img src="${url}"><area href="${url}">`),
  scheme: (url) =>
    page(`<a href="${url.slice('http:'.length)}">without scheme</a><a href="${url.replace('http', 'https')}">s</a>`),
  index: (url) =>
    page(`<sitemapindex><sitemap><loc>${url}</loc></sitemap></sitemapindex>`, { 'content-type': 'text/xml' }),
  entries: (url) => page(`<urlset><url><loc>${url}</loc></url></urlset>`, { 'content-type': 'text/xml' }),
  alternate: (url) =>
    page(`<link rel="alternate" href="${url}"><link rel="next" href="${url}"><form action="${url}"></form>`),
};

const robotsCodes = [301, 302, 303, 307, 308];
const at = (host: string, path: string) => `http://${host}.public.test:${site.port}${path}`;

function seeds(): string[] {
  return inner.flatMap((url, n) => [
    url,
    url.replace('http:', 'https:'),
    url.replace(/:\d+\//, `:${site.port}/`),
    url.replace('http:', 'HTTP:'),
    ...Object.keys(ways).map((way) => at(way, `/${way}/${n}`)),
    at(`robots-${robotsCodes[n % robotsCodes.length]}-${n}`, '/'),
    at(`sitemap-${n}`, '/'),
  ]);
}

/** Requests to the site that were not sent to it by its public name. */
const strays = () => site.log.filter(({ headers }) => !/\.public\.test:\d+$/.test(headers.host ?? ''));
const nothingInside = () => {
  expect(world.dialled).toEqual([]);
  expect(canaries.map((canary) => canary.connections())).toEqual(canaries.map(() => 0));
  expect(strays()).toEqual([]);
};

describe('a crawl whose seeds, pages, redirects and robots.txt point to inner addresses', () => {
  it('uses more than 40 spellings, each in more than 15 ways', () => {
    expect(innerHosts.length).toBeGreaterThanOrEqual(40);
    expect(seeds().length / innerHosts.length).toBeGreaterThanOrEqual(15);
  });

  it.each([
    ['redirects in later rounds', 'later', '0'],
    ['redirects followed in the same FETCH', 'once', '3'],
  ])('opens no socket to an inner address (%s)', async (_, crawlId, most) => {
    const conf = { ...shipped, 'http.redirect.max': most };
    const injected = await cycle.inject(seeds(), {}, { crawlId, conf });
    expect(injected.state).toBe('FINISHED');
    for (let rounds = 0; rounds < 3; rounds++) await cycle.round({ crawlId, conf });
    nothingInside();
    const found = await pages(cycle, crawlId);
    const refused = found.filter(({ protocol_args: args }) =>
      args?.[0]?.startsWith('blocked: refused by the egress rule'),
    );
    // They were requested, in both schemes, and refused; the pages of the site were fetched.
    expect(refused.length).toBeGreaterThan(innerHosts.length);
    const byWay = (way: string) => refused.filter(({ key }) => key.endsWith(`?${way}`)).length;
    const leading = ['r301', 'r302', 'r303', 'r307', 'r308', 'meta', 'links', 'scheme'];
    for (const way of leading) expect(byWay(way), way).toBeGreaterThan(20);
    expect(found.filter(({ status: code }) => code === 2).length).toBeGreaterThan(innerHosts.length);
    expect(JSON.stringify(refused.map(({ protocol_args: args }) => args))).not.toMatch(/\d+\.\d+\.\d+\.\d+/);
  });
});

describe('SITEMAP of sites whose robots.txt, indexes, entries and redirects point to inner addresses', () => {
  it('opens no socket to an inner address', async () => {
    const codes = robotsCodes.length;
    const sitemapUrls = inner.flatMap((url, n) => [
      ...(URL.canParse(url) ? [url, url.replace('http:', 'https:')] : []),
      at('index', `/index/${n}`),
      at('entries', `/entries/${n}`),
      at('leading', `/r${robotsCodes[n % codes]}/${n}`),
    ]);
    const hosts = inner.flatMap((_, n) => [at(`sitemap-${n}`, '/'), at(`robots-${robotsCodes[n % codes]}-${n}`, '/')]);
    const conf = { ...shipped, 'db.ignore.external.links': 'false', 'fetcher.max.exceptions.per.queue': '-1' };
    await cycle.inject(hosts, {}, { crawlId: 'maps', conf });
    // The second run requests the robots.txt of all hosts.
    for (const args of [{ sitemapUrls, noStrict: true }, { noStrict: true }])
      expect(await cycle.run('SITEMAP', args, { crawlId: 'maps', conf })).toMatchObject({
        state: 'FINISHED',
        msg: 'OK',
      });
    for (let rounds = 0; rounds < 2; rounds++) await cycle.round({ crawlId: 'maps', conf });
    nothingInside();
    const found = await cycle.db.query<{ source: string; error: string | null }>(
      `select source, error from sitemap s join crawl c on c.id = s.crawl where c.name = 'maps'`,
    );
    // They were requested, from each source, and refused.
    for (const source of ['argument', 'robots', 'index'])
      expect(found.filter((one) => one.source === source && one.error !== null).length, source).toBeGreaterThan(20);
    const entries = (await pages(cycle, 'maps')).filter(({ key }) => key.endsWith('?entries'));
    expect(entries.length).toBeGreaterThan(20);
    for (const { protocol_args: args } of entries) expect(args?.[0]).toMatch(/^blocked: refused by the egress rule/);
  });
});

describe('a name that resolves to another address in the next job', () => {
  it.each([
    ['an inner address', ['127.0.0.1']],
    ['an inner and a public address', [world.publicAddress, '127.0.0.1']],
    ['a mapped address', ['::ffff:127.0.0.1']],
    ['a cloud metadata address', ['169.254.169.254']],
  ])('is blocked when the new address is %s, after earlier pages were fetched', async (what, second) => {
    const name = `turn-${what.replaceAll(' ', '-')}.public.test`;
    world.names.set(name, (time) => (time === 1 ? [world.publicAddress] : second));
    const crawlId = `turn-${what.replaceAll(' ', '-')}`;
    const url = `http://${name}:${site.port}/`;
    await cycle.inject([`${url}one`, `${url}two`], {}, { crawlId, conf: shipped });
    const batch = (await cycle.run('GENERATE', {}, { crawlId, conf: shipped })).result!['generate.batch.id'];
    await cycle.run('FETCH', { batch }, { crawlId, conf: shipped });
    // One lookup for the whole job: robots.txt and both pages came from the first address.
    expect((await pages(cycle, crawlId)).map(({ http_status: code }) => code)).toEqual([200, 200]);
    expect(world.asked.get(name)).toBe(1);
    await cycle.inject([`${url}three`], {}, { crawlId, conf: shipped });
    await cycle.round({ crawlId, conf: shipped });
    const third = (await pages(cycle, crawlId)).find(({ key }) => key.endsWith('/three'));
    expect(third?.protocol_args?.[0]).toMatch(/^blocked: refused by the egress rule/);
    nothingInside();
  });
});

describe('POST /v1/inspect/fetch', () => {
  let api: ApiUnderTest;
  beforeAll(async () => void (api = await apiUnderTest()));
  afterAll(() => api?.close());

  it('reaches no inner address, directly or by a redirect', async () => {
    const params = { ...shipped, 'http.redirect.max': 5 };
    const post = (path: string, body: object) => request(api.url).post(path).send(body);
    expect((await post('/config/create', { configId: 'c', params })).status).toBe(200);
    for (const [n, url] of inner.entries()) {
      const all = [url, url.replace('http:', 'https:'), at(`r${robotsCodes[n % 5]}`, `/r${robotsCodes[n % 5]}/${n}`)];
      for (const one of [...all, at(`robots-302-${n}`, '/')]) {
        const answered = await post('/v1/inspect/fetch', { url: one, confId: 'c' });
        expect(answered.status, one).toBeLessThan(500);
        expect(answered.text, one).not.toContain('inner secret');
      }
    }
    nothingInside();
  });
});

describe('webhooks', () => {
  it('are not delivered to inner addresses', async () => {
    const hooks = await WebhooksUnderTest.open();
    const made: string[] = [];
    for (const url of inner) {
      if (URL.canParse(url)) made.push((await hooks.hook({ url: new URL(url).href })).id);
    }
    await hooks.warn((await hooks.jobs.create()).id, 1);
    const sender = hooks.sender({ exclude: shipped['http.filter.ipaddress.exclude'].split(',') });
    for (const id of made) {
      expect((await hooks.attempted(id, sender)).msg).toMatch(/^refused by the egress rule/);
    }
    await hooks.closeSenders();
    await hooks.close();
    nothingInside();
  });
});
