/**
 * The processes that run heavy requests, and how requests are assigned to them.
 *
 * A request that may compute for more than some milliseconds runs in a process beside the API (heavy-process.ts), so that the
 * event loop of the API stays free. Each work class has a semaphore: some requests run at once and some more wait, so that
 * requests that only compute do not queue after those that wait for other servers. One client has at most two requests of a
 * class; beyond these limits the answer is 429. A process is started on demand, kept for the next request, and ended after a
 * minute without one.
 */
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { ClientSemaphore, type SemaphoreLimits } from '../access/client-semaphore.js';
import { databaseUnavailable } from '../problem.js';
import { type HeavyAnswer, HeavyProcess, type HeavyRequest, type HeavyStart, ProcessEnded } from './heavy-process.js';
import { heavyBusy, heavyEnded, heavyTooLong } from './heavy.problems.js';

/** compute: mostly CPU time; query: also expensive SQL; network: waits for other servers; job: creates jobs. */
export type WorkClass = 'compute' | 'query' | 'network' | 'job';

export interface WorkClassLimits extends SemaphoreLimits {
  readonly seconds: number;
}

export type HeavyLimits = Readonly<Record<WorkClass, WorkClassLimits>>;

export const DEFAULT_HEAVY: HeavyLimits = {
  compute: { atOnce: 2, max: 12, maxPerKey: 2, maxPerAddress: 2, reserved: 4, seconds: 60 },
  query: { atOnce: 2, max: 12, maxPerKey: 2, maxPerAddress: 2, reserved: 4, seconds: 60 },
  network: { atOnce: 2, max: 8, maxPerKey: 2, maxPerAddress: 2, reserved: 2, seconds: 100 },
  // Programs create jobs in series: their requests queue.
  job: { atOnce: 1, max: 120, maxPerKey: 60, reserved: 16, seconds: 60 },
};

/** Database connections of one process, which runs one request at a time. */
export const HEAVY_CONNECTIONS = 2;
/** Maximum number of processes: one for each request that may run. */
export const MAX_HEAVY = Object.values(DEFAULT_HEAVY).reduce((sum, { atOnce }) => sum + atOnce, 0);

/** Milliseconds without a request after which a process is ended. */
const IDLE_MS = 60_000;
/** Milliseconds after which the process that is kept is started: the server itself and its workers start first. */
const FIRST_MS = 10_000;
/** Milliseconds after which the process that is kept is started again when it has ended. */
const AGAIN_MS = 1_000;
/** Milliseconds for which a request continues after its client disconnected: most end sooner than a new process would start. */
const GRACE_MS = 250;

export class HeavyProcesses {
  private readonly semaphores: Readonly<Record<WorkClass, ClientSemaphore>>;
  private readonly busy = new Set<HeavyProcess>();
  /** Least recently used first. */
  private readonly idle: HeavyProcess[] = [];
  private readonly timers = new Map<HeavyProcess, NodeJS.Timeout>();
  private warm = false;
  private closed = false;

  /** @param start parameters of a process; a function, because the port of the API is not known yet */
  constructor(
    private readonly start: () => HeavyStart,
    private readonly limits: HeavyLimits = DEFAULT_HEAVY,
  ) {
    const semaphoreOf = (workClass: WorkClass) => new ClientSemaphore(limits[workClass], heavyBusy);
    this.semaphores = {
      compute: semaphoreOf('compute'),
      query: semaphoreOf('query'),
      network: semaphoreOf('network'),
      job: semaphoreOf('job'),
    };
  }

  /** Keeps one process from now on, started when the server's own start is over: later requests do not wait for it. */
  keepWarm(): void {
    this.warm = true;
    setTimeout(() => this.startWarm(), FIRST_MS).unref();
  }

  private startWarm(): void {
    if (this.idle.length + this.busy.size === 0 && !this.closed) this.keepIdle(this.begin());
  }

