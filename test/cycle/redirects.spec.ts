import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, redirect, redirectLoop, startSite, status } from '../support/site.js';
import { byPath, expectConsistent, pageAt, pages, passDays } from './table.js';

/** Redirects by status and by meta refresh (docs/semantics/fetch.md; feature row D9). */

let cycle: Cycle;
let site: Site;
let handlers: Record<string, Handler> = {};
let number = 0;
let crawlId = '';

beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite((req, res) => (handlers[req.url ?? ''] ?? status(404))(req, res));
});
beforeEach(() => {
  crawlId = `r${++number}`;
  site.log.length = 0;
});
afterEach(() => expectConsistent(cycle));
afterAll(async () => {
  await cycle.close();
  await site.close();
});

const seed = (path = '/a') => cycle.inject([site.url + path], {}, { crawlId });
const round = (conf: Record<string, string> = {}) => cycle.round({ crawlId, conf });
const statuses = () => byPath(cycle, (row) => row.status, crawlId);
const visits = () => site.log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
const outlinks = async (path: string): Promise<string[]> => {
  const row = await pageAt(cycle, path, crawlId);
  const [found] = await cycle.db.query<{ outlink_keys: string[] }>(
    `select outlink_keys from page_content where crawl = (select id from crawl where name = $1) and key = $2`,
    [crawlId, row.key],
  );
  return found?.outlink_keys.map((key) => key.slice(key.indexOf('/'))) ?? [];
};

