/**
 * Heavy work on hostile pages, in a process of its own that can be killed.
 *
 * A PDF or a document tree takes as much time and memory as whoever made the page likes. So such pages are read by a child
 * process, one after the other, which is started when something first needs it and let go when nothing does. It has no
 * credentials, may not write files or start programs, and holds a bounded heap; a thread in it ends it when it takes
 * more memory than it may, and we end it when a page takes too long. That page fails with the reason, and the next
 * one gets a new process. A worker thread would be cheaper but is no cap: V8 ends the whole process when the heap of a
 * thread grows in one large step (docs/adr/0009). The next page is sent before the one at work is through: our event loop has
 * other work, for which the child does not wait.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { CappedAnswer, CappedQuestion, CappedTask, CappedTasks } from './capped-tasks.js';

/** What a page may take. */
export interface Caps {
  /** Seconds of work on one page (`parser.timeout`). */
  readonly seconds: number;
  /** Megabytes of the whole process (`parser.worker.memory`). */
  readonly megabytes: number;
}

/** A page that was given up. `kind` says which cap it met; `exception`: the work itself failed, or its process did. */
export class CappedWorkError extends Error {
  override readonly name = 'CappedWorkError';

  constructor(
    readonly kind: 'timeout' | 'memory' | 'exception',
    message: string,
  ) {
    super(message);
  }
}

/** Milliseconds to start the process and load what a task needs, on a busy machine; no page is at work yet. */
const START_MS = 60_000;
/** Milliseconds without work after which the process is let go. */
const IDLE_MS = 30_000;
/** Of the memory of the process, the part that its heap may fill; the rest is code, buffers and stacks. */
const HEAP_FRACTION = 0.6;
/** How V8, the watching thread and the kernel end a process that takes too much memory. */
const MEMORY_SIGNALS: readonly unknown[] = ['SIGKILL', 'SIGABRT', 'SIGTRAP', 'SIGILL'];

/** The program stands beside this file once built; run from the sources it is that of the build. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/plugin/capped/capped.main.js' : './capped.main.js',
  import.meta.url,
);

/** Pages that the process has: one at work, and the next. */
const AHEAD = 2;
/** Milliseconds that most pages take less than. */
const SHORT_MS = 250;

export interface Job {
  readonly question: CappedQuestion;
  readonly caps: Caps;
  readonly resolve: (output: unknown) => void;
  readonly reject: (error: CappedWorkError) => void;
  /** It has met the memory cap in a process that had read others. */
  isRetry: boolean;
  /** Another process has it: what this one says of it does not count. */
  readonly isHandedOn: boolean;
}

interface Running {
  readonly child: ChildProcess;
  readonly megabytes: number;
  /** Pages that were read. */
  pages: number;
}

export class CappedProcess {
  private running: Running | null = null;
  /** The one at work first. */
  private sent: Job[] = [];
  private waiting: Job[] = [];
  /** When it got the page at work (`performance.now()`). */
  since = 0;
  /** Of the page at work: it must begin, and end. */
  private timer: NodeJS.Timeout | undefined;
  private idle: NodeJS.Timeout | undefined;

  constructor(private readonly program: URL = PROGRAM) {}

  /**
   * Does a task, after those that were asked for before.
   * @throws CappedWorkError when it met a cap, or failed by itself. Nothing else.
   */
  run<T extends CappedTask>(task: T, input: CappedTasks[T]['input'], caps: Caps): Promise<CappedTasks[T]['output']> {
    return new Promise<unknown>((resolve, reject) => {
      this.waiting.push({ question: { task, input }, caps, resolve, reject, isRetry: false, isHandedOn: false });
      this.feed();
    }) as Promise<CappedTasks[T]['output']>;
  }

  /** The id of the process, null while there is none. */
  get pid(): number | null {
    return this.running?.child.pid ?? null;
  }

  /** Pages that it has, or that wait for it. */
  get load(): number {
    return this.sent.length + this.waiting.length;
  }

  /** May it have the next page? Not behind one that takes its time: another process may be through before. */
  get takesNext(): boolean {
    return this.load === 0 || (this.load < AHEAD && performance.now() - this.since < SHORT_MS);
  }

  /** Has it a page that waits behind one that takes its time? */
  get holdsUp(): boolean {
    return this.sent[1]?.isHandedOn === false && performance.now() - this.since >= SHORT_MS;
  }

  /** Gives the page back that waits behind the one at work. */
  handOn(): Job | null {
    const job = this.sent[1];
    if (job === undefined || job.isHandedOn) return null;
    this.sent[1] = { ...job, resolve: () => undefined, reject: () => undefined, isHandedOn: true };
    return job;
  }

