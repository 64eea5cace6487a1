/**
 * Fuzzes the parsers of untrusted bytes with damaged inputs, for a given time.
 *
 *   npm run fuzz -- --seconds 600 --seed 1 [--only html,pdf] [--replay html:<base64>]
 *
 * An input is printed as base64 with its target if the target throws an undeclared error, takes longer than a bound that grows
 * with the length of the input, or does not end; put it into test/fuzz/seeds/<target>.json, which the test suite replays. The
 * same seed gives the same inputs in the same order. Uses the build in dist.
 */
import { parseArgs } from 'node:util';
import { Worker } from 'node:worker_threads';
import { setFlagsFromString } from 'node:v8';
import { CONFORMANCE_MISSING, hasConformance } from '../test/support/conformance.ts';
import { LARGEST } from './fuzz/mutate.mjs';

/** Milliseconds after which an input counts as hanging; a slow target stops by itself after 3 s. */
const HANGS_MS = 30_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    replay: { type: 'string' },
  },
});

async function replay(given) {
  const { targets } = await import('./fuzz/targets.mjs');
  const [name = '', base64 = ''] = given.split(':');
  const started = performance.now();
  await targets[name].run(Buffer.from(base64, 'base64'));
  console.log(`${name}: ${(performance.now() - started).toFixed(1)} ms`);
}

function run(only) {
  if (!hasConformance) console.log(`without the cases of other projects: ${CONFORMANCE_MISSING}`);
  setFlagsFromString('--expose-gc');
  const shared = new SharedArrayBuffer(12 + LARGEST);
  const current = new Int32Array(shared, 0, 3);
  const workerData = { seed: Number(values.seed), seconds: Number(values.seconds), only, shared };
  const worker = new Worker(new URL('./fuzz/loop.mjs', import.meta.url), { workerData });
  let found = 0;
  let seen = -1;
  let since = performance.now();
  const tell = ({ n, target, why, base64 }) => {
    found++;
    console.log(`\nFINDING ${target} (input ${n} of seed ${values.seed}): ${why}\n${base64}`);
  };
  const watch = setInterval(() => {
    const n = Atomics.load(current, 0);
    if (n !== seen) [seen, since] = [n, performance.now()];
    if (performance.now() - since < HANGS_MS) return;
    const bytes = Buffer.from(shared, 12, Atomics.load(current, 1));
    tell({ n, target: `number ${Atomics.load(current, 2)}`, why: 'does not end', base64: bytes.toString('base64') });
    process.exit(1);
  }, 1_000);
  worker.on('message', ({ finding, done }) => (finding ? tell(finding) : report(done)));
  worker.on('error', (error) =>
    tell({
      n: Atomics.load(current, 0),
      target: 'all',
      why: String(error.stack),
      base64: Buffer.from(shared, 12, Atomics.load(current, 1)).toString('base64'),
    }),
  );
  worker.on('exit', () => {
    clearInterval(watch);
    console.log(found === 0 ? 'no findings' : `${found} findings`);
    process.exit(found === 0 ? 0 : 1);
  });
}

function report({ n, tally, looks }) {
  console.log(`${n} inputs; heap in MB: ${looks.join(' ')}`);
  console.table(
    Object.fromEntries(
      Object.entries(tally).map(([name, { runs, bytes, ms, worst }]) => [
        name,
        {
          inputs: runs,
          MB: +(bytes / 1e6).toFixed(1),
          'MB/s': +(bytes / 1e3 / Math.max(ms, 1)).toFixed(1),
          'worst ms': Math.round(worst),
        },
      ]),
    ),
  );
}

if (values.replay !== undefined) await replay(values.replay);
else run(values.only.split(',').filter((name) => name !== ''));
