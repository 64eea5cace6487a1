import { describe, expect, it } from 'vitest';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { page, startSite, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { batchOf, byPath, counter, counters, pageAt, pages, pathOf } from './table.js';

/**
 * UPDATEDB (docs/semantics/updatedb.md; feature rows B14, F1, F8 to F14 and F18); statuses are in updatedb-status.spec.ts, scores and links
 * in scores.spec.ts.
 */

useCrawler();
const { site, inject, round, untilParsed, update } = crawler;

describe('pages added by UPDATEDB', () => {
  it('are due at once, with the default interval', async () => {
    const web = await site({ '/': links('/a') });
    await inject('new', [`${web.url}/`]);
    const job = await update('new', { batch: await untilParsed('new') });
    const row = await pageAt(cycle, '/a', 'new');
    expect(row).toMatchObject({ status: 1, fetch_interval: 2_592_000, retries_since_fetch: 0, inject_mark: null });
    expect(row.fetch_time.getTime()).toBeLessThanOrEqual(job.endedAt!.getTime());
    expect(counter(job, 'UpdateDb', 'urls_added')).toBe(1);
  });

  it('are one page for a hundred links to the same URL (F13)', async () => {
    const web = await site(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`/${i}`, links('/t')])));
    await inject(
      'f13',
      Array.from({ length: 100 }, (_, i) => `${web.url}/${i}`),
    );
    const job = await update('f13', { batch: await untilParsed('f13') });
    expect(counter(job, 'UpdateDb', 'urls_added')).toBe(1);
    expect((await pageAt(cycle, '/t', 'f13')).score).toBeCloseTo(100, 9);
    expect(await pages(cycle, 'f13')).toHaveLength(101);
  });

  it('do not include query strings and images by the default rules (F14)', async () => {
    const web = await site({ '/': links('/a?x=1', '/a.gif', '/A.GIF', 'mailto:a@b.test', '/ok') });
    await inject('f14', [`${web.url}/`]);
    await round('f14');
    expect(await byPath(cycle, (row) => row.status, 'f14')).toEqual({ '/': 2, '/ok': 1 });
  });

  it.each([
    ['noAdditions', { noAdditions: 'true' }, {}],
    ['db.update.additions.allowed', {}, { 'db.update.additions.allowed': 'false' }],
  ])('are none with %s; statuses and scores of known pages change (F10, F11)', async (name, args, conf) => {
    const crawlId = `f10-${name}`;
    const web = await site({ '/': links('/new', '/known'), '/known': links('/') });
    await inject(crawlId, [`${web.url}/`, `${web.url}/known`]);
    const job = await update(crawlId, { batch: await untilParsed(crawlId), ...args }, conf);
    expect(await byPath(cycle, (row) => [row.status, row.score], crawlId)).toEqual({ '/': [2, 2], '/known': [2, 1.5] });
    expect(counter(job, 'UpdateDb', 'urls_added')).toBe(0);
  });

  it('of pages that were not parsed are unknown: a warning counts these pages', async () => {
    const web = await site({ '/': links('/new') });
    await inject('unparsed', [`${web.url}/`, `${web.url}/none`]);
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'unparsed' }));
    await cycle.run('FETCH', { batch }, { crawlId: 'unparsed' });
    const job = await update('unparsed', { batch });
    expect(counters(job, 'UpdateDb')).toEqual({ db_fetched: 1, db_gone: 1, not_parsed: 1, urls_added: 0 });
    expect(job.result?.warnings).toEqual([
      'Pages that were fetched but not parsed: 1. Their links are unknown until their next visit. Run PARSE before UPDATEDB, or FETCH with parse.',
    ]);
  });

  it('are added with noAdditions false, whatever db.update.additions.allowed says', async () => {
    const web = await site({ '/': links('/new') });
    await inject('f10-false', [`${web.url}/`]);
    const batch = await untilParsed('f10-false');
    const job = await update('f10-false', { batch, noAdditions: 'false' }, { 'db.update.additions.allowed': 'false' });
    expect(counter(job, 'UpdateDb', 'urls_added')).toBe(1);
  });
});

