import { describe, expect, it } from 'vitest';
import { type Handler, page, status } from '../support/site.js';
import { UpdateDbJob } from '../../src/cycle/updatedb/updatedb.job.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';
import { batchOf, batchPaths, byPath, counter, pageAt, pages, passDays } from './table.js';
/** Status and next fetch time of a page after UPDATEDB (docs/semantics/updatedb.md; feature rows C44, F7, F15 to F17). */

const DAY = 86_400_000;
const INTERVAL = 30 * DAY;

useCrawler();
const { site, inject, round, untilParsed, update } = crawler;

describe('UPDATEDB', () => {
  it('keeps the status from FETCH for a page that is linked, and a gone page stays gone (F15)', async () => {
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

  it('counts temporary failures in a row up to 32,767, which a page that is fetched each few minutes has in a year', async () => {
    const web = await site({ '/': status(403), '/well': page('x') });
    await inject(
      'failing',
      ['/', '/well'].map((path) => web.url + path),
    );
    await cycle.db.query(
      `update webpage set retries_since_fetch = 32766
        where crawl = (select id from crawl where name = 'failing') and key not like '%/well'`,
    );
    for (const _ of [1, 2]) {
      await round('failing');
      expect(await pageAt(cycle, '/', 'failing')).toMatchObject({ status: 3, retries_since_fetch: 32_767 });
      await passDays(cycle, 100, 'failing');
    }
    expect((await pageAt(cycle, '/well', 'failing')).status).toBe(6);
  });

  it('sets the next fetch 30 days after this one (F7), for a gone page 1.5 times as long (F16)', async () => {
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

  it.each([
    ['db_unfetched', 1],
    ['db_duplicate', 7],
  ])('keeps %s, which INJECT has set on a page of the open batch, and counts no retry', async (name, code) => {
    const web = await site({ '/': links('/a'), '/busy': status(503) });
    const crawlId = `by-hand-${code}`;
    const seeds = ['/', '/busy'].map((path) => web.url + path);
    await inject(crawlId, seeds);
    const batch = await untilParsed(crawlId);
    const fetched = await byPath(cycle, (row) => row.fetch_time.getTime(), crawlId);
    await cycle.inject(
      seeds.map((url) => `${url}\tnutch.status=${name}`),
      { update: true },
      { crawlId },
    );
    await update(crawlId, { batch });
    expect(await pageAt(cycle, '/', crawlId)).toMatchObject({
      status: code,
      retries_since_fetch: 0,
      fetch_time: new Date(fetched['/']! + INTERVAL),
      update_mark: batch,
    });
    expect((await pageAt(cycle, '/a', crawlId)).status).toBe(1);
    // Its visit has failed, which counts as ever.
    expect(await pageAt(cycle, '/busy', crawlId)).toMatchObject({
      status: code,
      retries_since_fetch: 1,
      fetch_time: new Date(fetched['/busy']! + DAY),
    });
  });

  it('deletes a gone page with its content and inlinks with db.update.purge.404 (F16)', async () => {
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
    'deletes a page that was gone before with db.update.purge.404, %s to close (F16)',
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

  it('keeps a gone page that is in another batch until that is closed', async () => {
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

  it('deletes gone pages in chunks and continues after each kill', async () => {
    await inject('gone-chunks', []);
    const [{ id }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'gone-chunks'`)) as [
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

  it('retries after 503 a day later and makes the page gone after three retries (F17)', async () => {
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

  it('makes a page gone after db.fetch.retry.max retries', async () => {
    const web = await site({ '/robots.txt': status(404), '*': status(503) });
    await inject('retry1', [`${web.url}/`]);
    await round('retry1', { 'db.fetch.retry.max': '1' });
    expect((await pages(cycle, 'retry1'))[0]).toMatchObject({ status: 3, retries_since_fetch: 1 });
  });

  it('resets the retries after a success', async () => {
    let code = 503;
    const web = await site({ '/robots.txt': status(404), '*': (req, res) => status(code)(req, res) });
    await inject('forget', [`${web.url}/`]);
    await round('forget');
    code = 200;
    await passDays(cycle, 2, 'forget');
    await round('forget');
    expect((await pages(cycle, 'forget'))[0]).toMatchObject({ status: 2, retries_since_fetch: 0 });
  });

  it('shortens an interval over db.fetch.interval.max and removes signature and validators: the page is unfetched', async () => {
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

  it('makes a page with a failed parse fetched, or db_parse_failed with parser.delete.failed.parse', async () => {
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

  it('keeps db_parse_failed at the next visit, which is unconditional: 304 would not say that the parse failed', async () => {
    const png = page(Buffer.from('89504e470d0a1a0a', 'hex'), { 'content-type': 'image/png', etag: '"png"' });
    const answers = [page('<title>text</title>'), png];
    const again: Handler = (req, res) => (req.headers['if-none-match'] ? status(304) : png)(req, res);
    const web = await site({ '/': (...asked) => (answers.shift() ?? again)(...asked) });
    await inject('still9', [`${web.url}/`]);
    for (const expected of [{ status: 2 }, { status: 9, http_status: 200 }, { status: 9, http_status: 200 }]) {
      await round('still9', { 'parser.delete.failed.parse': 'true' });
      expect(await pageAt(cycle, '/', 'still9')).toMatchObject(expected);
      await passDays(cycle, 100, 'still9');
    }
    expect(web.log.filter(({ path }) => path === '/')).toHaveLength(3);
  });

  it('makes a truncated page fetched also with parser.delete.failed.parse, since it was not parsed', async () => {
    const web = await site({ '/': page('<title>long</title>'.padEnd(600)) });
    const conf = { 'parser.delete.failed.parse': 'true', 'http.content.limit': '500' };
    await inject('cut', [`${web.url}/`]);
    await round('cut', conf);
    expect((await pages(cycle, 'cut'))[0]).toMatchObject({ status: 2, parse_major: 2, parse_minor: 202 });
  });

  it('with the adaptive schedule shortens the interval of a changed page and lengthens that of an unchanged one', async () => {
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

  it('ignores a fixedInterval that is no number of seconds', async () => {
    const web = await site({ '*': page('x') });
    await inject(
      'fixed',
      ['abc', '-1', '', 'Infinity', '1e99', '3600.0'].map((value, i) => `${web.url}/${i}\tfixedInterval=${value}`),
    );
    await round('fixed', { 'db.fetch.schedule.class': 'org.apache.nutch.crawl.AdaptiveFetchSchedule' });
    const adaptive = [2, INTERVAL / 1000];
    expect(await byPath(cycle, (row) => [row.status, row.fetch_interval], 'fixed')).toEqual({
      '/0': adaptive,
      '/1': adaptive,
      '/2': adaptive,
      '/3': adaptive,
      '/4': adaptive,
      '/5': [2, 3_600],
    });
  });

  it('makes a page of score 10 due sooner than one of score 1 with db.fetch.schedule.score.exponent (C44)', async () => {
    const web = await site({ '/best': page('best'), '/other': page('other') });
    await inject('sooner', [`${web.url}/best\tnutch.score=10`, `${web.url}/other`]);
    const conf = { 'db.fetch.schedule.score.exponent': '1' };
    const batch = await untilParsed('sooner', conf);
    const fetched = await byPath(cycle, (row) => row.fetch_time.getTime(), 'sooner');
    await update('sooner', { batch }, conf);
    expect(await byPath(cycle, (row) => [row.score, row.fetch_time.getTime(), row.fetch_interval], 'sooner')).toEqual({
      '/best': [10, fetched['/best']! + INTERVAL / 10, INTERVAL / 1000],
      '/other': [1, fetched['/other']! + INTERVAL, INTERVAL / 1000],
    });
    const again = await cycle.run('GENERATE', { adddays: 4 }, { crawlId: 'sooner' });
    expect(await batchPaths(cycle, again, 'sooner')).toEqual(['/best']);
  });

  it('rounds a db.fetch.schedule.adaptive.min_interval with a fraction up to whole seconds', async () => {
    const web = await site({ '/': page('x') });
    await inject('fraction', [`${web.url}/\tsitemap.changefreq=always`]);
    await round('fraction', { 'db.fetch.schedule.adaptive.min_interval': '90.5' });
    expect((await pages(cycle, 'fraction'))[0]).toMatchObject({ status: 2, fetch_interval: 91 });
  });
});
