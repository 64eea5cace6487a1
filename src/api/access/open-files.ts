import { readFileSync } from 'node:fs';

/** How many files, sockets included, this process may have open (`ulimit -n`); Infinity on systems that do not say so in /proc. */
export function openFilesLimit(): number {
  try {
    const soft = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Infinity : Number(soft);
  } catch {
    return Infinity;
  }
}
