import { createHash } from 'node:crypto';
import { zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { type Handler, page, redirect, status } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, byPath, pageAt, passDays } from './table.js';

/** Pages that are fetched again: conditional requests, signatures (docs/semantics/fetch.md). */

useCrawler();

const contentOf = async (crawlId: string): Promise<string> => {
  const [row] = await cycle.db.query<{ content: Buffer }>(
    `select content from page_content where crawl = (select id from crawl where name = $1) and content is not null`,
    [crawlId],
  );
  return zstdDecompressSync(row!.content).toString();
};

describe('a page unchanged for longer than db.fetch.interval.max', () => {
  it('is requested unconditionally after 90 % of that time, and not in every round', async () => {
    const lastModified = new Date(Date.now() - 365 * 86_400_000).toUTCString();
    const web = await crawler.site({ '/': page('old', { 'last-modified': lastModified, etag: '"e"' }) });
    await crawler.inject('old', [`${web.url}/`]);
    const conf = { 'db.fetch.schedule.class': 'org.apache.nutch.crawl.AdaptiveFetchSchedule' };
    const round = () => cycle.round({ crawlId: 'old', conf });
    expect([await round(), await round()]).toEqual([1, 0]);
    const row = await pageAt(cycle, '/', 'old');
    expect(row).toMatchObject({ status: 1, fetch_interval: 81 * 86_400, signature: null });
    expect((row.fetch_time.getTime() - Date.now()) / 86_400_000).toBeCloseTo(81, 2);
    await passDays(cycle, 82, 'old');
    expect([await round(), await round()]).toEqual([1, 0]);
    expect(web.log.findLast(({ path }) => path === '/')!.headers).not.toHaveProperty('if-none-match');
  });
});

