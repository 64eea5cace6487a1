/** Faults in the embedded PostgreSQL: its lock, its folders, its processes. */

const specs = (...names) => names.map((name) => `test/start/${name}.spec.ts`);

/** @type {import('./faults.mjs').Fault[]} */
export const embedded = [
  {
    id: 'embedded-lock-unknown',
    file: 'src/db/embedded/lock.ts',
    text: "if (state !== 'dead') {",
    replacement: "if (state === 'alive') {",
    breaks: 'A lock whose owner cannot be seen is taken over: two servers write one database.',
    specs: specs('location'),
  },
  {
    id: 'embedded-lock-others',
    file: 'src/db/embedded/lock.ts',
    text: "if (readFileSync(lock, 'utf8') === mine) unlinkSync(lock);",
    replacement: 'unlinkSync(lock);',
    breaks: 'A server that ends removes the lock of another one.',
    specs: specs('location'),
  },
  {
    id: 'embedded-holder-pid-reused',
    file: 'src/db/embedded/holder.ts',
    text: "isRunning(Number(pid)) && processLine(Number(pid)) === `${pid} ${start} ${boot}` ? 'alive' : 'dead'",
    replacement: "isRunning(Number(pid)) ? 'alive' : 'dead'",
    breaks: 'No server starts if another program has the pid of one that was killed.',
    specs: specs('location'),
  },
];
