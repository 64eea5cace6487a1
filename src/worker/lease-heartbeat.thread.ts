/**
 * The thread that sends the heartbeats of a worker. It has an event loop and a connection of its own, so that a page which
 * keeps the main thread busy for a minute costs no lease; it renews the leases of all tasks in one statement, and the
 * worker's row. It also watches the main thread, by the messages that come from there: one that has been silent for six
 * leases will not respond again, and the thread ends the process.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from 'pg';
import { SESSION } from '../db/session-settings.js';
import { renewLeases } from '../job/task-leases.sql.js';
import { TASK_LEASE_S } from '../job/task.store.js';
import { type WorkerStatistics, type WorkerSelf, recordHeartbeat, registerWorker } from '../job/worker.store.js';
import type { Lease } from './heartbeat-client.js';

/** Milliseconds between two heartbeats: a lease survives the loss of two. */
const BEAT_MS = (TASK_LEASE_S * 1000) / 4;
/** A main thread that was silent for six leases will not respond again. */
const SILENCE_MS = 6 * TASK_LEASE_S * 1000;
/**
 * Heartbeats in a row that find it silent before the process is ended: a single one may be the first after a SIGSTOP of all
 * of it.
 */
const SILENT_BEATS = 3;

type Message = { add: Lease } | { remove: Lease } | { alive: WorkerStatistics | null; now?: boolean } | { end: true };

const { databaseUrl, self } = workerData as { databaseUrl: string; self: WorkerSelf | null };
const tokens = new Map<string, number>();
let statistics: WorkerStatistics | null = null;
let client: Client | undefined;
let lastMessageAt = performance.now();
let beating: Promise<void> | undefined;
let ending = false;
let silentBeats = 0;

parentPort!.on('message', (message: Message) => {
  lastMessageAt = performance.now();
  if ('add' in message) tokens.set(message.add.task, message.add.token);
  else if ('remove' in message) {
    const { task, token } = message.remove;
    if (tokens.get(task) === token) tokens.delete(task);
  } else if ('end' in message) void end();
  else {
    statistics = message.alive;
    if (message.now) void beat();
  }
});

async function connection(): Promise<Client> {
  if (client) return client;
  const next = new Client({
    connectionString: databaseUrl,
    application_name: 'orbweaver heartbeat',
    keepAlive: true,
    connectionTimeoutMillis: BEAT_MS,
    query_timeout: BEAT_MS,
    // A statement that has timed out here must not keep running in the server, with its row locks.
    statement_timeout: BEAT_MS,
    ...SESSION,
  });
  next.on('error', () => (client = undefined));
  await next.connect();
  return (client = next);
}

/** Leases first: they matter, the row of the worker is only for display. */
async function beat(): Promise<void> {
  silentBeats = performance.now() - lastMessageAt > SILENCE_MS ? silentBeats + 1 : 0;
  if (silentBeats >= SILENT_BEATS) process.kill(process.pid, 'SIGKILL');
  // Leases are renewed until the process ends: if one expired earlier, its page would not be found.
  if (beating || ending) return;
  if (tokens.size === 0 && (self === null || statistics === null)) return;
  beating = sendHeartbeat();
  await beating;
  beating = undefined;
}

async function sendHeartbeat(): Promise<void> {
  try {
    const db = await connection();
    if (tokens.size > 0) await renewAll(db);
    if (self !== null && statistics !== null) await updateRow(db, self);
  } catch {
    // Not awaited: a connection that does not respond does not close either.
    void client?.end().catch(() => undefined);
    client = undefined;
  }
}

/** The row is inserted again if it was deleted, as after an hour without the database; but not by a process that is leaving. */
async function updateRow(db: Client, who: WorkerSelf): Promise<void> {
  const sent = statistics!;
  if ((await recordHeartbeat(db, who, sent)) || ending || statistics!.leaving) return;
  await registerWorker(db, who, sent);
}

/** After the running heartbeat. */
async function end(): Promise<void> {
  ending = true;
  await beating;
  process.exit();
}

/** Renews the leases of all tasks, and reports those that are lost. */
async function renewAll(db: Client): Promise<void> {
  const leases = new Map(tokens);
  const still = await renewLeases(db, leases, TASK_LEASE_S);
  for (const [task, token] of leases) {
    if (still.has(task) || tokens.get(task) !== token) continue;
    tokens.delete(task);
    parentPort!.postMessage({ lost: { task, token } });
  }
}

setInterval(() => void beat(), BEAT_MS);
