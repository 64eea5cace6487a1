/**
 * Which attempt may write to a task, as a state machine with a virtual clock: the logic of src/job/task.store.ts
 * without a database. Each command is one transaction, or the part of a write up to a point where others can
 * interleave. The machine keeps a history of the accepted writes, and `flaws` returns violations in it.
 */

export const LEASE = 20;
export const MAX_LOST = 3;
export const MAX_KILLED = 30;
const ANNOUNCE_AGAIN = 10;

export type JobState = 'IDLE' | 'RUNNING' | 'STOPPING' | 'KILLING' | 'FINISHED' | 'FAILED' | 'KILLED';

export interface Task {
  state: 'WAITING' | 'RUNNING' | 'DONE';
  token: number;
  owner: string | null;
  leaseUntil: number | null;
  lost: number;
  killed: number;
  /** Of workers that were processing its bad page. */
  deaths: number;
  writes: number;
  queuedAt: number;
  outcome: 'done' | 'failed' | 'stopped' | null;
}

/** What a worker knows about a task that it has claimed. */
export interface ClaimView {
  token: number;
  /** Writes that it knows to be committed. */
  known: number;
  /** An open write: the task is locked and nothing committed; or committed, and the response was lost. */
  write: 'open' | 'unknown' | null;
}

export interface Worker {
  /** A process: after a crash it restarts under another name. */
  owner: string;
  claims: Map<number, ClaimView>;
}

export type Command =
  | {
      kind: 'claim' | 'begin' | 'commit' | 'commit unacknowledged' | 'cut' | 'retry' | 'finish' | 'fail' | 'release';
      w: number;
      t: number;
    }
  | { kind: 'beat'; w: number }
  /** `page`: it was processing the bad page of this task. */
  | { kind: 'die'; w: number; withServer: boolean; page?: number }
  | { kind: 'tick'; seconds: number }
  /** Takes a second: every undelivered message is lost. */
  | { kind: 'lose messages' }
  | { kind: 'rescue' | 'stop' | 'abort' };

/** Accepted writes and ends, in order. */
export type Entry =
  | { what: 'write'; task: number; token: number; owner: string; unit: number }
  | { what: 'end'; task: number; outcome: string };

/** A rule left out on purpose, to test that `flaws` detects it. */
export type Mutant =
  | 'does not check the token of a write'
  | 'does not check the token at the end'
  | 'never raises a token'
  | 'repeats an unacknowledged commit'
  | 'never frees a task'
  | 'never announces again';

export class LeaseModel {
  now = 0;
  job: JobState = 'IDLE';
  readonly tasks: Task[];
  readonly workers: Worker[];
  readonly history: Entry[] = [];
  /** Undelivered messages; each may be lost, and each task may be claimed without one. */
  announced: Set<number>;
  readonly dead = new Set<string>();
  readonly deadWithServer = new Set<string>();
  /** Pages named by crash markers, by owner. */
  readonly crashMarkers = new Map<string, { t: number; token: number }>();
  private incarnations = 0;

  constructor(
    tasks: number,
    workers: number,
    private readonly mutant?: Mutant,
  ) {
    this.tasks = Array.from({ length: tasks }, () => ({
      state: 'WAITING',
      token: 0,
      owner: null,
      leaseUntil: null,
      lost: 0,
      killed: 0,
      deaths: 0,
      writes: 0,
      queuedAt: 0,
      outcome: null,
    }));
    this.workers = Array.from({ length: workers }, () => this.newWorker());
    this.announced = new Set(this.tasks.keys());
  }

  /** Whether a command is possible now: a worker does one thing at a time with a task. */
  may(command: Command): boolean {
    if (command.kind === 'die') return this.workers.length > 0;
    if (!('t' in command)) return true;
    const claim = this.workers[command.w]!.claims.get(command.t);
    if (command.kind === 'claim') return claim === undefined;
    if (claim === undefined) return false;
    if (['commit', 'commit unacknowledged', 'cut'].includes(command.kind)) return claim.write === 'open';
    return claim.write === (command.kind === 'retry' ? 'unknown' : null);
  }

  /** Executes a command. Returns 'lost' when the worker learns that it no longer owns the task. */
  apply(command: Command): 'ok' | 'lost' | 'refused' {
    switch (command.kind) {
      case 'tick':
        this.now += command.seconds;
        return 'ok';
      case 'lose messages':
        this.now += 1;
        this.announced.clear();
        return 'ok';
      case 'rescue':
        return this.rescue();
      case 'stop':
      case 'abort':
        return this.end(command.kind);
      case 'die':
        return this.die(command);
      case 'beat':
        return this.beat(this.workers[command.w]!);
      case 'claim':
        return this.claim(this.workers[command.w]!, command.t);
      default:
        return this.work(this.workers[command.w]!, command.t, command.kind);
    }
  }

