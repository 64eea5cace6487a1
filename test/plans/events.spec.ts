import type { Pool, PoolClient } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { type Sql } from '../../src/db/sql.js';
import {
  eventsOf,
  eventsOfCrawl,
  eventsOfFamily,
  logEvent,
  newestEvents,
  purgeEvents,
} from '../../src/job/job-event.store.js';
import { type WebhookLease, WebhookOutbox } from '../../src/job/webhook-outbox.store.js';
import { WebhookStore } from '../../src/job/webhook.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { Explained, nodesOf } from './explained.js';

/** The statements of streams, webhooks and polling, with 100,000 events and 100,000 deliveries: none scans a whole table. */

const CRAWLS = 20;
const JOBS = 1_000;
const EVENTS = 100_000;

const FILL = [
  `insert into conf_snapshot (hash, params) values ('h', '{}')`,
  `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args, parent, round)
   select 'j' || n, n, n % ${CRAWLS} + 1, 'c' || n % ${CRAWLS} + 1, 'c', 'h', 'FETCH', '{}',
          case when n > ${CRAWLS} then 'j' || n % ${CRAWLS} + 1 end, case when n > ${CRAWLS} then n end
     from generate_series(1, ${JOBS}) n`,
  `insert into job_event (job, crawl, kind, data)
   select 'j' || n % ${JOBS} + 1, (n % ${JOBS} + 1) % ${CRAWLS} + 1, (array['state', 'task', 'progress'])[n % 3 + 1], '{"n":1}'
     from generate_series(1, ${EVENTS}) n`,
  `insert into webhook (url, events, secret, crawl_id)
   select 'http://hook.test/', '{state}', 'x', case when n > 1 then 'c' || n end from generate_series(1, 50) n`,
  // One receiver has been down for a while: its pending deliveries wait for their retry.
  `insert into webhook_delivery (webhook, event, state, next_at, ended_at)
   select case when n > 95000 then 1 else n % 50 + 1 end, n, case when n > 95000 then 'WAITING' else 'DELIVERED' end,
          now() + interval '1 hour', case when n <= 95000 then now() end from generate_series(1, ${EVENTS}) n`,
  `insert into webhook_delivery (webhook, event) select 2, n from generate_series(1, 5) n`,
  'analyze job',
  'analyze job_event',
  'analyze webhook',
  'analyze webhook_delivery',
];

let db: TestDatabase;
let client: PoolClient;
let dataSource: PooledDataSource;

beforeAll(async () => {
  db = await testDatabase();
  dataSource = await db.dataSource();
  for (const statement of FILL) await db.query(statement);
  client = await db.pool.connect();
});
beforeEach(() => client.query('begin'));
afterEach(() => client.query('rollback'));
afterAll(async () => {
  client?.release();
  await db?.drop();
});

/** The result of `work`, and the large tables that it scans sequentially. */
async function readWhole<T>(work: (sql: Sql & Pool) => Promise<T>): Promise<{ answer: T; whole: string[] }> {
  const explained = new Explained(client);
  const answer = await work(explained as unknown as Sql & Pool);
  expect(explained.plans.length).toBeGreaterThan(0);
  const whole = nodesOf(explained.plans)
    .filter((node) => node['Node Type'] === 'Seq Scan')
    .map((node) => node['Relation Name'] ?? '')
    .filter((name) => ['job_event', 'webhook_delivery'].includes(name));
  return { answer, whole };
}

describe('no table is scanned sequentially to read', () => {
  it.each([
    ['the log of a job', (sql: Sql) => eventsOf(sql, 'j500', '50000', { limit: 10 })],
    ['the log of a crawl', (sql: Sql) => eventsOfCrawl(sql, 3, '50000', { limit: 100 })],
    ['the end of the log of a crawl', (sql: Sql) => eventsOfCrawl(sql, 3, '99900', { limit: 100 })],
    [
      'the log of a job and its children',
      (sql: Sql) => eventsOfFamily(sql, { id: 'j3', crawl: 4 }, '0', { limit: 100 }),
    ],
    [
      'the end of the log of a job and its children',
      (sql: Sql) => eventsOfFamily(sql, { id: 'j3', crawl: 4 }, '99000', { limit: 100 }),
    ],
    ['the newest event of each crawl that is followed', (sql: Sql) => newestEvents(sql, [1, 3, 5])],
    [
      'deliveries of a webhook',
      (sql: Sql) =>
        new WebhookStore({ pool: sql as Pool, getRepository: (entity) => dataSource.getRepository(entity) }).deliveries(
          '1',
          { limit: 100 },
        ),
    ],
    [
      'pending deliveries of a webhook',
      (sql: Sql) =>
        new WebhookStore({ pool: sql as Pool, getRepository: (entity) => dataSource.getRepository(entity) }).deliveries(
          '2',
          { state: 'WAITING', limit: 5 },
        ),
    ],
  ] as [string, (sql: Sql) => Promise<unknown[]>][])('%s', async (_, read) => {
    const { answer, whole } = await readWhole(read);
    expect(answer.length).toBeGreaterThan(0);
    expect(whole).toEqual([]);
  });
});

it('events of one kind of a job, a crawl, a job and its children are read without those of progress', async () => {
  await client.query(`insert into job_event (job, crawl, kind, data)
    select 'j4', 5, case when n % 10000 = 0 then 'task' else 'progress' end, '{}' from generate_series(1, 50000) n`);
  await client.query('analyze job_event');
  const explained = new Explained(client) as unknown as Explained & Sql;
  const logs = [
    await eventsOf(explained, 'j4', '100000', { kind: 'task' }),
    await eventsOfCrawl(explained, 5, '100000', { kind: 'task' }),
    await eventsOfFamily(explained, { id: 'j4', crawl: 5 }, '100000', { kind: 'task' }),
  ];
  for (const log of logs) expect(log.map(({ kind }) => kind)).toEqual(Array(5).fill('task'));
  const ofEvents = nodesOf(explained.plans).filter((node) => node['Relation Name'] === 'job_event');
  const numbers = ofEvents.map((node) => Number(node['Actual Rows']) + Number(node['Rows Removed by Filter'] ?? 0));
  expect(Math.max(...numbers), JSON.stringify(explained.plans)).toBeLessThan(1_000);
});

describe('no table is scanned sequentially', () => {
  it('to write an event with its deliveries', async () => {
    const { whole } = await readWhole((sql) => logEvent(sql, 'j3', 'state', { state: 'RUNNING' }));
    expect(whole).toEqual([]);
  });

  it('to delete old events when there are none', async () => {
    const { whole } = await readWhole((sql) => purgeEvents(sql, 7));
    expect(whole).toEqual([]);
  });

  it('to lease webhooks and begin the next delivery, with pending deliveries of a dead receiver', async () => {
    const { answer: leases, whole } = await readWhole((sql) => new WebhookOutbox(sql).claim(8));
    expect(leases.map(({ webhook }) => webhook)).toContain('2');
    expect(leases.map(({ webhook }) => webhook)).not.toContain('1');
    expect(whole).toEqual([]);
    const lease = leases.find(({ webhook }) => webhook === '2') as WebhookLease;
    const next = await readWhole((sql) => new WebhookOutbox(sql).begin(lease));
    expect([next.answer?.event, next.whole]).toEqual(['1', []]);
  });
});
