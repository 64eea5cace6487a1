// Owns tasks like a worker process, with the heartbeat of the built program, and executes commands of its parent.
import { existsSync } from 'node:fs';
import pg from 'pg';
import { transaction } from '../../dist/src/db/sql.js';
import { TaskStore } from '../../dist/src/job/task.store.js';
import { Heartbeat } from '../../dist/src/worker/heartbeat-client.js';

const databaseUrl = process.argv[2];
const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
pool.on('error', () => undefined);
const tasks = new TaskStore(pool, undefined, undefined);
const heartbeat = new Heartbeat(
  databaseUrl,
  ({ task }) => process.send({ lost: task }),
  (error) => process.send({ error: error.message }),
);

async function write(claim) {
  try {
    await transaction(pool, async (tx) => {
      await tasks.lock(tx, claim);
      await tasks.wrote(tx, claim, { Late: { writes: 1 } }, null);
    });
    return 'written';
  } catch (error) {
    return error.constructor.name;
  }
}

/** Blocks this thread until the file exists. */
function block(until) {
  while (!existsSync(until)) for (let n = 0; n < 1_000; n++) JSON.parse('[1, 2, 3]');
}

process.on('message', async ({ keep, forget, blockUntil, writeAs }) => {
  if (keep) heartbeat.add(keep);
  if (forget) heartbeat.remove(forget);
  if (blockUntil) {
    block(blockUntil);
    process.send({ unblocked: true });
  }
  if (writeAs) process.send({ wrote: await write(writeAs) });
});
process.on('disconnect', () => process.exit(0));
process.send({ ready: true });
