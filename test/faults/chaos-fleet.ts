/**
 * The processes under chaos: a PostgreSQL of their own, a server with a worker, further workers, each behind its own proxy.
 * Processes that end are started again; `heal` ends all faults.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type EmbeddedServer, startEmbedded } from '../../src/db/embedded/embedded.js';
import { inherited } from '../support/environment.js';
import { FaultOrders } from '../support/fault-orders.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { workersOf } from '../support/processes.js';
import { type Server, startServer } from '../support/server.js';
import { type TcpProxy, socketOf, startTcpProxy } from '../support/tcp-proxy.js';

const WORKER = fileURLToPath(new URL('../../dist/src/worker/worker.main.js', import.meta.url));
/** Seconds of a lease; the product has twenty. */
const LEASE_SECONDS = '3';

/** Errors of a connection whose server was restarted. Lack of memory and deadlocks are not among them: those are defects. */
const CUT = /^(57P|08|ECONN|ENOENT|EPIPE|Conn|Client has encountered a connection error)/;

/** Runs a statement against the database of a fleet. */
export type FleetQuery = <Row extends Record<string, unknown>>(text: string, values?: unknown[]) => Promise<Row[]>;

export class Fleet {
  private server: Server | undefined;
  private readonly workers = new Map<number, ChildProcess>();
  /** Restarts in progress. */
  private readonly starting = new Set<Promise<unknown>>();
  private closing = false;
  private log = '';

  private constructor(
    private readonly folder: TemporaryFolder,
    private readonly postgres: EmbeddedServer,
    readonly orders: FaultOrders,
    /** By the number of the process. */
    readonly proxies: readonly TcpProxy[],
    /** Direct to the database, without proxy; it survives restarts. */
    readonly pool: pg.Pool,
  ) {}

  /** @param processes the server and `processes` - 1 workers */
  static async open(processes: number): Promise<Fleet> {
    const folder = await temporaryFolder();
    const postgres = await startEmbedded({ dataDir: folder.path, durable: false });
    const target = socketOf(postgres.url);
    const proxies = await Promise.all(Array.from({ length: processes }, () => startTcpProxy(target)));
    const pool = new pg.Pool({ connectionString: postgres.url, max: 3, application_name: 'chaos' });
    pool.on('error', () => undefined);
    // Without it an immediate restart may lose a commit, and no confirmed request may be lost.
    await pool.query('alter role current_user set synchronous_commit = on');
    const fleet = new Fleet(folder, postgres, await FaultOrders.open(), proxies, pool);
    await fleet.startServer();
    for (let who = 1; who < processes; who++) fleet.startWorker(who);
    return fleet;
  }

  get url(): string {
    return this.server!.url;
  }

  /** Output of the processes since the last call. */
  takeLog(): string {
    const { log } = this;
    this.log = '';
    return log;
  }

  /** Runs a statement, repeated when PostgreSQL is restarted meanwhile. */
  async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> {
    for (let attempts = 0; ; attempts++) {
      try {
        return (await this.pool.query<Row>(text, values)).rows;
      } catch (error) {
        const { code = '', message } = error as { code?: string; message: string };
        if (attempts > 200 || !CUT.test(code || message)) throw error;
        await sleep(50);
      }
    }
  }

  /** kill -9 of a process and its children; it is started again. */
  async kill(who: number): Promise<void> {
    await this.settled();
    if (who > 0) return void this.workers.get(who)?.kill('SIGKILL');
    // Another fault may have ended it.
    await this.server!.kill9('tree').catch(() => undefined);
  }

  /** kill -9 of the worker that the server has started. */
  killWorkerOfServer(): void {
    for (const pid of workersOf(this.server!.pid)) signal(pid, 'SIGKILL');
  }

  async terminate(who: number): Promise<void> {
    await this.settled();
    if (who > 0) return void this.workers.get(who)?.kill('SIGTERM');
    await this.server!.stop();
  }

  /** SIGSTOP or SIGCONT to the process that runs tasks under this number. */
  halt(who: number, how: 'SIGSTOP' | 'SIGCONT'): void {
    for (const pid of this.pidsOf(who)) signal(pid, how);
  }

  /** Makes the leases of tasks that run under this number, or of all, expire now; those being written, right after that. */
  async expireLeases(who?: number): Promise<void> {
    const pids = who === undefined ? null : this.pidsOf(who).map(String);
    await this.query(
      `update job_task set lease_until = now() - interval '1 second'
        where state = 'RUNNING' and ($1::text[] is null or split_part(owner, '/', -2) = any ($1))`,
      [pids],
    );
  }

  /** SIGINT is a fast shutdown, SIGQUIT an immediate one; its supervisor starts PostgreSQL again. */
  restartPostgres(how: 'fast' | 'immediate'): void {
    const pid = Number(readFileSync(`${this.postgres.pgData}/postmaster.pid`, 'utf8').split('\n')[0]);
    signal(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
  }

  /** Ends all faults: all processes run, all connections pass, no order is open. */
  async heal(): Promise<void> {
    this.orders.clear();
    for (const proxy of this.proxies) proxy.heal();
    for (let who = 0; who < this.proxies.length; who++) this.halt(who, 'SIGCONT');
    await this.settled();
  }

  /** Resolves when no start is in progress. */
  async settled(): Promise<void> {
    while (this.starting.size > 0) await Promise.all(this.starting);
  }

  async close(): Promise<void> {
    await this.heal();
    this.closing = true;
    for (const worker of this.workers.values()) worker.kill('SIGKILL');
    await this.server?.kill9('tree');
    await this.pool.end();
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    await this.postgres.stop();
    await this.orders.remove();
    await this.folder.remove();
  }

  private pidsOf(who: number): number[] {
    return who > 0 ? [this.workers.get(who)?.pid ?? 0].filter(Boolean) : workersOf(this.server!.pid);
  }

  private env(who: number): Record<string, string> {
    return { ...this.orders.env, LEASE_SECONDS, DATABASE_URL: this.proxies[who]!.databaseUrl(this.postgres.url) };
  }

  /** A server whose database is unavailable at its start exits and is started again, as by the supervisor of an operator. */
  private async startServer(): Promise<void> {
    for (let attempts = 0; !this.closing; attempts++) {
      try {
        const server = await startServer({ databaseUrl: this.env(0)['DATABASE_URL']!, env: this.env(0) });
        this.server = server;
        void server.ended.then(({ stdout, stderr }) => {
          this.log += stdout + stderr;
          if (!this.closing) this.again(() => this.startServer());
        });
        return;
      } catch (error) {
        this.log += `${(error as Error).message}\n`;
        if (attempts > 20) throw error;
        await sleep(300);
      }
    }
  }

  private startWorker(who: number): void {
    const worker = fork(WORKER, {
      env: {
        ...inherited(),
        LOG_LEVEL: 'warn',
        WORKERS: String(this.proxies.length),
        UV_THREADPOOL_SIZE: '4',
        ...this.env(who),
      },
      execArgv: [],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    for (const stream of [worker.stdout, worker.stderr])
      stream?.on('data', (data: Buffer) => (this.log += data.toString()));
    this.workers.set(who, worker);
    worker.once('exit', () => {
      if (!this.closing) this.again(() => Promise.resolve(this.startWorker(who)), 300);
    });
  }

  private again(start: () => Promise<void>, afterMs = 0): void {
    const started = sleep(afterMs).then(start);
    const known = started
      .catch((error: Error) => void (this.log += error.message))
      .finally(() => this.starting.delete(known));
    this.starting.add(known);
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended.
  }
}