  get isOver(): boolean {
    return ['FINISHED', 'FAILED', 'KILLED'].includes(this.job) && this.tasks.every(({ state }) => state === 'DONE');
  }

  private newWorker(): Worker {
    return { owner: `w${this.incarnations++}`, claims: new Map() };
  }

  private claim(worker: Worker, t: number): 'ok' | 'refused' {
    const task = this.tasks[t]!;
    if (this.job === 'IDLE') this.job = 'RUNNING';
    if (task.state !== 'WAITING' || !['RUNNING', 'STOPPING', 'KILLING'].includes(this.job)) return 'refused';
    Object.assign(task, {
      state: 'RUNNING',
      token: task.token + (this.mutant === 'never raises a token' ? 0 : 1),
      owner: worker.owner,
      lost: task.lost + 1,
    });
    task.leaseUntil = this.now + LEASE;
    worker.claims.set(t, { token: task.token, known: task.writes, write: null });
    return 'ok';
  }

  private beat(worker: Worker): 'ok' | 'lost' {
    let answer: 'ok' | 'lost' = 'ok';
    for (const [t, claim] of worker.claims) {
      if (this.isOurs(t, claim)) this.tasks[t]!.leaseUntil = this.now + LEASE;
      else answer = 'lost';
    }
    return answer;
  }

  private isOurs(t: number, { token }: ClaimView): boolean {
    const task = this.tasks[t]!;
    return task.state === 'RUNNING' && task.token === token;
  }

  private work(worker: Worker, t: number, kind: Command['kind']): 'ok' | 'lost' {
    const claim = worker.claims.get(t)!;
    const ours = this.isOurs(t, claim);
    if (kind === 'begin') {
      if (!ours && this.mutant !== 'does not check the token of a write') return this.drop(worker, t);
      claim.write = 'open';
    } else if (kind === 'commit' || kind === 'commit unacknowledged') {
      this.accept(worker, t, claim);
      claim.write = kind === 'commit' ? null : 'unknown';
      if (kind === 'commit') claim.known++;
    } else if (kind === 'retry') return this.retry(worker, t, claim, ours);
    else if (kind !== 'cut') return this.endClaim(worker, t, kind, ours);
    return 'ok';
  }

  private accept(worker: Worker, t: number, claim: ClaimView): void {
    const task = this.tasks[t]!;
    this.history.push({ what: 'write', task: t, token: claim.token, owner: worker.owner, unit: claim.known });
    task.writes++;
    task.lost = task.killed = 0;
  }

  /** The write is retried; the count of writes shows that it was committed. */
  private retry(worker: Worker, t: number, claim: ClaimView, ours: boolean): 'ok' | 'lost' {
    claim.write = null;
    if (!ours) return this.drop(worker, t);
    if (this.mutant === 'repeats an unacknowledged commit') this.accept(worker, t, claim);
    claim.known++;
    return 'ok';
  }

  private endClaim(worker: Worker, t: number, kind: Command['kind'], ours: boolean): 'ok' | 'lost' {
    worker.claims.delete(t);
    // A release by a stale owner is not reported as an error.
    if (!ours && this.mutant !== 'does not check the token at the end') return kind === 'release' ? 'ok' : 'lost';
    const task = this.tasks[t]!;
    if (kind === 'release') {
      this.free(t);
      task.lost = task.killed = 0;
      this.announced.add(t);
      return 'ok';
    }
    this.done(t, kind === 'fail' ? 'failed' : 'done');
    if (kind === 'fail') this.failJob();
    this.settle();
    return 'ok';
  }

  private drop(worker: Worker, t: number): 'lost' {
    worker.claims.delete(t);
    return 'lost';
  }

  private free(t: number): void {
    const task = this.tasks[t]!;
    Object.assign(task, { state: 'WAITING', leaseUntil: null, queuedAt: this.now });
    if (this.mutant !== 'never raises a token') task.token++;
  }

  private done(t: number, outcome: 'done' | 'failed' | 'stopped'): void {
    Object.assign(this.tasks[t]!, { state: 'DONE', leaseUntil: null, outcome });
    this.history.push({ what: 'end', task: t, outcome });
  }