describe('filters and normalizers in UPDATEDB', () => {
  const conf = {
    'urlfilter.regex.rules': '-/no$\n+.',
    'urlnormalizer.regex.rules.crawldb': '/old$\t/new',
  };

  it.each([
    [{}, {}, ['/', '/no', '/old', '/yes']],
    [{ filter: 'true' }, {}, ['/', '/old', '/yes']],
    [{ normalize: 'true' }, {}, ['/', '/new', '/no', '/yes']],
    [{ filter: true, normalize: true }, {}, ['/', '/new', '/yes']],
    [{}, { 'crawldb.url.filters': 'true' }, ['/', '/old', '/yes']],
  ])('with %j and %j give the pages %j', async (args, more, expected) => {
    const crawlId = `judge-${Object.keys({ ...args, ...more }).join('-')}`;
    const web = await site({ '/': links('/no', '/old', '/yes', '/new') });
    await inject(crawlId, [`${web.url}/`]);
    const batch = await untilParsed(crawlId, { 'urlfilter.regex.rules': '-/new$\n+.' });
    await update(crawlId, { batch, ...args }, { ...conf, ...more });
    expect((await pages(cycle, crawlId)).map(({ key }) => pathOf(key))).toEqual(expected);
  });
});

describe('marks after UPDATEDB', () => {
  it('of the batch are removed, and the parse mark becomes the update mark (F1)', async () => {
    const web = await site({ '/': page('x'), '/missing': status(404) });
    await inject('f1', [`${web.url}/`, `${web.url}/missing`]);
    const batch = await untilParsed('f1');
    await update('f1', { batch });
    const none = { generate_mark: null, fetch_mark: null, parse_mark: null, spend: null };
    expect(await pageAt(cycle, '/', 'f1')).toMatchObject({ ...none, update_mark: batch, batch_id: batch });
    expect(await pageAt(cycle, '/missing', 'f1')).toMatchObject({ ...none, update_mark: null });
  });

  it('of other batches stay, also of pages linked from the batch (F12)', async () => {
    const web = await site({ '/a': links('/b'), '/b': links('/a') });
    await inject('f12', [`${web.url}/a`, `${web.url}/b`]);
    const first = await untilParsed('f12', {}, { topN: 1 });
    const second = await untilParsed('f12', {}, { topN: 1 });
    await update('f12', { batch: first });
    expect(await pageAt(cycle, '/b', 'f12')).toMatchObject({
      generate_mark: second,
      fetch_mark: second,
      parse_mark: second,
    });
    await update('f12', { segment: [second] });
    expect(await byPath(cycle, (row) => row.update_mark, 'f12')).toEqual({ '/a': first, '/b': second });
  });

  it('are updated for all batches with a fetched page when no batch is named', async () => {
    const web = await site({ '/a': page('a'), '/b': page('b'), '/c': page('c') });
    await inject(
      'all',
      ['/a', '/b', '/c'].map((path) => web.url + path),
    );
    const fetched = [await untilParsed('all', {}, { topN: 1 }), await untilParsed('all', {}, { topN: 1 })];
    const open = batchOf(await cycle.run('GENERATE', { topN: 1 }, { crawlId: 'all' }));
    await update('all');
    expect(await byPath(cycle, (row) => row.update_mark ?? row.generate_mark, 'all')).toEqual({
      '/a': fetched[0],
      '/b': fetched[1],
      '/c': open,
    });
  });

  it('of a page generated and not fetched are removed, and the page is as it was before', async () => {
    await inject('back', ['http://127.0.0.1:9/\tnutch.score=3']);
    const [before] = await pages(cycle, 'back');
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'back' }));
    const job = await update('back', { batch });
    expect((await pages(cycle, 'back'))[0]).toEqual({ ...before, batch_id: batch, partition_hash: expect.any(Number) });
    expect(counters(job, 'UpdateDb')).toMatchObject({ not_fetched: 1 });
  });

  it('do not change in a second UPDATEDB, which finds no pages', async () => {
    const before = await pages(cycle, 'back');
    expect(await update('back')).toMatchObject({ state: 'FINISHED', result: { result: '1', reason: 'no-urls' } });
    expect(await pages(cycle, 'back')).toEqual(before);
  });
});

