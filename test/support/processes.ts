import { readFileSync, readdirSync } from 'node:fs';

/** What a file of /proc says; empty when the process has ended. */
const read = (path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
};

/** Process ids of the workers that a server has started: its direct children that run the worker program. */
export const workersOf = (server: number): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      const stat = read(`/proc/${pid}/stat`);
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      return parent === server && read(`/proc/${pid}/cmdline`).includes('worker.main.js');
    });
