import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { inherited } from '../support/environment.js';
import type { Ended } from '../support/server.js';

/** The built program as a user starts it: with arguments, and with Ctrl-C. */

const PROGRAM = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));

export interface Program {
  /** Ctrl-C: SIGINT to the whole process group, as a terminal sends it. */
  interrupt(): void;
  /** kill -9 of the program alone. */
  kill9(): void;
  readonly output: () => string;
  readonly ended: Promise<Ended>;
  /** Resolves when the output has the words. Rejects when the program ends before. */
  says(words: string | RegExp): Promise<void>;
}

export function startProgram(args: readonly string[], env: Record<string, string> = {}): Program {
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: { ...inherited(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // In its own process group, as a shell starts it.
    detached: true,
  });
  const text = { stdout: '', stderr: '' };
  const listeners = new Set<() => void>();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].on('data', (chunk: Buffer) => {
      text[name] += chunk.toString();
      listeners.forEach((listener) => listener());
    });
  }
  const output = () => text.stdout + text.stderr;
  const ended = new Promise<Ended>((resolve) =>
    child.once('close', (code, signal) => resolve({ code, signal, ...text })),
  );
  const says = (words: string | RegExp) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (!(typeof words === 'string' ? output().includes(words) : words.test(output()))) return;
        listeners.delete(look);
        resolve();
      };
      listeners.add(look);
      look();
      void ended.then(() => reject(new Error(`ended without saying ${String(words)}:\n${output()}`)));
    });
  return {
    interrupt: () => process.kill(-(child.pid ?? 0), 'SIGINT'),
    kill9: () => child.kill('SIGKILL'),
    output,
    ended,
    says,
  };
}
