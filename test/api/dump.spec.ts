import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { javaDate } from '../../src/core/java-date.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';
import { addManyPages, addPages, newCrawl } from './seeded-pages.js';

const many = 20_000;

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  const { database } = api;
  await addPages(database, await newCrawl(database, 'k1'), [
    {
      url: 'http://site.test/',
      status: 2,
      row: {
        fetch_time: '2026-01-31T09:05:07.999Z',
        modified_time: '2025-12-01T00:00:00Z',
        score: 1.100000023841858,
        signature: 'd41d8cd98f00b204e9800998ecf8427e',
        metadata: { _pst_: 'success(1), lastModified=0', note: 'two\r\nlines, "quoted"', n: 1 },
      },
    },
    { url: 'http://site.test/a,"b"?x=1', status: 1, row: { fetch_interval: 90_000, score: 0 } },
    {
      url: 'http://site.test/gone',
      status: 3,
      row: { retries_since_fetch: 3, score: 12_345_678, fetch_interval: 17_280_000 },
    },
    { url: 'http://other.test/gone', status: 3, row: { retries_since_fetch: 1, score: 0.0005 } },
  ]);
  await addManyPages(database, await newCrawl(database, 'many'), 'test.many', { n: many });
});
afterAll(() => api?.close());

async function dump(args: object, crawlId = 'k1'): Promise<string> {
  const answer = await request(api.url).post('/db/crawldb').send({ type: 'dump', crawlId, confId: 'default', args });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/octet-stream']);
  return (answer.body as Buffer).toString();
}

