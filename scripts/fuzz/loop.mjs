/** The worker thread of a run: runs inputs, and checks each for errors, CPU time and memory growth. */
import { parentPort, workerData } from 'node:worker_threads';
import { corpus, findings } from './corpus.mjs';
import { LARGEST, generator, mutated } from './mutate.mjs';
import { isDeclared, targets } from './targets.mjs';

/** Maximum CPU time of an input: a constant and a part per byte, ms. */
const MS = 200;
const MS_PER_BYTE = 0.002;
/** Inputs between two measurements of memory; megabytes by which the heap may grow after the first ones. */
const LOOK = 4_000;
const MEGABYTES = 64;
/** One of this many inputs is for a slow target. */
const SLOW = 100;

const { seed, seconds, only, shared } = workerData;
const current = new Int32Array(shared, 0, 3);
const bytesNow = new Uint8Array(shared, 12);
const names = Object.keys(targets).filter((name) => only.length === 0 || only.includes(name));
const fast = names.filter((name) => !targets[name].slow);
const slow = names.filter((name) => targets[name].slow);
const kinds = corpus();
const known = findings();
const inputsOf = (name) => [
  ...kinds[targets[name].corpus],
  ...(known[name] ?? []).map(({ base64 }) => Buffer.from(base64, 'base64')),
];
const inputs = Object.fromEntries(names.map((name) => [name, inputsOf(name)]));
const tally = Object.fromEntries(names.map((name) => [name, { runs: 0, bytes: 0, ms: 0, worst: 0 }]));

/** Input number `n` of this seed, and its target. The same in every run. */
function inputOf(n) {
  const next = generator(seed * 2_654_435_761 + n);
  const group = fast.length === 0 || (slow.length > 0 && next() % SLOW === 0) ? slow : fast;
  const name = group[next() % group.length];
  const own = inputs[name];
  return { name, bytes: mutated(own[next() % own.length], own[next() % own.length], next) };
}

/** CPU ms of one run. */
async function timed(target, bytes) {
  const before = process.cpuUsage();
  await target.run(bytes);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

async function judge(n, name, bytes) {
  const target = targets[name];
  const find = (why) => parentPort.postMessage({ finding: { n, target: name, why, base64: bytes.toString('base64') } });
  const allowed = MS + bytes.length * MS_PER_BYTE;
  try {
    let ms = await timed(target, bytes);
    // Compilation and garbage collection add time at random: only a repeatedly slow input is reported.
    for (let again = 0; again < 3 && ms > allowed && !target.slow; again++)
      ms = Math.min(ms, await timed(target, bytes));
    if (ms > allowed && !target.slow) find(`took ${Math.round(ms)} ms for ${bytes.length} bytes`);
    const sum = tally[name];
    sum.ms += ms;
    sum.worst = Math.max(sum.worst, ms);
  } catch (error) {
    if (!isDeclared(target, error)) find(String(error?.stack ?? error).slice(0, 1_000));
  }
  tally[name].runs++;
  tally[name].bytes += bytes.length;
}

const heap = () => {
  globalThis.gc();
  const { heapUsed, external, arrayBuffers } = process.memoryUsage();
  return (heapUsed + external + arrayBuffers) / 1_048_576;
};

const end = performance.now() + seconds * 1_000;
const looks = [];
let n = 0;
for (; performance.now() < end; n++) {
  const { name, bytes } = inputOf(n);
  bytesNow.set(bytes.subarray(0, LARGEST));
  Atomics.store(current, 1, bytes.length);
  Atomics.store(current, 2, Object.keys(targets).indexOf(name));
  Atomics.store(current, 0, n);
  await judge(n, name, bytes);
  if (n % LOOK === LOOK - 1) looks.push(heap());
}
// Caches (verdicts, compiled rules) are full after the first measurements.
const settled = Math.max(...looks.slice(0, 3));
const grown = Math.min(...looks.slice(-3)) - settled;
if (looks.length > 6 && grown > MEGABYTES)
  parentPort.postMessage({
    finding: { n, target: 'memory', why: `the heap grew by ${Math.round(grown)} MB`, base64: '' },
  });
parentPort.postMessage({ done: { n, tally, looks: looks.map(Math.round) } });
