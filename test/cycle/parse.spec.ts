import { createHash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, startSite, status } from '../support/site.js';
import { batchOf, counter, counters, expectConsistent, pageAt, pages, passDays, pathOf } from './table.js';

/** PARSE (docs/semantics/parse.md; feature rows D12, D13, E1 to E4, E7, E9, E11). */

/** One page of each kind for the parsers. */
const web: Record<string, Handler> = {
  '/': page(
    '<title>Home</title><p>Hello <b>world</b></p><script>no()</script><a href="/a">first</a> <a href="/a">second</a> <a href="b.html#f">b</a>',
  ),
  '/latin1': page(Buffer.from('<title>caf\xe9</title>caf\xe9', 'latin1'), {
    'content-type': 'text/html; charset=iso-8859-1',
  }),
  '/text': page('see http://127.0.0.9/there and /not/this', { 'content-type': 'text/plain' }),
  '/noindex': page('<meta name=robots content=noindex><title>t</title>words <a href="/n1">x</a>'),
  '/nofollow': page('<meta name=robots content=nofollow><title>t</title>words <a href="/n2">x</a>'),
  '/rel': page('<a rel="nofollow" href="/n3">x</a><a href="/yes">y</a>'),
  '/base': page('<base href="/dir/"><a href="x">x</a>'),
  '/refresh': page('<meta http-equiv=refresh content="0;url=/target">words'),
  '/png': page(Buffer.from('89504e470d0a1a0a', 'hex'), { 'content-type': 'image/png' }),
  '/empty': page(''),
  '/long': page(`<title>long</title>${'x '.repeat(3_000)}`),
  '/heads': page('<meta name=author content=x><h1>first</h1><h2>low</h2><h1>second</h1>'),
  '/missing': status(404),
  '/broken': page('<title>t<p><a href="/n4'),
  '/many': page(Array.from({ length: 150 }, (_, i) => `<a href="/m${i}">${i}</a>`).join(' ')),
  '/meta': page('<meta name=description content="about it"><meta http-equiv=pragma content=no-cache><html lang=it>'),
};

let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite(web);
});
afterEach(() => expectConsistent(cycle));
afterAll(async () => {
  await cycle.close();
  await site.close();
});

