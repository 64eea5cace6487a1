import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { pageLines } from '../../src/api/page/page-list.js';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import { nextWaiting } from '../../src/cycle/fetch/fetch.sql.js';
import { releaseAbandoned } from '../../src/cycle/generate/generate.sql.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, batchPaths, byPath, counter, counters, pageAt, passDays } from './table.js';

/**
 * Batches: from a list of URLs (B19), released (C37), locked (C33), in partitions (C32), of the best pages only (C44), their
 * order (C31, D22).
 */

useCrawler();

type Conf = Record<string, string>;
const generate = (crawlId: string, args: Record<string, unknown> = {}, conf: Conf = {}) =>
  cycle.run('GENERATE', args, { crawlId, conf });

describe('a batch from a list of URLs (freegen)', () => {
  const store = (name: string, lines: string[]) =>
    new SeedListStore(cycle.dataSource).save(
      { name, id: null },
      lines.map((line) => ({ id: null, line })),
    );

  it('adds the URLs as pages and can be fetched (B19)', async () => {
    const web = await crawler.site({ '*': page('x') });
    await store('first', [`${web.url}/a`, '# no seed', `${web.url}/b\tcolour=red`, `${web.url}/c.gif`]);
    const job = await generate('free', { freegen: 'first' });
    expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'done', 'generate.count': 2 } });
    expect(counter(job, 'injector', 'urls_filtered')).toBe(1);
    expect(await batchPaths(cycle, job, 'free')).toEqual(['/a', '/b']);
    await cycle.run('FETCH', { batch: batchOf(job) }, { crawlId: 'free' });
    await crawler.update('free', { batch: batchOf(job) });
    expect(await byPath(cycle, (row) => row.status, 'free')).toEqual({ '/a': 2, '/b': 2 });
    expect((await pageAt(cycle, '/b', 'free')).metadata).toEqual({ colour: 'red' });
  });

  it('includes pages that are not due and no page of another batch, up to topN', async () => {
    await store('known', ['http://a.test/1', 'http://a.test/2', 'http://a.test/3', 'http://a.test/4']);
    await crawler.inject('known', ['http://a.test/1\tnutch.score=5', 'http://a.test/2', 'http://a.test/9']);
    await passDays(cycle, -3, 'known');
    const first = await generate('known', { freegen: 'known', topN: 1 });
    expect(await batchPaths(cycle, first, 'known')).toEqual(['/1']);
    expect((await pageAt(cycle, '/1', 'known')).score).toBe(5);
    const rest = await generate('known', { freegen: 'known' });
    expect(await batchPaths(cycle, rest, 'known')).toEqual(['/2', '/3', '/4']);
    expect(await generate('known', { freegen: 'known' })).toMatchObject({ result: { reason: 'no-urls' } });
  });

  it('topN does not count pages of another batch', async () => {
    const lines = [1, 2, 3, 4].map((n) => `http://a.test/${n}`);
    await store('four', lines);
    const first = await generate('four', { freegen: 'four', topN: 2 });
    expect(await batchPaths(cycle, first, 'four')).toEqual(['/1', '/2']);
    const second = await generate('four', { freegen: 'four', topN: 2 });
    expect(await batchPaths(cycle, second, 'four')).toEqual(['/3', '/4']);
    expect((await generate('four', { freegen: 'four', topN: 2 })).result).toMatchObject({ reason: 'no-urls' });
  });

  it.each(['url_dir', 'seedDir', 'seedName', 'seed'])(
    'is not made from %s, which is an argument of INJECT',
    async (name) => {
      const crawlId = `carried-${name}`;
      await store('carried', ['http://a.test/1']);
      await crawler.inject(crawlId, ['http://a.test/2']);
      const job = await generate(crawlId, { [name]: 'carried' });
      expect(await batchPaths(cycle, job, crawlId)).toEqual(['/2']);
    },
  );

  it('skips the URL filters with noFilter', async () => {
    await store('pictures', ['http://a.test/c.gif']);
    expect((await generate('pictures', { freegen: 'pictures', noFilter: 'true' })).result?.['generate.count']).toBe(1);
  });

  it('warns of lines as INJECT does: refused by a filter, with the rule, with a blank for a TAB, ignored values', async () => {
    const lines = [
      'http://a.test/?q=1',
      'http://a.test/c.gif',
      'http://a.test/ k=v',
      'http://a.test/\tnutch.score=high',
    ];
    await store('odd', lines);
    const job = await generate('odd', { freegen: 'odd' });
    expect(job.result).toMatchObject({ 'generate.count': 1 });
    expect(job.result?.warnings).toHaveLength(3);
    expect(job.result?.warnings).toEqual((await crawler.inject('odd', lines)).result?.warnings);
    expect(String(job.result?.warnings)).toMatch(
      /seed "http:\/\/a\.test\/\?q=1" is refused by urlfilter-regex, rule \d+: -\[\?\*!@=\]; URL filters refuse 1 more/,
    );
  });

  it('applies them with noFilter false, whatever generate.filter says', async () => {
    await store('filtered', ['http://a.test/c.gif', 'http://a.test/c']);
    const job = await generate('filtered', { freegen: 'filtered', noFilter: false }, { 'generate.filter': 'false' });
    expect(await batchPaths(cycle, job, 'filtered')).toEqual(['/c']);
  });
});

