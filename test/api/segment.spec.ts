import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** A segment after its UPDATEDB: its pages, and how each was fetched (feature rows I3, I7, C30, D18, D21). */

let cycle: Cycle;
let api: ApiUnderTest;
let site: Site;
let segment: string;
let batch: string;
let begun: number;

beforeAll(async () => {
  cycle = await openCycle();
  api = await apiUnderTest({}, cycle.db);
  site = await startSite({
    '/': page('<title>Home</title><p>some words</p><a href="/next">the next</a> <a href="/far">far</a>'),
    '/moved': (_, res) => void res.writeHead(301, { location: '/' }).end(),
    '/failing': (_, res) => void res.writeHead(500).end(),
  });
  await cycle.inject(
    ['/', '/failing', '/missing', '/moved'].map((path) => `${site.url}${path}`),
    {},
    { crawlId: 'k1' },
  );
  begun = Date.now();
  const made = await cycle.run('GENERATE', {}, { crawlId: 'k1' });
  [segment, batch] = [String(made.result!['generate.segment']), String(made.result!['generate.batch.id'])];
  for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) {
    const job = await cycle.run(type, { batch: segment }, { crawlId: 'k1' });
    expect([job.state, job.msg]).toEqual(['FINISHED', expect.anything()]);
  }
});
afterAll(async () => {
  await api?.close();
  await site?.close();
  await cycle?.close();
});

async function dump(args: object, crawlId = 'k1'): Promise<string> {
  const answer = await request(api.url).post('/db/crawldb').send({ type: 'dump', crawlId, confId: 'default', args });
  expect(answer.status).toBe(200);
  return (answer.body as Buffer).toString();
}

interface Datum {
  url: string;
  statusName: string;
  metadata: Record<string, string>;
}

const data = async (args: object): Promise<Datum[]> =>
  (await dump({ format: 'json', ...args }))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Datum);

