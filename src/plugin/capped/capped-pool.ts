/**
 * The capped processes of this worker: one, and as many more as pages wait for and cores are free for, within
 * `parser.worker.processes`. Each goes by itself when nothing comes.
 */
import type { Conf } from '../../conf/properties.js';
import { type Caps, CappedProcess, CappedWorkError } from './capped-process.js';
import type { CappedTask, CappedTasks } from './capped-tasks.js';
import { FreeCores, LOOK_MS } from './free-cores.js';

export interface PoolCaps extends Caps {
  /** Processes at once, at most (`parser.worker.processes`). */
  readonly processes: number;
}

/** The caps of a configuration. */
export const capsOf = (conf: Conf): PoolCaps => ({
  seconds: conf['parser.timeout'],
  megabytes: conf['parser.worker.memory'],
  processes: conf['parser.worker.processes'],
});

interface Waiting {
  readonly processes: number;
  readonly begin: (process: CappedProcess) => Promise<void>;
  readonly reject: (error: CappedWorkError) => void;
}

export class CappedPool {
  private readonly members: CappedProcess[] = [];
  private readonly queue: Waiting[] = [];
  /** While pages wait: a core may be free before a process is. */
  private look: NodeJS.Timeout | undefined;
  /** How many processes the last page may have at once. */
  private processes = 1;

  constructor(
    private readonly make: () => CappedProcess = () => new CappedProcess(),
    private readonly cores: Pick<FreeCores, 'hasOne'> = new FreeCores(),
  ) {}

  /**
   * Does a task, after those that were asked for before have begun.
   * @throws CappedWorkError when it met a cap, or failed by itself. Nothing else.
   */
  run<T extends CappedTask>(
    task: T,
    input: CappedTasks[T]['input'],
    caps: PoolCaps,
  ): Promise<CappedTasks[T]['output']> {
    return new Promise((resolve, reject) => {
      const begin = (member: CappedProcess) => member.run(task, input, caps).then(resolve, reject);
      this.queue.push({ processes: caps.processes, begin, reject });
      this.feed();
    });
  }

  /** The ids of the processes that are there. */
  get pids(): number[] {
    return this.members.flatMap(({ pid }) => pid ?? []);
  }

  /** Lets all processes go at once. Pages that they have, or that wait for them, fail. */
  end(): void {
    const error = new CappedWorkError('exception', 'the processes for heavy pages were let go');
    for (const { reject } of this.queue.splice(0)) reject(error);
    for (const member of this.members) member.end();
  }

  private feed(): void {
    clearTimeout(this.look);
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      this.processes = next.processes;
      const member = this.freeMember(next.processes) ?? this.quickMember(next.processes);
      if (member === undefined) break;
      this.queue.shift();
      void next.begin(member).then(() => this.feed());
    }
    if (this.queue.length === 0) this.handOn();
    const isBehind = this.members.some(({ load }) => load > 1);
    if (isBehind || this.queue.length > 0) this.look = setTimeout(() => this.feed(), LOOK_MS);
  }

  /** A page that was sent ahead to a process that hangs does not wait for it where another process can have it. */
  private handOn(): void {
    for (const member of this.members) {
      const other = member.holdsUp ? this.freeMember(this.processes) : undefined;
      const job = other === undefined ? null : member.handOn();
      if (job !== null) other!.take(job);
    }
  }

  /** One that is there and has nothing; else a new one, where it may be. */
  private freeMember(processes: number): CappedProcess | undefined {
    const allowed = this.members.slice(0, processes);
    const resting = allowed.filter(({ load }) => load === 0);
    const ready = resting.find(({ pid }) => pid !== null);
    if (ready !== undefined) return ready;
    const isFirst = allowed.every(({ pid }) => pid === null);
    if ((resting.length > 0 || allowed.length < processes) && (isFirst || this.cores.hasOne())) {
      if (resting[0] !== undefined) return resting[0];
      this.members.push(this.make());
      return this.members.at(-1);
    }
    return undefined;
  }

  /** One at work that may have the next page. */
  private quickMember(processes: number): CappedProcess | undefined {
    const allowed = this.members.slice(0, processes);
    const able = allowed.filter(({ pid, takesNext }) => pid !== null && takesNext);
    return able.toSorted((a, b) => a.load - b.load || b.since - a.since)[0];
  }
}

/** Those of this worker. */
export const cappedPool = new CappedPool();
