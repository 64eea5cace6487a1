/** GET /metrics: rates, queues, failures, sizes; and its content when the database does not answer. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';
import request from 'supertest';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { CounterLedger } from '../../src/core/job/counter-ledger.js';
import { LabelValues } from '../../src/api/metrics/prometheus-metrics.js';
import { Metrics } from '../../src/api/metrics/metrics.js';
import type { Database } from '../../src/api/database.js';
import { onCluster } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler, rawRequest } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
});
afterAll(() => api?.close());

const text = async () => (await request(api.url).get('/metrics')).text;
/** The value of a series in the text format: `name{labels} value`. */
const valueOf = (metrics: string, series: string): number | undefined => {
  const line = metrics.split('\n').find((one) => one.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length + 1));
};
/** How far the monotonic clock is ahead, ms: metrics are cached for two seconds, which the tests skip. */
let ahead = 0;
const now = performance.now.bind(performance);
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now() + ahead));
/** Polls until a series has a value, and returns these metrics. */
async function until(series: string, value: number): Promise<string> {
  for (;;) {
    ahead += 2_000;
    const metrics = await text();
    if (valueOf(metrics, series) === value) return metrics;
    await new Promise((wake) => setTimeout(wake, 50));
  }
}

const create = async (type: string, crawlId: string): Promise<string> =>
  (await request(api.url).post('/job/create').send({ type, crawlId, args: {} })).body.id;

