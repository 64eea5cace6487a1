/**
 * Heavy work on hostile pages, in a process of its own that can be killed.
 *
 * A PDF or a document tree takes as much time and memory as whoever made the page likes. So such pages are read one at
 * a time by a child process, which is started when something first needs it and let go when nothing does. It has no
 * credentials, may not write files or start programs, and holds a bounded heap; a thread in it ends it when it takes
 * more memory than it may, and we end it when a page takes too long. That page fails with the reason, and the next
 * one gets a new process. A worker thread would be cheaper but is no cap: V8 ends the whole process when the heap of a
 * thread grows in one large step (docs/adr/0009).
 */
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Conf } from '../../conf/properties.js';
import type { CappedAnswer, CappedTask, CappedTasks } from './capped-tasks.js';

/** What a page may take. */
export interface Caps {
  /** Seconds of work on one page (`parser.timeout`). */
  readonly seconds: number;
  /** Megabytes of the whole process (`parser.worker.memory`). */
  readonly megabytes: number;
}

/** The caps of a configuration. */
export const capsOf = (conf: Conf): Caps => ({
  seconds: conf['parser.timeout'],
  megabytes: conf['parser.worker.memory'],
});

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

interface Running {
  readonly child: ChildProcess;
  readonly megabytes: number;
  /** Pages that were read. */
  pages: number;
}

export class CappedProcess {
  private running: Running | null = null;
  private idle: NodeJS.Timeout | undefined;
  /** Settled when all that was asked before is done. */
  private last: Promise<unknown> = Promise.resolve();

  constructor(private readonly program: URL = PROGRAM) {}

  /**
   * Does a task, after those that were asked for before.
   * @throws CappedWorkError when it met a cap, or failed by itself. Nothing else.
   */
  run<T extends CappedTask>(task: T, input: CappedTasks[T]['input'], caps: Caps): Promise<CappedTasks[T]['output']> {
    const done = this.last.then(() => this.now(task, input, caps));
    this.last = done.catch(() => undefined);
    return done as Promise<CappedTasks[T]['output']>;
  }

  /** The id of the process, null while there is none. */
  get pid(): number | null {
    return this.running?.child.pid ?? null;
  }

  /** Lets the process go at once. A page that is at work fails. */
  end(): void {
    clearTimeout(this.idle);
    this.running?.child.kill('SIGKILL');
    this.running = null;
  }

  private async now(task: string, input: unknown, caps: Caps): Promise<unknown> {
    clearTimeout(this.idle);
    const running = this.processOf(caps.megabytes);
    try {
      return await this.ask(running.child, { task, input }, caps);
    } catch (error) {
      // What earlier pages left behind is not this page's fault: it may try in a process of its own.
      if (running.pages === 0 || !(error instanceof CappedWorkError) || error.kind !== 'memory') throw error;
      return await this.ask(this.processOf(caps.megabytes).child, { task, input }, caps);
    } finally {
      running.pages++;
      this.rest();
    }
  }

  /** The process, started when there is none with this cap. */
  private processOf(megabytes: number): Running {
    if (this.running !== null && this.running.megabytes !== megabytes) this.end();
    if (this.running !== null) return this.running;
    const child = fork(fileURLToPath(this.program), [String(megabytes), String(process.pid)], {
      env: {},
      execArgv: flags(megabytes),
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const gone = (): void => {
      process.off('exit', kill);
      if (this.running?.child === child) this.running = null;
    };
    const kill = (): void => void child.kill('SIGKILL');
    process.on('exit', kill);
    child.once('exit', gone);
    child.on('error', gone);
    this.running = { child, megabytes, pages: 0 };
    return this.running;
  }

  private ask(child: ChildProcess, question: object, caps: Caps): Promise<unknown> {
    child.ref();
    child.channel?.ref();
    return new Promise((resolve, reject) => {
      const fail = (kind: CappedWorkError['kind'], message: string, kill = true): void => {
        stop();
        if (kill) this.end();
        reject(new CappedWorkError(kind, message));
      };
      let timer = setTimeout(() => fail('exception', 'the process for heavy pages does not start'), START_MS);
      const onMessage = (answer: CappedAnswer): void => {
        clearTimeout(timer);
        if ('began' in answer) {
          const late = `timeout: took longer than ${caps.seconds} s (parser.timeout)`;
          timer = setTimeout(() => fail('timeout', late), caps.seconds * 1_000);
        } else if ('error' in answer) fail('exception', answer.error.slice(0, 500), false);
        else {
          stop();
          resolve(answer.output);
        }
      };
      const ended = (code: number | null, signal: NodeJS.Signals | null): void => {
        if (MEMORY_SIGNALS.includes(signal) || code === 134)
          fail('memory', `memory: took more than ${caps.megabytes} MB (parser.worker.memory)`);
        else fail('exception', `the process for heavy pages ended (${signal ?? `exit code ${code}`})`);
      };
      const broken = (error: Error): void => fail('exception', `the process for heavy pages: ${error.message}`);
      const stop = (): void => {
        clearTimeout(timer);
        child.off('message', onMessage).off('exit', ended).off('error', broken);
      };
      child.on('message', onMessage).on('exit', ended).on('error', broken);
      child.send(question, (error) => error && broken(error));
    });
  }

  /** Work is over for now: the process holds up nobody's exit, and goes when nothing comes. */
  private rest(): void {
    const child = this.running?.child;
    if (child === undefined) return;
    child.unref();
    child.channel?.unref();
    clearTimeout(this.idle);
    this.idle = setTimeout(() => this.end(), IDLE_MS);
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

/** The one process of this worker. */
export const cappedProcess = new CappedProcess();
