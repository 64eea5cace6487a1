import { describe, expect, it } from 'vitest';
import { page, startSite, status } from '../support/site.js';
import { UpdateDbJob } from '../../src/cycle/updatedb/updatedb.job.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';
import { batchOf, byPath, counter, counters, pageAt, pages, passDays, pathOf } from './table.js';

/** UPDATEDB (crawl-semantics section 6; feature rows F1 and F7 to F18); its scores and links stand in scores.spec.ts. */

const DAY = 86_400_000;
const INTERVAL = 30 * DAY;

useCrawler();
const { site, inject, round, untilParsed, update } = crawler;

describe('new pages', () => {
  it('are due at once, with the default interval', async () => {
    const web = await site({ '/': links('/a') });
    await inject('new', [`${web.url}/`]);
    const job = await update('new', { batch: await untilParsed('new') });
    const row = await pageAt(cycle, '/a', 'new');
    expect(row).toMatchObject({ status: 1, fetch_interval: 2_592_000, retries_since_fetch: 0, inject_mark: null });
    expect(row.fetch_time.getTime()).toBeLessThanOrEqual(job.endedAt!.getTime());
    expect(counter(job, 'UpdateDb', 'urls_added')).toBe(1);
  });

  it('a hundred links to one URL make one page (F13)', async () => {
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

  it('do not enter against the default rules: query strings and pictures (F14)', async () => {
    const web = await site({ '/': links('/a?x=1', '/a.gif', '/A.GIF', 'mailto:a@b.test', '/ok') });
    await inject('f14', [`${web.url}/`]);
    await round('f14');
    expect(await byPath(cycle, (row) => row.status, 'f14')).toEqual({ '/': 2, '/ok': 1 });
  });

  it.each([
    ['noAdditions', { noAdditions: 'true' }, {}],
    ['db.update.additions.allowed', {}, { 'db.update.additions.allowed': 'false' }],
  ])('do not enter with %s; statuses and scores of known ones change (F10, F11)', async (name, args, conf) => {
    const crawlId = `f10-${name}`;
    const web = await site({ '/': links('/new', '/known'), '/known': links('/') });
    await inject(crawlId, [`${web.url}/`, `${web.url}/known`]);
    const job = await update(crawlId, { batch: await untilParsed(crawlId), ...args }, conf);
    expect(await byPath(cycle, (row) => [row.status, row.score], crawlId)).toEqual({ '/': [2, 2], '/known': [2, 1.5] });
    expect(counter(job, 'UpdateDb', 'urls_added')).toBe(0);
  });
});

describe('links judged by the rules of now', () => {
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
  ])('with %j and %j the table has %j', async (args, more, expected) => {
    const crawlId = `judge-${Object.keys({ ...args, ...more }).join('-')}`;
    const web = await site({ '/': links('/no', '/old', '/yes', '/new') });
    await inject(crawlId, [`${web.url}/`]);
    const batch = await untilParsed(crawlId, { 'urlfilter.regex.rules': '-/new$\n+.' });
    await update(crawlId, { batch, ...args }, { ...conf, ...more });
    expect((await pages(cycle, crawlId)).map(({ key }) => pathOf(key))).toEqual(expected);
  });
});