describe('dump of a crawl in the text formats of Nutch, version 7 (F19, I11)', () => {
  it('normal: writes URL, TAB and the labels of a CrawlDatum in its order', async () => {
    expect(await dump({ status: 'db_fetched' })).toBe(
      [
        'http://site.test/\tVersion: 7',
        'Status: 2 (db_fetched)',
        'Fetch time: Sat Jan 31 09:05:07 UTC 2026',
        'Modified time: Mon Dec 01 00:00:00 UTC 2025',
        'Retries since fetch: 0',
        'Retry interval: 2592000 seconds (30 days)',
        'Score: 1.1',
        'Signature: d41d8cd98f00b204e9800998ecf8427e',
        'Metadata: ',
        ' \tn=1',
        '\tnote=two lines, "quoted"',
        '\t_pst_=success(1), lastModified=0',
        '',
        '',
      ].join('\n'),
    );
  });

  it('normal: writes a page that was never fetched with null signature and empty metadata', async () => {
    const normal = await dump({ format: 'normal', status: 'db_unfetched' });
    expect(await dump({ format: null, status: 'db_unfetched' })).toBe(normal);
    expect(normal).toBe(
      [
        'http://site.test/a,"b"?x=1\tVersion: 7',
        'Status: 1 (db_unfetched)',
        'Fetch time: Thu Jan 01 00:00:00 UTC 2026',
        'Modified time: Thu Jan 01 00:00:00 UTC 1970',
        'Retries since fetch: 0',
        'Retry interval: 90000 seconds (1 days)',
        'Score: 0.0',
        'Signature: null',
        'Metadata: ',
        ' ',
        '',
      ].join('\n'),
    );
  });

  it('csv: writes the header of CrawlDbReader and one line per page', async () => {
    expect((await dump({ format: 'csv' })).split('\n')).toEqual([
      'Url,Status code,Status name,Fetch Time,Modified Time,Retries since fetch,Retry interval seconds,Retry interval days,Score,Signature,Metadata',
      '"http://other.test/gone",3,"db_gone",Thu Jan 01 00:00:00 UTC 2026,Thu Jan 01 00:00:00 UTC 1970,1,2592000.0,30.0,5.0E-4,"null",""',
      '"http://site.test/",2,"db_fetched",Sat Jan 31 09:05:07 UTC 2026,Mon Dec 01 00:00:00 UTC 2025,0,2592000.0,30.0,1.1,"d41d8cd98f00b204e9800998ecf8427e","n:1|||note:two lines, ""quoted""|||_pst_:success(1), lastModified=0|||"',
      '"http://site.test/a,""b""?x=1",1,"db_unfetched",Thu Jan 01 00:00:00 UTC 2026,Thu Jan 01 00:00:00 UTC 1970,0,90000.0,1.0,0.0,"null",""',
      '"http://site.test/gone",3,"db_gone",Thu Jan 01 00:00:00 UTC 2026,Thu Jan 01 00:00:00 UTC 1970,3,1.728E7,200.0,1.2345678E7,"null",""',
      '',
    ]);
  });

  it('json: writes one object per line', async () => {
    const lines = (await dump({ format: 'json' })).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { url: 'http://other.test/gone' },
      {
        url: 'http://site.test/',
        statusCode: 2,
        statusName: 'db_fetched',
        fetchTime: 'Sat Jan 31 09:05:07 UTC 2026',
        modifiedTime: 'Mon Dec 01 00:00:00 UTC 2025',
        retriesSinceFetch: 0,
        retryIntervalSeconds: 2_592_000,
        retryIntervalDays: 30,
        signature: 'd41d8cd98f00b204e9800998ecf8427e',
        metadata: { n: '1', note: 'two lines, "quoted"', _pst_: 'success(1), lastModified=0' },
      },
      { url: 'http://site.test/a,"b"?x=1', signature: 'null', metadata: {} },
      { url: 'http://site.test/gone' },
    ]);
  });

  it('with status db_gone lists the pages that are gone (D20)', async () => {
    expect(await dump({ format: 'csv', status: 'db_gone' })).toMatch(
      /^Url,.*\n"http:\/\/other\.test\/gone",.*\n"http:\/\/site\.test\/gone",.*\n$/,
    );
  });

  it('of a batch contains its pages, by batch id or segment (C30); 404 for unknown ones', async () => {
    await api.database.query(
      `insert into batch select id, 1, 1, now(), 'b7', '20260131090507' from crawl where name = 'k1'`,
    );
    await api.database.query(`update webpage set generate_mark = 'b7' where key = 'test.site:http/gone'`);
    const lines = async (args: object) => (await dump(args)).split('\n').slice(0, 2);
    const expected = ['http://site.test/gone\tVersion: 7', 'Status: 3 (db_gone)'];
    expect(await lines({ batch: 'b7' })).toEqual(expected);
    expect(await lines({ segment: 'k1/segments/20260131090507/' })).toEqual(expected);
    for (const args of [{ batch: 'b8' }, { segment: '20260131090508' }]) {
      const { status, body } = await request(api.url).post('/db/crawldb').send({ type: 'dump', crawlId: 'k1', args });
      expect([status, body.code]).toEqual([404, 'BATCH_UNKNOWN']);
    }
    const { status, body } = await request(api.url).post('/db/crawldb').send({ type: 'dump', crawlId: 'k9', args: {} });
    expect([status, body.code]).toEqual([404, 'CRAWL_UNKNOWN']);
  });

  it('of a batch contains the fetch metadata that a segment of 1.x keeps with the content (D21)', async () => {
    await api.database.query(
      `update webpage set generate_mark = 'b7', fetch_mark = 'b7' where key = 'test.site:http/gone'`,
    );
    const [found] = (await dump({ batch: 'b7', format: 'json' })).split('\n').map((line) => JSON.parse(line || '{}'));
    expect(found).toMatchObject({
      url: 'http://site.test/gone',
      metadata: {
        'nutch.fetch.time': String(Date.UTC(2026, 0, 1)),
        'nutch.crawl.score': '1.2345678E7',
        'nutch.segment.name': '20260131090507',
        _fst_: '37',
      },
    });
    expect(await dump({ format: 'json' })).not.toContain('nutch.fetch.time');
  });

  it('of a batch contains the partition of each page and its rank there, by score, then key (C10, C13)', async () => {
    const { database } = api;
    const crawl = await newCrawl(database, 'ranked');
    const inBatch = { generate_mark: 'b9', batch_id: 'b9', score: 1 };
    await addPages(database, crawl, [
      { url: 'http://a.test/1', row: { ...inBatch, partition_hash: 12 } },
      { url: 'http://a.test/2', row: { ...inBatch, partition_hash: 12, score: 3, metadata: { colour: 'red' } } },
      { url: 'http://b.test/1', row: { ...inBatch, partition_hash: 7, score: 2 } },
      { url: 'http://c.test/1', row: { ...inBatch, partition_hash: 15 } },
      { url: 'http://c.test/2', row: { ...inBatch, partition_hash: 15, generate_mark: null, update_mark: 'b9' } },
      { url: 'http://d.test/1', row: { partition_hash: 12, score: 9 } },
    ]);
    await database.query(
      `insert into batch (crawl, id, segment, segnum, generated_at, pages, partitions)
       values (${crawl}, 'b9', '20260201090507', 1, '2026-02-01T09:05:07Z', 4, 3)`,
    );
    const ranksOf = async (args: object) =>
      (await dump({ format: 'json', ...args }, 'ranked'))
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ url, metadata }) => [url, metadata.partition, metadata.rank, metadata.colour]);
    const whole = [
      ['http://a.test/1', '0', '2', undefined],
      ['http://a.test/2', '0', '1', 'red'],
      ['http://b.test/1', '1', '1', undefined],
      ['http://c.test/1', '0', '3', undefined],
      ['http://c.test/2', undefined, undefined, undefined],
    ];
    expect(await ranksOf({ batch: 'b9' })).toEqual(whole);
    expect(await ranksOf({ segment: '20260201090507', regex: '.*c.test.*' })).toEqual(whole.slice(3));
    const listed = async (query: object) =>
      (
        await request(api.url)
          .get('/v1/pages')
          .query({ crawlId: 'ranked', ...query })
      ).body.pages.map(({ url, metadata }: { url: string; metadata: Record<string, unknown> }) => [
        url,
        metadata['partition'],
        metadata['rank'],
      ]);
    expect(await listed({ batch: '20260201090507', limit: 1, cursor: 'test.a:http/1' })).toEqual([
      ['http://a.test/2', 0, 1],
    ]);
    // Among pages of several batches a rank has no meaning.
    expect(await listed({ host: 'b.test' })).toEqual([['http://b.test/1', 1, undefined]]);
  });

  it.each<[object, number]>([
    [{}, 4],
    [{ status: 'DB_GONE' }, 2],
    [{ status: 3 }, 2],
    [{ retry: '1' }, 2],
    [{ retry: 2 }, 1],
    [{ retry: '-1' }, 4],
    [{ regex: '.*gone' }, 2],
    [{ regex: '.*gone', status: 'db_gone', retry: '2' }, 1],
    [{ regex: 'gone' }, 0],
    [{ expr: "status == 'db_gone'" }, 2],
    [{ expr: "status == 'db_gone' && retries > 1" }, 1],
    [{ regex: '(a+)+$' }, 0],
    [{ sample: '0' }, 0],
    [{ sample: '1.0' }, 4],
    [{ out_dir: '/etc', unknown: 'x' }, 4],
  ])('with %j contains %i pages', async (args, n) => {
    expect((await dump({ format: 'json', ...args })).split('\n').filter(Boolean)).toHaveLength(n);
  });

  it('with sample 0.5 contains about half of the pages', async () => {
    const lines = (await dump({ format: 'json', sample: '0.5' }, 'many')).split('\n').length;
    expect(lines).toBeGreaterThan(many / 4);
    expect(lines).toBeLessThan((many * 3) / 4);
  });

  it.each(['normal', 'csv', 'json'])(`as %s contains all of ${many} pages`, async (format) => {
    const text = await dump({ format }, 'many');
    expect(text.match(/http:\/\/many\.test\//g)).toHaveLength(many);
  });

  it.each<[object, string]>([
    [{ format: 'crawldb' }, 'json'],
    [{ format: 'xml' }, 'normal, csv, json'],
    [{ format: 7 }, 'normal, csv, json'],
    [{ expr: 'score >' }, 'args.expr is not an expression'],
    [{ expr: 'process.exit()' }, 'args.expr is not an expression'],
    [{ sample: 'half' }, 'args.sample must be a number from 0 to 1'],
    [{ sample: '1.1' }, 'args.sample must be a number from 0 to 1'],
    [{ retry: '1.5' }, 'args.retry must be a whole number'],
    [{ retry: '99999' }, 'args.retry must be a number from -1 to 32767'],
    [{ retry: { a: 1 } }, 'args.retry must be a number'],
    [{ status: 'db_lost' }, 'args.status must be the name or code'],
    [{ status: ['2'] }, 'args.status must be the name or code'],
    [{ regex: '(' }, 'args.regex is not an expression'],
    [{ regex: '' }, 'args.regex must be a text'],
    [{ regex: 'x'.repeat(5_000) }, 'args.regex must be a text'],
  ])('%j returns 400 with "%s"', async (args, words) => {
    const { status, body } = await request(api.url).post('/db/crawldb').send({ type: 'dump', crawlId: 'k1', args });
    expect([status, body.code]).toEqual([400, 'QUERY_INVALID']);
    expect(body.detail).toContain(words);
  });

  it('topN refuses a fractional nnn', async () => {
    const { status, body } = await request(api.url)
      .post('/db/crawldb')
      .send({ type: 'topN', crawlId: 'k1', args: { nnn: '1.5' } });
    expect([status, body.code]).toEqual([400, 'QUERY_INVALID']);
  });
});

describe('times in the format of Java', () => {
  it.each([
    ['1970-01-01T00:00:00Z', 'Thu Jan 01 00:00:00 UTC 1970'],
    ['2024-02-29T23:59:59.999Z', 'Thu Feb 29 23:59:59 UTC 2024'],
  ])('javaDate(%s) returns %s', (time, text) => {
    expect(javaDate(new Date(time))).toBe(text);
  });
});
