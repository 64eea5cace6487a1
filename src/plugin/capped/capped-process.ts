/**
 * Heavy work on hostile pages, in a child process that can be killed.
 *
 * The author of a page controls how much time and memory a PDF or a document tree takes. So a child process, started on
 * first use and ended when idle, reads such pages one after another. It has no credentials, may not write files or
 * start programs, and has a bounded heap; a thread in it kills it when it exceeds its memory cap, and we kill it
 * when a page takes too long. That page fails with the reason, and the next one gets a new process. A worker thread
 * would be cheaper but cannot be capped: V8 ends the whole process when the heap of a thread grows in one large step
 * (docs/adr/0009). The next page is sent before the current one is finished, so that the child need not wait for our
 * event loop.
 */
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';
import type { ChildProcess } from 'node:child_process';
import type { CappedAnswer, CappedQuestion, CappedTask, CappedTasks } from './capped-tasks.js';
import { endedByMemory, forkWithMemory, START_MS } from './memory-child.js';

/** The limits of a page. */
export interface Caps {
  /** Seconds of work on one page (`parser.timeout`). */
  readonly seconds: number;
  /** Megabytes of the whole process (`parser.worker.memory`). */
  readonly megabytes: number;
}

/** The failure of a page. `kind` is the cap it exceeded; `exception`: the work itself failed, or its process did. */
export class CappedWorkError extends Error {
  override readonly name = 'CappedWorkError';

  constructor(
    readonly kind: 'timeout' | 'memory' | 'exception',
    message: string,
  ) {
    super(message);
  }
}

/** Milliseconds without work after which the process is ended. */
const IDLE_MS = 30_000;

/** The built program is beside this file; sources run from TypeScript use that of the build. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/plugin/capped/capped.main.js' : './capped.main.js',
  import.meta.url,
);

/** Maximum number of pages sent to the process: the current one, and the next. */
const MAX_SENT = 2;
/** Most pages take less time. */
const SHORT_MS = 250;

export interface Job {
  readonly question: CappedQuestion;
  readonly caps: Caps;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: CappedWorkError) => void;
  /** It exceeded the memory cap in a process that had read other pages before. */
  isRetry: boolean;
  /** It was moved to another process: the result of this one is ignored. */
  readonly isWithdrawn: boolean;
}

interface RunningChild {
  readonly child: ChildProcess;
  readonly megabytes: number;
  /** Number of pages read. */
  pages: number;
}

