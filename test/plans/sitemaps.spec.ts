import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { homePages, linkFacts, numberFacts, overduePages, textCounts } from '../../src/cycle/hostdb/hostdb.sql.js';
import { clearUnusedDelays, hasDelays, saveDelays } from '../../src/cycle/generate/host-numbers.sql.js';
import { haveToWait, purgedAmong, putEntries } from '../../src/cycle/sitemap/entries.sql.js';
import { originsOfHost } from '../../src/cycle/sitemap/host-origins.sql.js';
import { hostsToRead, workOfHost } from '../../src/webpage/sitemap.store.js';
import type { TestDatabase } from '../support/database.js';
import { Explained, accessPaths, nodesOf } from './explained.js';
import { CRAWL, rolledBack, seededDatabase, somePages } from './seeded.js';

/** The statements of SITEMAP and HOSTDB, planned on a table of 100,000 pages: their cost depends on their hosts and entries. */

let db: TestDatabase;
let hosts: string[];
beforeAll(async () => {
  db = await seededDatabase();
  hosts = (await db.query<{ host: string }>('select distinct host from webpage order by host limit 20')).map(
    ({ host }) => host,
  );
  await db.query(
    `insert into sitemap (crawl, host, url, source, wanted_by)
     select $1, host, 'http://x.test/' || n, 'robots', 'job' || n % 100 from host, generate_series(1, 20) n where crawl = $1`,
    [CRAWL],
  );
  await db.query('vacuum analyze sitemap');
});
afterAll(() => db.drop());

const seen = <T>(work: (tx: Explained) => Promise<unknown>, read: (tx: Explained) => T) =>
  rolledBack(db, async (client) => {
    const tx = new Explained(client);
    await work(tx);
    return read(tx);
  });
const paths = (work: Case[1]) => seen(work, ({ plans }) => accessPaths(plans));
const indexes = (work: Case[1]) =>
  seen(work, ({ plans }) => nodesOf(plans).flatMap((node) => node['Index Name'] ?? []));
const byKey = 'webpage_pkey (crawl, host, key_hash)';
const byHost = 'webpage_pkey (crawl, host)';
type Case = [name: string, work: (tx: Explained) => Promise<unknown>, paths: string[]];

describe('statements of HOSTDB and SITEMAP', () => {
  it.each<Case>([
    ['origins', (tx) => originsOfHost(tx, CRAWL, hosts[0]!), [byHost]],
    ['home pages', (tx) => homePages(tx, CRAWL, hosts), [byKey]],
    ['overdue pages', (tx) => overduePages(tx, CRAWL, hosts), [byHost]],
    ['texts', (tx) => textCounts(tx, CRAWL, hosts, { field: 'Content-Type', max: 9 }), [byHost]],
    ['numbers', (tx) => numberFacts(tx, CRAWL, hosts, { field: 'score', percentiles: [50] }), [byHost]],
    ['links', (tx) => linkFacts(tx, CRAWL, hosts, 9), ['inlink_pkey (crawl, host)']],
  ])('read %s by index ranges of their hosts', async (_, work, expected) => {
    expect(await paths(work)).toEqual(expected);
  });

  it.each<Case>([
    ['delays that a GENERATE has stored', (tx) => hasDelays(tx, CRAWL), ['host_fetch_delay']],
    ['delays to clear', (tx) => clearUnusedDelays(tx, CRAWL), ['host_fetch_delay', 'webpage_batch']],
    ['hosts of a work list', (tx) => hostsToRead(tx, CRAWL, 'job7', { without: [], limit: 9 }), ['sitemap_wanted']],
    [
      'sitemaps of a work list',
      (tx) => workOfHost(tx, CRAWL, 'job7', { host: hosts[0]!, limit: 9 }),
      ['sitemap_wanted'],
    ],
  ])('read %s by a partial index', async (_, work, expected) => {
    expect(await indexes(work)).toEqual(expect.arrayContaining(expected));
  });

  it('write the delays of the hosts of a batch by key', async () => {
    const delays = new Map(hosts.map((host) => [host, 300]));
    expect(await indexes((tx) => saveDelays(tx, CRAWL, delays))).toEqual(['host_pkey', 'host_pkey']);
  });

  it.each([null, new Date('2020-01-01')])('write entries of a sitemap by key, modified %s', async (modifiedTime) => {
    const pages = await somePages(db, 'true', 500);
    const rows = pages.map(({ host, key }) => ({
      host,
      key,
      score: 0.5,
      fetchInterval: 60,
      modifiedTime,
      metadata: { 'sitemap.priority': '0.5' },
    }));
    const taken = await paths(async (tx) => {
      await haveToWait(tx, CRAWL, rows);
      await purgedAmong(tx, CRAWL, rows, new Date('2020-01-01'));
      await putEntries(tx, CRAWL, rows, true);
    });
    expect(taken.filter((path) => path.includes('webpage'))).toEqual([byKey]);
    expect(taken.filter((path) => path.includes('history')).every((path) => path.includes('(crawl, host, key'))).toBe(
      true,
    );
  });
});
