import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { putEntries } from '../../src/cycle/sitemap/entries.sql.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { AT_ROW } from '../support/database.js';
import { type Handler, page, status } from '../support/site.js';
import { entry, sitemapsOf } from './sitemaps.js';
import { batchOf, counter, expectConsistent, pageAt } from './table.js';

/** Entries of known pages, concurrent with steps that process those pages. */

let cycle: Cycle;
let { site, closeSites, run, paths } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, paths } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle.close());

it('sitemap entries lock pages before their host, like all other writers', async () => {
  const { crawl } = await cycle.inject(['http://order.test/known'], {}, { crawlId: 'order' });
  const { host } = await pageAt(cycle, '/known', 'order');
  const rows = ['known', 'new'].map((path) => ({
    host,
    key: `${host}:http/${path}`,
    score: 0.5,
    fetchInterval: 60,
    modifiedTime: null,
    metadata: { 'sitemap.priority': '0.5' },
  }));
  const other = await cycle.pool.connect();
  await other.query('begin');
  await other.query('select from webpage where crawl = $1 and host = $2 for update', [crawl, host]);
  const written = transaction(cycle.pool, (tx) => putEntries(tx, crawl, rows, false));
  const outcome = written.catch((error: unknown) => error);
  await expect.poll(() => cycle.db.query(AT_ROW)).toEqual([{ n: '1' }]);
  const ended = await other.query('update host set n_gone = n_gone where crawl = $1', [crawl]).catch((e: unknown) => e);
  await other.query('commit');
  other.release();
  expect([ended, await outcome]).toMatchObject([{ rowCount: 1 }, { added: 1, updated: 1 }]);
  await expectConsistent(cycle);
});

describe('a lastmod (sitemaps.org, "XML tag definitions") that cannot be applied yet', () => {
  /** A site whose sitemap has a validator. */
  const known = async (crawlId: string, lastmod: () => Date) => {
    const map: Handler = (req, res) => {
      const text = entry(`http://${req.headers.host}/`, `<lastmod>${lastmod().toISOString()}</lastmod>`);
      const etag = `"${Number(lastmod())}"`;
      const isSame = req.headers['if-none-match'] === etag;
      return (isSame ? status(304) : page(`<urlset>${text}</urlset>`, { etag }))(req, res);
    };
    const one = await site(() => ({ '/': page('<title>t</title>'), '/sitemap.xml': map }));
    await cycle.inject([`${one.url}/`], {}, { crawlId });
    return one;
  };
  const isDue = async (crawlId: string) => Number((await pageAt(cycle, '/', crawlId)).fetch_time) <= Date.now();

  it('is applied after UPDATEDB of the batch that contains the page', async () => {
    const crawlId = 'batch';
    let changed = new Date('2005-01-01');
    const one = await known(crawlId, () => changed);
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
    await cycle.run('FETCH', { batch }, { crawlId });
    changed = new Date();
    await run(crawlId);
    for (const type of ['PARSE', 'UPDATEDB'] as const) await cycle.run(type, { batch }, { crawlId });
    expect(await isDue(crawlId)).toBe(false);
    await run(crawlId);
    expect(await isDue(crawlId)).toBe(true);
    // From then on it is requested conditionally again.
    await run(crawlId);
    const { log } = one;
    expect(log.filter(({ path }) => path === '/sitemap.xml').map(({ headers }) => 'if-none-match' in headers)).toEqual([
      false,
      false,
      true,
    ]);
  });

  it('is applied when its date is reached', async () => {
    // The later the date, the slower the machine may be.
    for (let ahead = 2_000, isEarly = false; !isEarly; ahead *= 2) {
      const crawlId = `to-come-${ahead}`;
      let date = new Date('2005-01-01');
      await known(crawlId, () => date);
      await cycle.round({ crawlId });
      date = new Date(Date.now() + ahead);
      await run(crawlId);
      const wasDue = await isDue(crawlId);
      isEarly = Date.now() < Number(date);
      if (!isEarly) continue;
      expect(wasDue).toBe(false);
      await sleep(Number(date) + 100 - Date.now());
      await run(crawlId);
      expect(await isDue(crawlId)).toBe(true);
    }
  });
});

describe('a lastmod of a page whose visits are not kept any more (fetch.history.months)', () => {
  it.each([
    ['makes it due after its last visit', 0, true],
    ['does not before it', 1, false],
  ])('%s', async (name, daysBefore, due) => {
    const crawlId = name.split(' ')[0]!;
    const map: Handler = (req, res) => {
      const lastmod = new Date(Date.now() - daysBefore * 86_400_000).toISOString();
      const text = entry(`http://${req.headers.host}/`, `<lastmod>${lastmod}</lastmod>`);
      return page(`<urlset>${text}</urlset>`)(req, res);
    };
    const one = await site(() => ({ '/': page('<title>t</title>'), '/sitemap.xml': map }));
    await cycle.inject([`${one.url}/`], {}, { crawlId });
    await cycle.round({ crawlId });
    await cycle.db.query('delete from fetch_history where crawl = (select id from crawl where name = $1)', [crawlId]);
    await run(crawlId);
    expect(Number((await pageAt(cycle, '/', crawlId)).fetch_time) <= Date.now()).toBe(due);
  });
});

describe('a page that db.update.purge.404 has removed', () => {
  const conf = { 'db.update.purge.404': 'true' };
  /** A crawl whose sitemap lists a page that is gone, and was removed. */
  const purged = async (crawlId: string, lastmod: () => string = () => '') => {
    const one = await site((url) => ({
      '/': page('<title>t</title>'),
      '/sitemap.xml': (req, res) =>
        page(`<urlset>${entry(`${url}/lost`, lastmod())}</urlset>`, { etag: '"1"' })(req, res),
    }));
    await cycle.inject([`${one.url}/`], {}, { crawlId });
    await run(crawlId, {}, conf);
    expect(await paths(crawlId)).toEqual(['/', '/lost']);
    expect(await cycle.round({ crawlId, conf })).toBe(2);
    expect(await paths(crawlId)).toEqual(['/']);
    return one;
  };

  it('is not added again by a sitemap that still lists it, which is read without validators', async () => {
    const one = await purged('lost');
    for (let n = 0; n < 2; n++) {
      const job = await run('lost', {}, conf);
      expect(await paths('lost')).toEqual(['/']);
      expect(counter(job, 'Sitemap', 'purged_sitemap_entries')).toBe(1);
    }
    const reads = one.log.filter(({ path }) => path === '/sitemap.xml');
    expect(reads.map(({ headers }) => 'if-none-match' in headers)).toEqual([false, true, false]);
  });

  it('is added again when the sitemap declares a change after its last visit', async () => {
    let lastmod = '';
    await purged('changed', () => lastmod);
    lastmod = `<lastmod>${new Date().toISOString()}</lastmod>`;
    await run('changed', { force: true }, conf);
    expect(await paths('changed')).toEqual(['/', '/lost']);
  });

  it('is added again when its last visit is longer ago than db.fetch.interval.max', async () => {
    await purged('later');
    await cycle.db.query(
      `with earlier as materialized (select crawl, host, key, time, time - interval '2 s' as at from fetch_history
                                     where crawl = (select id from crawl where name = 'later'))
       update fetch_history f set time = e.at
         from earlier e where f.crawl = e.crawl and f.host = e.host and f.key = e.key and f.time = e.time`,
    );
    await run('later', { force: true }, { ...conf, 'db.fetch.interval.max': '1' });
    expect(await paths('later')).toEqual(['/', '/lost']);
  });
});
