/**
 * The thread that beats for a worker. It has an event loop and a connection of its own, so that a page which keeps the main
 * thread busy for a minute costs no lease; it renews the leases of all tasks in one statement, and the worker's row. It also
 * watches the main thread, by the messages that come from there: one that has been silent for two minutes will not come
 * back, and the thread ends the process.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { Client } from 'pg';
import { rows } from '../db/sql.js';
import { LEASE_SECONDS } from '../job/task.store.js';
import { type WorkerFigures, type WorkerSelf, signOfLife, signOn } from '../job/worker.store.js';
import type { Lease } from './heartbeat-client.js';

/** Milliseconds between two beats: a lease survives two that are lost. */
const BEAT_MS = (LEASE_SECONDS * 1000) / 4;
/** A main thread that was silent for this long (two minutes) is not coming back. */
const SILENCE_MS = LEASE_SECONDS * 6_000;
/** Beats in a row that have found it silent end the process: a single one may be the first after a SIGSTOP of all of it. */
const SILENT_BEATS = 3;

type Message = { keep: Lease } | { forget: Lease } | { alive: WorkerFigures | null; now?: boolean } | { end: true };

const { databaseUrl, self } = workerData as { databaseUrl: string; self: WorkerSelf | null };
const tokens = new Map<string, number>();
let figures: WorkerFigures | null = null;
let client: Client | undefined;
let lastMessageAt = performance.now();
let beating: Promise<void> | undefined;
let ending = false;
let silentBeats = 0;

parentPort!.on('message', (message: Message) => {
  lastMessageAt = performance.now();
  if ('keep' in message) tokens.set(message.keep.task, message.keep.token);
  else if ('forget' in message) {
    const { task, token } = message.forget;
    if (tokens.get(task) === token) tokens.delete(task);
  } else if ('end' in message) void end();
  else {
    figures = message.alive;
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
    // What nobody waits for any more must not stay behind in the server, holding rows.
    statement_timeout: BEAT_MS,
  });
  next.on('error', () => (client = undefined));
  await next.connect();
  return (client = next);
}

/** Leases first: they decide, the sign of life is only looked at. */
async function beat(): Promise<void> {
  silentBeats = performance.now() - lastMessageAt > SILENCE_MS ? silentBeats + 1 : 0;
  if (silentBeats >= SILENT_BEATS) process.kill(process.pid, 'SIGKILL');
  // Leases are kept until then: where one lapsed before, nobody would know which page it was.
  if (beating || ending) return;
  if (tokens.size === 0 && (self === null || figures === null)) return;
  beating = signs();
  await beating;
  beating = undefined;
}

async function signs(): Promise<void> {
  try {
    const db = await connection();
    if (tokens.size > 0) await keepLeases(db);
    if (self !== null && figures !== null) await reportLife(db, self);
  } catch {
    // Not waited for: a connection that answers nothing does not close either.
    void client?.end().catch(() => undefined);
    client = undefined;
  }
}

/** The row is made again when it was forgotten, as after an hour without the database; not by one that is about to sign off. */
async function reportLife(db: Client, who: WorkerSelf): Promise<void> {
  const sent = figures!;
  if ((await signOfLife(db, who, sent)) || ending || figures!.leaving) return;
  await signOn(db, who, sent);
}

/** After the beat that is under way. */
async function end(): Promise<void> {
  ending = true;
  await beating;
  process.exit();
}

/**
 * A beat waits for no row: it holds the rows of all tasks at once, so one that is just being ended, and waits for its job,
 * would let the other leases lapse, and be waited for in a circle. What is locked is skipped until the next beat; rescuers
 * skip it too.
 */
async function keepLeases(db: Client): Promise<void> {
  const asked = new Map(tokens);
  const kept = await rows<{ task: string }>(db)`
    with held as materialized (
      select t.id, t.token from job_task t
        join unnest(${[...asked.keys()]}::bigint[], ${[...asked.values()]}::int[]) as held (id, token) on t.id = held.id and t.token = held.token
       where t.state = 'RUNNING'
    ), free as materialized (
      select t.id from job_task t join held on t.id = held.id and t.token = held.token
       where t.state = 'RUNNING' order by t.id for no key update of t skip locked
    ), beaten as (
      update job_task t set lease_until = now() + make_interval(secs => ${LEASE_SECONDS})
        from free where t.id = free.id
    )
    select id as task from held`;
  const still = new Set(kept.map(({ task }) => task));
  for (const [task, token] of asked) {
    if (still.has(task) || tokens.get(task) !== token) continue;
    tokens.delete(task);
    parentPort!.postMessage({ lost: { task, token } });
  }
}

setInterval(() => void beat(), BEAT_MS);