export class CappedProcess {
  private running: RunningChild | null = null;
  /** The current job first. */
  private sent: Job[] = [];
  private waiting: Job[] = [];
  /** When the current page was sent (`performance.now()`). */
  since = 0;
  /** Timeout of the current page: to begin, then to end. */
  private timer: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly program: URL = PROGRAM) {}

  /**
   * Runs a task, after all earlier ones.
   * @throws CappedWorkError when it exceeded a cap, or failed. Nothing else.
   */
  run<T extends CappedTask>(task: T, input: CappedTasks[T]['input'], caps: Caps): Promise<CappedTasks[T]['output']> {
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.push({ question: { task, input }, caps, resolve, reject, isRetry: false, isWithdrawn: false });
      this.feed();
    }) as Promise<CappedTasks[T]['output']>;
  }

  /** The id of the process, null while there is none. */
  get pid(): number | null {
    return this.running?.child.pid ?? null;
  }

  /** Number of pages that were sent or wait. */
  get load(): number {
    return this.sent.length + this.waiting.length;
  }

  /** Whether to give it the next page: not while the current one is slow, as another process may finish before. */
  get acceptsNext(): boolean {
    return this.load === 0 || (this.load < MAX_SENT && performance.now() - this.since < SHORT_MS);
  }

  /** Whether a page waits while the current one is slow. */
  get hasDelayedJob(): boolean {
    return this.sent[1]?.isWithdrawn === false && performance.now() - this.since >= SHORT_MS;
  }

  /** Withdraws the page that was sent ahead. */
  withdraw(): Job | null {
    const job = this.sent[1];
    if (job === undefined || job.isWithdrawn) return null;
    this.sent[1] = { ...job, resolve: () => undefined, reject: () => undefined, isWithdrawn: true };
    return job;
  }

  /** Runs a job that was withdrawn from another process. */
  accept(job: Job): void {
    this.waiting.push(job);
    this.feed();
  }

  /** Kills the process. Its pages fail. */
  end(): void {
    this.kill();
    const error = new CappedWorkError('exception', 'the process for heavy pages was ended');
    for (const { reject } of [...this.sent.splice(0), ...this.waiting.splice(0)]) reject(error);
  }

  private kill(): void {
    clearTimeout(this.timer);
    clearTimeout(this.idle);
    this.running?.child.kill('SIGKILL');
    this.running = null;
  }

  /** Sends waiting jobs, up to the limit. */
  private feed(): void {
    clearTimeout(this.idle);
    for (let job = this.waiting[0]; job !== undefined && this.sent.length < MAX_SENT; job = this.waiting[0]) {
      // A process with another memory cap is replaced once it is idle.
      const isOther = this.running !== null && this.running.megabytes !== job.caps.megabytes;
      if (isOther && this.sent.length > 0) return;
      if (isOther) this.kill();
      this.waiting.shift();
      try {
        this.running ??= this.start(job.caps.megabytes);
      } catch (error) {
        // The machine is out of memory or processes.
        job.reject(new CappedWorkError('exception', `the process for heavy pages: ${(error as Error).message}`));
        continue;
      }
      this.sent.push(job);
      if (this.sent.length === 1) this.expectBegin();
      const { child } = this.running;
      child.ref();
      child.channel?.ref();
      // Without a channel it could not be started, or has ended: the event that says so and why follows, also after an error.
      if (child.connected) child.send(job.question, () => undefined);
    }
    if (this.sent.length === 0) this.rest();
  }

  private start(megabytes: number): RunningChild {
    const child = forkWithMemory(this.program, megabytes, {
      env: {},
      flags: forbidding(),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    child.on('message', (answer: CappedAnswer) => this.onAnswer(child, answer));
    // After `exit`, when all its messages have arrived: they may contain the result of the current page.
    child.once('close', (code, signal) => this.ended(child, code, signal));
    child.on('error', (error) => this.broken(child, error));
    return { child, megabytes, pages: 0 };
  }

  private expectBegin(): void {
    clearTimeout(this.timer);
    this.since = performance.now();
    this.timer = setTimeout(() => this.fail('exception', 'the process for heavy pages does not start'), START_MS);
  }

  private onAnswer(child: ChildProcess, answer: CappedAnswer): void {
    const [job] = this.sent;
    if (this.running?.child !== child || job === undefined) return;
    clearTimeout(this.timer);
    if ('began' in answer) {
      const { seconds } = job.caps;
      const late = `timeout: took longer than ${seconds} s (parser.timeout)`;
      this.timer = setTimeout(() => this.fail('timeout', late), seconds * 1_000);
      return;
    }
    this.sent.shift();
    this.running.pages++;
    if (this.sent.length > 0) this.expectBegin();
    this.feed();
    if ('error' in answer) job.reject(new CappedWorkError('exception', answer.error.slice(0, STORED_LENGTHS.error)));
    else job.resolve(answer.output);
  }

  private ended(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.running?.child !== child) return;
    const { megabytes } = this.running;
    if (endedByMemory(code, signal))
      this.fail('memory', `memory: took more than ${megabytes} MB (parser.worker.memory)`);
    else this.fail('exception', `the process for heavy pages ended (${signal ?? `exit code ${code}`})`);
  }

  private broken(child: ChildProcess, error: Error): void {
    if (this.running?.child === child) this.fail('exception', `the process for heavy pages: ${error.message}`);
  }

  /** Kills the process and fails the current page; the page sent ahead has not begun and is kept. */
  private fail(kind: CappedWorkError['kind'], message: string): void {
    const pages = this.running?.pages ?? 0;
    this.kill();
    const [job, ...others] = this.sent.splice(0);
    this.waiting.unshift(...others.filter(({ isWithdrawn }) => !isWithdrawn));
    // Earlier pages may have filled the memory: the page is retried once in a new process.
    const isTriedAgain = kind === 'memory' && pages > 0 && job?.isRetry === false && !job.isWithdrawn;
    if (isTriedAgain) this.waiting.unshift(Object.assign(job, { isRetry: true }));
    this.feed();
    if (!isTriedAgain) job?.reject(new CappedWorkError(kind, message));
  }

  /** No work is left: the process no longer keeps this one alive, and is killed after the idle timeout. */
  private rest(): void {
    const child = this.running?.child;
    if (child === undefined) return;
    child.unref();
    child.channel?.unref();
    this.idle = setTimeout(() => this.kill(), IDLE_MS);
    this.idle.unref();
  }
}

/** Loading code needs to read files; everything else that Node can forbid is forbidden. */
function forbidding(): string[] {
  const forbid = process.allowedNodeEnvironmentFlags.has('--permission')
    ? ['--permission', '--allow-fs-read=*', '--allow-worker']
    : [];
  return [...forbid, '--disallow-code-generation-from-strings'];
}