it('UPDATEDB of a batch of 1,200 pages, in many chunks, adds the same as that of a small one', async () => {
  const n = 1_200;
  const web = await startSite((req, res) => {
    const i = Number(req.url!.slice(1));
    if (req.url === '/robots.txt') return status(404)(req, res);
    return links(`/${(i + 1) % n}`, '/hub', `/leaf${i}`)(req, res);
  });
  await inject(
    'chunks',
    Array.from({ length: n }, (_, i) => `${web.url}/${i}`),
  );
  const conf = { 'fetcher.threads.per.queue': '10', 'fetcher.parse': 'true' };
  await cycle.run('GENERATE', {}, { crawlId: 'chunks' });
  await cycle.run('FETCH', {}, { crawlId: 'chunks', conf });
  const job = await cycle.run('UPDATEDB', {}, { crawlId: 'chunks', workers: 3 });
  await web.close();
  expect(counters(job, 'UpdateDb')).toEqual({ db_fetched: n, urls_added: n + 1 });
  const all = await pages(cycle, 'chunks');
  expect(all).toHaveLength(2 * n + 1);
  expect(all.find(({ key }) => pathOf(key) === '/hub')!.score).toBeCloseTo(n / 3, 6);
  for (const row of all.filter(({ status: code }) => code === 2)) expect(row.score).toBeCloseTo(4 / 3, 9);
});

it('an UPDATEDB that fails leaves the tables as they were, and the next one does its work (B14)', async () => {
  const web = await site({ '/': links('/a', '/b'), '/a': links('/b', '/c'), '/gone': status(404) });
  await inject(
    'failed',
    ['/', '/a', '/gone'].map((path) => web.url + path),
  );
  const conf = { 'db.ignore.internal.links': 'false' };
  const batch = await untilParsed('failed', conf);
  const table = (name: string) =>
    cycle.db.query<{ row: Record<string, unknown> }>(
      `select to_jsonb(t) as row from ${name} t join crawl c on c.id = t.crawl where c.name = 'failed' order by 1`,
    );
  const tables = () => Promise.all(['webpage', 'page_content', 'inlink', 'host'].map(table));
  const before = await tables();
  let passed = 0;
  // All is written, and not committed.
  armFaultPoints((point) => {
    if (point !== 'updatedb.settled') return;
    passed++;
    throw new Error('disk full');
  });
  const failed = await update('failed', { batch }, conf).finally(() => armFaultPoints(undefined));
  expect([failed.state, failed.msg.split('\n')[0], passed]).toEqual(['FAILED', 'ERROR: UPDATEDB: disk full', 1]);
  expect(await tables()).toEqual(before);
  const again = await update('failed', { batch }, conf);
  expect(counters(again, 'UpdateDb')).toMatchObject({ db_fetched: 2, db_gone: 1, urls_added: 2 });
  expect(await byPath(cycle, (row) => row.status, 'failed')).toEqual({ '/': 2, '/a': 2, '/b': 1, '/c': 1, '/gone': 3 });
  expect((await table('inlink')).length).toBe(4);
});

it('UPDATEDB does not change the pages of another crawl', async () => {
  const web = await site({ '/': links('/a') });
  await inject('mine', [`${web.url}/`]);
  await inject('yours', [`${web.url}/`]);
  await round('mine');
  expect(await pages(cycle, 'mine')).toHaveLength(2);
  expect(await byPath(cycle, (row) => [row.status, row.score], 'yours')).toEqual({ '/': [1, 1] });
});