/** Injects and fetches pages (all by default); returns the batch. */
async function fetched(crawlId: string, paths = Object.keys(web), conf: Record<string, string> = {}): Promise<string> {
  await cycle.inject(
    paths.map((path) => site.url + path),
    {},
    { crawlId },
  );
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  const job = await cycle.run('FETCH', { batch }, { crawlId, conf });
  expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'done' } });
  return batch;
}
const parse = (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
  cycle.run('PARSE', args, { crawlId, conf });

interface Content {
  path: string;
  text: string | null;
  charset: string | null;
  links: [path: string, anchor: string][];
  truncated: string | null;
}
async function contents(crawlId: string): Promise<Record<string, Content>> {
  const rows = await cycle.db.query<Record<string, unknown> & { key: string; text: Buffer | null }>(
    `select * from page_content where crawl = (select id from crawl where name = $1) order by key`,
    [crawlId],
  );
  return Object.fromEntries(
    rows.map((row) => {
      const keys = (row['outlink_keys'] as string[] | null) ?? [];
      const anchors = (row['outlink_anchors'] as string[] | null) ?? [];
      const content: Content = {
        path: pathOf(row.key),
        text: row.text === null ? null : zstdDecompressSync(row.text).toString(),
        charset: row['charset'] as string | null,
        links: keys.map((key, i) => [pathOf(key), anchors[i]!]),
        truncated: row['truncated'] as string | null,
      };
      return [content.path, content];
    }),
  );
}

describe('a parsed batch', () => {
  let batch: string;
  let found: Record<string, Content>;
  beforeAll(async () => {
    batch = await fetched('all');
    const job = await parse('all', { batch });
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done' } });
    expect(counters(job, 'ParserStatus')).toEqual({ success: 14, failed: 1 });
    found = await contents('all');
  });

  it('gets title, text, outlinks with anchors, signature, parse status and mark (E1, E4, E7)', async () => {
    const body =
      '<title>Home</title><p>Hello <b>world</b></p><script>no()</script><a href="/a">first</a> <a href="/a">second</a> <a href="b.html#f">b</a>';
    expect(await pageAt(cycle, '/', 'all')).toMatchObject({
      title: 'Home',
      parse_major: 1,
      parse_minor: 0,
      parse_mark: batch,
      fetch_mark: batch,
      signature: createHash('md5').update(body).digest('hex'),
      prev_signature: null,
    });
    expect(found['/']!.text).toContain('Hello world');
    expect(found['/']!.text).not.toContain('no()');
    expect(found['/']!.links).toEqual([
      ['/a', 'first'],
      ['/b.html', 'b'],
    ]);
  });

  it('gets the character encoding of its pages (E11)', () => {
    expect(found['/latin1']).toMatchObject({ charset: 'windows-1252', text: expect.stringContaining('café') });
    expect(found['/']).toMatchObject({ charset: 'utf-8' });
  });

  it.each([
    ['/text', [['/there', '']]],
    ['/noindex', [['/n1', 'x']]],
    ['/nofollow', []],
    ['/rel', [['/yes', 'y']]],
    ['/base', [['/dir/x', 'x']]],
    ['/refresh', [['/target', '']]],
    ['/empty', []],
  ])('gets the outlinks of %s: %j', (path, links) => {
    expect(found[path]!.links).toEqual(links);
  });

  it('gets neither text nor title of a page with noindex', async () => {
    expect(found['/noindex']!.text).toBeNull();
    expect((await pageAt(cycle, '/noindex', 'all')).title).toBe('');
    expect(found['/nofollow']!.text).toContain('words');
  });

  it('gets metadata of its pages', async () => {
    expect((await pageAt(cycle, '/meta', 'all')).metadata).toEqual({
      language: 'it',
      'caching.forbidden': 'content',
      'metatag.description': 'about it',
    });
  });

  it('gets headings, meta elements and encodings as configured (E11, E15)', async () => {
    await fetched('kinds', ['/heads', '/latin1']);
    const conf = {
      'plugin.includes': `${defaults['plugin.includes']}|headings`,
      'metatags.names': 'author',
      'db.parsemeta.to.crawldb': 'OriginalCharEncoding,CharEncodingForConversion',
    };
    await parse('kinds', {}, conf);
    const charset = (name: string) => ({ OriginalCharEncoding: name, CharEncodingForConversion: name });
    const metadata = async (path: string) => (await pageAt(cycle, path, 'kinds')).metadata;
    expect(await metadata('/heads')).toEqual({ h1: 'first', h2: 'low', 'metatag.author': 'x', ...charset('utf-8') });
    expect(await metadata('/latin1')).toEqual(charset('windows-1252'));
    await parse('kinds', { force: true }, { ...conf, 'headings.multivalued': 'true', headings: 'h1' });
    expect(await metadata('/heads')).toMatchObject({ h1: 'first\tsecond' });
  });

  it('gets db.max.outlinks.per.page links of a page (100), and the others are counted', async () => {
    expect(found['/many']!.links).toHaveLength(100);
    await fetched('outlinks', ['/many']);
    const job = await parse('outlinks', {}, { 'db.max.outlinks.per.page': '-1' });
    expect((await contents('outlinks'))['/many']!.links).toHaveLength(150);
    expect(counter(job, 'ParserOutlinks', 'kept')).toBe(150);
    expect(counters(await parse('outlinks', { force: true }), 'ParserOutlinksDropped')).toEqual({ limit: 50 });
  });

  it('gets the reason in parse_args, and no mark, for a page that cannot be parsed', async () => {
    expect(await pageAt(cycle, '/png', 'all')).toMatchObject({ parse_major: 2, parse_minor: 200, parse_mark: null });
    const [row] = await cycle.db.query(`select parse_args from webpage where key like '%/png' and parse_major = 2`);
    expect(row).toEqual({ parse_args: ['no parser for image/png'] });
  });

  it('does not parse pages that were not fetched', async () => {
    expect(await pageAt(cycle, '/missing', 'all')).toMatchObject({ parse_major: null, parse_mark: null });
  });
});

describe('PARSE', () => {
  it('parses a page once; a second PARSE does nothing, and force parses all again (E2)', async () => {
    await fetched('e2', ['/', '/base']);
    await parse('e2');
    const before = await pages(cycle, 'e2');
    const second = await parse('e2');
    expect(second.result).toMatchObject({ result: '0', reason: 'done' });
    expect(counters(second, 'ParserStatus')).toEqual({ success: 0, failed: 0 });
    expect(counters(await parse('e2', { force: true }), 'ParserStatus')).toEqual({ success: 2 });
    expect(await pages(cycle, 'e2')).toEqual(before);
  });

  it('parses the pages of all batches with -all (E3)', async () => {
    await cycle.inject(
      ['/', '/base'].map((path) => site.url + path),
      {},
      { crawlId: 'e3' },
    );
    for (let n = 0; n < 2; n++) await cycle.run('GENERATE', { topN: 1 }, { crawlId: 'e3' });
    await cycle.run('FETCH', { batch: '-all' }, { crawlId: 'e3' });
    expect(counters(await parse('e3', { batch: '-all' }), 'ParserStatus')).toEqual({ success: 2 });
  });

  it('parses all pages with content with -reparse, marked or not, and keeps their marks', async () => {
    await cycle.inject(
      ['/', '/base', '/missing'].map((path) => site.url + path),
      {},
      { crawlId: 'reparse' },
    );
    await cycle.round({ crawlId: 'reparse' });
    await cycle.db.query(
      `update webpage set title = 'lost' where crawl = (select id from crawl where name = 'reparse')`,
    );
    const before = await pages(cycle, 'reparse');
    const job = await parse('reparse', { batch: '-reparse' });
    expect(counters(job, 'ParserStatus')).toEqual({ success: 2 });
    const titles: Record<string, string> = { '/': 'Home', '/base': '' };
    expect(await pages(cycle, 'reparse')).toEqual(
      before.map((row) => ({ ...row, title: titles[pathOf(row.key)] ?? row.title })),
    );
    expect(await parse('nobody', { batch: '-reparse' })).toMatchObject({ result: { result: '1', reason: 'no-urls' } });
  });

  it('with -reparse does not overwrite pages that FETCH writes after it has read them', async () => {
    const bodies = ['<title>old</title><a href="/old">x</a>', '<title>new</title>more <a href="/new">x</a>'];
    const changing = await startSite({ '/': (...asked) => page(bodies[0]!)(...asked) });
    await cycle.inject([`${changing.url}/`], {}, { crawlId: 'fresh' });
    await cycle.round({ crawlId: 'fresh' });
    bodies.shift();
    await passDays(cycle, 31, 'fresh');
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'fresh' }));
    const fetch = () => cycle.run('FETCH', { batch }, { crawlId: 'fresh', conf: { 'fetcher.parse': 'true' } });
    armFaultPoints(async (point) => {
      if (point === 'parse.read') expect((await fetch()).state).toBe('FINISHED');
    });
    try {
      expect((await parse('fresh', { batch: '-reparse' })).state).toBe('FINISHED');
    } finally {
      armFaultPoints(undefined);
    }
    await cycle.run('UPDATEDB', { batch }, { crawlId: 'fresh' });
    expect(await pageAt(cycle, '/', 'fresh')).toMatchObject({ status: 2, title: 'new' });
    expect((await contents('fresh'))['/']!.links).toEqual([['/new', 'x']]);
    await changing.close();
  });

  it('parses nothing before FETCH', async () => {
    await cycle.inject([`${site.url}/`], {}, { crawlId: 'unfetched' });
    await cycle.run('GENERATE', {}, { crawlId: 'unfetched' });
    expect(counters(await parse('unfetched'), 'ParserStatus')).toEqual({ success: 0, failed: 0 });
    expect(await pageAt(cycle, '/', 'unfetched')).toMatchObject({ parse_mark: null, status: 1 });
  });
});

