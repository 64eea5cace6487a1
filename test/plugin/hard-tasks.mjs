/** A capped process with tasks that hang, exhaust memory or crash in every way known to evade a limit. */
import { writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { serveParent } from '../../dist/src/plugin/capped/capped-server.js';

/** Uses a value, so that no compiler removes it. */
const kept = [];

const tasks = {
  hold: (megabytes) => kept.push(new Uint8Array(megabytes * 1_048_576).fill(1)) && 'held',
  echo: (input) => input,
  fail: () => {
    throw new Error('not a document');
  },
  deep: () =>
    (function down() {
      return down() + 1;
    })(),
  hang: () => {
    for (;;);
  },
  backtrack: () => /^(a+)+$/.test(`${'a'.repeat(50)}b`),
  wait: () => new Promise(() => undefined),
  sleep: (input) => new Promise((wake) => setTimeout(() => wake(input), 50)),
  long: (length) => 'x'.repeat(length),
  exit: () => process.exit(3),
  forgotten: async () => {
    void Promise.reject(new Error('forgotten'));
    await new Promise((wake) => setTimeout(wake, 20));
    return 'done';
  },
  objects: () => {
    for (;;) kept.push({ x: kept.length, y: [1, 2, 3] });
  },
  arrays: () => {
    for (;;) kept.push(Array(1e7).fill(1));
  },
  largeArray: () => kept.push(Array(2 ** 27).fill({})),
  map: () => {
    for (const m = new Map(); ;) m.set(m.size, m.size);
  },
  strings: () => {
    for (;;) kept.push(Buffer.from('x'.repeat(1e6)).toString('latin1') + kept.length);
  },
  buffers: () => {
    for (;;) kept.push(new Uint8Array(1e7).fill(1));
  },
  json: () => JSON.parse(`[${'[],'.repeat(2e7)}1]`).length,
  environment: () => Object.keys(process.env).filter((name) => !/^(NODE_CHANNEL_|__CF)/.test(name)),
  write: () => writeFileSync('written-by-a-page', 'x'),
  start: () => execFileSync('ls'),
  code: () => new Function('return 1')(),
};

serveParent({
  ...Object.fromEntries(Object.entries(tasks).map(([name, run]) => [name, async () => run])),
  // A task whose code is never loaded.
  unloadable: () => new Promise(() => undefined),
});