  /** Numbers of running requests, waiting requests and processes. */
  get counts(): { running: number; waiting: number; processes: number } {
    const admitted = Object.values(this.semaphores).reduce((sum, { size }) => sum + size, 0);
    const running = this.busy.size;
    return { running, waiting: Math.max(0, admitted - running), processes: running + this.idle.length };
  }

  /**
   * The answer to a request. Throws TOO_MANY_HEAVY_REQUESTS, REQUEST_TOO_LONG, REQUEST_GIVEN_UP, and the reason of the signal.
   * @param gone aborted when the client has disconnected: its running request is ended
   */
  run(workClass: WorkClass, client: LimitedClient, request: HeavyRequest, gone: AbortSignal): Promise<HeavyAnswer> {
    return this.semaphores[workClass].run(client, () => this.ask(request, this.limits[workClass].seconds, gone), gone);
  }

  /** Kills all processes. Running requests fail. */
  close(): void {
    this.closed = true;
    for (const heavyProcess of [...this.busy, ...this.idle]) heavyProcess.kill();
  }

  private async ask(request: HeavyRequest, seconds: number, gone: AbortSignal): Promise<HeavyAnswer> {
    const chosen = this.take();
    let isLate = false;
    let grace: NodeJS.Timeout | undefined;
    const endSoon = (): void => void (grace = setTimeout(() => chosen.kill(), GRACE_MS));
    let late: NodeJS.Timeout | undefined;
    try {
      // The start of the process does not count as time of the request.
      await chosen.started();
      gone.throwIfAborted();
      gone.addEventListener('abort', endSoon, { once: true });
      late = setTimeout(() => {
        isLate = true;
        chosen.kill();
      }, seconds * 1_000);
      const { isLarge, ...answer } = await chosen.answer(request);
      if (isLarge) chosen.kill();
      return answer;
    } catch (error) {
      gone.throwIfAborted();
      if (isLate) throw heavyTooLong(seconds);
      if (!(error instanceof ProcessEnded)) throw error;
      if (error.isWithoutDatabase) throw databaseUnavailable();
      throw heavyEnded(error.message);
    } finally {
      clearTimeout(late);
      clearTimeout(grace);
      gone.removeEventListener('abort', endSoon);
      this.release(chosen);
    }
  }

  private take(): HeavyProcess {
    let chosen = this.idle.pop();
    while (chosen?.isUsable === false) chosen = this.idle.pop();
    chosen ??= this.begin();
    clearTimeout(this.timers.get(chosen));
    this.busy.add(chosen);
    chosen.keepAlive(true);
    return chosen;
  }

  private release(heavyProcess: HeavyProcess): void {
    if (this.busy.delete(heavyProcess) && heavyProcess.isUsable) this.keepIdle(heavyProcess);
  }

  private begin(): HeavyProcess {
    const begun: HeavyProcess = new HeavyProcess(this.start(), () => this.forget(begun));
    return begun;
  }

  /** The process waits for the next request, and is ended when none arrives; with `keepWarm` the last one is kept. */
  private keepIdle(heavyProcess: HeavyProcess): void {
    heavyProcess.keepAlive(false);
    this.idle.push(heavyProcess);
    const endIdle = (): void => {
      if (this.warm && this.idle.length + this.busy.size === 1) this.timers.set(heavyProcess, timerOf(endIdle));
      else heavyProcess.kill();
    };
    this.timers.set(heavyProcess, timerOf(endIdle));
  }

  private forget(heavyProcess: HeavyProcess): void {
    this.busy.delete(heavyProcess);
    const at = this.idle.indexOf(heavyProcess);
    if (at >= 0) this.idle.splice(at, 1);
    clearTimeout(this.timers.get(heavyProcess));
    this.timers.delete(heavyProcess);
    if (this.warm) setTimeout(() => this.startWarm(), AGAIN_MS).unref();
  }
}

const timerOf = (run: () => void): NodeJS.Timeout => setTimeout(run, IDLE_MS).unref();