describe('the dump of a segment', () => {
  it('contains all pages of the round after UPDATEDB, with fetch status and time', async () => {
    const found = await data({ segment });
    expect(found.map(({ url, statusName, metadata }) => [url, statusName, metadata['_fst_']])).toEqual([
      [`${site.url}/`, 'db_fetched', '33'],
      [`${site.url}/failing`, 'db_unfetched', '34'],
      [`${site.url}/missing`, 'db_gone', '37'],
      [`${site.url}/moved`, 'db_redir_perm', '36'],
    ]);
    for (const { metadata } of found) {
      expect(metadata).toMatchObject({ 'nutch.segment.name': segment, 'nutch.crawl.score': expect.anything() });
      // The time of the visit, not that of the next one.
      const time = Number(metadata['nutch.fetch.time']);
      expect(time).toBeGreaterThan(begun - 60_000);
      expect(time).toBeLessThan(Date.now() + 60_000);
    }
    expect(found[0]!.metadata['nutch.content.digest']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('equals the dump of its batch, and GET /v1/pages returns the same number of pages', async () => {
    expect(await data({ batch })).toEqual(await data({ segment }));
    const { body } = await request(api.url).get('/v1/pages').query({ crawlId: 'k1', batch });
    expect(body.pages).toHaveLength(4);
  });
});

describe('a page that is generated again', () => {
  it('leaves its previous segment, even if the new one neither fetches nor parses it', async () => {
    const crawlId = 'twice';
    const steps = async (args: Record<string, unknown>, types: readonly ('FETCH' | 'PARSE' | 'UPDATEDB')[]) => {
      const made = (await cycle.run('GENERATE', args, { crawlId })).result!['generate.batch.id'];
      for (const type of types) await cycle.run(type, { batch: String(made) }, { crawlId });
      return String(made);
    };
    const urlsOf = async (batch: string) => {
      const { body } = await request(api.url).get('/v1/pages').query({ crawlId, batch });
      return (body.pages as { url: string }[]).map(({ url }) => url);
    };
    await cycle.inject([`${site.url}/`], {}, { crawlId });
    const first = await steps({ topN: 1 }, ['FETCH', 'PARSE', 'UPDATEDB']);
    expect(await urlsOf(first)).toEqual([`${site.url}/`]);
    const again = await steps({ adddays: 60, startKey: `${site.url}/`, endKey: `${site.url}/` }, []);
    expect([await urlsOf(first), await urlsOf(again)]).toEqual([[], [`${site.url}/`]]);
    await cycle.run('UPDATEDB', { batch: again }, { crawlId });
    expect([await urlsOf(first), await urlsOf(again)]).toEqual([[], [`${site.url}/`]]);
  });
});

describe('GET /v1/batches', () => {
  it('lists the segments of a crawl (I4), 404 for an unknown crawl, 400 for a malformed cursor', async () => {
    const { body, status } = await request(api.url).get('/v1/batches').query({ crawlId: 'k1' });
    const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    expect([status, body]).toEqual([
      200,
      { batches: [{ id: batch, segment, segnum: 1, generatedAt: time, pages: 4 }], cursor: null },
    ]);
    const unknown = await request(api.url).get('/v1/batches?crawlId=k9');
    expect([unknown.status, unknown.body.code]).toEqual([404, 'CRAWL_UNKNOWN']);
    const garbage = await request(api.url).get('/v1/batches?crawlId=k1&cursor=garbage');
    expect([garbage.status, garbage.body.errors[0].field]).toEqual([400, 'cursor']);
  });

  it('continues after a cursor in the order of creation', async () => {
    await cycle.inject(
      ['a', 'b', 'c'].map((path) => `http://site.test/${path}`),
      {},
      { crawlId: '' },
    );
    for (let i = 0; i < 3; i++) await cycle.run('GENERATE', { topN: 1 }, { crawlId: '' });
    const first = (await request(api.url).get('/v1/batches?limit=2')).body;
    const rest = (await request(api.url).get(`/v1/batches?limit=2&cursor=${first.cursor}`)).body;
    const names = [...first.batches, ...rest.batches].map((one: { segment: string }) => one.segment);
    expect([names.length, names, rest.cursor]).toEqual([3, names.toSorted(), null]);
    const { body } = await request(api.url).get(`/v1/batches/${names[0]}`);
    expect(body.parts).toMatchObject({ crawl_generate: 1, crawl_fetch: 0, content: 0, crawl_parse: 0 });
  });

  it('counts the six parts of a segment, by segment name or batch id (I3)', async () => {
    for (const name of [segment, batch]) {
      const { body, status } = await request(api.url).get(`/v1/batches/${name}`).query({ crawlId: 'k1' });
      expect([status, body]).toMatchObject([200, { id: batch, segment, pages: 4 }]);
      expect(body.parts).toEqual({
        crawl_generate: 4,
        crawl_fetch: 4,
        content: 1,
        crawl_parse: 1,
        parse_data: 1,
        parse_text: 1,
      });
    }
  });

  it.each(['none', '20200101000000', '%00'])('%s returns 404', async (name) => {
    const { body, status } = await request(api.url).get(`/v1/batches/${name}?crawlId=k1`);
    expect([status, body.code]).toEqual([404, 'BATCH_UNKNOWN']);
  });
});

describe('the parts of a segment in the format of readseg -dump', () => {
  const urls = (text: string) => [...text.matchAll(/^URL:: (.*)$/gm)].map(([, url]) => url);

  it('crawl_generate: url and datum of each page (C30)', async () => {
    const text = await dump({ segment, parts: 'crawl_generate' });
    expect(urls(text)).toEqual(['/', '/failing', '/missing', '/moved'].map((path) => `${site.url}${path}`));
    const [, first = ''] = text.split('\nRecno:: 0\n');
    expect(first.split('\n').slice(0, 5)).toEqual([
      `URL:: ${site.url}/`,
      '',
      'CrawlDatum::',
      'Version: 7',
      'Status: 2 (db_fetched)',
    ]);
  });

  it('crawl_generate of an open batch is its fetch list: partitions, in them the hash of the URL (C31, D22, H10)', async () => {
    const crawlId = 'spread';
    const seeds = ['a', 'b', 'c', 'd'].flatMap((host) =>
      Array.from({ length: 50 }, (_, i) => `http://${host}.test/${i}`),
    );
    await cycle.inject(seeds, {}, { crawlId });
    const made = await cycle.run('GENERATE', { numFetchers: 2 }, { crawlId });
    const open = String(made.result!['generate.segment']);
    const list = await dump({ segment: open, parts: 'crawl_generate' }, crawlId);
    expect(urls(list).toSorted()).toEqual(seeds.toSorted());
    const numbers = [...list.matchAll(/^Recno:: (\d+)$/gm)].map(([, number]) => Number(number));
    expect(numbers).toEqual(seeds.map((_, at) => at));
    const partitions = [...list.matchAll(/\tpartition=(\d)$/gm)].map(([, partition]) => Number(partition));
    expect(partitions).toEqual(partitions.toSorted());
    const runs = urls(list)
      .map((url) => url[7])
      .join('')
      .match(/a+|b+|c+|d+/g)!;
    expect(Math.max(...runs.map(({ length }) => length))).toBeLessThan(25);
    const read = await request(api.url)
      .post('/reader/sequence/read')
      .send({ path: `${crawlId}/segments/${open}/crawl_generate` });
    expect((read.body as [string, string][]).map(([url]) => url)).toEqual(urls(list));
    const both = await dump({ segment: open, parts: 'crawl_generate,crawl_fetch' }, crawlId);
    expect(urls(both)).toEqual(seeds.toSorted());
  });

  it('crawl_fetch: how each fetch ended, with its response code (D18)', async () => {
    const text = await dump({ segment, parts: ['crawl_fetch'] });
    expect(text.match(/^Status: .*$/gm)).toEqual([
      'Status: 33 (fetch_success)',
      'Status: 34 (fetch_retry)',
      'Status: 37 (fetch_gone)',
      'Status: 36 (fetch_redir_perm)',
    ]);
    expect(text.match(/nutch\.protocol\.code=\d+/g)?.map((line) => line.slice(-3))).toEqual([
      '200',
      '500',
      '404',
      '301',
    ]);
    expect(text).toMatch(/_pst_=notfound\(14\), lastModified=0/);
  });

  it('parse_data: status, title, links, both kinds of metadata (E5)', async () => {
    const text = await dump({ segment, parts: 'parse_data' });
    expect(urls(text)).toEqual([`${site.url}/`]);
    const lines = text.slice(text.indexOf('ParseData::')).split('\n');
    expect(lines.slice(0, 6)).toEqual([
      'ParseData::',
      'Version: 5',
      'Status: success(1,0)',
      'Title: Home',
      'Outlinks: 2',
      `  outlink: toUrl: ${site.url}/next anchor: the next`,
    ]);
    expect(lines[7]).toMatch(/^Content Metadata: .*content-type=text\/html.* nutch\.segment\.name=\d{14} _fst_=33 $/);
    expect(lines[8]).toMatch(/^Parse Metadata: .*OriginalCharEncoding=utf-8 CharEncodingForConversion=utf-8 /);
  });

  it('crawl_parse: the linked URLs (E8)', async () => {
    const text = await dump({ segment, parts: 'crawl_parse' });
    expect(urls(text)).toEqual([`${site.url}/next`, `${site.url}/far`]);
    expect(text.match(/^Status: .*$/gm)).toEqual(['Status: 67 (linked)', 'Status: 67 (linked)']);
  });

  it('content and parse_text: bytes and text, each URL in one record', async () => {
    const text = await dump({ batch, parts: 'parse_text, content' });
    expect(urls(text)).toEqual([`${site.url}/`]);
    expect(text).toContain(`\nContent::\nVersion: -1\nurl: ${site.url}/\nbase: ${site.url}/\ncontentType: text/html`);
    expect(text).toContain('\nContent:\n<title>Home</title><p>some words</p>');
    expect(text).toMatch(/\nParseText::\n[^]*some words/);
  });

  it('content: empty for pages whose content was not stored', async () => {
    const conf = { 'fetcher.store.content': 'false', 'fetcher.parse': 'true' };
    await cycle.inject([`${site.url}/`], {}, { crawlId: 'nostore' });
    const made = await cycle.run('GENERATE', {}, { crawlId: 'nostore' });
    await cycle.run('FETCH', { batch: String(made.result!['generate.batch.id']) }, { crawlId: 'nostore', conf });
    const args = { segment: String(made.result!['generate.segment']), parts: 'content,parse_data' };
    const dumped = await request(api.url).post('/db/crawldb').send({ type: 'dump', crawlId: 'nostore', args });
    expect([dumped.status, (dumped.body as Buffer).toString()]).toEqual([200, expect.stringMatching(/Title: Home/)]);
    const content = await request(api.url).get(
      `/v1/pages/${encodeURIComponent(`${site.url}/`)}/content?crawlId=nostore`,
    );
    expect([content.status, content.body.code]).toEqual([404, 'PAGE_WITHOUT_CONTENT']);
    const { body } = await request(api.url)
      .post('/db')
      .send({ crawlId: 'nostore', fields: ['title', 'content'] });
    expect(body.values).toEqual([{ title: 'Home', content: null }]);
  });

  it('inlinks: the anchors of the links to each page (G25)', async () => {
    const linked = { crawlId: 'linked', conf: { 'db.ignore.internal.links': 'false' } };
    await cycle.inject([`${site.url}/`], {}, linked);
    const made: string[] = [];
    for (let round = 0; round < 2; round++) {
      const job = await cycle.run('GENERATE', {}, linked);
      made.push(String(job.result!['generate.segment']));
      for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) await cycle.run(type, { batch: made[round] }, linked);
    }
    const inlinks = (of: string | undefined) =>
      request(api.url)
        .post('/db/crawldb')
        .send({ type: 'dump', crawlId: 'linked', args: { segment: of, parts: 'inlinks' } });
    expect(((await inlinks(made[0])).body as Buffer).toString()).toBe('');
    const text = ((await inlinks(made[1])).body as Buffer).toString();
    expect(urls(text)).toEqual([`${site.url}/far`, `${site.url}/next`]);
    expect(text).toContain(`URL:: ${site.url}/next\n\nInlinks::\n fromUrl: ${site.url}/ anchor: the next\n`);
    const rows = await request(api.url)
      .post('/reader/sequence/read')
      .send({ path: `linked/segments/${made[1]}/inlinks` });
    expect(rows.body).toEqual([
      [`${site.url}/far`, ` fromUrl: ${site.url}/ anchor: far\n`],
      [`${site.url}/next`, ` fromUrl: ${site.url}/ anchor: the next\n`],
    ]);
  });

  it('have the names of the first design of segments, too (J1)', async () => {
    const both = [
      ['fetchIn,fetchOut,content,text,outlinks', 'crawl_generate,crawl_fetch,content,parse_text,parse_data'],
      ['text', 'parse_text'],
      [['text', 'parse_text'], ['parse_text']],
    ];
    for (const [first, now] of both)
      expect(await dump({ segment, parts: first })).toBe(await dump({ segment, parts: now }));
  });

  it.each(['/', '//'])('refuse the segment name %s', async (name) => {
    const named = { type: 'dump', crawlId: 'k1', args: { segment: name } };
    const { status, body } = await request(api.url).post('/db/crawldb').send(named);
    expect([status, body.code]).toEqual([400, 'QUERY_INVALID']);
  });

  it('can be combined with each other and with the filters of a dump', async () => {
    const text = await dump({ segment, status: 'db_gone', parts: 'crawl_generate,crawl_fetch,parse_data' });
    expect(urls(text)).toEqual([`${site.url}/missing`]);
    expect(text.match(/^CrawlDatum::$/gm)).toHaveLength(2);
    const unknown = { type: 'dump', crawlId: 'k1', args: { segment: '20200101000000', parts: 'crawl_fetch' } };
    expect((await request(api.url).post('/db/crawldb').send(unknown)).body.code).toBe('BATCH_UNKNOWN');
  });

  it.each<[object, string]>([
    [{ parts: 'crawl_fetch' }, 'args.parts needs args.segment or args.batch'],
    [{ parts: 'crawl_fetch,all' }, 'args.parts must name parts of a segment'],
    [{ parts: '' }, 'args.parts must name parts of a segment'],
    [{ parts: 'crawl_fetch,__proto__' }, 'args.parts must name parts of a segment'],
    [{ parts: [{}] }, 'args.parts must name parts of a segment'],
    [{ parts: 'content', format: 'csv' }, 'args.parts is written in format normal only'],
  ])('%j returns 400 with "%s"', async (args, words) => {
    const given = { ...('format' in args ? { segment } : {}), ...args };
    const { status, body } = await request(api.url)
      .post('/db/crawldb')
      .send({ type: 'dump', crawlId: 'k1', args: given });
    expect([status, body.code]).toEqual([400, 'QUERY_INVALID']);
    expect(body.detail).toContain(words);
  });
});

describe('v_inlinks', () => {
  it('contains the segment of the target, -1 if the target was never in a batch (G23 to G25)', async () => {
    await cycle.db.query(
      `insert into inlink (crawl, host, key, source, anchor, score)
       select crawl, host, key, 'test.other:http/', 'words', 1 from webpage where crawl = (select id from crawl where name = 'k1')
       on conflict do nothing`,
    );
    const found = await cycle.db.query<{ target: string; anchor: string; segment: string }>(
      `select target, source, anchor, segment from v_inlinks where crawl_id = 'k1' and source = 'test.other:http/' order by target`,
    );
    expect(found.map(({ target, segment: of }) => [target.slice(target.indexOf('/')), of])).toEqual([
      ['/', segment],
      ['/failing', segment],
      ['/far', '-1'],
      ['/missing', segment],
      ['/moved', segment],
      ['/next', '-1'],
    ]);
    expect(found[0]).toMatchObject({ source: 'test.other:http/', anchor: 'words' });
  });
});