describe('a page fetched again', () => {
  const again = async (crawlId: string, handler: Handler) => {
    const web = await crawler.site({ '/': handler });
    await crawler.inject(crawlId, [`${web.url}/`]);
    await cycle.round({ crawlId });
    await passDays(cycle, 31, crawlId);
    await cycle.round({ crawlId });
    return { request: web.log.filter(({ path }) => path === '/')[1]!, row: await pageAt(cycle, '/', crawlId) };
  };
  const modified = 'Wed, 01 Jan 2025 10:00:00 GMT';
  const conditional: Handler = (req, res) => {
    const headers = { etag: '"v1"', 'last-modified': modified, 'content-type': 'text/html' };
    if (req.headers['if-none-match'] === '"v1"') return void res.writeHead(304, headers).end();
    res.writeHead(200, headers).end('<title>once</title><a href="/x">x</a>');
  };

  it.each([
    ['too long to be stored', `"${'v'.repeat(500)}"`],
    ['not in ASCII', Buffer.from('"ä"').toString('latin1')],
  ])('is requested by its date alone if its ETag is %s', async (_what, etag) => {
    const { request, row } = await again(`etag-${etag.length}`, (req, res) => {
      const headers = { etag, 'last-modified': modified, 'content-type': 'text/html' };
      const isUnchanged = req.headers['if-none-match'] === undefined && req.headers['if-modified-since'] === modified;
      res.writeHead(isUnchanged ? 304 : 200, headers).end(isUnchanged ? undefined : '<title>once</title>');
    });
    expect([request.headers['if-none-match'], row.http_status, row.title]).toEqual([undefined, 304, 'once']);
  });

  it.each([
    ['PARSE', { batch: '-reparse' }],
    ['INDEX', { batch: '-all' }],
  ] as const)('is requested unconditionally once %s has found its stored content damaged', async (type, args) => {
    const crawlId = `damaged-${type}`;
    const web = await crawler.site({ '/': conditional });
    await crawler.inject(crawlId, [`${web.url}/`]);
    await cycle.round({ crawlId });
    await cycle.db.query(
      `update page_content set content = '\\x0102', text = '\\x0102' where crawl = (select id from crawl where name = $1)`,
      [crawlId],
    );
    await cycle.run(type, args, { crawlId });
    await passDays(cycle, 31, crawlId);
    await cycle.round({ crawlId });
    expect(web.log.filter(({ path }) => path === '/')[1]!.headers).not.toHaveProperty('if-none-match');
    expect(await pageAt(cycle, '/', crawlId)).toMatchObject({ parse_major: 1, title: 'once', etag: '"v1"' });
    expect(await contentOf(crawlId)).toContain('once');
  });

  it('is requested conditionally (RFC 9110 §13.1), and 304 (§15.4.5) keeps its content', async () => {
    const { request, row } = await again('304', conditional);
    expect(request.headers).toMatchObject({ 'if-none-match': '"v1"', 'if-modified-since': modified });
    expect(row).toMatchObject({ status: 6, title: 'once', http_status: 304, retries_since_fetch: 0 });
    expect(row.modified_time).toEqual(new Date(modified));
    expect(await contentOf('304')).toContain('once');
  });

  it('is requested unconditionally when http.enable.if.modified.since.header is false', async () => {
    const web = await crawler.site({ '/': conditional });
    const conf = { 'http.enable.if.modified.since.header': 'false' };
    await crawler.inject('plain', [`${web.url}/`]);
    await cycle.round({ crawlId: 'plain', conf });
    await passDays(cycle, 31, 'plain');
    await cycle.round({ crawlId: 'plain', conf });
    const last = web.log.findLast(({ path }) => path === '/')!;
    expect(last.headers).not.toHaveProperty('if-none-match');
    expect(last.headers).not.toHaveProperty('if-modified-since');
  });

  describe('after its content was cut', () => {
    /** Sends part of a body until the client closes the connection at the first visit; then all of it, or 304. */
    const dripping = (): Handler => {
      let visits = 0;
      return (req, res) => {
        if (visits++ > 0) return conditional(req, res);
        res.writeHead(200, { etag: '"v1"', 'last-modified': modified, 'content-type': 'text/html' }).write('<p>half');
      };
    };
    const conf = { 'http.time.limit': '1' };
    const rounds = async (crawlId: string, between: () => Promise<unknown>) => {
      const web = await crawler.site({ '/': dripping() });
      await crawler.inject(crawlId, [`${web.url}/`]);
      await cycle.round({ crawlId, conf });
      expect(await pageAt(cycle, '/', crawlId)).toMatchObject({ status: 2, title: null, parse_minor: 202 });
      await between();
      await passDays(cycle, 31, crawlId);
      await cycle.round({ crawlId, conf });
      const [, second] = web.log.filter(({ path }) => path === '/');
      expect(second!.headers).not.toHaveProperty('if-none-match');
      expect(second!.headers).not.toHaveProperty('if-modified-since');
      expect(await pageAt(cycle, '/', crawlId)).toMatchObject({ status: 2, title: 'once' });
    };

    it('is requested unconditionally and parsed when it is complete', () => rounds('cut', () => Promise.resolve()));

    it('is requested unconditionally although its row has validators', () =>
      rounds('cut-before', () =>
        cycle.db.query(
          `update webpage set etag = '"v1"', last_modified = $1 where crawl = (select id from crawl where name = 'cut-before')`,
          [modified],
        ),
      ));

    it('is requested unconditionally although partial content was parsed', async () => {
      const web = await crawler.site({ '/': dripping() });
      const options = { crawlId: 'half', conf: { ...conf, 'parser.skip.truncated': 'false' } };
      await crawler.inject('half', [`${web.url}/`]);
      await cycle.round(options);
      await passDays(cycle, 31, 'half');
      await cycle.round(options);
      expect(await pageAt(cycle, '/', 'half')).toMatchObject({ status: 2, title: 'once' });
    });
  });

  describe('after it was redirected', () => {
    /** `conditional`, then a redirect, then these responses, then `conditional` again. */
    const moved = async (
      crawlId: string,
      answers: Handler[],
      before: () => Promise<unknown> = () => Promise.resolve(),
    ) => {
      const handlers = [conditional, redirect('/maintenance'), ...answers];
      const web = await crawler.site({ '/': (...asked) => (handlers.shift() ?? conditional)(...asked) });
      await crawler.inject(crawlId, [`${web.url}/`]);
      for (let left = handlers.length; left > 0; left--) {
        await cycle.round({ crawlId });
        await passDays(cycle, 100, crawlId);
      }
      await before();
      await cycle.round({ crawlId });
      expect(web.log.findLast(({ path }) => path === '/')!.headers).not.toHaveProperty('if-none-match');
      expect(await pageAt(cycle, '/', crawlId)).toMatchObject({ title: 'once', http_status: 200 });
      expect(await contentOf(crawlId)).toContain('once');
      const [row] = await cycle.db.query<{ keys: string[] }>(
        `select outlink_keys as keys from page_content where content is not null and crawl = (select id from crawl where name = $1)`,
        [crawlId],
      );
      expect(row!.keys.map((key) => key.slice(key.indexOf('/')))).toEqual(['/x']);
    };

    it('is requested unconditionally, since its content was removed', () => moved('moved', []));

    it('is requested unconditionally also when it was gone in between', () => moved('moved-gone', [status(404)]));

    it('is requested unconditionally although its row has validators', () =>
      moved('moved-before', [], () =>
        cycle.db.query(
          `update webpage set etag = '"v1"', last_modified = $1 where status = 4 and crawl = (select id from crawl where name = 'moved-before')`,
          [modified],
        ),
      ));
  });

  describe('after no parse', () => {
    const again = async (crawlId: string, conf: Record<string, string>) => {
      const web = await crawler.site({ '/': conditional });
      await crawler.inject(crawlId, [`${web.url}/`]);
      const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
      await cycle.run('FETCH', { batch }, { crawlId });
      await crawler.update(crawlId, { batch });
      await passDays(cycle, 31, crawlId);
      await cycle.round({ crawlId, conf });
      return web.log.findLast(({ path }) => path === '/')!.headers;
    };

    it('is parsed after a 304, and its outlinks get their contribution', async () => {
      expect(await again('unparsed', {})).toMatchObject({ 'if-none-match': '"v1"' });
      expect(await pageAt(cycle, '/', 'unparsed')).toMatchObject({ status: 6, title: 'once', parse_major: 1 });
      expect(await pageAt(cycle, '/x', 'unparsed')).toMatchObject({ status: 1, score: 1 });
    });

    it('is requested unconditionally by a FETCH that parses', async () => {
      expect(await again('unparsed-inline', { 'fetcher.parse': 'true' })).not.toHaveProperty('if-none-match');
      expect(await pageAt(cycle, '/', 'unparsed-inline')).toMatchObject({ status: 2, title: 'once' });
      expect(await pageAt(cycle, '/x', 'unparsed-inline')).toMatchObject({ status: 1, score: 1 });
    });
  });

  it.each([{ 'fetcher.parse': 'true' }, { 'fetcher.parse': 'false' }])(
    'loses the metadata of its former content, and keeps those of its seed (%j)',
    async (parsing) => {
      const crawlId = `metadata-${parsing['fetcher.parse']}`;
      const conf = { ...parsing, 'plugin.includes.also': 'headings' };
      let body = '<title>1</title><meta name=description content=first><meta name=robots content=nofollow><h1>one</h1>';
      const web = await crawler.site({ '/': (req, res) => page(body)(req, res) });
      await crawler.inject(crawlId, [`${web.url}/\tlang=it\tshelf=7`]);
      const metadataOf = async () => (await pageAt(cycle, '/', crawlId)).metadata;
      const seed = { lang: 'it', shelf: '7' };
      await cycle.round({ crawlId, conf });
      expect(await metadataOf()).toEqual({ ...seed, 'metatag.description': 'first', robots: 'nofollow', h1: 'one' });
      await passDays(cycle, 31, crawlId);
      body = '<title>2</title><meta name=keywords content=second>';
      await cycle.round({ crawlId, conf });
      expect(await metadataOf()).toEqual({ ...seed, 'metatag.keywords': 'second' });
      body = '<title>2</title><meta name=keywords content=second><meta name=author content=third>';
      await passDays(cycle, 31, crawlId);
      await cycle.round({ crawlId, conf: { ...conf, 'metatags.names': 'author' } });
      expect(await metadataOf()).toEqual({ ...seed, 'metatag.author': 'third' });
    },
  );

  it.each([{ 'fetcher.parse': 'false' }, { 'fetcher.parse': 'true' }])(
    'keeps metadata of its seed that a parse also sets, of INJECT with update too (%j)',
    async (parsing) => {
      const crawlId = `own-${parsing['fetcher.parse']}`;
      const conf = { ...parsing, 'plugin.includes.also': 'headings', headings: 'h1,h2' };
      const web = await crawler.site({ '/': page('<h1>one</h1><h2>two</h2>') });
      await crawler.inject(crawlId, [`${web.url}/\th1=mine`]);
      const metadataOf = async () => (await pageAt(cycle, '/', crawlId)).metadata;
      const visited = async () => {
        await passDays(cycle, 31, crawlId);
        await crawler.round(crawlId, conf);
        return metadataOf();
      };
      expect(await visited()).toEqual({ h1: 'mine', h2: 'two' });
      expect(await visited()).toEqual({ h1: 'mine', h2: 'two' });
      await cycle.inject([`${web.url}/\th2=too`], { update: true }, { crawlId });
      expect(await visited()).toEqual({ h1: 'mine', h2: 'too' });
      expect(await visited()).toEqual({ h1: 'mine', h2: 'too' });
    },
  );

  it('has status not modified when its signature is the same', async () => {
    expect((await again('same', page('<title>same</title>'))).row).toMatchObject({ status: 6 });
  });

  it('has status fetched when its signature differs, and the old one becomes prev_signature', async () => {
    let n = 0;
    const { row } = await again('differs', (req, res) => page(`<title>${n++}</title>`)(req, res));
    expect(row).toMatchObject({ status: 2, title: '1' });
    expect(row.prev_signature).toBe(createHash('md5').update('<title>0</title>').digest('hex'));
  });

  it('has status gone after a 404', async () => {
    let n = 0;
    const { row } = await again('vanished', (req, res) => (n++ === 0 ? page('x') : status(404))(req, res));
    expect(row).toMatchObject({ status: 3, http_status: 404 });
  });

  it.each([{ 'fetcher.parse': 'true' }, { 'fetcher.parse': 'false' }])(
    'in the same batch is requested unconditionally and counts as fetched once: its outlinks get one contribution (%j)',
    async (conf) => {
      const crawlId = `twice-${conf['fetcher.parse']}`;
      const web = await crawler.site({ '/': conditional });
      await crawler.inject(crawlId, [`${web.url}/`]);
      const batch = await crawler.untilParsed(crawlId, conf);
      for (const type of ['FETCH', 'PARSE'] as const) await cycle.run(type, { batch }, { crawlId, conf });
      await crawler.update(crawlId, { batch });
      expect(web.log.at(-1)!.headers).not.toHaveProperty('if-none-match');
      expect(await byPath(cycle, (row) => [row.status, row.score, row.prev_signature], crawlId)).toEqual({
        '/': [2, 1, null],
        '/x': [1, 1, null],
      });
    },
  );
});

it('a 304 to an unconditional request is a failure with a retry (RFC 9110 §15.4.5)', async () => {
  const crawlId = 'unconditional';
  const web = await crawler.site({ '/': status(304) });
  await crawler.inject(crawlId, [`${web.url}/`]);
  await cycle.round({ crawlId });
  const row = await pageAt(cycle, '/', crawlId);
  expect(row).toMatchObject({ http_status: 304, retries_since_fetch: 1, protocol_code: 16 });
  expect(row.protocol_args).toEqual(['HTTP 304 to a request without a condition']);
  expect(row.status).not.toBe(6);
});