  private rescue(): 'ok' {
    const open = new Set(
      this.workers.flatMap(({ claims }) => [...claims].filter(([, { write }]) => write === 'open').map(([t]) => t)),
    );
    const freed = this.tasks.flatMap((task, t) => {
      const expired = task.leaseUntil !== null && task.leaseUntil < this.now;
      const due = task.state === 'RUNNING' && (expired || this.dead.has(task.owner!)) && !open.has(t);
      return due && this.mutant !== 'never frees a task' ? [t] : [];
    });
    for (const t of freed) {
      const task = this.tasks[t]!;
      this.blame(t, task);
      this.free(t);
      this.announced.add(t);
    }
    for (const t of freed) {
      const task = this.tasks[t]!;
      if (task.lost < MAX_LOST && task.killed < MAX_KILLED) continue;
      if (task.state !== 'DONE') this.done(t, 'failed');
      this.failJob();
      this.settle();
    }
    if (this.isEnding) this.endWaiting();
    else if (this.job === 'KILLING') this.endWaiting(({ token }) => token > 0);
    if (this.mutant !== 'never announces again') this.announceAgain();
    return 'ok';
  }

  /** Crashes with another cause than the task are tolerated more often; that of a page counts for the page. */
  private blame(t: number, task: Task): void {
    const page = this.deadWithServer.has(task.owner!) ? undefined : this.crashMarkers.get(task.owner!);
    if (page === undefined && !this.deadWithServer.has(task.owner!)) return;
    [task.lost, task.killed] = [Math.max(0, task.lost - 1), task.killed + 1];
    if (page?.t !== t || page.token !== task.token) return;
    task.deaths++;
    if (task.deaths >= MAX_LOST) task.killed = 0;
  }

  private announceAgain(): void {
    if (!['IDLE', 'RUNNING', 'STOPPING', 'KILLING'].includes(this.job)) return;
    for (const [t, task] of this.tasks.entries()) {
      if (task.state !== 'WAITING' || task.queuedAt >= this.now - ANNOUNCE_AGAIN) continue;
      task.queuedAt = this.now;
      this.announced.add(t);
    }
  }

  private die({ w, withServer, page }: Extract<Command, { kind: 'die' }>): 'ok' {
    const { owner, claims } = this.workers[w]!;
    const task = page === undefined ? undefined : claims.get(page);
    if (page !== undefined && task) this.crashMarkers.set(owner, { t: page, token: task.token });
    this.dead.add(owner);
    if (withServer) this.deadWithServer.add(owner);
    this.workers[w] = this.newWorker();
    return 'ok';
  }

  private end(how: 'stop' | 'abort'): 'ok' | 'refused' {
    // A waiting task is still claimed, ends at once and reports its rest; after an abort only while others run.
    if (this.job === 'IDLE') this.job = 'KILLED';
    else if (this.job === 'RUNNING') this.job = how === 'stop' ? 'STOPPING' : 'KILLING';
    else if (this.job === 'STOPPING' && how === 'abort') this.job = 'KILLING';
    else return 'refused';
    if (this.isEnding) this.endWaiting();
    else this.settle();
    return 'ok';
  }

  /** Whether the job ends without its waiting tasks. */
  private get isEnding(): boolean {
    if (this.job === 'KILLING') return this.tasks.every(({ state }) => state !== 'RUNNING');
    return ['FAILED', 'KILLED', 'FINISHED'].includes(this.job);
  }

  private endWaiting(which: (task: Task) => boolean = () => true): void {
    for (const [t, task] of this.tasks.entries()) if (task.state === 'WAITING' && which(task)) this.done(t, 'stopped');
    this.settle();
  }

  private failJob(): void {
    if (this.job === 'RUNNING' || this.job === 'STOPPING') this.job = 'FAILED';
  }

  private settle(): void {
    if (['FINISHED', 'FAILED', 'KILLED'].includes(this.job) || this.tasks.some(({ state }) => state !== 'DONE')) return;
    this.job = this.job === 'KILLING' ? 'KILLED' : 'FINISHED';
  }
}

/** Violations in a history: two owners under one token, a write under an old token, twice or after the end, two ends. */
export function flaws(history: readonly Entry[]): string[] {
  const found: string[] = [];
  const tasks = new Map<number, { token: number; owner: string; units: number; ended: boolean }>();
  for (const entry of history) {
    const seen = tasks.get(entry.task) ?? { token: 0, owner: '', units: 0, ended: false };
    tasks.set(entry.task, seen);
    if (seen.ended) found.push(`task ${entry.task}: ${entry.what} after its end`);
    if (entry.what === 'end') {
      seen.ended = true;
      continue;
    }
    const { token, owner, unit } = entry;
    if (token < seen.token) found.push(`task ${entry.task}: token ${token} wrote after ${seen.token}`);
    if (token === seen.token && owner !== seen.owner) found.push(`task ${entry.task}: two owners under token ${token}`);
    if (unit !== seen.units) found.push(`task ${entry.task}: unit ${unit} written where ${seen.units} was next`);
    Object.assign(seen, { token, owner, units: seen.units + 1 });
  }
  return found;
}
