import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type RunningWorker, startWorker } from '../../src/worker/worker.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Periodic work of a worker for all crawls: old history is deleted. */

let db: TestDatabase;
let worker: RunningWorker;
beforeEach(async () => {
  db = await testDatabase();
  await month('2020-01-01');
});
afterEach(async () => {
  await worker.close(0);
  await db.drop();
});

/** Creates the partition of a month; returns its name. */
async function month(of: string): Promise<string> {
  const [made] = await db.query<{ name: string; begin: string; end: string }>(
    `select to_char(m, '"fetch_history_"YYYY_MM') as name, m::date::text as begin, (m + interval '1 month')::date::text as end
       from date_trunc('month', ($1)::text::timestamp) as m`,
    [of],
  );
  await db.query(
    `create table ${made!.name} partition of fetch_history for values from ('${made!.begin} 00:00+00') to ('${made!.end} 00:00+00')`,
  );
  return made!.name;
}
const isThere = async (name: string): Promise<boolean> =>
  (await db.query<{ there: boolean }>('select to_regclass($1) is not null as there', [name]))[0]!.there;

const start = async (overlay: Record<string, unknown> = {}): Promise<void> => {
  worker = await startWorker({
    databaseUrl: db.url,
    workers: 1,
    role: 'worker',
    slots: 1,
    memoryBytes: 2 ** 40,
    connections: 4,
    apiPort: 0,
    overlay,
    firstHousekeepingMs: 50,
    log: pino({ level: 'silent' }),
  });
};

describe('housekeeping', () => {
  it('runs soon after the start of a worker, not only after an hour', async () => {
    await start();
    await expect.poll(() => isThere('fetch_history_2020_01')).toBe(false);
  });

  it('deletes each robots.txt that has expired and was not requested for 90 days', async () => {
    await db.query(
      `insert into robots (host, origin, fetched_at, expires_at)
       select 'test.a', 'http://a.test:' || n, now() - fetched * interval '1 day', now() + expires * interval '1 day'
         from (values (1, 91, -90.1), (2, 89, -88), (3, 200, 1)) as file (n, fetched, expires)`,
    );
    await start();
    const left = async () =>
      (await db.query<{ origin: string }>('select origin from robots order by 1')).map((r) => r.origin);
    await expect.poll(left).toEqual(['http://a.test:2', 'http://a.test:3']);
  });

  it('uses the properties of CONF_FILE', async () => {
    const [{ at } = { at: '' }] = await db.query<{ at: string }>(`select (now() - interval '4 months')::text as at`);
    const recent = await month(at);
    await start({ 'fetch.history.months': 2 });
    await expect.poll(() => isThere(recent)).toBe(false);
  });
});