describe('GET /metrics', () => {
  it('returns Prometheus text; docs/operations.md lists every orbweaver metric', async () => {
    const answer = await request(api.url).get('/metrics');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8']);
    const named = [...answer.text.matchAll(/^# TYPE (orbweaver_\w+) (gauge|counter|histogram)$/gm)].map(
      ([, name]) => name!,
    );
    expect(named.length).toBeGreaterThan(40);
    const manual = await readFile(new URL('../../docs/operations.md', import.meta.url), 'utf8');
    expect(named.filter((name) => !manual.includes(`\`${name}\``))).toEqual([]);
    for (const line of answer.text.split('\n').filter((one) => one !== '' && !one.startsWith('#')))
      expect(line).toMatch(/^[a-z_]\w*(\{(\w+="[^"\\\n]*",?)+\})? (-?[\d.]+(e[+-]?\d+)?|\+?-?Inf|NaN|Nan)$/i);
  });

  it('contains counters at 0 before the first event, so that the first failure is an increase', async () => {
    const { text: metrics } = await request(api.url).get('/metrics');
    const series = [
      'orbweaver_jobs_ended_total{type="CRAWL",state="FAILED"}',
      'orbweaver_jobs_ended_total{type="FETCH",state="KILLED"}',
      'orbweaver_task_leases_lost_total{type="PARSE"}',
      'orbweaver_tasks_ended_total{type="FETCH",result="failed"}',
      'orbweaver_pages_fetched_total{status="success"}',
      'orbweaver_pages_fetched_total{status="exception"}',
    ];
    expect(series.map((one) => valueOf(metrics, one))).toEqual(series.map(() => 0));
  });

  it('reports waiting tasks, the oldest wait, queue length and expired leases', async () => {
    const ids = [await create('GENERATE', 'wait'), await create('FETCH', 'wait')];
    await api.database.query(
      `update job_task set waiting_since = now() - interval '100 seconds' where job = any ($1::text[])`,
      [ids],
    );
    const metrics = await until('orbweaver_tasks{type="FETCH",state="WAITING"}', 1);
    expect(valueOf(metrics, 'orbweaver_jobs{type="GENERATE",state="IDLE"}')).toBe(1);
    expect(valueOf(metrics, 'orbweaver_task_oldest_waiting_seconds{type="FETCH"}')).toBeGreaterThanOrEqual(100);
    expect(valueOf(metrics, 'orbweaver_queue_messages')).toBe(2);
    await api.database.query(
      `update job_task set state = 'RUNNING', token = 1, owner = 'worker', claimed_at = now(), lease_until = now() - interval '1 second'
        where job = $1`,
      [ids[1]],
    );
    await until('orbweaver_task_leases_lapsed', 1);
    await api.database.query(`update job_task set state = 'WAITING', lease_until = null where job = $1`, [ids[1]]);
  });

  it('reports no waiting tasks of a paused job, which waits for its user', async () => {
    const id = await create('PARSE', 'paused');
    await until('orbweaver_tasks{type="PARSE",state="WAITING"}', 1);
    await api.database.query('update job set paused_at = now() where id = $1', [id]);
    ahead += 2_000;
    expect(valueOf(await text(), 'orbweaver_tasks{type="PARSE",state="WAITING"}')).toBeUndefined();
    await api.database.query('delete from job where id = $1', [id]);
  });

  it('counts the pages of a job whose end is committed after a reading that is later than it', async () => {
    const id = await create('PARSE', 'late');
    const parsed = 'orbweaver_pages_parsed_total{status="late"}';
    const client = await api.database.pool.connect();
    try {
      await client.query('begin');
      await client.query(`update job set state = 'FINISHED', started_at = now(), ended_at = now() where id = $1`, [id]);
      const counters = { ParserStatus: { late: 5 } };
      await client.query('update job_task set counters = $2 where job = $1', [id, counters]);
      ahead += 2_000;
      expect(valueOf(await text(), parsed)).toBeUndefined();
      await client.query('commit');
    } finally {
      client.release();
    }
    await until(parsed, 5);
  });

  it('sums the committed counters of jobs, also after a job is deleted', async () => {
    const id = await create('FETCH', 'count');
    const counters = (n: number) => ({
      FetcherStatus: {
        success: n,
        gone: 1,
        pending: n,
        'HitByTimeLimit-Queues': n,
        'HitByTimeLimit-QueueFeeder': n,
        fetched_before: n,
        left_the_batch: n,
        host_blocked: n,
        host_drained: n,
      },
      Fetcher: { bytes_downloaded: 1_000 * n },
    });
    const write = (n: number) =>
      api.database.query('update job_task set counters = $2 where job = $1', [id, JSON.stringify(counters(n))]);
    await write(5);
    await until('orbweaver_pages_fetched_total{status="success"}', 5);
    await write(12);
    const metrics = await until('orbweaver_pages_fetched_total{status="success"}', 12);
    expect(valueOf(metrics, 'orbweaver_pages_fetched_total{status="gone"}')).toBe(1);
    expect(valueOf(metrics, 'orbweaver_fetched_bytes_total')).toBe(12_000);
    // Pages that a FETCH did not visit: these counters only complete the sum of the batch.
    expect(metrics).not.toMatch(
      /pages_fetched_total\{status="(pending|HitByTimeLimit-\w+|fetched_before|left_the_batch|host_\w+)"\}/,
    );
    await api.database.query('delete from job where id = $1', [id]);
    await until('orbweaver_jobs{type="FETCH",state="IDLE"}', 1);
    expect(valueOf(await text(), 'orbweaver_pages_fetched_total{status="success"}')).toBe(12);
  });

  it('counts ended jobs, attempts, failed tasks and lost leases', async () => {
    const id = await create('UPDATEDB', 'moves');
    await request(api.url).post(`/job/${id}/abort`);
    const log = (data: object) =>
      api.database.query(
        `insert into job_event (job, crawl, kind, data, time) select id, crawl, 'task', $2, clock_timestamp() from job where id = $1`,
        [id, JSON.stringify(data)],
      );
    await log({ part: 0, state: 'RUNNING' });
    for (let n = 0; n < 2; n++) await log({ part: 0, state: 'WAITING', lost: true, msg: 'somebody has died' });
    await log({ part: 0, state: 'WAITING', msg: 'lost by the words alone' });
    await log({ part: 0, state: 'DONE', reason: 'failed' });
    const metrics = await until('orbweaver_tasks_ended_total{type="UPDATEDB",result="failed"}', 1);
    expect(valueOf(metrics, 'orbweaver_jobs_ended_total{type="UPDATEDB",state="KILLED"}')).toBe(1);
    expect(valueOf(metrics, 'orbweaver_task_attempts_total{type="UPDATEDB"}')).toBe(1);
    expect(valueOf(metrics, 'orbweaver_task_leases_lost_total{type="UPDATEDB"}')).toBe(2);
  });

  it('reports pages by status, blocked hosts, workers, connections and table sizes', async () => {
    const { database } = api;
    await addPages(database, await newCrawl(database, 'known'), [
      { url: 'http://a.test/', status: 2 },
      { url: 'http://b.test/' },
    ]);
    await database.query(
      `update host set blocked_until = now() + interval '1 day', blocked_by = 'back-off' where host = 'test.a'`,
    );
    await database.query(
      `insert into worker (id, server, machine, pid, role, version, slots, pages_per_second)
       values ('w1', 's', 'm', 1, 'worker', '0', 10, 4.5), ('w2', 's', 'm', 2, 'worker', '0', 10, 3)`,
    );
    await database.query(`update worker set seen_at = now() - interval '1 hour' where id = 'w2'`);
    // The sums over all hosts are cached: a server that starts now reads them now.
    const fresh = await apiUnderTest({}, database);
    const metrics = (await request(fresh.url).get('/metrics')).text;
    await fresh.close();
    const [has] = await database.query<{ n: number }>(`select current_setting('max_connections')::int as n`);
    const expected: Record<string, number> = {
      'orbweaver_pages{status="db_fetched"}': 1,
      'orbweaver_pages{status="db_unfetched"}': 1,
      orbweaver_pages_waiting: 1,
      'orbweaver_hosts_held{reason="back_off"}': 1,
      'orbweaver_workers{state="alive"}': 1,
      'orbweaver_workers{state="lost"}': 1,
      orbweaver_worker_slots: 10,
      orbweaver_worker_pages_per_second: 4.5,
      orbweaver_database_connections_max: onCluster ? has!.n : 100,
      'orbweaver_metrics_part_up{part="tables"}': 1,
    };
    expect(Object.fromEntries(Object.keys(expected).map((series) => [series, valueOf(metrics, series)]))).toEqual(
      expected,
    );
    expect(valueOf(metrics, 'orbweaver_table_bytes{table="webpage",part="indexes"}')).toBeGreaterThan(0);
    expect(valueOf(metrics, 'orbweaver_table_rows{table="webpage",state="dead"}')).toBeGreaterThanOrEqual(0);
  });

  it('reports the page that a parser has worked on for longest, and how many wait for it', async () => {
    const id = await create('PARSE', 'slow');
    const waits = { for: 'parser', token: 1, pages: 7, since: new Date(Date.now() - 90_000).toISOString() };
    await api.database.query(
      `update job_task set state = 'RUNNING', token = 1, owner = 'worker', claimed_at = now(), waits = $2,
              lease_until = now() + interval '1 hour' where job = $1`,
      [id, JSON.stringify(waits)],
    );
    const metrics = await until('orbweaver_parser_waiting_pages', 7);
    const seconds = valueOf(metrics, 'orbweaver_parser_page_seconds');
    expect(seconds).toBeGreaterThanOrEqual(90);
    expect(seconds).toBeLessThan(600);
    await api.database.query(`update job_task set waits = null where job = $1`, [id]);
    expect(valueOf(await until('orbweaver_parser_waiting_pages', 0), 'orbweaver_parser_page_seconds')).toBe(0);
  });

  it('reports sessions that wait for a lock, and estimates of pages after ANALYZE', async () => {
    const { database } = api;
    await addPages(database, await newCrawl(database, 'estimated'), [
      { url: 'http://a.test/1' },
      { url: 'http://a.test/2', row: { generate_mark: 'b1' } },
    ]);
    const places = ['selectable', 'waiting', 'in_batch'].map((place) => `orbweaver_pages_estimate{place="${place}"}`);
    await database.query('analyze webpage');
    const [holder, waiter] = [await database.pool.connect(), await database.pool.connect()];
    await holder.query('begin; lock table seed_list');
    const waiting = waiter.query('select from seed_list');
    const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await expect.poll(() => database.query(isWaiting)).toHaveLength(1);
    const fresh = await apiUnderTest({}, database);
    const metrics = (await request(fresh.url).get('/metrics')).text;
    await fresh.close();
    await holder.query('rollback');
    await waiting;
    for (const one of [holder, waiter]) one.release();
    expect(valueOf(metrics, 'orbweaver_database_sessions{state="waiting_for_lock"}')).toBe(1);
    expect(valueOf(metrics, 'orbweaver_database_sessions{state="active"}')).toBeGreaterThanOrEqual(2);
    // On a cluster the coordinator has no page itself (docs/distributed.md).
    expect(valueOf(metrics, places[2]!)).toBe(onCluster ? 0 : 1);
    expect(valueOf(metrics, places[0]!)! + valueOf(metrics, places[1]!)!).toBeGreaterThanOrEqual(onCluster ? 0 : 1);
  });

  it('counts connections that were evicted for others', async () => {
    const own = await apiUnderTest({ connections: { max: 4, maxOfOne: 4 } }, api.database);
    const idle = Array.from({ length: 4 }, () => connect(own.port, '127.0.0.1').on('error', () => undefined));
    await Promise.all(idle.map((socket) => once(socket, 'connect')));
    const metrics = (await rawRequest(own.port, 'GET /metrics')).body;
    for (const socket of idle) socket.destroy();
    await own.close();
    expect(valueOf(metrics, 'orbweaver_http_connections_evicted')).toBe(1);
    expect(valueOf(metrics, 'orbweaver_http_connections')).toBe(4);
  });

  it('labels routes by their pattern, never by the requested path', async () => {
    await request(api.url).get('/job/never-made?x=1');
    await request(api.url).get('/no/such/place');
    const metrics = await text();
    expect(valueOf(metrics, 'orbweaver_http_route_requests_total{method="GET",route="/job/:id",status="404"}')).toBe(1);
    expect(valueOf(metrics, 'orbweaver_http_route_requests_total{method="GET",route="none",status="404"}')).toBe(1);
    expect(metrics).not.toContain('never-made');
    expect(metrics).not.toContain('no/such');
  });

  it('counts a request whose client disconnected before the response as aborted', async () => {
    const holder = await api.database.pool.connect();
    await holder.query('begin; lock table crawl_conf in access exclusive mode');
    const asking = get(`${api.url}/config`, { agent: false });
    const cut = new Promise((done) => asking.on('error', done));
    const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    while ((await api.database.query(isWaiting)).length === 0) await new Promise((wake) => setTimeout(wake, 20));
    asking.destroy();
    await cut;
    const metrics = await until('orbweaver_http_requests_total{method="GET",status="aborted"}', 1);
    await holder.query('rollback');
    holder.release();
    const ofRoute = (status: string) =>
      valueOf(metrics, `orbweaver_http_route_requests_total{method="GET",route="/config",status="${status}"}`);
    expect([ofRoute('aborted'), ofRoute('200')]).toEqual([1, undefined]);
  });
});

describe('METRICS_TOKEN', () => {
  it('reads /metrics and no other route; without a key /metrics returns 401', async () => {
    const hash = (secret: string) => createHash('sha256').update(secret).digest();
    const own = await apiUnderTest(
      {
        apiKeys: [
          { scope: 'read', sha256: hash('secret-of-the-read-key') },
          { name: 'metrics', scope: 'metrics', sha256: hash('secret-of-prometheus') },
        ],
      },
      api.database,
    );
    const status = async (path: string, secret?: string) =>
      (await rawRequest(own.port, `GET ${path}`, secret === undefined ? {} : { Authorization: `Bearer ${secret}` }))
        .status;
    const found = [
      await status('/metrics', 'secret-of-prometheus'),
      await status('/metrics', 'secret-of-the-read-key'),
      await status('/metrics'),
      await status('/config', 'secret-of-prometheus'),
      await status('/health/ready', 'secret-of-prometheus'),
    ];
    await own.close();
    expect(found).toEqual([200, 200, 401, 403, 403]);
  });
});

describe('a database that does not answer', () => {
  it('removes its metrics, reports the parts as down, and keeps those of the process', async () => {
    const failing = { query: () => Promise.reject(Object.assign(new Error('gone'), { code: 'ECONNREFUSED' })) };
    const metrics = new Metrics({ pool: failing } as unknown as Database);
    const found = await metrics.text();
    expect(valueOf(found, 'orbweaver_metrics_part_up{part="work"}')).toBe(0);
    expect(valueOf(found, 'orbweaver_metrics_part_up{part="tables"}')).toBe(0);
    expect(valueOf(found, 'process_resident_memory_bytes')).toBeGreaterThan(0);
    expect(found).not.toMatch(/^orbweaver_(jobs\{|queue_messages |database_bytes )/m);
  });
});

describe('counters over jobs that are created and deleted', () => {
  const count = (job: string, n: number, name = 'success') => ({ job, group: 'FetcherStatus', name, n });

  it('start at the first reading and never decrease', () => {
    const ledger = new CounterLedger();
    expect(ledger.since([count('a', 100)])).toEqual([]);
    expect(ledger.since([count('a', 110), count('b', 5)])).toEqual([
      { group: 'FetcherStatus', name: 'success', n: 15 },
    ]);
    expect(ledger.since([count('b', 5)])).toEqual([]);
    expect(ledger.since([])).toEqual([]);
    expect(ledger.since([count('c', 1), count('c', 2, 'gone')])).toEqual([
      { group: 'FetcherStatus', name: 'success', n: 1 },
      { group: 'FetcherStatus', name: 'gone', n: 2 },
    ]);
  });

  it('have a bounded number of label values; further ones become "other"', () => {
    const values = new LabelValues(2);
    expect(['a', 'b', 'c', 'a'].map((value) => values.valueOrOther(value))).toEqual(['a', 'b', 'other', 'a']);
  });
});
