import { describe, expect, it } from 'vitest';
import { cycle, useCrawler } from './crawler.js';
import { countOf, generate, inject, urls } from './generating.js';
import { batchOf, batchPaths, counter, counters, pages } from './table.js';

/** GENERATE (docs/semantics/generate.md; feature rows C1 to C9, C15, C38, C41). */

const DAY = 86_400_000;

useCrawler();

describe('a batch', () => {
  it('has an id of seconds and a random number, which each selected row carries (C1, C20)', async () => {
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

  it('shares no page with earlier batches, and a third GENERATE finds none (C2)', async () => {
    const all = await pages(cycle, 'c1');
    expect(all.every((page) => page.generate_mark !== null)).toBe(true);
    expect(await generate('c1')).toMatchObject({
      state: 'FINISHED',
      result: { result: '1', reason: 'no-urls', 'generate.batch.id': null, 'generate.count': 0 },
    });
  });

  it('has all due pages with topN -1, as with generate.topN -1', async () => {
    await inject('unlimited', urls('a.test', 4));
    expect(await countOf('unlimited', { topN: -1 }, { 'generate.topN': '2' })).toBe(4);
  });

  it('has the id given by the argument batch', async () => {
    await inject('named', urls('a.test', 1));
    expect(batchOf(await generate('named', { batch: 'mine' }))).toBe('mine');
    expect((await pages(cycle, 'named'))[0]).toMatchObject({ generate_mark: 'mine', batch_id: 'mine', rank: null });
  });

  it('freezes the cash of its pages as spend', async () => {
    await inject('cash', ['http://a.test/\tnutch.score=3']);
    await generate('cash');
    expect((await pages(cycle, 'cash'))[0]).toMatchObject({ score: 3, cash: 0, spend: 3 });
  });
});

describe('GENERATE of the best pages', () => {
  const table2 = [
    'https://www.unipi.it',
    'https://www.amazon.it\tnutch.score=10',
    'https://www.google.it\tnutch.score=7',
    'https://www.ansa.it',
  ];

  it('selects amazon (10) and google (7) of seed 001 with topN 2 (C8, C38, C41)', async () => {
    await inject('c38', table2);
    const job = await generate('c38', { topN: 2 });
    const batch = (await pages(cycle, 'c38')).filter((page) => page.generate_mark === batchOf(job));
    expect(batch.map(({ key, score }) => [key, score])).toEqual([
      ['it.amazon.www:https/', 10],
      ['it.google.www:https/', 7],
    ]);
  });

  it('follows the exact order of scores, ties by key, also for close scores (Nutch case 7)', async () => {
    await inject(
      'order',
      urls('aaa', 101).map((url, i) => `${url}\tnutch.score=${100 + i / 1000}`),
    );
    const job = await generate('order', { topN: 2 });
    expect(await batchPaths(cycle, job, 'order')).toEqual(['/0099', '/0100']);
    await inject('ties', urls('a.test', 5));
    expect(await batchPaths(cycle, await generate('ties', { topN: 2 }), 'ties')).toEqual(['/0000', '/0001']);
  });

  it('stops at topN with one reducer (C15)', async () => {
    await inject('c15', urls('a.test', 20));
    expect(await countOf('c15', { topN: 7 })).toBe(7);
  });

  it('selects all pages without topN and none with topN 0', async () => {
    await inject('all', urls('a.test', 1_500));
    expect(await countOf('all', { topN: 0 })).toBe(0);
    expect(await countOf('all')).toBe(1_500);
  });

  it('skips pages below generate.min.score (C9)', async () => {
    await inject('c9', table2);
    const job = await generate('c9', {}, { 'generate.min.score': '5' });
    expect(job.result).toMatchObject({ 'generate.count': 2 });
    expect(counter(job, 'Generator', 'SCORE_TOO_LOW')).toBe(2);
  });
});

describe('GENERATE of due pages', () => {
  const at = (crawlId: string, interval: string) =>
    cycle.db.query(
      `update webpage set fetch_time = now() + $2::interval where crawl = (select id from crawl where name = $1) and key like '%/0000'`,
      [crawlId, interval],
    );

  it('skips a page whose fetch time was set to tomorrow (C5)', async () => {
    await inject('c5', urls('a.test', 3));
    await at('c5', '1 day');
    const job = await generate('c5');
    expect(await batchPaths(cycle, job, 'c5')).toEqual(['/0001', '/0002']);
    expect(counter(job, 'Generator', 'NOT_DUE')).toBe(1);
    await at('c5', '-1 second');
    expect(await countOf('c5')).toBe(1);
  });

  it('makes waiting pages that are due selectable, and counts them', async () => {
    await inject('due', urls('a.test', 3));
    const wait = (interval: string, path: string) =>
      cycle.db.query(
        `update webpage set rank = null, fetch_time = now() + $1::interval
          where crawl = (select id from crawl where name = 'due') and key like '%/' || $2`,
        [interval, path],
      );
    await wait('-1 second', '0000');
    await wait('1 day', '0001');
    const job = await generate('due', { topN: 1 });
    expect(counters(job, 'Generator')).toMatchObject({ BECAME_DUE: 1 });
    // One was selected, one is selectable, one is not due.
    expect((await pages(cycle, 'due')).map(({ rank }) => rank !== null).sort()).toEqual([false, false, true]);
    expect(counters(await generate('due'), 'Generator')).not.toHaveProperty('BECAME_DUE');
  });

  it.each([
    ['adddays 2', { adddays: 2 }],
    ['adddays as text', { adddays: '2' }],
    ['curTime in two days', { curTime: Date.now() + 2 * DAY }],
  ])('uses the clock of %s (C6, C7)', async (name, args) => {
    const crawlId = `ahead-${name.replaceAll(' ', '-')}`;
    await inject(crawlId, urls('a.test', 2));
    await at(crawlId, '1 day');
    expect(await countOf(crawlId, { adddays: 0 })).toBe(1);
    expect(await countOf(crawlId, args)).toBe(1);
    expect(await countOf(crawlId, args)).toBe(0);
  });

  it('selects nothing by a clock in the past and all pages by the present clock', async () => {
    await inject('past', urls('a.test', 2));
    expect(await countOf('past', { curTime: Date.now() - 2 * DAY })).toBe(0);
    expect(await countOf('past', { adddays: -2 })).toBe(0);
    expect(await countOf('past')).toBe(2);
  });

  it('selects a page whose fetch time is beyond the longest interval and shortens the interval', async () => {
    await inject('beyond', urls('a.test', 1));
    await cycle.db.query(
      `update webpage set rank = null, fetch_time = now() + interval '100 days', fetch_interval = 8640000
        where crawl = (select id from crawl where name = 'beyond')`,
    );
    expect(await countOf('beyond')).toBe(1);
    // Nine tenths of db.fetch.interval.max.
    expect((await pages(cycle, 'beyond'))[0]!.fetch_interval).toBe(6_998_400);
  });

  it('selects pages with the adaptive schedule (C6)', async () => {
    await inject('adaptive', urls('a.test', 2));
    const conf = { 'db.fetch.schedule.class': 'org.apache.nutch.crawl.AdaptiveFetchSchedule' };
    expect(await countOf('adaptive', {}, conf)).toBe(2);
  });
});

describe('GENERATE skips', () => {
  const deny = { 'urlfilter.regex.rules': '-/0000$\n+.' };

  it.each([
    ['a rule added later rejects', {}, {}, 1],
    ['filter false selects (C3)', { filter: false, normalize: false }, {}, 2],
    ['noFilter selects (C4)', { noFilter: 'true', noNorm: 'true' }, {}, 2],
    ['generate.filter false selects', {}, { 'generate.filter': 'false' }, 2],
    ['filter true overrides the property', { filter: true }, { 'generate.filter': 'false' }, 1],
    ['noFilter false overrides it too', { noFilter: 'false' }, { 'generate.filter': 'false' }, 1],
  ])('pages that URL filters reject: %s', async (name, args, conf, expected) => {
    const crawlId = `filter-${name.replaceAll(/\W/g, '-')}`;
    await inject(crawlId, urls('a.test', 2));
    const job = await generate(crawlId, args, { ...deny, ...conf });
    expect(job.result?.['generate.count']).toBe(expected);
    expect(counter(job, 'Generator', 'URL_FILTERS_REJECTED')).toBe(2 - expected);
  });

  it('pages beyond generate.max.distance', async () => {
    await inject('distance', urls('a.test', 3));
    await cycle.db.query(
      `update webpage set distance = right(key, 1)::int where crawl = (select id from crawl where name = 'distance')`,
    );
    const job = await generate('distance', {}, { 'generate.max.distance': '1' });
    expect(await batchPaths(cycle, job, 'distance')).toEqual(['/0000', '/0001']);
  });

  it('pages with another status than generate.restrict.status', async () => {
    await inject('status', ['http://a.test/0000', 'http://a.test/0001\tnutch.status=db_fetched']);
    const job = await generate('status', {}, { 'generate.restrict.status': 'db_unfetched' });
    expect(await batchPaths(cycle, job, 'status')).toEqual(['/0000']);
    expect(counter(job, 'Generator', 'STATUS_REJECTED')).toBe(1);
  });

  it('pages with an interval below generate.min.interval', async () => {
    await inject('interval', ['http://a.test/0000\tnutch.fetchInterval=60', 'http://a.test/0001']);
    const job = await generate('interval', {}, { 'generate.min.interval': '3600' });
    expect(await batchPaths(cycle, job, 'interval')).toEqual(['/0000']);
  });

  it('sitemaps, unless sitemap is set: 10 pages and 2 sitemaps (Nutch 2.x cases 10 and 11)', async () => {
    await inject('maps', [...urls('a.test', 10), 'http://a.test/s1.xml\t-sitemap', 'http://a.test/s2.xml\t-sitemap']);
    expect(await countOf('maps')).toBe(10);
    expect(await countOf('maps', { sitemap: true })).toBe(2);
  });
});

it('GENERATE of one crawl does not select pages of another, also with the same batch id', async () => {
  await inject('one', urls('a.test', 3));
  await inject('two', urls('a.test', 3));
  expect(await countOf('one', { batch: 'same' })).toBe(3);
  expect(await countOf('two', { batch: 'same', topN: 1 })).toBe(1);
  expect((await pages(cycle, 'two')).filter((page) => page.generate_mark === null)).toHaveLength(2);
});
