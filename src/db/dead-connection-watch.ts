/**
 * Finds connections whose network has failed silently.
 *
 * A machine that vanishes, a firewall that drops state: no packet reports it, and a statement would wait for hours. A time limit
 * on statements is no solution, since some may run for long. So when an answer is late, the server is asked over a new
 * connection whether it is still running the statement. If it is not, or if no server responds, the silent connection is cut;
 * then its statement fails like any other whose connection broke, and is retried. From the statement to the cut
 * less than 30 s pass.
 */
import pg, { type Pool, type PoolConfig } from 'pg';
import { rows } from './sql.js';
import { type Awaited, WatchedClient } from './watched-client.js';

/** Time limits, ms. */
export interface SilenceLimits {
  /** Between two checks. */
  readonly look: number;
  /** An answer is late. */
  readonly late: number;
  /** The server does not respond to a new connection. */
  readonly probe: number;
}

const DEFAULT_LIMITS: SilenceLimits = { look: 4_000, late: 8_000, probe: 8_000 };

/** The sessions by the server; undefined if they cannot be known (there is a pooler, or the server is full). */
type Sessions = ReadonlyMap<number, { busy: boolean }> | undefined;

/** Watches the connections of a pool until it ends. */
export function watchForSilence(pool: Pool, config: PoolConfig, limits: SilenceLimits = DEFAULT_LIMITS): void {
  const open = new Set<WatchedClient>();
  pool.on('connect', (client) => client instanceof WatchedClient && void open.add(client));
  pool.on('remove', (client) => void open.delete(client as unknown as WatchedClient));
  const guard = new SilenceGuard(open, config, limits);
  const timer = setInterval(() => (pool.ended ? clearInterval(timer) : void guard.look()), limits.look);
  timer.unref();
}

export class SilenceGuard {
  private looking = false;
  /** Connections that were silent without reason at the last check: an answer may have been in transit. */
  private suspects = new Map<WatchedClient, Awaited>();

  constructor(
    private readonly open: ReadonlySet<WatchedClient>,
    private readonly config: PoolConfig,
    private readonly limits: SilenceLimits,
  ) {}

  /** Never throws; does nothing while an earlier check is running. */
  async look(): Promise<void> {
    const late = this.lateOnes();
    if (this.looking || late.size === 0) return;
    this.looking = true;
    try {
      const sessions = await this.ask();
      const silent = [...late].filter(([client]) => sessions && !sessions.get(client.pid)?.busy);
      silent
        .filter(([client, awaited]) => same(this.suspects.get(client), awaited))
        .forEach(([client]) => client.cut());
      this.suspects = new Map(silent);
    } catch (error) {
      if (isGone(error)) [...late].forEach(([client, awaited]) => same(client.awaited, awaited) && client.cut());
    } finally {
      this.looking = false;
    }
  }

  private lateOnes(): Map<WatchedClient, Awaited> {
    const before = performance.now() - this.limits.late;
    const late = new Map<WatchedClient, Awaited>();
    for (const client of this.open) {
      const { awaited } = client;
      if (awaited && awaited.since < before) late.set(client, awaited);
    }
    return late;
  }

  /** The sessions of this user, by process id; undefined: the database did not say which one is ours. */
  private async ask(): Promise<Sessions> {
    const probe = new WatchedClient({
      ...this.config,
      application_name: 'orbweaver probe',
      connectionTimeoutMillis: this.limits.probe,
      query_timeout: this.limits.probe,
    });
    try {
      await probe.connect();
      const sessions = await rows<{ pid: number; own: boolean; busy: boolean }>(probe)`
        select pid, pid = pg_backend_pid() as own, state = 'active' and wait_event_type is distinct from 'Client' as busy
              from pg_stat_activity where datname = current_database() and usename = current_user`;
      // Behind a pooler, the process id that we know is not one of PostgreSQL.
      if (!sessions.some(({ pid, own }) => own && pid === probe.pid)) return undefined;
      return new Map(sessions.map(({ pid, busy }) => [pid, { busy }]));
    } finally {
      probe.cut();
    }
  }
}

/** Whether it is the same wait, and no byte was received meanwhile. */
const same = (earlier: Awaited | undefined, later: Awaited): boolean =>
  earlier?.since === later.since && earlier.bytes === later.bytes;

/** No answer: no server, or no route to it. A server that refuses with a reason is reachable. */
function isGone(error: unknown): boolean {
  return !(error instanceof pg.DatabaseError);
}
