import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SyntheticWeb, startSyntheticWeb } from '../../bench/synthetic-web/start.mjs';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Server, startServer } from '../support/server.js';

/**
 * A web that does everything wrong (28 kinds of faults, traps, robots.txt of all kinds) by one call: the crawl ends, each page is
 * in a state that tells why, the counters add up to the rows, and the statistics of the web itself show no broken promise.
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

describe('the web in its hard mode, by one call', () => {
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

  it('ends', async () => {
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

  /** The largest memory of a worker process ever (Linux: VmHWM). */
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

  it('keeps every worker below its memory', () => {
    expect(peakMiB).toBeGreaterThan(50);
    expect(peakMiB).toBeLessThan(MAX_WORKER_MIB);
  });

  it('leaves no page between two steps', async () => {
    const open = await db.query(
      `select key, generate_mark from webpage where generate_mark is not null or fetch_mark is not null or parse_mark is not null or status = 34`,
    );
    expect(open).toEqual([]);
  });

  it('has every page in a state that tells why', async () => {
    const silent = await db.query(
      `select w.key, w.status, w.protocol_code, w.retries_since_fetch
         from webpage w left join (select distinct key from fetch_history) h on h.key = w.key
        where (h.key is not null or w.status <> 1) and w.protocol_code is null`,
    );
    expect(silent).toEqual([]);
    const failed = await db.query(
      `select key, status, protocol_code from webpage
        where protocol_code not in (1, 12, 13, 21) and (protocol_args is null or protocol_args = '{}')`,
    );
    expect(failed).toEqual([]);
  });

  it('has counters that add up to the rows', async () => {
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

  it('broke no delay, no limit of open requests and no rule of robots.txt, as the web itself saw it', async () => {
    const stallMs = await web.maxStallMs();
    const { hosts } = (await web.stats()) as { hosts: Record<string, HostStats> };
    expect(Object.keys(hosts).length).toBeGreaterThanOrEqual(10);
    // While it is held up itself, the web sees the end of an answer late, and so a rest that is too short by that.
    const rest = DELAY_S * 1000 - 1 - stallMs;
    // Of hosts whose robots.txt is 404 (h mod 7 is 4) everything may be fetched; the web counts it all the same.
    const broken = Object.entries(hosts).filter(
      ([h, host]) =>
        (host.violations > 0 && Number(h) % 7 !== 4) ||
        host.maxConcurrent > 1 ||
        !host.robotsFirst ||
        (host.minIdleMs !== null && host.minIdleMs < rest),
    );
    expect(broken).toEqual([]);
  });
});
