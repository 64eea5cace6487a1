/** Worker processes on one database, like on other machines: they share only PostgreSQL with the test. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { inherited } from '../support/environment.js';

const WORKER = fileURLToPath(new URL('../../dist/src/worker/worker.main.js', import.meta.url));

export interface WorkerProcess {
  readonly pid: number;
  readonly output: () => string;
  readonly ended: Promise<unknown>;
  signal(signal: NodeJS.Signals): void;
}

export class WorkerFleet {
  private readonly children = new Set<ChildProcess>();

  /** Starts a worker and waits until it claims tasks. */
  async start(databaseUrl: string, env: Record<string, string> = {}): Promise<WorkerProcess> {
    const child = fork(WORKER, {
      env: {
        ...inherited(),
        DATABASE_URL: databaseUrl,
        LOG_LEVEL: 'warn',
        ROLE: 'worker',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.children.add(child);
    let text = '';
    child.stdout!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (text += chunk.toString()));
    const ended = once(child, 'exit');
    await Promise.race([
      once(child, 'message'),
      ended.then(() => Promise.reject(new Error(`the worker ended: ${text}`))),
    ]);
    return { pid: child.pid!, output: () => text, ended, signal: (signal) => void child.kill(signal) };
  }

  async close(): Promise<void> {
    const running = [...this.children].filter(({ exitCode, signalCode }) => exitCode === null && signalCode === null);
    await Promise.all(running.map((child) => (child.kill('SIGKILL'), once(child, 'exit'))));
  }
}