  /** Does a task that another process gave back. */
  take(job: Job): void {
    this.waiting.push(job);
    this.feed();
  }

  /** Lets the process go at once. Pages that it has fail. */
  end(): void {
    this.kill();
    const error = new CappedWorkError('exception', 'the process for heavy pages was let go');
    for (const { reject } of [...this.sent.splice(0), ...this.waiting.splice(0)]) reject(error);
  }

  private kill(): void {
    clearTimeout(this.timer);
    clearTimeout(this.idle);
    this.running?.child.kill('SIGKILL');
    this.running = null;
  }

  /** Sends what may be sent. */
  private feed(): void {
    clearTimeout(this.idle);
    for (let job = this.waiting[0]; job !== undefined && this.sent.length < AHEAD; job = this.waiting[0]) {
      // A process with another cap goes, when it is through.
      const isOther = this.running !== null && this.running.megabytes !== job.caps.megabytes;
      if (isOther && this.sent.length > 0) return;
      if (isOther) this.kill();
      this.running ??= this.start(job.caps.megabytes);
      this.waiting.shift();
      this.sent.push(job);
      if (this.sent.length === 1) this.expectBegin();
      const { child } = this.running;
      child.ref();
      child.channel?.ref();
      child.send(job.question, (error) => error && this.broken(child, error));
    }
    if (this.sent.length === 0) this.rest();
  }

  private start(megabytes: number): Running {
    const child = fork(fileURLToPath(this.program), [String(megabytes), String(process.pid)], {
      env: {},
      execArgv: flags(megabytes),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const kill = (): void => void child.kill('SIGKILL');
    process.on('exit', kill);
    child.on('message', (answer: CappedAnswer) => this.onAnswer(child, answer));
    child.once('exit', () => process.off('exit', kill));
    // Behind `exit`, when all its answers have come: the page before may have been through.
    child.once('close', (code, signal) => this.ended(child, code, signal));
    child.on('error', (error) => {
      process.off('exit', kill);
      this.broken(child, error);
    });
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
    if ('error' in answer) job.reject(new CappedWorkError('exception', answer.error.slice(0, 500)));
    else job.resolve(answer.output);
  }

  private ended(child: ChildProcess, code: number | null, signal: NodeJS.Signals | null): void {
    if (this.running?.child !== child) return;
    const { megabytes } = this.running;
    if (MEMORY_SIGNALS.includes(signal) || code === 134)
      this.fail('memory', `memory: took more than ${megabytes} MB (parser.worker.memory)`);
    else this.fail('exception', `the process for heavy pages ended (${signal ?? `exit code ${code}`})`);
  }

  private broken(child: ChildProcess, error: Error): void {
    if (this.running?.child === child) this.fail('exception', `the process for heavy pages: ${error.message}`);
  }

  /** The process goes, and with it the page at work; the one behind it did nothing yet. */
  private fail(kind: CappedWorkError['kind'], message: string): void {
    const pages = this.running?.pages ?? 0;
    this.kill();
    const [job, ...others] = this.sent.splice(0);
    this.waiting.unshift(...others.filter(({ isHandedOn }) => !isHandedOn));
    // What earlier pages left behind is not this page's fault: it may try in a process of its own.
    const isTriedAgain = kind === 'memory' && pages > 0 && job?.isRetry === false && !job.isHandedOn;
    if (isTriedAgain) this.waiting.unshift(Object.assign(job, { isRetry: true }));
    this.feed();
    if (!isTriedAgain) job?.reject(new CappedWorkError(kind, message));
  }

  /** Work is over for now: the process holds up nobody's exit, and goes when nothing comes. */
  private rest(): void {
    const child = this.running?.child;
    if (child === undefined) return;
    child.unref();
    child.channel?.unref();
    this.idle = setTimeout(() => this.kill(), IDLE_MS);
    this.idle.unref();
  }
}

/** Reading files is what loading code takes; all else that Node can forbid is forbidden. */
function flags(megabytes: number): string[] {
  const heap = [`--max-old-space-size=${Math.round(megabytes * HEAP_FRACTION)}`, '--max-semi-space-size=8'];
  const forbid = process.allowedNodeEnvironmentFlags.has('--permission')
    ? ['--permission', '--allow-fs-read=*', '--allow-worker']
    : [];
  return [...heap, ...forbid, '--disallow-code-generation-from-strings', '--no-warnings'];
}