describe('marks', () => {
  it('of the batch go, the update mark is the parse mark (F1)', async () => {
    const web = await site({ '/': page('x'), '/missing': status(404) });
    await inject('f1', [`${web.url}/`, `${web.url}/missing`]);
    const batch = await untilParsed('f1');
    await update('f1', { batch });
    const none = { generate_mark: null, fetch_mark: null, parse_mark: null, spend: null };
    expect(await pageAt(cycle, '/', 'f1')).toMatchObject({ ...none, update_mark: batch, batch_id: batch });
    expect(await pageAt(cycle, '/missing', 'f1')).toMatchObject({ ...none, update_mark: null });
  });

  it('of other batches stay, also of pages that the batch links to (F12)', async () => {
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

  it('without a named batch all batches of which something was fetched are updated', async () => {
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

  it('a page that was generated but not fetched goes back as it was', async () => {
    await inject('back', ['http://127.0.0.1:9/\tnutch.score=3']);
    const [before] = await pages(cycle, 'back');
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'back' }));
    const job = await update('back', { batch });
    expect((await pages(cycle, 'back'))[0]).toEqual({ ...before, batch_id: batch, partition_hash: expect.any(Number) });
    expect(counters(job, 'UpdateDb')).toMatchObject({ not_fetched: 1 });
  });

  it('a second UPDATEDB finds nothing to do and changes nothing', async () => {
    const before = await pages(cycle, 'back');
    expect(await update('back')).toMatchObject({ state: 'FINISHED', result: { result: '1', reason: 'no-urls' } });
    expect(await pages(cycle, 'back')).toEqual(before);
  });
});

describe('status', () => {
  it('what FETCH found wins over being linked, and a gone page that is linked stays gone (F15)', async () => {
    const web = await site({ '/a': links('/b', '/gone'), '/b': links('/a', '/gone'), '/gone': status(410) });
    await inject(
      'f15',
      ['/a', '/b', '/gone'].map((path) => web.url + path),
    );
    await round('f15');
    expect(await byPath(cycle, (row) => row.status, 'f15')).toEqual({ '/a': 2, '/b': 2, '/gone': 3 });
    await inject('f15', [`${web.url}/c`]);
    await passDays(cycle, 31, 'f15');
    await round('f15');
    expect((await pageAt(cycle, '/gone', 'f15')).status).toBe(3);
  });

  it('next fetch 30 days after this one (F7); a gone page waits half as long again (F16)', async () => {
    const web = await site({ '/': page('x'), '/gone': status(404) });
    await inject(
      'f7',
      ['/', '/gone'].map((path) => web.url + path),
    );
    const batch = await untilParsed('f7');
    const fetched = await byPath(cycle, (row) => row.fetch_time.getTime(), 'f7');
    await update('f7', { batch });
    expect(await pageAt(cycle, '/', 'f7')).toMatchObject({
      fetch_time: new Date(fetched['/']! + INTERVAL),
      rank: null,
    });
    expect(await pageAt(cycle, '/gone', 'f7')).toMatchObject({
      status: 3,
      fetch_interval: 3_888_000,
      fetch_time: new Date(fetched['/gone']! + 1.5 * INTERVAL),
    });
    expect((await cycle.run('GENERATE', {}, { crawlId: 'f7' })).result).toMatchObject({ 'generate.count': 0 });
    expect((await cycle.run('GENERATE', { adddays: 31 }, { crawlId: 'f7' })).result).toMatchObject({
      'generate.count': 1,
    });
  });

  it('a gone page leaves the table with db.update.purge.404, with all that belongs to it (F16)', async () => {
    const web = await site({ '/': links('http://127.0.0.6:1/never'), '/gone': status(404) });
    await inject(
      'f16',
      ['/', '/gone'].map((path) => web.url + path),
    );
    await cycle.db.query(
      `insert into inlink (crawl, host, key, source, anchor, score)
       select crawl, host, key, 'org.other:http/', 'gone', 1 from webpage where key like '%:${web.port}/%'`,
    );
    await round('f16', { 'db.update.purge.404': 'true' });
    expect(await byPath(cycle, (row) => row.status, 'f16')).toEqual({ '/': 2, '/never': 1 });
    const rest = await cycle.db.query(`select key from page_content where key like '%:${web.port}/gone'`);
    expect(rest).toEqual([]);
    const inlinks = await cycle.db.query(`select key from inlink where key like '%:${web.port}/%'`);
    expect(inlinks).toEqual([{ key: expect.stringMatching(/\/$/) }]);
  });

  it.each(['with a batch', 'without a batch'])(
    'a page that was gone before leaves the table too, %s to close (F16)',
    async (how) => {
      const id = how.replaceAll(' ', '-');
      const purge = { 'db.update.purge.404': 'true' };
      const web = await site({ '/': links('/next'), '/next': page('next'), '/gone': status(404) });
      await inject(
        id,
        ['/', '/gone'].map((path) => web.url + path),
      );
      await round(id);
      expect(await byPath(cycle, (row) => row.status, id)).toEqual({ '/': 2, '/gone': 3, '/next': 1 });
      if (how === 'with a batch') await round(id, purge);
      else {
        const job = await update(id, {}, purge);
        expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'no-urls' } });
        expect(counter(job, 'UpdateDb', 'purged_gone')).toBe(1);
      }
      expect(Object.keys(await byPath(cycle, () => 0, id))).toEqual(['/', '/next']);
      expect(await cycle.db.query(`select key from page_content where key like '%:${web.port}/gone'`)).toEqual([]);
    },
  );

  it('a gone page that is in another batch stays until that is closed', async () => {
    const purge = { 'db.update.purge.404': 'true' };
    const web = await site({ '/gone': status(404) });
    await inject('again', [`${web.url}/gone`]);
    await round('again');
    const batch = batchOf(await cycle.run('GENERATE', { adddays: 50 }, { crawlId: 'again' }));
    expect((await update('again', {}, purge)).result).toMatchObject({ reason: 'no-urls' });
    expect(await byPath(cycle, (row) => row.status, 'again')).toEqual({ '/gone': 3 });
    await update('again', { batch }, purge);
    expect(await pages(cycle, 'again')).toEqual([]);
  });

  it('gone pages leave in windows, by every attempt that is killed some more', async () => {
    await inject('gone-windows', []);
    const [{ id }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'gone-windows'`)) as [
      { id: number },
    ];
    await cycle.db.query(
      `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, source_kind)
       select $1, 'test.h' || i % 50, 'test.h' || i % 50 || ':http/' || i, case when i % 6 = 0 then 1 else 3 end, now(), 1, 1, 0, 'link'
         from generate_series(1, 14400) i`,
      [id],
    );
    await cycle.db.query(
      `insert into host (crawl, host, domain, n_unfetched, n_gone)
       select crawl, host, host, count(*) filter (where status = 1), count(*) filter (where status = 3) from webpage where crawl = $1 group by 1, 2`,
      [id],
    );
    const what = { pool: cycle.pool, crawl: id, args: {}, writes: 1, conf: { 'db.update.purge.404': true } };
    const { attempts, counted } = await runKilled(new UpdateDbJob(), what);
    expect(attempts).toBeGreaterThan(2);
    expect(counted).toMatchObject({ purged_gone: 12_000 });
    expect(await cycle.db.query('select distinct status from webpage where crawl = $1', [id])).toEqual([{ status: 1 }]);
  });

  it('503 in three rounds: a day later each, then gone with three retries (F17)', async () => {
    const web = await site({ '/robots.txt': status(404), '*': status(503) });
    await inject('f17', [`${web.url}/`]);
    const seen = [];
    for (let n = 0; n < 3; n++) {
      expect(await round('f17')).toBe(1);
      expect(await round('f17')).toBe(0);
      const [row] = await pages(cycle, 'f17');
      seen.push([row!.status, row!.retries_since_fetch]);
      await passDays(cycle, 2, 'f17');
    }
    expect(seen).toEqual([
      [1, 1],
      [1, 2],
      [3, 3],
    ]);
    expect((await pages(cycle, 'f17'))[0]!.fetch_interval).toBe(3_888_000);
  });

  it('db.fetch.retry.max says how many', async () => {
    const web = await site({ '/robots.txt': status(404), '*': status(503) });
    await inject('retry1', [`${web.url}/`]);
    await round('retry1', { 'db.fetch.retry.max': '1' });
    expect((await pages(cycle, 'retry1'))[0]).toMatchObject({ status: 3, retries_since_fetch: 1 });
  });

  it('a success forgets the retries', async () => {
    let code = 503;
    const web = await site({ '/robots.txt': status(404), '*': (req, res) => status(code)(req, res) });
    await inject('forget', [`${web.url}/`]);
    await round('forget');
    code = 200;
    await passDays(cycle, 2, 'forget');
    await round('forget');
    expect((await pages(cycle, 'forget'))[0]).toMatchObject({ status: 2, retries_since_fetch: 0 });
  });

  it('an interval beyond db.fetch.interval.max forces a fetch without conditions: unfetched, signature forgotten', async () => {
    const lastModified = 'Sat, 01 Nov 2025 00:00:00 GMT';
    const web = await site({ '/': page('x', { etag: '"e"', 'last-modified': lastModified }) });
    await inject('force', [`${web.url}/\tnutch.fetchInterval=10000000`]);
    await round('force');
    const [row] = await pages(cycle, 'force');
    expect(row).toMatchObject({ status: 1, fetch_interval: 6_998_400, signature: null });
    const [validators] = await cycle.db.query(
      `select etag, last_modified from webpage where crawl = (select id from crawl where name = 'force')`,
    );
    expect(validators).toEqual({ etag: null, last_modified: null });
  });

  it('a page that cannot be parsed is fetched, or db_parse_failed with parser.delete.failed.parse', async () => {
    const web = await site({ '/png': page(Buffer.from('89504e470d0a1a0a', 'hex'), { 'content-type': 'image/png' }) });
    for (const [crawlId, conf, expected] of [
      ['png', {}, 2],
      ['png9', { 'parser.delete.failed.parse': 'true' }, 9],
    ] as const) {
      await inject(crawlId, [`${web.url}/png`]);
      await round(crawlId, conf);
      expect((await pages(cycle, crawlId))[0]!.status).toBe(expected);
    }
  });

  it('a page that was cut off is fetched also with parser.delete.failed.parse: no parser has looked at it', async () => {
    const web = await site({ '/': page('<title>long</title>'.padEnd(600)) });
    const conf = { 'parser.delete.failed.parse': 'true', 'http.content.limit': '500' };
    await inject('cut', [`${web.url}/`]);
    await round('cut', conf);
    expect((await pages(cycle, 'cut'))[0]).toMatchObject({ status: 2, parse_major: 2, parse_minor: 202 });
  });

  it('the adaptive schedule shortens the interval of what changed and lengthens that of what did not', async () => {
    let n = 0;
    const web = await site({ '/same': page('same'), '/new': (req, res) => page(String(n++))(req, res) });
    const conf = {
      'db.fetch.schedule.class': 'org.apache.nutch.crawl.AdaptiveFetchSchedule',
      'db.fetch.schedule.adaptive.sync_delta': 'false',
    };
    await inject(
      'adaptive',
      ['/same', '/new'].map((path) => `${web.url}${path}\tnutch.fetchInterval=1000`),
    );
    await round('adaptive', conf);
    await passDays(cycle, 1, 'adaptive');
    await round('adaptive', conf);
    expect(await byPath(cycle, (row) => [row.status, row.fetch_interval], 'adaptive')).toEqual({
      '/same': [6, 1_400],
      '/new': [2, 800],
    });
  });

  it('a fixed interval that is no number of seconds is none: the adaptive schedule decides', async () => {
    const web = await site({ '*': page('x') });
    await inject(
      'fixed',
      ['abc', '-1', '', 'Infinity', '1e99', '3600.0'].map((value, i) => `${web.url}/${i}\tfixedInterval=${value}`),
    );
    await round('fixed', { 'db.fetch.schedule.class': 'org.apache.nutch.crawl.AdaptiveFetchSchedule' });
    const learnt = [2, INTERVAL / 1000];
    expect(await byPath(cycle, (row) => [row.status, row.fetch_interval], 'fixed')).toEqual({
      '/0': learnt,
      '/1': learnt,
      '/2': learnt,
      '/3': learnt,
      '/4': learnt,
      '/5': [2, 3_600],
    });
  });

  it('a shortest interval may have a fraction of a second, which no page keeps', async () => {
    const web = await site({ '/': page('x') });
    await inject('fraction', [`${web.url}/\tsitemap.changefreq=always`]);
    await round('fraction', { 'db.fetch.schedule.adaptive.min_interval': '90.5' });
    expect((await pages(cycle, 'fraction'))[0]).toMatchObject({ status: 2, fetch_interval: 91 });
  });
});

it('many windows: a batch of 1,200 pages adds what a small one adds', async () => {
  const n = 1_200;
  const web = await startSite((req, res) => {
    const i = Number(req.url!.slice(1));
    if (req.url === '/robots.txt') return status(404)(req, res);
    return links(`/${(i + 1) % n}`, '/hub', `/leaf${i}`)(req, res);
  });
  await inject(
    'windows',
    Array.from({ length: n }, (_, i) => `${web.url}/${i}`),
  );
  const conf = { 'fetcher.threads.per.queue': '10', 'fetcher.parse': 'true' };
  await cycle.run('GENERATE', {}, { crawlId: 'windows' });
  await cycle.run('FETCH', {}, { crawlId: 'windows', conf });
  const job = await cycle.run('UPDATEDB', {}, { crawlId: 'windows', workers: 3 });
  await web.close();
  expect(counters(job, 'UpdateDb')).toEqual({ db_fetched: n, urls_added: n + 1 });
  const all = await pages(cycle, 'windows');
  expect(all).toHaveLength(2 * n + 1);
  expect(all.find(({ key }) => pathOf(key) === '/hub')!.score).toBeCloseTo(n / 3, 6);
  for (const row of all.filter(({ status: code }) => code === 2)) expect(row.score).toBeCloseTo(4 / 3, 9);
});

it('two crawls do not see each other', async () => {
  const web = await site({ '/': links('/a') });
  await inject('mine', [`${web.url}/`]);
  await inject('yours', [`${web.url}/`]);
  await round('mine');
  expect(await pages(cycle, 'mine')).toHaveLength(2);
  expect(await byPath(cycle, (row) => [row.status, row.score], 'yours')).toEqual({ '/': [1, 1] });
});
