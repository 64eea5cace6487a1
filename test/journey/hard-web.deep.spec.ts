import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SyntheticWeb, startSyntheticWeb } from '../../bench/synthetic-web/start.mjs';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Server, startServer } from '../support/server.js';

/**
 * A web with 28 kinds of faults, traps and robots.txt of all kinds, crawled by one call: the crawl ends, each page has
 * a status with a reason, the counters match the rows, and the statistics of the web show no violation of politeness.
 */

const DELAY_S = 0.2;
const ROUNDS = 5;
const MAX_WORKER_MIB = 512;

interface HostStats {
  requests: number;
  maxConcurrent: number;
  minIdleMs: number | null;
  robotsFirst: boolean;
  violations: number;
}

interface Crawl {
  id: string;
  state: string;
  msg: string;
  result: { reason: string; rounds: number; counters: Record<string, Record<string, number>> } | null;
}

describe('a crawl of the faulty synthetic web by one POST /v1/crawls', () => {
  let db: TestDatabase;
  let server: Server;
  let web: SyntheticWeb;
  let crawl: Crawl;
  let peakMiB = 0;

  beforeAll(async () => {
    const hard = { hosts: 14, pages: 60, errors: 0.015, robots: 3, traps: 1, delay: DELAY_S, latency: 5, jitter: 20 };
    [db, web] = await Promise.all([testDatabase(), startSyntheticWeb(hard)]);
    await web.warm();
    await web.maxStallMs();
    server = await startServer({ databaseUrl: db.url });
  });
  afterAll(async () => {
    await server?.stop();
    await web?.close();
    await db?.drop();
  });

  async function call<T>(path: string, body?: object): Promise<T> {
    const answer = await fetch(server.url + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/plain' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await answer.text();
    expect({ path, status: answer.status, text: answer.ok ? '' : text }).toEqual({ path, status: 200, text: '' });
    return (text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : text) as T;
  }

  it('ends after its rounds', async () => {
    const params = {
      'http.agent.name': 'orbweaver-test',
      'http.filter.ipaddress.exclude': '',
      'fetcher.server.delay': String(DELAY_S),
      'fetcher.threads.fetch': '50',
      'http.timeout': '3000',
      'http.time.limit': '8',
      'urlfilter.regex.rules': '+.',
    };
    await call('/config/create', { configId: 'hard', force: true, params });
    const seeds = await web.seeds();
    const { id } = await call<Crawl>('/v1/crawls', { crawlId: 'hard', confId: 'hard', seeds, rounds: ROUNDS });
    do {
      await new Promise((wake) => setTimeout(wake, 200));
      crawl = await call<Crawl>(`/v1/crawls/${id}`);
      peakMiB = Math.max(peakMiB, residentMiB());
    } while (crawl.state === 'RUNNING');
    expect(crawl).toMatchObject({ state: 'FINISHED', result: { reason: 'rounds', rounds: ROUNDS } });
  });

  /** Peak memory of a worker process (Linux: VmHWM). */
  function residentMiB(): number {
    const children = readFileSync(`/proc/${server.pid}/task/${server.pid}/children`, 'utf8').trim().split(' ');
    const peaks = children.map((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        if (!command.includes('main.js') && !command.includes('worker')) return 0;
        return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;
      } catch {
        return 0;
      }
    });
    return Math.max(0, ...peaks);
  }

  it('keeps every worker below 512 MiB', () => {
    expect(peakMiB).toBeGreaterThan(50);
    expect(peakMiB).toBeLessThan(MAX_WORKER_MIB);
  });

  it('leaves no page with an open mark', async () => {
    const open = await db.query(
      `select key, generate_mark from webpage where generate_mark is not null or fetch_mark is not null or parse_mark is not null or status = 34`,
    );
    expect(open).toEqual([]);
  });

  it('stores a protocol status for every visited page, with arguments for failures', async () => {
    const unexplained = await db.query(
      `select w.key, w.status, w.protocol_code, w.retries_since_fetch
         from webpage w left join (select distinct key from fetch_history) h on h.key = w.key
        where (h.key is not null or w.status <> 1) and w.protocol_code is null`,
    );
    expect(unexplained).toEqual([]);
    const failed = await db.query(
      `select key, status, protocol_code from webpage
        where protocol_code not in (1, 12, 13, 21) and (protocol_args is null or protocol_args = '{}')`,
    );
    expect(failed).toEqual([]);
  });

  it('has counters that match the rows', async () => {
    const { counters } = crawl.result!;
    const { bytes_downloaded: _, ...statuses } = counters['FetcherStatus']!;
    const visits = Object.values(statuses).reduce((sum, n) => sum + n, 0);
    const selected = counters['Generator']!['GENERATE_MARK']!;
    const updated = Object.entries(counters['UpdateDb']!).filter(
      ([name]) => name.startsWith('db_') || name === 'not_fetched',
    );
    expect(updated.reduce((sum, [, n]) => sum + n, 0)).toBe(selected);
    expect(visits).toBe(selected);
    const [rows] = await db.query<{ all: number; counted: number }>(
      `select (select count(*)::int from webpage) as all,
              (select sum(n_unfetched + n_fetched + n_gone + n_redir_temp + n_redir_perm + n_notmodified + n_duplicate + n_orphan + n_parse_failed + n_retry)::int from host) as counted`,
    );
    expect(rows!.counted).toBe(rows!.all);
    const { injector, UpdateDb } = counters as {
      injector: { urls_injected: number };
      UpdateDb: { urls_added: number };
    };
    expect(injector.urls_injected + UpdateDb.urls_added).toBe(rows!.all);
  });

  it('keeps delays, one request at a time and robots.txt, by the statistics of the web', async () => {
    const stallMs = await web.maxStallMs();
    const { hosts } = (await web.stats()) as { hosts: Record<string, HostStats> };
    expect(Object.keys(hosts).length).toBeGreaterThanOrEqual(10);
    // When the web itself stalls, it records the end of a response late, and a pause that is too short by that time.
    const minIdleMs = DELAY_S * 1000 - 1 - stallMs;
    // Of hosts whose robots.txt is 404 (h mod 7 is 4) all pages may be fetched; the web counts violations nevertheless.
    const broken = Object.entries(hosts).filter(
      ([h, host]) =>
        (host.violations > 0 && Number(h) % 7 !== 4) ||
        host.maxConcurrent > 1 ||
        !host.robotsFirst ||
        (host.minIdleMs !== null && host.minIdleMs < minIdleMs),
    );
    expect(broken).toEqual([]);
  });
});
