/** Entry of a forked worker process: runs until its parent has ended or asks it to end. */
import { tmpdir } from 'node:os';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_WORKER_CONNECTIONS } from '../conf/env-defaults.js';
import { LOG_FORMATS, makeLog } from '../conf/log.js';
import type { Params } from '../core/conf/properties.js';
import { armFaultPoints } from '../db/fault-point.js';
import { startPlugins } from '../plugin/external.js';
import { thisOwner } from './owner.js';
import { CrashMarker } from './crash-marker.js';
import { SLOTS } from './task-runner.js';
import { reportStray } from './stray-rejections.js';
import { type RunningWorker, startWorker } from './worker.js';

/** Milliseconds in which a worker may write its current pages before its tasks are aborted. */
const GRACE_MS = 8_000;
/** Resident memory above which a worker claims no task while another runs: its heap is at most 448, the rest is bodies. */
const MEMORY_MIB = 640;

const log = makeLog('worker', {
  level: process.env['LOG_LEVEL'] || 'info',
  format: LOG_FORMATS.find((known) => known === process.env['LOG_FORMAT']),
  about: { worker: thisOwner() },
});
const databaseUrl = process.env['DATABASE_URL'];
if (!databaseUrl) throw new Error('a worker needs DATABASE_URL');

let worker: RunningWorker | undefined;
/** The rest of the start, beginning with the insert of its row in table `worker`. */
let starting: Promise<RunningWorker> | undefined;
let isRegistering = false;
let ending = false;

async function end(why: string): Promise<void> {
  if (ending) process.exit(1);
  ending = true;
  log.info({ why }, 'worker ends');
  // A worker that is starting has no tasks to release, but it may have a row, which must be deleted.
  if (isRegistering) worker ??= await Promise.race([starting?.catch(() => undefined), sleep(GRACE_MS, undefined)]);
  await worker?.close(GRACE_MS).catch((err: unknown) => log.error({ err }, 'worker did not close cleanly'));
  process.exit(0);
}

// The workers of a killed parent end with it: their tasks continue after the next start.
process.on('disconnect', () => process.exit(0));
process.on('SIGTERM', () => void end('SIGTERM'));
process.on('SIGINT', () => void end('SIGINT'));
const sent = Promise.withResolvers<Params>();
process.on('message', (message) => {
  if (message === 'stop' && !ending) void end('asked by the server');
  if (typeof message === 'object') sent.resolve((message as { overlay: Params }).overlay);
});
process.on('unhandledRejection', (err) => void (reportStray(err) || log.error({ err }, 'unhandled rejection')));

if (process.env['FAULT_POINTS']) {
  const { ordersIn } = await import('../db/fault-orders.js');
  armFaultPoints(ordersIn(process.env['FAULT_POINTS']));
  log.warn('FAULT_POINTS is set: this process injects failures');
}
await startPlugins(process.env['PLUGIN_DIR'], (line) => log.warn(line));
const marker = CrashMarker.open(thisOwner());
if (!marker) log.warn({ folder: tmpdir() }, 'no file can be made there: pages that crash a worker will not be known');
// Also for a worker that ends while it starts.
process.on('exit', () => marker?.leave());
const overlay = process.env['OVERLAY'] ? await sent.promise : {};
starting = startWorker({
  databaseUrl,
  overlay,
  workers: Number(process.env['WORKERS'] ?? 1),
  role: process.env['ROLE'] === 'worker' ? 'worker' : 'all',
  slots: Number(process.env['WORKER_SLOTS'] || SLOTS),
  memoryBytes: Number(process.env['WORKER_MEMORY'] || MEMORY_MIB) * 2 ** 20,
  connections: Number(process.env['DB_POOL_WORKER'] || DEFAULT_WORKER_CONNECTIONS),
  apiPort: Number(process.env['API_PORT'] || 0),
  indexDir: resolve(process.env['DATA_DIR']?.trim() || 'data', 'index'),
  marker,
  log,
  beforeRegistering: () => {
    if (ending) throw new Error('asked to end while it starts');
    isRegistering = true;
  },
});
worker = await starting.catch((err: unknown) => {
  log.error({ err }, 'the worker could not start');
  process.exit(1);
});
process.send?.('ready', () => undefined);