describe('a failed parse', () => {
  const unreadable = { 'plugin.includes': 'protocol-http|urlfilter-regex|urlnormalizer-basic' };
  const failure = { parse_major: 2, parse_minor: 200, parse_args: ['no parser for text/html'] };

  it.each([
    ['force', { force: true }],
    ['-reparse', { batch: '-reparse' }],
  ])('with %s keeps the earlier result for the same content and stores the failure', async (how, args) => {
    const crawlId = `kept-${how}`;
    await fetched(crawlId, ['/']);
    await parse(crawlId);
    if (how === '-reparse') await cycle.run('UPDATEDB', {}, { crawlId });
    const before = { row: await pageAt(cycle, '/', crawlId), content: await contents(crawlId) };
    for (let n = 0; n < 2; n++) {
      expect(counters(await parse(crawlId, args, unreadable), 'ParserStatus')).toEqual({ success: 0, failed: 1 });
      expect(await pageAt(cycle, '/', crawlId)).toEqual({ ...before.row, ...failure });
      expect(await contents(crawlId)).toEqual(before.content);
    }
  });

  it('of new content removes the result for the old content', async () => {
    const bodies = ['<title>old</title>old <a href="/old">x</a>', '<title>new</title>new'];
    const changing = await startSite({ '/': (...asked) => page(bodies[0]!)(...asked) });
    await cycle.inject([`${changing.url}/`], {}, { crawlId: 'emptied' });
    await cycle.round({ crawlId: 'emptied' });
    bodies.shift();
    await passDays(cycle, 31, 'emptied');
    await cycle.round({ crawlId: 'emptied', conf: unreadable });
    expect(await pageAt(cycle, '/', 'emptied')).toMatchObject({ ...failure, title: null });
    expect((await contents('emptied'))['/']).toMatchObject({ text: null, links: [] });
    await changing.close();
  });
});

