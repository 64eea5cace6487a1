import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Claim } from '../../src/job/claim.js';
import { type JobsUnderTest, openJobs } from '../job/jobs-under-test.js';
import { temporaryFolder } from '../support/folders.js';
import { PATIENCE_MS } from '../support/patience.js';

/** Leases renewed by a process of the built program (`npm run build`): heartbeats are sent every 5 s from a separate thread. */

type Said = { ready?: true; unblocked?: true; lost?: string; wrote?: string; error?: string };

/** A process that owns tasks, and its messages so far. */
class Holder {
  readonly said: Said[] = [];
  private constructor(readonly child: ChildProcess) {
    child.on('message', (message) => this.said.push(message as Said));
  }

  static async start(url: string): Promise<Holder> {
    const holder = new Holder(fork(join(import.meta.dirname, 'holder.mjs'), [url], { execArgv: [] }));
    holders.push(holder);
    await holder.says({ ready: true });
    return holder;
  }

  send(message: object): void {
    this.child.send(message);
  }

  async says(what: Said): Promise<void> {
    await vi.waitFor(() => expect(this.said).toContainEqual(what), { timeout: PATIENCE_MS, interval: 20 });
  }

  /** Pauses the process; resolves when none of its statements is running. */
  async pause(): Promise<void> {
    this.child.kill('SIGSTOP');
    const state = () => readFileSync(`/proc/${this.child.pid}/stat`, 'utf8').split(') ')[1]!.charAt(0);
    await vi.waitFor(() => expect(state()).toBe('T'), { timeout: PATIENCE_MS });
    const busy = `select from pg_stat_activity where datname = current_database() and application_name = 'orbweaver heartbeat'
                     and state <> 'idle'`;
    await vi.waitFor(async () => expect(await under.db.query(busy)).toEqual([]), { timeout: PATIENCE_MS });
  }
}

const holders: Holder[] = [];
let under: JobsUnderTest;
beforeAll(async () => (under = await openJobs()));
afterAll(async () => {
  for (const { child } of holders) child.kill('SIGKILL');
  await under.close();
});

/** Tasks claimed now: a lease lasts 20 s, and another may rescue a task claimed too early. */
async function claimed(count: number): Promise<Claim[]> {
  const claims: Claim[] = [];
  for (let n = 0; n < count; n++) claims.push(await queued(async () => (await under.running(1)).claims[0]!));
  return claims;
}

/** One after another: `running` claims any queued task, whoever has queued it. */
let inLine: Promise<unknown> = Promise.resolve();
function queued<T>(work: () => Promise<T>): Promise<T> {
  const next = inLine.then(work, work);
  inLine = next;
  return next;
}

/** End of the lease of a task, in ms since the epoch; null without one. */
async function leaseOf({ task }: Claim): Promise<number | null> {
  const [found] = await under.db.query<{ at: string | null }>(
    'select extract(epoch from lease_until) * 1000 as at from job_task where id = $1',
    [task],
  );
  return found!.at === null ? null : Number(found!.at);
}

/** Waits for a heartbeat, which must arrive before the lease expires. */
const beatAfter = (claim: Claim, lease: number) =>
  vi.waitFor(async () => expect(await leaseOf(claim)).toBeGreaterThan(lease), { timeout: PATIENCE_MS, interval: 50 });

/** Makes the lease of a task expire now, and another worker claim it. */
async function takeOver(claim: Claim): Promise<Claim> {
  return queued(async () => {
    await under.expire(claim.task);
    await under.tasks.rescue();
    return (await under.tasks.claim({ job: claim.job, task: claim.task }, 'another'))!;
  });
}

describe.concurrent('the heartbeat of a worker', () => {
  it('renews the lease while the main thread is blocked (fault F23)', async () => {
    const holder = await Holder.start(under.db.url);
    const [claim] = (await claimed(1)) as [Claim];
    holder.send({ keep: claim });
    const first = (await leaseOf(claim))!;
    const folder = await temporaryFolder();
    const unblock = join(folder.path, 'unblock');
    holder.send({ blockUntil: unblock });
    await beatAfter(claim, first);
    await beatAfter(claim, (await leaseOf(claim))!);
    expect(holder.said).not.toContainEqual({ unblocked: true });
    await under.tasks.rescue();
    expect((await under.tasksOf(claim.job))[0]).toMatchObject({ state: 'RUNNING', token: claim.token });
    await writeFile(unblock, '');
    await holder.says({ unblocked: true });
    await folder.remove();
  });

  it('stops in a paused process, whose writes are rejected after it continues (fault F5)', async () => {
    const holder = await Holder.start(under.db.url);
    const [claim] = (await claimed(1)) as [Claim];
    holder.send({ keep: claim });
    await beatAfter(claim, (await leaseOf(claim))!);
    await holder.pause();
    const lease = await leaseOf(claim);
    await new Promise((wake) => setTimeout(wake, 7_000));
    expect(await leaseOf(claim)).toBe(lease);
    const next = await takeOver(claim);
    const before = await under.tasksOf(claim.job);
    holder.send({ writeAs: claim });
    holder.child.kill('SIGCONT');
    await holder.says({ wrote: 'LeaseLost' });
    await holder.says({ lost: claim.task });
    expect((await under.tasksOf(claim.job))[0]).toMatchObject({ ...before[0], counters: {}, writes: 0 });
    await under.tasks.finish(next, { reason: 'done' });
  });

  it('reports a task that another worker has claimed, and renews the leases of the others', async () => {
    const holder = await Holder.start(under.db.url);
    const [lost, kept] = (await claimed(2)) as [Claim, Claim];
    holder.send({ keep: lost });
    holder.send({ keep: kept });
    const next = await takeOver(lost);
    const theirs = await leaseOf(next);
    await beatAfter(kept, (await leaseOf(kept))!);
    await holder.says({ lost: lost.task });
    expect(holder.said).not.toContainEqual({ lost: kept.task });
    expect(await leaseOf(next)).toBe(theirs);
    holder.send({ writeAs: kept });
    await holder.says({ wrote: 'written' });
  });

  it('does not wait for a locked row: other leases are renewed, and the locked task is not lost', async () => {
    const holder = await Holder.start(under.db.url);
    const [locked, kept] = (await claimed(2)) as [Claim, Claim];
    const other = await under.db.pool.connect();
    await other.query('begin');
    await other.query('select from job_task where id = $1 for update', [locked.task]);
    holder.send({ keep: locked });
    holder.send({ keep: kept });
    await beatAfter(kept, (await leaseOf(kept))!);
    await beatAfter(kept, (await leaseOf(kept))!);
    await other.query('rollback');
    other.release();
    await beatAfter(locked, (await leaseOf(locked))!);
    expect(holder.said.filter(({ lost }) => lost !== undefined)).toEqual([]);
  });

  it('continues after its connection was cut, and not for a task that was forgotten', async () => {
    const holder = await Holder.start(under.db.url);
    const [kept, forgotten] = (await claimed(2)) as [Claim, Claim];
    holder.send({ keep: kept });
    holder.send({ keep: forgotten });
    await beatAfter(kept, (await leaseOf(kept))!);
    holder.send({ forget: forgotten });
    const last = await leaseOf(forgotten);
    await under.db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and application_name = 'orbweaver heartbeat'`,
    );
    await beatAfter(kept, (await leaseOf(kept))!);
    expect(await leaseOf(forgotten)).toBe(last);
    expect(holder.said.filter(({ error }) => error)).toEqual([]);
  });
});
