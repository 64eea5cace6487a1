import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { excludedHosts } from '../../src/politeness/excluded-hosts.sql.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { PATIENCE_MS } from '../support/patience.js';
import { type Watched, startWatched } from './watched.js';

/**
 * The clock of the database was an hour ahead and has been corrected: times written then have expired, although they are in the
 * future. Without that, each of these would wait for an hour.
 */

let cycle: Cycle;
let site: Watched;
/** Batch of the pages that were generated last. */
let batch = '';
beforeEach(async () => {
  cycle = await openCycle();
  site = await startWatched({ ms: 0 });
});
afterEach(async () => {
  await site.close();
  await cycle.close();
});

const HOST = '127.0.0.1';
/** Moves times of a table to where a clock one hour ahead would have put them. */
const ahead = (table: string, ...columns: string[]) =>
  cycle.db.query(`update ${table} set ${columns.map((c) => `${c} = ${c} + interval '1 hour'`).join(', ')}`);
const msg = async () =>
  (await cycle.db.query<{ msg: string }>('select msg from job order by number desc limit 1'))[0]!.msg;
const queue = (owner: string, leased: string) =>
  cycle.db.query(
    `insert into politeness (queue_id, owner, lease_until, next_at) values ($1, $2, now() + $3::interval, now() + $3::interval)
     on conflict (queue_id) do update set owner = excluded.owner, lease_until = excluded.lease_until, next_at = excluded.next_at`,
    [HOST, owner, leased],
  );

/** Pages of the site in a batch of their own. */
async function generated(paths: string[], conf: Record<string, string> = {}): Promise<void> {
  batch = `b${paths.join('').replaceAll('/', '')}`;
  await cycle.inject(paths.map((path) => `${site.url}${path}`));
  const { result } = await cycle.run('GENERATE', { batch }, { conf });
  expect(result).toMatchObject({ 'generate.count': paths.length });
}
const fetched = async (conf: Record<string, string> = {}): Promise<unknown> =>
  (await cycle.run('FETCH', { batch }, { conf })).result?.counters['FetcherStatus'];

describe('after the database clock was an hour ahead', () => {
  it(
    'FETCH gets a released queue at once, with its delay, although lease and next request lie in the future',
    { timeout: PATIENCE_MS },
    async () => {
      await generated(['/1']);
      expect(await fetched()).toEqual({ SUCCESS: 1 });
      await ahead('politeness', 'lease_until', 'next_at');
      await generated(['/2']);
      expect(await fetched()).toEqual({ SUCCESS: 1 });
      expect(site.spans.map(({ path }) => path)).toEqual(['/1', '/2']);
    },
  );

  it(
    'FETCH waits for a queue leased to an unknown task, reports that in msg, and then fetches',
    { timeout: PATIENCE_MS },
    async () => {
      await generated(['/1']);
      await queue('task 9999#1', '1 hour');
      const done = fetched();
      await expect.poll(msg).toMatch(/; waiting for 127\.0\.0\.1, whose delay lasts until \S+Z: 1 page( for \d+ s)?$/);
      expect(await done).toEqual({ SUCCESS: 1 });
    },
  );

  it('FETCH is not blocked by a back-off that has expired', { timeout: PATIENCE_MS }, async () => {
    await generated(['/1', '/2']);
    await cycle.db.query(
      `update host set blocked_until = now() + interval '1 hour 30 s', blocked_by = 'back-off', failures = 1`,
    );
    await queue('', '1 hour 30 s');
    await cycle.db.query('update politeness set blocked_until = next_at');
    expect(await fetched()).toEqual({ SUCCESS: 2 });
  });

  it('GENERATE excludes a host only for a block by hand or a back-off within fetcher.backoff.max', async () => {
    await generated(['/1']);
    const [host] = await cycle.db.query<{ host: string; crawl: number }>('select host, crawl from host');
    const excluded = (max: number) =>
      excludedHosts(cycle.pool, host!.crawl, [host!.host], { maxWaitS: 60, maxBackOffS: max });
    await cycle.db.query(`update host set blocked_until = now() + interval '1 hour 30 s', blocked_by = 'back-off'`);
    expect((await excluded(3_600)).size).toBe(0);
    // A block that long is valid where the property allows it, or where it was set by hand.
    expect((await excluded(7_200)).size).toBe(1);
    await cycle.db.query(`update host set blocked_by = 'hand'`);
    expect((await excluded(3_600)).size).toBe(1);
  });

  it('FETCH does not use a robots.txt from that time', { timeout: PATIENCE_MS }, async () => {
    await generated(['/1']);
    await fetched();
    await ahead('robots', 'fetched_at', 'expires_at');
    await cycle.db.query(`update robots set http_status = 403`);
    await ahead('politeness', 'lease_until', 'next_at');
    await generated(['/2']);
    // The one stored then would forbid the page.
    expect(await fetched({ 'http.robots.403.allow': 'false' })).toEqual({ SUCCESS: 1 });
  });
});

describe('msg of a FETCH that is waiting names the host and the reason', () => {
  it('when another task has leased the queue', { timeout: PATIENCE_MS }, async () => {
    await generated(['/1', '/2']);
    await queue('task 9999#1', '25 s');
    const done = fetched();
    await expect
      .poll(msg)
      .toMatch(/; waiting for 127\.0\.0\.1, whose queue is with another task: 2 pages( for \d+ s)?$/);
    await cycle.db.query('delete from politeness');
    expect(await done).toEqual({ SUCCESS: 2 });
  });

  // Both waits are long enough to be seen while the machine is busy.
  it('when the host is in back-off, or its delay is long', { timeout: PATIENCE_MS }, async () => {
    await generated(['/1']);
    await queue('', '25 s');
    await cycle.db.query('update politeness set blocked_until = next_at, delay_ms = 25000');
    const done = fetched();
    await expect.poll(msg).toMatch(/; waiting for 127\.0\.0\.1, which is blocked until \S+Z: 1 page/);
    expect(await done).toEqual({ SUCCESS: 1 });
    await generated(['/2', '/3']);
    const second = fetched({ 'fetcher.server.delay': '15' });
    await expect.poll(msg).toMatch(/; waiting for 127\.0\.0\.1, whose delay lasts until \S+Z: 1 page/);
    expect(await second).toEqual({ SUCCESS: 2 });
  });
});