describe('a redirect (RFC 9110 §15.4)', () => {
  it.each([
    [301, 5, 12],
    [302, 4, 13],
    [303, 4, 13],
    [307, 4, 13],
    [308, 5, 12],
    [300, 5, 12],
    [305, 5, 12],
  ])(
    'with %d gives status %d and adds its target as a page, fetched in the next round',
    async (code, pageStatus, protocol) => {
      handlers = { '/a': redirect('/b', code), '/b': page('<title>B</title>') };
      await seed();
      await round();
      const row = await pageAt(cycle, '/a', crawlId);
      expect(row).toMatchObject({
        status: pageStatus,
        protocol_code: protocol,
        http_status: code,
        redirect_url: `${site.url}/b`,
      });
      expect(row.protocol_args).toEqual([`${site.url}/b`]);
      // The representative URL is the target of a permanent redirect, and the source of a temporary one when both are equal.
      expect(row.repr_url).toBe(site.url + (pageStatus === 5 ? '/b' : '/a'));
      expect(await pageAt(cycle, '/b', crawlId)).toMatchObject({
        status: 1,
        source_kind: 'redirect',
        distance: 1,
        score: 1,
      });
      expect(visits()).toEqual(['/a']);
      await round();
      expect(await pageAt(cycle, '/b', crawlId)).toMatchObject({ status: 2, title: 'B' });
      expect(visits()).toEqual(['/a', '/b']);
    },
  );

  it('resolves Location against the page (RFC 9110 §10.2.2)', async () => {
    handlers = { '/dir/a': redirect('../up?x#frag') };
    await seed('/dir/a');
    await round({ 'urlfilter.regex.rules': '+.' });
    expect(await statuses()).toEqual({ '/dir/a': 4, '/up?x': 1 });
  });

  it.each([
    ['the page itself', '/a', {}],
    ['a URL that a filter rejects', '/b.gif', {}],
    ['another scheme', 'ftp://127.0.0.1/x', {}],
    ['an invalid URL', 'http://[', {}],
    ['another host, with db.ignore.external.links', 'http://127.0.0.2/x', { 'db.ignore.external.links': 'true' }],
    ['a URL that is too long', `/${'x'.repeat(5_000)}`, {}],
  ])('to %s adds no page', async (_what, target, conf) => {
    handlers = { '/a': redirect(target, 301) };
    await seed();
    await round(conf);
    expect(await statuses()).toEqual({ '/a': 5 });
    expect(await outlinks('/a')).toEqual([]);
    // A rejected URL does not become the representative URL.
    expect(await pageAt(cycle, '/a', crawlId)).toMatchObject({ repr_url: null });
  });

  it('gets the normalized target as representative URL', async () => {
    handlers = { '/a': redirect('/x/../b#top', 301), '/b': page('b') };
    await seed();
    await round({ 'urlfilter.regex.rules': '+.' });
    expect(await pageAt(cycle, '/a', crawlId)).toMatchObject({ repr_url: `${site.url}/b` });
  });

  it('to another host adds a page with db.ignore.also.redirects false', async () => {
    handlers = { '/a': redirect('http://127.0.0.2/x') };
    await seed();
    await round({ 'db.ignore.external.links': 'true', 'db.ignore.also.redirects': 'false' });
    expect((await pages(cycle, crawlId)).map(({ key }) => key)).toContain('127.0.0.2:http/x');
  });

  it('without a Location has status 5 and no target', async () => {
    handlers = { '/a': status(301) };
    await seed();
    await round();
    expect(await pageAt(cycle, '/a', crawlId)).toMatchObject({
      status: 5,
      redirect_url: null,
      protocol_args: ['HTTP 301 without a usable Location'],
    });
  });

  it('removes the outlinks of the earlier content', async () => {
    handlers = { '/a': page('<a href="/old">old</a>') };
    await seed();
    await round();
    handlers = { '/a': redirect('/new'), '/old': status(404) };
    await cycle.run('GENERATE', { adddays: 31, batch: 'later' }, { crawlId });
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) await cycle.run(type, { batch: 'later' }, { crawlId });
    expect(await statuses()).toEqual({ '/a': 4, '/new': 1, '/old': 3 });
    expect(await outlinks('/a')).toEqual(['/new']);
  });

  it('removes all columns of the content that it replaces', async () => {
    handlers = { '/a': page(`<title>old</title>${'x'.repeat(2_000)}`, { 'content-type': 'text/html; charset=utf-8' }) };
    await seed();
    const conf = { 'http.content.limit': '1000', 'parser.skip.truncated': 'false' };
    await round(conf);
    handlers = { '/a': redirect('/new') };
    await cycle.run('GENERATE', { adddays: 31, batch: 'later' }, { crawlId });
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) await cycle.run(type, { batch: 'later' }, { crawlId });
    expect(await pageAt(cycle, '/a', crawlId)).toMatchObject({ status: 4, title: null, content_type: null });
    const [content] = await cycle.db.query(
      `select content, headers, text, content_length, text_length, charset, truncated from page_content
        where crawl = (select id from crawl where name = $1) and key like '%/a'`,
      [crawlId],
    );
    expect(new Set(Object.values(content!))).toEqual(new Set([null]));
  });

  it('in a chain is followed one hop a round', async () => {
    handlers = { '/a': redirect('/b'), '/b': redirect('/c', 301), '/c': page('end') };
    await seed();
    expect([await round(), await round(), await round(), await round()]).toEqual([1, 1, 1, 0]);
    expect(await statuses()).toEqual({ '/a': 4, '/b': 5, '/c': 2 });
    expect(visits()).toEqual(['/a', '/b', '/c']);
  });

  it('in a loop of two pages ends after each was visited', async () => {
    handlers = { '/a': redirect('/b'), '/b': redirect('/a') };
    await seed();
    expect([await round(), await round(), await round()]).toEqual([1, 1, 0]);
    expect(visits()).toEqual(['/a', '/b']);
  });

  it('without end is followed one page a round', async () => {
    handlers = { '/loop/1': redirectLoop, '/loop/2': redirectLoop, '/loop/3': redirectLoop };
    await seed('/loop/1');
    expect([await round(), await round()]).toEqual([1, 1]);
    expect(visits()).toEqual(['/loop/1', '/loop/2']);
  });
});