describe('an abandoned batch', () => {
  const conf = { 'generate.update.crawldb': 'true', 'crawl.gen.delay': '86400000' };
  const older = (crawlId: string) =>
    cycle.db.query(
      `update batch set generated_at = now() - interval '25 hours' where crawl = (select id from crawl where name = $1)`,
      [crawlId],
    );

  it('releases its pages after crawl.gen.delay with generate.update.crawldb, and not before (C37)', async () => {
    await crawler.inject('delay', ['http://a.test/1', 'http://a.test/2', 'http://a.test/3']);
    const first = await generate('delay', { topN: 2 }, conf);
    expect(await batchPaths(cycle, first, 'delay')).toEqual(['/1', '/2']);
    expect(await batchPaths(cycle, await generate('delay', { topN: 2 }, conf), 'delay')).toEqual(['/3']);
    await older('delay');
    const again = await generate('delay', {}, conf);
    expect(counter(again, 'Generator', 'GIVEN_BACK')).toBe(3);
    expect(await batchPaths(cycle, again, 'delay')).toEqual(['/1', '/2', '/3']);
    expect(await byPath(cycle, (row) => row.spend, 'delay')).toEqual({ '/1': 1, '/2': 1, '/3': 1 });
  });

  it.each([
    ['adddays', () => ({ adddays: 2 })],
    ['curTime', () => ({ curTime: Date.now() + 172_800_000 })],
  ])('has its age measured by the clock of the job: %s', async (name, args) => {
    await crawler.inject(name, ['http://a.test/1']);
    await generate(name);
    expect((await generate(name, {}, conf)).result).toMatchObject({ reason: 'no-urls' });
    const again = await generate(name, args(), conf);
    expect(await batchPaths(cycle, again, name)).toEqual(['/1']);
  });

  it('releases a page during its fetch: the visit is not stored and counts as left_the_batch', async () => {
    const web = await crawler.site({
      '/1': async (_, response) => {
        await older('visited');
        await generate('visited', { batch: 'other' }, conf);
        response.end('x');
      },
    });
    await crawler.inject('visited', [`${web.url}/1`]);
    const batch = batchOf(await generate('visited'));
    const job = await cycle.run('FETCH', { batch }, { crawlId: 'visited' });
    expect(counters(job, 'FetcherStatus')).toEqual({ left_the_batch: 1 });
    expect(await pageAt(cycle, '/1', 'visited')).toMatchObject({
      status: 1,
      generate_mark: 'other',
      fetch_mark: null,
      prev_fetch_time: null,
    });
  });

  it('is released although fetched pages come first: the limit counts pages that can be released', async () => {
    const paths = Array.from({ length: 9 }, (_, n) => `/${n}`);
    await crawler.inject(
      'windows',
      paths.map((path) => `http://a.test${path}`),
    );
    await generate('windows');
    // In the middle, so that the order in which they are read does not matter.
    await cycle.db.query(
      `update webpage w set fetch_mark = case when w.key not like '%/4' then generate_mark end
         from crawl c where c.id = w.crawl and c.name = 'windows'`,
    );
    const [{ id }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'windows'`)) as [
      { id: number },
    ];
    const now = new Date(Date.now() + 86_400_000);
    const give = () => releaseAbandoned(cycle.pool, id, { madeBefore: now, now, limit: 1 });
    expect([await give(), await give()]).toEqual([1, 0]);
    expect(await byPath(cycle, (row) => row.generate_mark !== null, 'windows')).toEqual(
      Object.fromEntries(paths.map((path) => [path, path !== '/4'])),
    );
  });

  it('keeps its pages without generate.update.crawldb, and keeps fetched pages in any case', async () => {
    const web = await crawler.site({ '*': page('x') });
    await crawler.inject('held', [`${web.url}/1`]);
    const { state } = await cycle.run('FETCH', { batch: batchOf(await generate('held')) }, { crawlId: 'held' });
    expect(state).toBe('FINISHED');
    await crawler.inject('held', [`${web.url}/2`]);
    await generate('held');
    await older('held');
    expect((await generate('held')).result).toMatchObject({ reason: 'no-urls' });
    const given = await generate('held', {}, conf);
    expect(await batchPaths(cycle, given, 'held')).toEqual(['/2']);
  });
});

it('a GENERATE waits for another of its crawl and names it in msg; with force it does not wait (C33)', async () => {
  await crawler.inject('locked', ['http://a.test/1', 'http://a.test/2']);
  const { crawl } = await generate('locked', { topN: 0 });
  const [holder] = await cycle.db.query<{ id: string }>(
    `update job set state = 'RUNNING', ended_at = null, lock_key = $1
      where id = (select id from job where crawl_id = 'locked' and type = 'GENERATE') returning id`,
    [`${crawl}/GENERATE`],
  );
  expect((await generate('locked', { topN: 1, force: true })).result).toMatchObject({ 'generate.count': 1 });
  const waiting = generate('locked', { topN: 1 });
  const message = async () => (await cycle.jobs.list({ crawlId: 'locked', limit: 1 }))[0]!.msg;
  await expect.poll(message).toBe(`OK: waiting for ${holder!.id}, which holds GENERATE of this crawl`);
  await cycle.db.query(`update job set state = 'FINISHED', ended_at = now() where id = $1`, [holder!.id]);
  expect((await waiting).result).toMatchObject({ 'generate.count': 1 });
});

it('a forced GENERATE whose pages were taken by another selects again from the rest (C33)', async () => {
  await crawler.inject(
    'forced',
    [9, 8, 7, 6].map((score) => `http://a.test/${score}\tnutch.score=${score}`),
  );
  const other = await cycle.pool.connect();
  let forced: Promise<JobRow> | undefined;
  try {
    await other.query('begin');
    await other.query(`update webpage set generate_mark = 'other', batch_id = 'other', rank = null, spend = cash, cash = 0
      where crawl = (select id from crawl where name = 'forced') and score >= 8`);
    forced = generate('forced', { topN: 2, force: true, batch: 'mine' });
    const waits = async () =>
      (
        await cycle.db.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%update webpage%'`,
        )
      ).length;
    await expect.poll(waits).toBe(1);
    await other.query('commit');
  } finally {
    other.release();
  }
  const job = await forced;
  expect(await batchPaths(cycle, job, 'forced')).toEqual(['/6', '/7']);
  expect(job.result).toMatchObject({ reason: 'done', 'generate.count': 2 });
});

it('an expr on the score with adddays selects pages of high score sooner (C44)', async () => {
  await crawler.inject('sooner', ['http://a.test/best\tnutch.score=10', 'http://a.test/other']);
  await passDays(cycle, -10, 'sooner');
  const job = await generate('sooner', { expr: 'score >= 10', adddays: 11 });
  expect(await batchPaths(cycle, job, 'sooner')).toEqual(['/best']);
});

it('numFetchers 2 makes two partitions, each host in one of them, each with half of topN (C32)', async () => {
  const hosts = ['a', 'b', 'c', 'd', 'e', 'f'];
  await crawler.inject(
    'lists',
    hosts.flatMap((host) => [1, 2, 3].map((n) => `http://${host}.test/${n}`)),
  );
  const job = await generate('lists', { numFetchers: '2', topN: '12' });
  const rows = await cycle.db.query<{ partition: number; host: string; n: number }>(
    `select partition_hash % 2 as partition, host, count(*)::int as n from webpage
      where generate_mark = $1 group by 1, 2 order by 1, 2`,
    [batchOf(job)],
  );
  expect([...new Set(rows.map(({ partition }) => partition))]).toEqual([0, 1]);
  expect(new Set(rows.map(({ host }) => host)).size).toBe(rows.length);
  for (const one of [0, 1])
    expect(rows.filter(({ partition }) => partition === one).reduce((sum, { n }) => sum + n, 0)).toBe(6);
});

describe('the page list of a batch', () => {
  const listOf = async (job: Awaited<ReturnType<typeof generate>>) => {
    const listed: { host: string; partition: number; rank: number; score: number }[] = [];
    for await (const lines of pageLines(cycle.pool, { crawl: job.crawl, batch: batchOf(job) }, Infinity))
      for (const line of lines.trimEnd().split('\n')) {
        const { host, score, metadata } = JSON.parse(line);
        listed.push({ host, score, ...metadata });
      }
    return listed;
  };
  const hosts = ['a.one', 'b.one', 'a.two', 'b.two', 'a.red', 'b.red'].map((name) => `${name}.com`);

  it('shows one partition number per domain, and partitions 0 and 1 with numFetchers 2 (C10, C32)', async () => {
    await crawler.inject(
      'numbers',
      hosts.map((host) => `http://${host}/`),
    );
    const listed = await listOf(await generate('numbers', { numFetchers: '2' }, { 'partition.url.mode': 'byDomain' }));
    const ofDomain = (domain: string) =>
      new Set(listed.filter(({ host }) => host.endsWith(`.${domain}.com`)).map(({ partition }) => partition));
    expect(['one', 'two', 'red'].map((domain) => ofDomain(domain).size)).toEqual([1, 1, 1]);
    expect(new Set(listed.map(({ partition }) => partition))).toEqual(new Set([0, 1]));
  });

  it('has scores descending with the rank in each partition, also for a list of URLs (C13)', async () => {
    await new SeedListStore(cycle.dataSource).save(
      { name: 'ranks', id: null },
      hosts.map((host, i) => ({ id: null, line: `http://${host}/\tnutch.score=${(i * 5) % 7}` })),
    );
    for (const [crawlId, args] of [
      ['ranks', {}],
      ['ranks-listed', { freegen: 'ranks' }],
    ] as const) {
      if (crawlId === 'ranks') await cycle.run('INJECT', { seedName: 'ranks' }, { crawlId });
      const listed = await listOf(await generate(crawlId, { numFetchers: 2, ...args }));
      expect(new Set(listed.map(({ partition }) => partition))).toEqual(new Set([0, 1]));
      for (const one of [0, 1]) {
        const ranked = listed.filter(({ partition }) => partition === one).toSorted((a, b) => a.rank - b.rank);
        expect(ranked.map(({ rank }) => rank)).toEqual(ranked.map((_, i) => i + 1));
        expect(ranked.map(({ score }) => score)).toEqual(ranked.map(({ score }) => score).toSorted((a, b) => b - a));
      }
    }
  });
});

it('FETCH reads a batch by URL hash, so that pages of a host are not adjacent (C31, D22)', async () => {
  const urls = ['a', 'b'].flatMap((host) => Array.from({ length: 50 }, (_, i) => `http://${host}.test/${i}`));
  await crawler.inject('spread', urls);
  const job = await generate('spread');
  const walk = {
    batch: batchOf(job),
    batches: [batchOf(job)],
    sitemap: null,
    part: 0,
    parts: 1,
    resume: false,
    unvisited: false,
    begunAt: new Date(0),
    limit: 100,
  };
  const pages = await nextWaiting(cycle.pool, { crawl: job.crawl, ...walk }, undefined);
  const hashes = pages.map(({ hash }) => hash);
  expect(hashes).toEqual(hashes.toSorted((one, other) => one - other));
  const runs = pages
    .map(({ host }) => host[host.length - 1])
    .join('')
    .match(/a+|b+/g)!;
  expect(Math.max(...runs.map((run) => run.length))).toBeLessThan(20);
});

it('notFetchedSince excludes pages visited since then, although adddays makes them due', async () => {
  const web = await crawler.site({ '*': page('x') });
  await crawler.inject('since', [`${web.url}/1`]);
  await crawler.round('since');
  await crawler.inject('since', [`${web.url}/2`]);
  const hour = 3_600_000;
  const first = await generate('since', { adddays: 40, notFetchedSince: Date.now() - hour });
  expect(await batchPaths(cycle, first, 'since')).toEqual(['/2']);
  const second = await generate('since', { adddays: 40, notFetchedSince: Date.now() + hour });
  expect(await batchPaths(cycle, second, 'since')).toEqual(['/1']);
});
