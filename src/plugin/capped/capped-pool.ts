/**
 * The pool of capped processes of this worker: one, and further ones while pages wait and cores are idle, up to
 * `parser.worker.processes`. Each process ends itself when it is idle.
 */
import type { Conf } from '../../core/conf/properties.js';
import { type Caps, CappedProcess, CappedWorkError } from './capped-process.js';
import type { CappedTask, CappedTasks } from './capped-tasks.js';
import { FreeCores, SAMPLE_MS } from './free-cores.js';

export interface PoolCaps extends Caps {
  /** Maximum number of processes (`parser.worker.processes`). */
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
  /** Runs `feed` again while pages wait: a core may become idle before a process does. */
  private retry: NodeJS.Timeout | undefined;
  /** The maximum number of processes, by the last page. */
  private processes = 1;

  constructor(
    private readonly make: () => CappedProcess = () => new CappedProcess(),
    private readonly cores: Pick<FreeCores, 'hasOne'> = new FreeCores(),
  ) {}

  /**
   * Runs a task; tasks are started in order.
   * @throws CappedWorkError when it exceeded a cap, or failed. Nothing else.
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

  /** The ids of the running processes (for tests). */
  get pids(): number[] {
    return this.members.flatMap(({ pid }) => pid ?? []);
  }

  /** Kills all processes (for tests). Their pages, and pages that wait, fail. */
  end(): void {
    const error = new CappedWorkError('exception', 'the processes for heavy pages were ended');
    for (const { reject } of this.queue.splice(0)) reject(error);
    for (const member of this.members) member.end();
  }

  private feed(): void {
    clearTimeout(this.retry);
    for (let next = this.queue[0]; next !== undefined; next = this.queue[0]) {
      this.processes = next.processes;
      const member = this.idleMember(next.processes) ?? this.busyMember(next.processes);
      if (member === undefined) break;
      this.queue.shift();
      void next.begin(member).then(() => this.feed());
    }
    if (this.queue.length === 0) this.reassign();
    const isQueued = this.members.some(({ load }) => load > 1);
    if (isQueued || this.queue.length > 0) this.retry = setTimeout(() => this.feed(), SAMPLE_MS);
  }

  /** Moves a page that was sent ahead to a slow process to an idle process, if there is one. */
  private reassign(): void {
    for (const member of this.members) {
      const idle = member.hasDelayedJob ? this.idleMember(this.processes) : undefined;
      const job = idle === undefined ? null : member.withdraw();
      if (job !== null) idle!.accept(job);
    }
  }

  /** A running process without work; else a new one, if the limits allow it. */
  private idleMember(processes: number): CappedProcess | undefined {
    const allowed = this.members.slice(0, processes);
    const idle = allowed.filter(({ load }) => load === 0);
    const ready = idle.find(({ pid }) => pid !== null);
    if (ready !== undefined) return ready;
    const isFirst = allowed.every(({ pid }) => pid === null);
    if ((idle.length > 0 || allowed.length < processes) && (isFirst || this.cores.hasOne())) {
      if (idle[0] !== undefined) return idle[0];
      this.members.push(this.make());
      return this.members.at(-1);
    }
    return undefined;
  }

  /** A busy process to which the next page may be sent ahead. */
  private busyMember(processes: number): CappedProcess | undefined {
    const allowed = this.members.slice(0, processes);
    const accepting = allowed.filter(({ pid, acceptsNext }) => pid !== null && acceptsNext);
    return accepting.toSorted((a, b) => a.load - b.load || b.since - a.since)[0];
  }
}

/** The pool of this worker. */
export const cappedPool = new CappedPool();