describe('http.redirect.max above 0', () => {
  const follow = { 'http.redirect.max': '2' };

  it('follows redirects in the same FETCH, each hop as a page of the batch', async () => {
    handlers = { '/a': redirect('/b'), '/b': redirect('/c', 301), '/c': page('<title>end</title>') };
    await seed();
    await cycle.run('GENERATE', { batch: 'one' }, { crawlId });
    const job = await cycle.run('FETCH', {}, { crawlId, conf: follow });
    expect(visits()).toEqual(['/a', '/b', '/c']);
    expect(job.result?.counters).toMatchObject({
      Fetcher: { selected: 3 },
      FetcherStatus: { TEMP_MOVED: 1, MOVED: 1, SUCCESS: 1 },
    });
    for (const type of ['PARSE', 'UPDATEDB'] as const) await cycle.run(type, { batch: 'one' }, { crawlId });
    expect(await statuses()).toEqual({ '/a': 4, '/b': 5, '/c': 2 });
    expect(await pageAt(cycle, '/c', crawlId)).toMatchObject({ title: 'end', source_kind: 'redirect', distance: 2 });
    expect((await pages(cycle, crawlId)).reduce((sum, { cash }) => sum + cash, 0)).toBe(1);
    expect(await round(follow)).toBe(0);
  });

  it.each([
    ['is added for a later round', {}, { '/a': 4, '/b': 4, '/c': 1 }],
    [
      'is dropped with http.redirect.max.exceeded.skip',
      { 'http.redirect.max.exceeded.skip': 'true' },
      { '/a': 4, '/b': 4 },
    ],
  ])('the target of a hop beyond the limit %s', async (_what, conf, expected) => {
    handlers = { '/a': redirect('/b'), '/b': redirect('/c'), '/c': page('c') };
    await seed();
    await round({ 'http.redirect.max': '1', ...conf });
    expect(visits()).toEqual(['/a', '/b']);
    expect(await statuses()).toEqual(expected);
  });

  it('follows redirects to known pages only with db.update.additions.allowed false (F10)', async () => {
    handlers = { '/a': redirect('/new'), '/b': redirect('/c'), '/c': page('c'), '/new': page('new') };
    await seed();
    await seed('/b');
    await seed('/c');
    const conf = { ...follow, 'db.update.additions.allowed': 'false' };
    await cycle.run('GENERATE', { batch: 'known', expr: "!(url =$ '/c')" }, { crawlId, conf });
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const)
      await cycle.run(type, { batch: 'known' }, { crawlId, conf });
    expect(visits().sort()).toEqual(['/a', '/b', '/c']);
    expect(await statuses()).toEqual({ '/a': 4, '/b': 4, '/c': 2 });
  });

  it('visits no page twice: in a loop, in the same batch, or fetched before', async () => {
    handlers = {
      '/a': redirect('/b'),
      '/b': redirect('/a'),
      '/c': redirect('/d'),
      '/d': page('d'),
      '/e': redirect('/d'),
    };
    await cycle.inject(
      ['/a', '/c', '/d'].map((path) => site.url + path),
      {},
      { crawlId },
    );
    await round(follow);
    await seed('/e');
    await round(follow);
    expect(visits().sort()).toEqual(['/a', '/b', '/c', '/d', '/e']);
    expect(await statuses()).toEqual({ '/a': 4, '/b': 4, '/c': 4, '/d': 2, '/e': 4 });
  });

  it('visits a common target once with fetcher.redirect.dedupcache.seconds, too', async () => {
    handlers = { '/login': page('login') };
    const from = Array.from({ length: 20 }, (_, i) => `/p${i}`);
    for (const path of from) handlers[path] = redirect('/login');
    await cycle.inject(
      from.map((path) => site.url + path),
      {},
      { crawlId },
    );
    await round({ ...follow, 'fetcher.redirect.dedupcache.seconds': '60' });
    expect(visits().filter((path) => path === '/login')).toHaveLength(1);
    expect(await statuses()).toEqual(Object.fromEntries([...from.map((path) => [path, 4]), ['/login', 2]]));
  });

  it('checks robots.txt for the target', async () => {
    const other = await startSite({
      '/a': redirect('/b'),
      '/b': page('b'),
      '/robots.txt': page('User-agent: *\nDisallow: /b'),
    });
    await cycle.inject([`${other.url}/a`], {}, { crawlId });
    await round(follow);
    await other.close();
    expect(await statuses()).toEqual({ '/a': 4, '/b': 3 });
    expect(other.log.map(({ path }) => path)).toEqual(['/robots.txt', '/a']);
  });

  it('follows a hundred redirects of a batch in one FETCH', async () => {
    handlers = {};
    for (let i = 0; i < 100; i++) handlers[`/from${i}`] = redirect(`/to${i}`);
    for (let i = 0; i < 100; i++) handlers[`/to${i}`] = page(String(i));
    await cycle.inject(
      Array.from({ length: 100 }, (_, i) => `${site.url}/from${i}`),
      {},
      { crawlId },
    );
    await round({ ...follow, 'fetcher.threads.per.queue': '8', 'fetcher.queue.depth.multiplier': '1' });
    expect(visits().sort()).toEqual(Object.keys(handlers).sort());
    const counts = Object.values(await statuses());
    expect([counts.filter((code) => code === 4).length, counts.filter((code) => code === 2).length]).toEqual([
      100, 100,
    ]);
  });
});

