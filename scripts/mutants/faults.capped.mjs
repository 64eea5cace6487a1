/** Faults in the processes that read hostile pages. */

/** @type {import('./faults.mjs').Fault[]} */
export const capped = [
  {
    id: 'capped-environment',
    file: 'src/plugin/capped/capped-process.ts',
    text: 'env: {},',
    replacement: 'env: process.env,',
    breaks: 'The process that reads hostile pages has the password of the database.',
    specs: ['test/plugin/capped-process.deep.spec.ts', 'test/plugin/hostile-pages.deep.spec.ts'],
  },
  {
    id: 'capped-may-write',
    file: 'src/plugin/capped/capped-process.ts',
    text: "['--permission', '--allow-fs-read=*', '--allow-worker']",
    replacement:
      "['--permission', '--allow-fs-read=*', '--allow-worker', '--allow-fs-write=*', '--allow-child-process']",
    breaks: 'The process that reads hostile pages may write files and start programs.',
    specs: ['test/plugin/capped-process.deep.spec.ts', 'test/plugin/hostile-pages.deep.spec.ts'],
  },
  {
    id: 'capped-ahead-killed',
    file: 'src/plugin/capped/capped-process.ts',
    text: '      if (isOther && this.sent.length > 0) return;\n',
    replacement: '',
    breaks: 'A page with another memory cap ends the page that is being read.',
    specs: ['test/plugin/capped-process.deep.spec.ts'],
  },
  {
    id: 'capped-ahead-lost',
    file: 'src/plugin/capped/capped-process.ts',
    text: '    this.waiting.unshift(...others.filter(({ isWithdrawn }) => !isWithdrawn));\n',
    replacement: '',
    breaks: 'The page that was sent ahead of one that failed never ends.',
    specs: ['test/plugin/capped-process.deep.spec.ts', 'test/plugin/capped-pool.deep.spec.ts'],
  },
  {
    id: 'capped-orphan',
    file: 'src/plugin/capped/capped.watch.ts',
    text: ' || process.ppid !== parent',
    replacement: '',
    breaks: 'A process that computes outlives the worker that was killed.',
    specs: ['test/plugin/capped-process.deep.spec.ts'],
  },
  {
    id: 'capped-time-of-wait',
    file: 'src/plugin/capped/capped-process.ts',
    text: '    if (this.sent.length > 0) this.expectBegin();\n',
    replacement: '',
    breaks: 'A page whose process hangs before it begins is never given up.',
    specs: ['test/plugin/capped-process.deep.spec.ts'],
  },
];