describe('PARSE with', () => {
  const conf = { 'urlfilter.regex.rules': '-/a$\n+.' };

  it.each([
    [{}, ['/b.html']],
    [{ nofilter: 'true' }, ['/a', '/b.html']],
    [{ noFilter: true }, ['/a', '/b.html']],
  ])('%j keeps %j when a rule rejects /a (E9)', async (args, expected) => {
    const crawlId = `e9-${Object.keys(args).join('')}`;
    await fetched(crawlId, ['/']);
    await parse(crawlId, args, conf);
    expect((await contents(crawlId))['/']!.links.map(([path]) => path)).toEqual(expected);
  });

  it.each(['nofilter', 'noFilter'])('%s false filters whatever parse.filter.urls says', async (name) => {
    await fetched(`e9-${name}-false`, ['/']);
    await parse(`e9-${name}-false`, { [name]: 'false' }, { ...conf, 'parse.filter.urls': 'false' });
    expect((await contents(`e9-${name}-false`))['/']!.links.map(([path]) => path)).toEqual(['/b.html']);
  });

  it('nonormalize keeps links as resolved, and false normalizes whatever parse.normalize.urls says', async () => {
    const other = await startSite({ '/': page('<a href="/x//y">x</a>') });
    const off = { 'parse.normalize.urls': 'false' };
    for (const [crawlId, args, conf, path] of [
      ['norm', {}, {}, '/x/y'],
      ['nonorm', { nonormalize: 'true' }, {}, '/x//y'],
      ['unnorm', {}, off, '/x//y'],
      ['renorm', { nonormalize: false }, off, '/x/y'],
    ] as const) {
      await cycle.inject([`${other.url}/`], {}, { crawlId });
      await cycle.run('GENERATE', {}, { crawlId });
      await cycle.run('FETCH', {}, { crawlId });
      await parse(crawlId, args, conf);
      expect((await contents(crawlId))['/']!.links).toEqual([[path, 'x']]);
    }
    await other.close();
  });

  it('db.ignore.external.links drops and counts links to other hosts', async () => {
    await fetched('external', ['/text']);
    const job = await parse('external', {}, { 'db.ignore.external.links': 'true' });
    expect((await contents('external'))['/text']!.links).toEqual([]);
    expect(counters(job, 'ParserOutlinksDropped')).toEqual({ external: 1 });
  });

  it('parser.skip.truncated does not parse cut pages, and with false parses the stored part', async () => {
    await fetched('skip', ['/long'], { 'http.content.limit': '500' });
    await parse('skip');
    expect(await pageAt(cycle, '/long', 'skip')).toMatchObject({ parse_mark: null, parse_minor: 202, title: null });
    await parse('skip', {}, { 'parser.skip.truncated': 'false' });
    expect(await pageAt(cycle, '/long', 'skip')).toMatchObject({ parse_major: 1, title: 'long' });
  });
});

describe('FETCH with fetcher.parse', () => {
  /** A row without values of a single run: crawl, times, batch. */
  const bare = (row: object) =>
    Object.fromEntries(
      Object.entries(row)
        .filter(([name]) => !['crawl', 'fetch_time', 'prev_fetch_time', 'batch_id'].includes(name))
        .map(([name, value]) => [name, name.endsWith('_mark') && name !== 'inject_mark' ? value !== null : value]),
    );
  const tables = async (crawlId: string) => ({
    webpage: (await pages(cycle, crawlId)).map(bare),
    content: (
      await cycle.db.query(
        `select * from page_content where crawl = (select id from crawl where name = $1) order by key`,
        [crawlId],
      )
    ).map((row) => ({ ...bare(row), headers: { ...(row['headers'] as object), date: '' } })),
  });

  it('stores the same rows as PARSE, column by column (D12, D13)', async () => {
    const conf = { 'http.content.limit': '4000' };
    await fetched('apart', undefined, conf);
    const parsed = await parse('apart', {}, conf);
    await fetched('together', undefined, { ...conf, 'fetcher.parse': 'true' });
    expect(await tables('together')).toEqual(await tables('apart'));
    const [job] = await cycle.jobs.list({ crawlId: 'together', limit: 1 });
    for (const group of ['ParserStatus', 'ParserOutlinks', 'ParserOutlinksDropped'])
      expect(counters(job!, group)).toEqual(counters(parsed, group));
  });

  it('leaves no page for PARSE', async () => {
    const job = await parse('together', {}, { 'http.content.limit': '4000' });
    expect(counter(job, 'ParserStatus', 'success')).toBe(0);
  });
});
