import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  dropOldHistory,
  ensureHistoryPartitions,
  partitionsAt,
  withHistoryPartition,
} from '../../src/webpage/fetch-history.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

/** Monthly partitions of the fetch history, and its retention. */

let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
  await ensureHistoryPartitions(db.pool);
});
afterAll(() => db.drop());

const partitions = async (): Promise<string[]> =>
  (
    await db.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'fetch_history'::regclass order by 1`,
    )
  ).map(({ name }) => name);

/** Writes a visit; returns the partitions that contain it. */
const visit = async (time: string): Promise<string[]> => {
  await db.query(
    `insert into fetch_history (crawl, host, key, time, status, protocol_code) values (1, 'test.a', 'test.a:http/', ${time}, 2, 1)`,
  );
  const found: string[] = [];
  for (const name of await partitions()) {
    const held = await db.query(`select 1 from ${name} where host = 'test.a' and time = ${time}`);
    if (held.length > 0) found.push(name);
  }
  return found;
};

const makePartition = (name: string, from: string, to: string) =>
  db.query(
    `create table ${name} partition of fetch_history for values from ('${from} 00:00+00') to ('${to} 00:00+00')`,
  );

describe('partitions of the fetch history', () => {
  it.each([
    ['within a year', '2026-05-17T12:00:00Z', ['2026_04', '2026_05', '2026_06']],
    ['at the end of a year', '2026-12-31T23:59:59.999Z', ['2026_11', '2026_12', '2027_01']],
    ['at the start of a year', '2027-01-01T00:00:00Z', ['2026_12', '2027_01', '2027_02']],
    ['on a day that the next month does not have', '2026-01-31T00:00:00Z', ['2025_12', '2026_01', '2026_02']],
  ])('are those of the previous, current and next month: %s', (_, now, months) => {
    const made = partitionsAt(new Date(now));
    expect(made.map(({ name }) => name)).toEqual(months.map((month) => `fetch_history_${month}`));
    for (const [i, { to }] of made.slice(0, -1).entries()) expect(made[i + 1]!.from).toBe(to);
  });

  it('contain the visits of their month in UTC', async () => {
    const start = `date_trunc('month', now(), 'UTC')`;
    const name = async (time: string) =>
      (
        await db.query<{ name: string }>(
          `select to_char((${time}) at time zone 'UTC', '"fetch_history_"YYYY_MM') as name`,
        )
      )[0]!.name;
    for (const time of [`${start} - interval '1 ms'`, start, `${start} + interval '32 days'`]) {
      expect(await visit(time)).toEqual([await name(time)]);
    }
  });

  it('are created once by several concurrent calls', async () => {
    const before = await partitions();
    await Promise.all([1, 2, 3].map(() => ensureHistoryPartitions(db.pool)));
    expect(await partitions()).toEqual(before);
  });

  it('are created for a visit that a shard has none for, whatever the language of its server', async () => {
    const next = partitionsAt(new Date())[2]!.name;
    await db.query(`drop table ${next}`);
    let writes = 0;
    await withHistoryPartition(db.pool, async () => {
      if (++writes > 1) return;
      const words = 'keine Partition von Relation »fetch_history_102008« für die Zeile gefunden';
      await db.query(`do $$ begin raise exception using errcode = '23514', message = '${words}'; end $$`);
    });
    expect(writes).toBe(2);
    expect(await partitions()).toContain(next);
  });
});

describe('while a transaction reads the history for hours', () => {
  const next = () => partitionsAt(new Date())[2]!.name;

  it('the next partition is created later, and no writer waits', async () => {
    await db.query(`drop table ${next()}`);
    const reader = await db.pool.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from fetch_history');
      await ensureHistoryPartitions(db.pool);
      expect(await partitions()).not.toContain(next());
      expect(await visit(`'${new Date().toISOString()}'`)).toHaveLength(1);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
    await ensureHistoryPartitions(db.pool);
    expect(await partitions()).toContain(next());
  });
});

describe('retention of the fetch history', () => {
  it('drops partitions of months that ended long ago, and no others', async () => {
    const kept = await partitions();
    await makePartition('fetch_history_2019_12', '2019-12-01', '2020-01-01');
    await makePartition('fetch_history_2020_01', '2020-01-01', '2020-02-01');
    await makePartition('fetch_history_archive', '2018-01-01', '2019-01-01');
    await visit(`'2020-01-15'`);
    expect(await dropOldHistory(db.pool, 1)).toEqual(['fetch_history_2019_12', 'fetch_history_2020_01']);
    expect(await partitions()).toEqual([...kept, 'fetch_history_archive']);
    expect(await dropOldHistory(db.pool, 1)).toEqual([]);
  });

  it('drops a partition that is being read the next time, without waiting', async () => {
    await makePartition('fetch_history_2020_02', '2020-02-01', '2020-03-01');
    const reader = await db.pool.connect();
    try {
      await reader.query('begin');
      await reader.query('select count(*) from fetch_history_2020_02');
      expect(await dropOldHistory(db.pool, 1)).toEqual([]);
    } finally {
      await reader.query('rollback');
      reader.release();
    }
    expect(await dropOldHistory(db.pool, 1)).toEqual(['fetch_history_2020_02']);
  });
});
