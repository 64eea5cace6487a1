import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { inherited } from '../support/environment.js';
import { type Server, startServer } from '../support/server.js';
import { WorkerFleet } from './fleet.js';

/** A worker stopped by SIGTERM leaves no row in `worker`, whatever it was doing. */

const WORKER = fileURLToPath(new URL('../../dist/src/worker/worker.main.js', import.meta.url));

let db: TestDatabase;
let fleet: WorkerFleet;
const servers: Server[] = [];
beforeEach(async () => {
  db = await testDatabase();
  fleet = new WorkerFleet();
});
afterEach(async () => {
  await fleet.close();
  for (const server of servers.splice(0)) await server.stop();
  await db.drop();
});

const workers = () => db.query<{ pid: number }>('select pid from worker');
const count = async (from: string): Promise<number> =>
  Number((await db.query<{ n: string }>(`select count(*) as n from ${from}`))[0]!.n);
const OTHERS = `pg_stat_activity where datname = current_database() and application_name like 'orbweaver%'`;
const AT_GATE = `pg_stat_activity where datname = current_database() and wait_event = 'advisory'`;

/** Blocks statements on `worker` from connections with this name, as on a busy database, until it is opened. */
async function gate(of: 'orbweaver heartbeat' | 'orbweaver worker'): Promise<{ open(): Promise<void> }> {
  const holder: pg.PoolClient = await db.pool.connect();
  await holder.query('select pg_advisory_lock(18)');
  await db.query(`create function wait_at_gate() returns trigger language plpgsql as $$
    begin
      if current_setting('application_name') = '${of}' then perform pg_advisory_xact_lock_shared(18); end if;
      return null;
    end $$`);
  await db.query(
    `create trigger gate before insert or update on worker for each statement execute function wait_at_gate()`,
  );
  return {
    async open() {
      await holder.query('select pg_advisory_unlock(18)');
      holder.release();
    },
  };
}

/** Waits until PostgreSQL has ended all statements of processes that have exited. */
const allIsOver = () => expect.poll(() => count(OTHERS)).toBe(0);

describe('SIGTERM leaves no row of a worker', () => {
  it('during a heartbeat that PostgreSQL completes after the row was deleted', async () => {
    const worker = await fleet.start(db.url);
    const slow = await gate('orbweaver heartbeat');
    await expect.poll(() => count(AT_GATE)).toBe(1);
    worker.signal('SIGTERM');
    await worker.ended;
    await slow.open();
    await allIsOver();
    expect(await workers()).toEqual([]);
  });

  it('during the insert of the row', async () => {
    const slow = await gate('orbweaver worker');
    const worker = fork(WORKER, {
      env: { ...inherited(), DATABASE_URL: db.url, LOG_LEVEL: 'silent' },
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const ended = once(worker, 'exit');
    await expect.poll(() => count(AT_GATE)).toBe(1);
    worker.kill('SIGTERM');
    await slow.open();
    expect(await ended).toEqual([0, null]);
    await allIsOver();
    expect(await workers()).toEqual([]);
  });

  it('when the database rejects the deletion three times', async () => {
    await db.query('create sequence refused');
    await db.query(`create function refuse() returns trigger language plpgsql as $$
      begin
        if nextval('refused') <= 3 then raise 'busy' using errcode = '40001'; end if;
        return null;
      end $$`);
    await db.query('create trigger refuse before delete on worker for each statement execute function refuse()');
    const worker = await fleet.start(db.url);
    worker.signal('SIGTERM');
    await worker.ended;
    expect(await workers()).toEqual([]);
  });

  it('of a server with a worker that does not respond and is killed', async () => {
    const server = await startServer({ databaseUrl: db.url, env: { WORKERS: '2' } });
    servers.push(server);
    await expect.poll(workers).toHaveLength(2);
    const [unresponsive] = await workers();
    process.kill(unresponsive!.pid, 'SIGSTOP');
    expect(await server.stop()).toMatchObject({ code: 0 });
    expect(await workers()).toEqual([]);
  });
});
