/**
 * Who may write to a task, as a machine of values and a clock that is moved by hand: what src/job/task.store.ts does in SQL, said
 * once more without a database. Each command is one transaction, or the part of a write up to a point where others may
 * come between. The machine keeps a history of the writes that were accepted, and `flaws` says what of it must not be.
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
  /** Of workers that had its bad page in hand. */
  deaths: number;
  writes: number;
  queuedAt: number;
  outcome: 'done' | 'failed' | 'stopped' | null;
}

/** What a worker believes of a task that it has claimed. */
export interface Held {
  token: number;
  /** Writes that it knows to be committed. */
  known: number;
  /** A write under way: the task is held and nothing committed; or committed, and the answer was lost. */
  write: 'open' | 'unknown' | null;
}

export interface Worker {
  /** A process: one that died comes back under another name. */
  owner: string;
  held: Map<number, Held>;
}

export type Command =
  | {
      kind: 'claim' | 'begin' | 'commit' | 'commit unheard' | 'cut' | 'hear' | 'finish' | 'fail' | 'release';
      w: number;
      t: number;
    }
  | { kind: 'beat'; w: number }
  /** `page`: the bad page of this task was in hand. */
  | { kind: 'die'; w: number; withServer: boolean; page?: number }
  | { kind: 'tick'; seconds: number }
  /** Takes a second: every message that is under way is lost. */
  | { kind: 'lose messages' }
  | { kind: 'rescue' | 'stop' | 'abort' };

/** What was accepted, in order. */
export type Entry =
  | { what: 'write'; task: number; token: number; owner: string; unit: number }
  | { what: 'end'; task: number; outcome: string };

/** A rule left out on purpose, to see that `flaws` notices. */
export type Mutant =
  | 'writes without a look at the token'
  | 'ends without a look at the token'
  | 'never raises a token'
  | 'writes again what was committed unheard'
  | 'never frees a task'
  | 'never announces again';

export class LeaseModel {
  now = 0;
  job: JobState = 'IDLE';
  readonly tasks: Task[];
  readonly workers: Worker[];
  readonly history: Entry[] = [];
  /** Messages under way; each may be lost, and each task may be delivered without one. */
  announced: Set<number>;
  readonly dead = new Set<string>();
  readonly deadWithServer = new Set<string>();
  /** What those that left word had in hand. */
  readonly inHand = new Map<string, { t: number; token: number }>();
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

  /** Whether a worker can be asked for this now: it does one thing at a time with a task. */
  may(command: Command): boolean {
    if (command.kind === 'die') return this.workers.length > 0;
    if (!('t' in command)) return true;
    const held = this.workers[command.w]!.held.get(command.t);
    if (command.kind === 'claim') return held === undefined;
    if (held === undefined) return false;
    if (['commit', 'commit unheard', 'cut'].includes(command.kind)) return held.write === 'open';
    return held.write === (command.kind === 'hear' ? 'unknown' : null);
  }

