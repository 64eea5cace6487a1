import request from 'supertest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

/** The inspector reports the pages that GENERATE then selects. */

let cycle: Cycle;
let api: ApiUnderTest;
beforeAll(async () => {
  cycle = await openCycle();
  api = await apiInOneProcess(cycle.db);
});
afterAll(async () => {
  await api?.close();
  await cycle?.close();
});
afterEach(async () => {
  for (const table of ['webpage', 'host']) await cycle.pool.query(`delete from ${table}`);
});

const seeds = ['a', 'b', 'c'].flatMap((host) =>
  [1, 2, 3, 4].map((n) => `http://${host}.test/${n}\tnutch.score=${n / 10}`),
);

async function preview(args: object, params: Record<string, string> = {}) {
  await request(api.url).post('/config/create').send({ configId: 'p', force: true, params });
  const { status, body } = await request(api.url)
    .post('/v1/inspect/generate')
    .send({ crawlId: 'k', confId: 'p', args });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body as {
    count: number;
    byHost: object[];
    hosts: number;
    leftOut: object;
    sample: string[];
    complete: boolean;
  };
}

const rowsOf = () => cycle.db.query('select * from webpage order by key');

describe('POST /v1/inspect/generate', () => {
  it.each([
    ['no limits', {}, {}, { count: 12, leftOut: {} }],
    ['topN', { topN: 5 }, {}, { count: 5, leftOut: { TOP_N: 7 } }],
    ['generate.max.count', {}, { 'generate.max.count': '1' }, { count: 3, leftOut: { HOST_LIMIT: 9 } }],
    ['generate.min.score', {}, { 'generate.min.score': '0.25' }, { count: 6, leftOut: { SCORE_TOO_LOW: 6 } }],
    ['URL filters', {}, { 'urlfilter.regex.rules': '-/[12]$\n+.' }, { count: 6, leftOut: { URL_FILTERS_REJECTED: 6 } }],
    ['noFilter', { noFilter: true }, { 'urlfilter.regex.rules': '-.' }, { count: 12, leftOut: {} }],
    [
      'a partition rule that removes schemes',
      {},
      { 'urlnormalizer.regex.rules.partition': '^https?://\t' },
      { count: 12 },
    ],
    ['an expression', { expr: 'score > 0.25' }, {}, { count: 6, leftOut: { EXPR_REJECTED: 6 } }],
    ['topN with partitions', { topN: 4, numFetchers: 2 }, {}, { count: 4 }],
    ['text arguments of 1.x clients', { topN: '2' }, {}, { count: 2 }],
  ])('with %s reports the pages that GENERATE then selects, and marks none', async (_, args, conf, expected) => {
    await cycle.inject(seeds);
    const before = await rowsOf();
    const found = await preview(args, conf);
    expect(found).toMatchObject({ ...expected, complete: true });
    expect(await rowsOf()).toEqual(before);
    const job = await cycle.run('GENERATE', args, { conf });
    expect(job.result?.['generate.count']).toBe(found.count);
    const selected = await cycle.db.query<{ key: string }>('select key from webpage where generate_mark is not null');
    const keyOf = (url: string) => url.replace(/^http:\/\/(.)\.test/, 'test.$1:http');
    expect(selected.map(({ key }) => key).sort()).toEqual(found.sample.map(keyOf).sort());
  });

  it('counts pages that have become due, and pages that are not due or in a batch as left out', async () => {
    await cycle.inject(seeds);
    await cycle.pool.query(
      `update webpage set rank = null, fetch_time = now() - interval '1 hour' where key like '%/1'`,
    );
    await cycle.pool.query(
      `update webpage set rank = null, fetch_time = now() + interval '1 hour' where key like '%/2'`,
    );
    await cycle.pool.query(
      `update webpage set rank = null, fetch_time = now() + interval '10 years' where key like '%/3'`,
    );
    expect(await preview({})).toMatchObject({ count: 9, leftOut: { NOT_DUE: 3 } });
    expect(await preview({ adddays: 1 })).toMatchObject({ count: 12 });
    const job = await cycle.run('GENERATE');
    expect(job.result?.['generate.count']).toBe(9);
    expect(await preview({})).toMatchObject({ count: 0, leftOut: { NOT_DUE: 3, IN_BATCH: 9 } });
  });

  it('counts by host in descending order and samples the pages with the highest scores', async () => {
    await cycle.inject([...seeds, 'http://b.test/5', 'http://b.test/6']);
    const found = await preview({});
    expect(found.byHost).toEqual([
      { host: 'b.test', count: 6 },
      { host: 'a.test', count: 4 },
      { host: 'c.test', count: 4 },
    ]);
    expect(found.sample.slice(0, 3)).toEqual(['http://b.test/5', 'http://b.test/6', 'http://a.test/4']);
  });

  it('returns 404 for an unknown crawl', async () => {
    const { status, body } = await request(api.url).post('/v1/inspect/generate').send({ crawlId: 'none' });
    expect([status, body.code]).toEqual([404, 'CRAWL_UNKNOWN']);
  });

  it.each([
    [{ args: { topN: 'many' } }, 'JOB_ARGS_INVALID', 'args.topN'],
    [{ args: { freegen: 's1' } }, 'JOB_ARGS_INVALID', 'args.freegen names the pages'],
    [{ args: { expr: '(((' } }, 'JOB_ARGS_INVALID', 'args.expr'],
    [{ args: 7 }, 'FIELDS_INVALID', 'args must be an object'],
    [{ crawlId: '..' }, 'FIELDS_INVALID', 'crawlId must be'],
    [{ confId: 'none' }, 'CONFIG_ID_UNKNOWN', 'none'],
  ])('refuses %j with %s, %s', async (body, code, words) => {
    const answer = await request(api.url).post('/v1/inspect/generate').send(body);
    expect([answer.status, answer.body.code, answer.body.detail]).toEqual([400, code, expect.stringContaining(words)]);
  });

  it('takes null for an argument that is not given', async () => {
    const answer = await request(api.url)
      .post('/v1/inspect/generate')
      .send({ args: { expr: null, topN: null, startKey: null } });
    expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  });

  it('names unknown arguments in a notice', async () => {
    const answer = await request(api.url)
      .post('/v1/inspect/generate')
      .send({ args: { topM: 1 } });
    expect([answer.status, answer.headers['orbweaver-notice']]).toEqual([200, expect.stringContaining('topM')]);
  });
});