describe('a meta refresh', () => {
  const refresh = (content: string) =>
    page(`<title>gone</title><meta http-equiv=refresh content="${content}">words <a href="/x">x</a>`);

  it.each([{ 'fetcher.parse': 'false' }, { 'fetcher.parse': 'true' }])(
    'found by PARSE makes its target the only outlink and leaves no text (%j)',
    async (conf) => {
      handlers = { '/a': refresh('0;url=/b'), '/b': page('B') };
      await seed();
      await round(conf);
      const row = await pageAt(cycle, '/a', crawlId);
      expect(row).toMatchObject({ status: 2, parse_major: 1, parse_minor: 100 });
      expect(await statuses()).toEqual({ '/a': 2, '/b': 1 });
      expect(await outlinks('/a')).toEqual(['/b']);
      expect(await pageAt(cycle, '/b', crawlId)).toMatchObject({ source_kind: 'redirect', score: 1 });
      const [content] = await cycle.db.query(
        `select text, text_length from page_content where crawl = (select id from crawl where name = $1)`,
        [crawlId],
      );
      expect(content).toEqual({ text: null, text_length: 0 });
    },
  );

  it.each([
    ['0;url=/b/c', 'false', '/a'],
    ['4.9;url=/b/c', 'true', '/a'],
    ['5;url=/b/c', 'false', '/b/c'],
    ['5;url=/b/c', 'true', '/b/c'],
  ])(
    '"%s" sets the representative URL like a redirect, temporary below five seconds (fetcher.parse %s)',
    async (content, parse, path) => {
      handlers = { '/a': refresh(content), '/b/c': page('B') };
      await seed();
      await round({ 'fetcher.parse': parse });
      expect((await pageAt(cycle, '/a', crawlId)).repr_url).toBe(site.url + path);
    },
  );

  it('keeps its representative URL until a visit stores other content', async () => {
    let answer: Handler = refresh('0;url=/b/c');
    handlers = { '/a': (req, res) => answer(req, res), '/b/c': page('B') };
    const repr = async () => (await pageAt(cycle, '/a', crawlId)).repr_url;
    const again = async () => {
      await passDays(cycle, 31, crawlId);
      await round();
      return repr();
    };
    await seed();
    await round();
    expect(await repr()).toBe(`${site.url}/a`);
    answer = status(304);
    expect(await again()).toBe(`${site.url}/a`);
    answer = status(503);
    expect(await again()).toBe(`${site.url}/a`);
    answer = page('words');
    expect(await again()).toBeNull();
  });

  it('to another host is rejected by the rules of redirects', async () => {
    handlers = { '/a': refresh('5;url=http://127.0.0.2/') };
    await seed();
    await round({ 'db.ignore.external.links': 'true' });
    expect(await statuses()).toEqual({ '/a': 2 });
    expect(await pageAt(cycle, '/a', crawlId)).toMatchObject({ parse_minor: 100, repr_url: null });
  });

  it('to the page itself is ignored', async () => {
    handlers = { '/a': refresh('30;url=/a'), '/x': status(404) };
    await seed();
    await round();
    expect(await statuses()).toEqual({ '/a': 2, '/x': 1 });
  });
});

describe('the representative URL of a chain (docs/semantics/fetch.md)', () => {
  /** Temporary redirects: the URL with fewer parts represents the chain, whatever kind the hops are. */
  const chain: Record<string, Handler> = {
    '/a': redirect('/long/b', 302),
    '/long/b': redirect('/long/er/c', 302),
    '/long/er/c': page('<meta http-equiv=refresh content="0;url=/long/er/still/d">'),
    '/long/er/still/d': page('the end'),
  };

  it.each<Record<string, string>>([{}, { 'fetcher.parse': 'true' }, { 'http.redirect.max': '5' }])(
    'is passed along to its last page (%j)',
    async (conf) => {
      handlers = chain;
      await seed();
      for (let n = 0; n < 5; n++) await round(conf);
      const names = await byPath(cycle, (row) => row.repr_url, crawlId);
      expect(names).toEqual(Object.fromEntries(Object.keys(chain).map((path) => [path, `${site.url}/a`])));
    },
  );

  it('does not change that of a page visited before', async () => {
    handlers = { '/known': page('known'), '/r': redirect('/known', 302) };
    await seed('/known');
    await round();
    await seed('/r');
    await round();
    await round();
    expect((await pageAt(cycle, '/known', crawlId)).repr_url).toBeNull();
    // Not when it is fetched again either.
    await passDays(cycle, 31, crawlId);
    await round();
    expect(await pageAt(cycle, '/known', crawlId)).toMatchObject({ status: 6, repr_url: null });
  });
});