  /** Carries a command out. Answers 'lost' when the worker learns that the task is no longer its own. */
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
    return { owner: `w${this.incarnations++}`, held: new Map() };
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
    worker.held.set(t, { token: task.token, known: task.writes, write: null });
    return 'ok';
  }

  private beat(worker: Worker): 'ok' | 'lost' {
    let answer: 'ok' | 'lost' = 'ok';
    for (const [t, held] of worker.held) {
      if (this.isOurs(t, held)) this.tasks[t]!.leaseUntil = this.now + LEASE;
      else answer = 'lost';
    }
    return answer;
  }

  private isOurs(t: number, { token }: Held): boolean {
    const task = this.tasks[t]!;
    return task.state === 'RUNNING' && task.token === token;
  }

  private work(worker: Worker, t: number, kind: Command['kind']): 'ok' | 'lost' {
    const held = worker.held.get(t)!;
    const ours = this.isOurs(t, held);
    if (kind === 'begin') {
      if (!ours && this.mutant !== 'writes without a look at the token') return this.drop(worker, t);
      held.write = 'open';
    } else if (kind === 'commit' || kind === 'commit unheard') {
      this.accept(worker, t, held);
      held.write = kind === 'commit' ? null : 'unknown';
      if (kind === 'commit') held.known++;
    } else if (kind === 'hear') return this.hear(worker, t, held, ours);
    else if (kind !== 'cut') return this.lastWord(worker, t, kind, ours);
    return 'ok';
  }

  private accept(worker: Worker, t: number, held: Held): void {
    const task = this.tasks[t]!;
    this.history.push({ what: 'write', task: t, token: held.token, owner: worker.owner, unit: held.known });
    task.writes++;
    task.lost = task.killed = 0;
  }

  /** The write is tried again; the count of writes tells that it has happened. */
  private hear(worker: Worker, t: number, held: Held, ours: boolean): 'ok' | 'lost' {
    held.write = null;
    if (!ours) return this.drop(worker, t);
    if (this.mutant === 'writes again what was committed unheard') this.accept(worker, t, held);
    held.known++;
    return 'ok';
  }

  private lastWord(worker: Worker, t: number, kind: Command['kind'], ours: boolean): 'ok' | 'lost' {
    worker.held.delete(t);
    // Who gives back what is no longer its own need not hear of it.
    if (!ours && this.mutant !== 'ends without a look at the token') return kind === 'release' ? 'ok' : 'lost';
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
    worker.held.delete(t);
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
      this.workers.flatMap(({ held }) => [...held].filter(([, { write }]) => write === 'open').map(([t]) => t)),
    );
    const freed = this.tasks.flatMap((task, t) => {
      const lapsed = task.leaseUntil !== null && task.leaseUntil < this.now;
      const due = task.state === 'RUNNING' && (lapsed || this.dead.has(task.owner!)) && !open.has(t);
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
    if (this.mutant !== 'never announces again') this.announceSilent();
    return 'ok';
  }

  /** A death that has another cause than the task is borne longer; that of a page counts for the page. */
  private blame(t: number, task: Task): void {
    const page = this.deadWithServer.has(task.owner!) ? undefined : this.inHand.get(task.owner!);
    if (page === undefined && !this.deadWithServer.has(task.owner!)) return;
    [task.lost, task.killed] = [Math.max(0, task.lost - 1), task.killed + 1];
    if (page?.t !== t || page.token !== task.token) return;
    task.deaths++;
    if (task.deaths >= MAX_LOST) task.killed = 0;
  }

  private announceSilent(): void {
    if (!['IDLE', 'RUNNING', 'STOPPING', 'KILLING'].includes(this.job)) return;
    for (const [t, task] of this.tasks.entries()) {
      if (task.state !== 'WAITING' || task.queuedAt >= this.now - ANNOUNCE_AGAIN) continue;
      task.queuedAt = this.now;
      this.announced.add(t);
    }
  }

  private die({ w, withServer, page }: Extract<Command, { kind: 'die' }>): 'ok' {
    const { owner, held } = this.workers[w]!;
    const task = page === undefined ? undefined : held.get(page);
    if (page !== undefined && task) this.inHand.set(owner, { t: page, token: task.token });
    this.dead.add(owner);
    if (withServer) this.deadWithServer.add(owner);
    this.workers[w] = this.newWorker();
    return 'ok';
  }

  private end(how: 'stop' | 'abort'): 'ok' | 'refused' {
    // A task that waits is still to be claimed: it ends at once, and says what it leaves. After an abort while others run.
    if (this.job === 'IDLE') this.job = 'KILLED';
    else if (this.job === 'RUNNING') this.job = how === 'stop' ? 'STOPPING' : 'KILLING';
    else if (this.job === 'STOPPING' && how === 'abort') this.job = 'KILLING';
    else return 'refused';
    if (this.isEnding) this.endWaiting();
    else this.settle();
    return 'ok';
  }

  /** Tasks that wait are not waited for. */
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

/** What of a history must not be: two holders in one epoch, a write of an old epoch, twice or after the end, two ends. */
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
    if (token === seen.token && owner !== seen.owner)
      found.push(`task ${entry.task}: two holders under token ${token}`);
    if (unit !== seen.units) found.push(`task ${entry.task}: unit ${unit} written where ${seen.units} was next`);
    Object.assign(seen, { token, owner, units: seen.units + 1 });
  }
  return found;
}
