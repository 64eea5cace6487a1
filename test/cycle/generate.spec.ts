import dns from 'node:dns/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { partitionHash } from '../../src/core/url/partition.js';
import { replaceBuiltin } from '../support/builtins.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { batchOf, batchPaths, counter, counters, expectConsistent, pages } from './table.js';

/** GENERATE (crawl-semantics section 3; feature rows C1 to C23, C38, C41). Crawl ids keep the cases apart. */

/** One address for a.test and b.test, one for c.test, none for others. */
const addresses: Record<string, string> = { 'a.test': '192.0.2.1', 'b.test': '192.0.2.1', 'c.test': '192.0.2.2' };
const asked: string[] = [];
replaceBuiltin(dns, {
  async lookup(name: string) {
    asked.push(name);
    if (!addresses[name]) throw new Error('no such name');
    return { address: addresses[name], family: 4 };
  },
});

const DAY = 86_400_000;
let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterEach(() => expectConsistent(cycle));
afterAll(() => cycle.close());

const inject = (crawlId: string, lines: string[]) => cycle.inject(lines, {}, { crawlId });
const generate = (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
  cycle.run('GENERATE', args, { crawlId, conf });
const urls = (host: string, n: number, line = '') =>
  Array.from({ length: n }, (_, i) => `http://${host}/${String(i).padStart(4, '0')}${line}`);
const countOf = async (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
  (await generate(crawlId, args, conf)).result?.['generate.count'];
/** Pages of all batches, by host. */
const marked = async (crawlId: string): Promise<Record<string, number>> => {
  const perHost: Record<string, number> = {};
  for (const page of await pages(cycle, crawlId))
    if (page.generate_mark) perHost[page.host] = (perHost[page.host] ?? 0) + 1;
  return perHost;
};

describe('a batch', () => {
  it('has an id of seconds and a random number; each selected row carries it (C1, C20)', async () => {
    await inject('c1', urls('a.test', 4));
    const first = await generate('c1', { topN: 2 });
    const second = await generate('c1', { topN: 2 });
    for (const job of [first, second]) {
      expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done', 'generate.count': 2 } });
      expect(batchOf(job)).toMatch(/^\d{10}-[1-9]\d*$/);
      const rows = (await pages(cycle, 'c1')).filter((page) => page.generate_mark === batchOf(job));
      expect(rows.map((page) => page.batch_id)).toEqual([batchOf(job), batchOf(job)]);
      expect(counters(job, 'Generator')['GENERATE_MARK']).toBe(2);
    }
    expect(batchOf(first)).not.toBe(batchOf(second));
  });

  it('is disjoint from the batches before it, and the third finds nothing (C2)', async () => {
    const all = await pages(cycle, 'c1');
    expect(all.every((page) => page.generate_mark !== null)).toBe(true);
    expect(await generate('c1')).toMatchObject({
      state: 'FINISHED',
      result: { result: '1', reason: 'no-urls', 'generate.batch.id': null, 'generate.count': 0 },
    });
  });

  it('has the id that the caller gives', async () => {
    await inject('named', urls('a.test', 1));
    expect(batchOf(await generate('named', { batch: 'mine' }))).toBe('mine');
    expect((await pages(cycle, 'named'))[0]).toMatchObject({ generate_mark: 'mine', batch_id: 'mine', rank: null });
  });

  it('freezes the cash of its pages', async () => {
    await inject('cash', ['http://a.test/\tnutch.score=3']);
    await generate('cash');
    expect((await pages(cycle, 'cash'))[0]).toMatchObject({ score: 3, cash: 0, spend: 3 });
  });
});

describe('the best pages', () => {
  const table2 = [
    'https://www.unipi.it',
    'https://www.amazon.it\tnutch.score=10',
    'https://www.google.it\tnutch.score=7',
    'https://www.ansa.it',
  ];

  it('of seed 001 with topN 2 are amazon (10) and google (7) (C8, C38, C41)', async () => {
    await inject('c38', table2);
    const job = await generate('c38', { topN: 2 });
    const batch = (await pages(cycle, 'c38')).filter((page) => page.generate_mark === batchOf(job));
    expect(batch.map(({ key, score }) => [key, score])).toEqual([
      ['it.amazon.www:https/', 10],
      ['it.google.www:https/', 7],
    ]);
  });

  it('come in the exact order of score, ties by key, also where scores are near (Nutch case 7)', async () => {
    await inject(
      'order',
      urls('aaa', 101).map((url, i) => `${url}\tnutch.score=${100 + i / 1000}`),
    );
    const job = await generate('order', { topN: 2 });
    expect(await batchPaths(cycle, job, 'order')).toEqual(['/0099', '/0100']);
    await inject('ties', urls('a.test', 5));
    expect(await batchPaths(cycle, await generate('ties', { topN: 2 }), 'ties')).toEqual(['/0000', '/0001']);
  });

  it('stop at topN with one reducer (C15)', async () => {
    await inject('c15', urls('a.test', 20));
    expect(await countOf('c15', { topN: 7 })).toBe(7);
  });

  it('are all there is without topN, and none with topN 0', async () => {
    await inject('all', urls('a.test', 1_500));
    expect(await countOf('all', { topN: 0 })).toBe(0);
    expect(await countOf('all')).toBe(1_500);
  });

  it('have at least generate.min.score (C9)', async () => {
    await inject('c9', table2);
    const job = await generate('c9', {}, { 'generate.min.score': '5' });
    expect(job.result).toMatchObject({ 'generate.count': 2 });
    expect(counter(job, 'Generator', 'SCORE_TOO_LOW')).toBe(2);
  });
});

describe('partitions', () => {
  it('the worked example: 2500 over 5 reducers, 100 a host: 10 + 100 + 100 = 210 (C18, C19)', async () => {
    // A seed that puts the three hosts into one partition.
    const seed = 89;
    expect(new Set(['abc.com', 'klm.com', 'xyz.com'].map((host) => partitionHash(host, seed) % 5)).size).toBe(1);
    await inject('c18', [...urls('abc.com', 10), ...urls('klm.com', 100), ...urls('xyz.com', 1_000)]);
    const conf = { 'mapreduce.job.reduces': '5', 'generate.max.count': '100', 'partition.url.seed': String(seed) };
    const job = await generate('c18', { topN: 2_500 }, conf);
    expect(job.result).toMatchObject({ 'generate.count': 210 });
    expect(await marked('c18')).toEqual({ 'com.abc': 10, 'com.klm': 100, 'com.xyz': 100 });
    expect(counter(job, 'Generator', 'HOST_LIMIT')).toBe(900);
  });

  it('the same with the three hosts put together by partition.hosts', async () => {
    await inject('c18b', [...urls('abc.com', 10), ...urls('klm.com', 100), ...urls('xyz.com', 1_000)]);
    const conf = { 'mapreduce.job.reduces': '5', 'partition.hosts': 'abc.com,klm.com,xyz.com' };
    const job = await generate('c18b', { topN: 2_500 }, { ...conf, 'generate.max.count': '100' });
    expect(job.result).toMatchObject({ 'generate.count': 210 });
    expect(await countOf('c18b', { topN: 2_500 }, conf)).toBe(500);
  });

  it('each take topN / reducers, and a batch that stays short says why (C14, C22, C23)', async () => {
    await inject('c14', urls('a.test', 100));
    const job = await generate('c14', { topN: 10 }, { 'mapreduce.job.reduces': '5' });
    expect(job.result).toMatchObject({ 'generate.count': 2 });
    expect(job.result?.['warnings']).toEqual([
      '2 of topN 10 selected: each of 5 partitions (mapreduce.job.reduces, numFetchers) takes at most 2, and 98 pages were over that',
    ]);
    const warnings = await cycle.db.query(`select data from job_event where kind = 'warning' and job = $1`, [job.id]);
    expect(warnings).toHaveLength(1);
    expect(await countOf('c14', { topN: 10, numFetchers: 2 })).toBe(5);
  });

  it('do not keep a topN below their number from being selected', async () => {
    await inject('c14-0', urls('a.test', 3));
    const conf = { 'mapreduce.job.reduces': '5' };
    expect(await countOf('c14-0', { topN: 2 }, conf)).toBe(2);
    expect(await countOf('c14-0', { topN: 2 }, conf)).toBe(1);
  });

  it('hold whole domains byDomain (C10)', async () => {
    await inject(
      'c10',
      ['a', 'b', 'c', 'd'].flatMap((name) => urls(`${name}.example.com`, 2)),
    );
    await generate('c10', {}, { 'partition.url.mode': 'byDomain' });
    const { rows } = await cycle.pool.query(
      `select distinct partition_hash as hash from webpage where crawl = (select id from crawl where name = 'c10')`,
    );
    expect(rows).toEqual([{ hash: partitionHash('example.com') }]);
  });

  it('byIP ask for the address of each host once (C12)', async () => {
    asked.length = 0;
    await inject(
      'c12',
      ['a.test', 'b.test', 'c.test', 'nowhere.test'].flatMap((host) => urls(host, 300)),
    );
    const job = await generate('c12', {}, { 'partition.url.mode': 'byIP', 'generate.count.mode': 'ip' });
    expect(counter(job, 'Generator', 'NAMES_LOOKED_UP')).toBe(4);
    expect(asked.sort()).toEqual(['a.test', 'b.test', 'c.test', 'nowhere.test']);
    const hashes = new Map(
      (
        await cycle.db.query<{ host: string; hash: number }>(
          `select distinct host, partition_hash as hash from webpage where crawl = (select id from crawl where name = 'c12')`,
        )
      ).map(({ host, hash }) => [host, hash]),
    );
    expect(hashes.size).toBe(4);
    expect(hashes.get('test.a')).toBe(partitionHash('192.0.2.1'));
    expect(hashes.get('test.b')).toBe(hashes.get('test.a'));
    expect(hashes.get('test.c')).toBe(partitionHash('192.0.2.2'));
  });
});

describe('generate.max.count', () => {
  it.each([
    ['host', { 'com.example.one': 1, 'com.example.two': 1, 'net.other': 1 }],
    ['domain', { 'com.example.one': 1, 'net.other': 1 }],
  ])('counts by %s (C16, C17)', async (mode, expected) => {
    const crawlId = `c16-${mode}`;
    await inject(crawlId, [...urls('one.example.com', 3), ...urls('two.example.com', 3), ...urls('other.net', 3)]);
    await generate(crawlId, {}, { 'generate.max.count': '1', 'generate.count.mode': mode });
    expect(await marked(crawlId)).toEqual(expected);
  });

  it('counts the hosts of an intranet, whose suffix nobody lists, as one domain', async () => {
    await inject('intranet', [
      ...urls('h1.corp.internal', 3),
      ...urls('a.h2.corp.internal', 3),
      ...urls('10.0.0.7', 3),
    ]);
    const conf = { 'generate.max.count': '2', 'generate.count.mode': 'domain' };
    await generate('intranet', {}, conf);
    const { '10.0.0.7': address, ...names } = await marked('intranet');
    expect(address).toBe(2);
    expect(Object.values(names).reduce((sum, pages) => sum + pages)).toBe(2);
  });

  it('counts two hosts on one address together (C17)', async () => {
    await inject(
      'c17',
      ['a.test', 'b.test', 'c.test'].flatMap((host) => urls(host, 5)),
    );
    await generate('c17', {}, { 'generate.max.count': '3', 'generate.count.mode': 'ip' });
    const perHost = await marked('c17');
    expect((perHost['test.a'] ?? 0) + (perHost['test.b'] ?? 0)).toBe(3);
    expect(perHost['test.c']).toBe(3);
  });

  it('lets lower scores of other hosts in (C21)', async () => {
    await inject('c21', [...urls('abc.test', 5, '\tnutch.score=9'), ...urls('xyz.test', 5)]);
    await generate('c21', { topN: 4 }, { 'generate.max.count': '2' });
    expect(await marked('c21')).toEqual({ 'test.abc': 2, 'test.xyz': 2 });
  });

  it.each(['-1', '0'])('of %s is no limit', async (max) => {
    await inject(`max${max}`, urls('a.test', 5));
    expect(await countOf(`max${max}`, {}, { 'generate.max.count': max })).toBe(5);
  });

  it('leaves marked rows aside when several batches follow each other (Nutch 2.x cases 1 to 3)', async () => {
    await inject('steps', urls('www.example.com', 3));
    const counts = [];
    for (const max of ['1', '2', '3']) counts.push(await countOf('steps', {}, { 'generate.max.count': max }));
    expect(counts).toEqual([1, 2, 0]);
  });

  it('by domain over several batches (Nutch 2.x cases 4 to 6)', async () => {
    await inject(
      'steps-d',
      ['one', 'two', 'three'].flatMap((name) => urls(`${name}.example.com`, 2)),
    );
    const counts = [];
    for (const max of ['1', '2', '3'])
      counts.push(await countOf('steps-d', {}, { 'generate.max.count': max, 'generate.count.mode': 'domain' }));
    expect(counts).toEqual([1, 2, 3]);
  });
});

describe('segments', () => {
  const segmentsOf = async (crawlId: string, args: Record<string, unknown>, conf: Record<string, string>) => {
    const job = await generate(crawlId, args, conf);
    const ids = (job.result?.['generate.batch.ids'] as string[] | undefined) ?? [batchOf(job)];
    const all = await pages(cycle, crawlId);
    return ids.map((id) => all.filter((page) => page.generate_mark === id).length);
  };

  it.each([
    [{ h: 5 }, 1, 2, undefined, [2]],
    [{ h: 5 }, 2, 2, undefined, [2, 2]],
    [{ h: 5 }, 3, 2, undefined, [2, 2, 1]],
    [{ h1: 3, h2: 3 }, 1, -1, 4, [4]],
    // The original gives each segment topN; here it is the total of all.
    [{ h1: 3, h2: 3 }, 2, -1, 2, [1, 1]],
    // A count does not put all into the first segment.
    [{ h1: 2, h2: 2 }, 2, 9, 4, [2, 2]],
  ])('%j in %d segments, %d a host, topN %d: %j (Nutch 1.x)', async (hosts, segments, max, topN, expected) => {
    const crawlId = `seg-${segments}-${max}-${topN ?? 'all'}-${Object.keys(hosts).join('')}`;
    await inject(
      crawlId,
      Object.entries(hosts).flatMap(([host, n]) => urls(host, n)),
    );
    const args = { maxNumSegments: segments, ...(topN === undefined ? {} : { topN }) };
    expect(await segmentsOf(crawlId, args, { 'generate.max.count': String(max) })).toEqual(expected);
  });
});

describe('what is due', () => {
  const at = (crawlId: string, interval: string) =>
    cycle.db.query(
      `update webpage set fetch_time = now() + $2::interval where crawl = (select id from crawl where name = $1) and key like '%/0000'`,
      [crawlId, interval],
    );

  it('leaves out a row that was set to tomorrow by hand (C5)', async () => {
    await inject('c5', urls('a.test', 3));
    await at('c5', '1 day');
    const job = await generate('c5');
    expect(await batchPaths(cycle, job, 'c5')).toEqual(['/0001', '/0002']);
    expect(counter(job, 'Generator', 'NOT_DUE')).toBe(1);
    await at('c5', '-1 second');
    expect(await countOf('c5')).toBe(1);
  });

  it.each([
    ['adddays 2', { adddays: 2 }],
    ['adddays as text', { adddays: '2' }],
    ['curTime in two days', { curTime: Date.now() + 2 * DAY }],
  ])('counts by the clock of %s (C6, C7)', async (name, args) => {
    const crawlId = `ahead-${name.replaceAll(' ', '-')}`;
    await inject(crawlId, urls('a.test', 2));
    await at(crawlId, '1 day');
    expect(await countOf(crawlId, { adddays: 0 })).toBe(1);
    expect(await countOf(crawlId, args)).toBe(1);
    expect(await countOf(crawlId, args)).toBe(0);
  });

  it('is nothing by a clock of the past, and all of it again by the present one', async () => {
    await inject('past', urls('a.test', 2));
    expect(await countOf('past', { curTime: Date.now() - 2 * DAY })).toBe(0);
    expect(await countOf('past', { adddays: -2 })).toBe(0);
    expect(await countOf('past')).toBe(2);
  });

  it('includes a page whose time is further ahead than the longest interval', async () => {
    await inject('beyond', urls('a.test', 1));
    await cycle.db.query(
      `update webpage set rank = null, fetch_time = now() + interval '100 days', fetch_interval = 8640000
        where crawl = (select id from crawl where name = 'beyond')`,
    );
    expect(await countOf('beyond')).toBe(1);
    // Nine tenths of db.fetch.interval.max.
    expect((await pages(cycle, 'beyond'))[0]!.fetch_interval).toBe(6_998_400);
  });

  it('is found with the adaptive schedule as well (C6)', async () => {
    await inject('adaptive', urls('a.test', 2));
    const conf = { 'db.fetch.schedule.class': 'org.apache.nutch.crawl.AdaptiveFetchSchedule' };
    expect(await countOf('adaptive', {}, conf)).toBe(2);
  });
});

describe('what is left out', () => {
  const deny = { 'urlfilter.regex.rules': '-/0000$\n+.' };

  it.each([
    ['a rule made later drops it', {}, {}, 1],
    ['filter false takes it (C3)', { filter: false, normalize: false }, {}, 2],
    ['noFilter takes it (C4)', { noFilter: 'true', noNorm: 'true' }, {}, 2],
    ['generate.filter false takes it', {}, { 'generate.filter': 'false' }, 2],
    ['filter true wins over the property', { filter: true }, { 'generate.filter': 'false' }, 1],
  ])('by filters: %s', async (name, args, conf, expected) => {
    const crawlId = `filter-${name.replaceAll(/\W/g, '-')}`;
    await inject(crawlId, urls('a.test', 2));
    const job = await generate(crawlId, args, { ...deny, ...conf });
    expect(job.result?.['generate.count']).toBe(expected);
    expect(counter(job, 'Generator', 'URL_FILTERS_REJECTED')).toBe(2 - expected);
  });

  it('by distance from the seeds', async () => {
    await inject('distance', urls('a.test', 3));
    await cycle.db.query(
      `update webpage set distance = right(key, 1)::int where crawl = (select id from crawl where name = 'distance')`,
    );
    const job = await generate('distance', {}, { 'generate.max.distance': '1' });
    expect(await batchPaths(cycle, job, 'distance')).toEqual(['/0000', '/0001']);
  });

  it('by status', async () => {
    await inject('status', ['http://a.test/0000', 'http://a.test/0001\tnutch.status=db_fetched']);
    const job = await generate('status', {}, { 'generate.restrict.status': 'db_unfetched' });
    expect(await batchPaths(cycle, job, 'status')).toEqual(['/0000']);
    expect(counter(job, 'Generator', 'STATUS_REJECTED')).toBe(1);
  });

  it('by interval', async () => {
    await inject('interval', ['http://a.test/0000\tnutch.fetchInterval=60', 'http://a.test/0001']);
    const job = await generate('interval', {}, { 'generate.min.interval': '3600' });
    expect(await batchPaths(cycle, job, 'interval')).toEqual(['/0000']);
  });

  it('sitemaps, unless they are asked for: 10 pages and 2 sitemaps (Nutch 2.x cases 10 and 11)', async () => {
    await inject('maps', [...urls('a.test', 10), 'http://a.test/s1.xml\t-sitemap', 'http://a.test/s2.xml\t-sitemap']);
    expect(await countOf('maps')).toBe(10);
    expect(await countOf('maps', { sitemap: true })).toBe(2);
  });
});

it('two crawls do not see each other', async () => {
  await inject('one', urls('a.test', 3));
  await inject('two', urls('a.test', 3));
  expect(await countOf('one', { batch: 'same' })).toBe(3);
  expect(await countOf('two', { batch: 'same', topN: 1 })).toBe(1);
  expect((await pages(cycle, 'two')).filter((page) => page.generate_mark === null)).toHaveLength(2);
});
