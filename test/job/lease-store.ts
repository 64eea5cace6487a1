/**
 * The commands of lease-model.ts, executed by the product's own stores on PostgreSQL with a virtual clock. Writes are
 * `TaskRun.write`, suspended at its fault points, so that commands can interleave with its statements, commit and response.
 */
import { type FaultPoint, armFaultPoints } from '../../src/db/fault-point.js';
import { transaction } from '../../src/db/sql.js';
import type { Conf } from '../../src/core/conf/properties.js';
import { type Claim, LeaseLost } from '../../src/job/claim.js';
import { TaskRun } from '../../src/worker/task-run.js';
import { type JobsUnderTest, openJobs } from './jobs-under-test.js';
import { type Command, LEASE, type LeaseModel } from './lease-model.js';

type Answer = 'ok' | 'lost' | 'refused';

/** An open write, and where it waits. */
class Write {
  /** The result that the worker gets. */
  readonly result: Promise<Answer>;
  unacknowledged = false;
  private reached: () => void = () => undefined;
  private go: (fault?: Error) => void = () => undefined;

  constructor(begin: () => Promise<unknown>) {
    this.result = begin().then(
      () => 'ok' as const,
      (error: unknown) => {
        if (error instanceof LeaseLost) return 'lost' as const;
        if (error instanceof Death) return 'refused' as const;
        throw error;
      },
    );
  }

  /** Waits here until `next` continues it or makes it fail. */
  stay(): Promise<void> {
    this.reached();
    return new Promise((resolve, reject) => {
      this.go = (fault) => (fault ? reject(fault) : resolve());
    });
  }

  /** Continues to the next stop: 'ok' when it waits there. */
  next(fault?: Error): Promise<Answer> {
    const stays = new Promise<Answer>((resolve) => (this.reached = () => resolve('ok')));
    this.go(fault);
    return Promise.race([stays, this.result]);
  }
}

class Death extends Error {}

interface Attempt {
  claim: Claim;
  run: TaskRun<object>;
  write: Write | null;
}

/** Row key of the page of each task that ends workers. */
const PAGE = 'test.site:http/bad';

export class LeaseStore {
  private readonly attempts = new Map<string, Attempt>();
  private current: Write | null = null;
  private job = '';
  private tasks: string[] = [];
  private schedules = 0;

  private constructor(private readonly all: JobsUnderTest) {
    armFaultPoints((point) => this.pass(point));
  }

  /** A database whose `now()` is a table's row. */
  static async open(): Promise<LeaseStore> {
    const all = await openJobs();
    const { db } = all;
    await db.query('create schema clock');
    await db.query(`create table clock.time as select now() + interval '1 hour' as at, now() as begun`);
    await db.query(
      `create function clock.now() returns timestamptz language sql stable as 'select at from clock.time'`,
    );
    await db.query(
      `create table effect (id bigint generated always as identity, job text, task int, token int, owner text, unit int)`,
    );
    await db.query(`alter database ${db.name} set search_path = clock, public, pg_catalog`);
    // The path applies to new connections: ours are terminated, but not those of other users (autovacuum).
    await db.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
    );
    await until(async () => (await all.pool.query('select now() = clock.now() as moved')).rows[0].moved);
    return new LeaseStore(all);
  }

  async close(): Promise<void> {
    armFaultPoints(undefined);
    await this.all.close();
  }

  /** A job with that many tasks; restarts the clock. */
  async begin(tasks: number): Promise<void> {
    const { all } = this;
    this.schedules++;
    this.attempts.clear();
    await all.announced();
    await all.db.query('update clock.time set begun = at');
    this.job = (await all.create()).id;
    await transaction(all.pool, (tx) => all.tasks.split(tx, this.job, tasks));
    await all.db.query('update job_task set queued_at = at from clock.time where job = $1', [this.job]);
    this.tasks = (await all.tasksOf(this.job)).map(({ id }) => id);
  }

  /** @param model its state before the command: dead workers and the names of processes */
  async apply(command: Command, model: LeaseModel): Promise<Answer> {
    switch (command.kind) {
      case 'tick':
        await this.all.db.query(`update clock.time set at = at + make_interval(secs => $1)`, [command.seconds]);
        return 'ok';
      case 'lose messages':
        await this.announced();
        return 'ok';
      case 'rescue':
        await this.all.tasks.rescue({
          owners: this.owners(model.dead),
          withServer: this.owners(model.deadWithServer),
          pages: [...model.crashMarkers].map(([name, { t, token }]) => ({
            owner: this.owners([name])[0]!,
            task: this.tasks[t]!,
            token,
            key: PAGE,
          })),
        });
        return 'ok';
      case 'stop':
        return (await this.all.jobs.requestStop(this.job)) ? 'ok' : 'refused';
      case 'abort':
        return (await this.all.jobs.requestAbort(this.job)) ? 'ok' : 'refused';
      case 'die':
        return this.die(model.workers[command.w]!.owner);
      case 'beat':
        return this.beat(model.workers[command.w]!.owner);
      case 'claim':
        return this.claim(model.workers[command.w]!.owner, command.t);
      default:
        return this.work(model.workers[command.w]!.owner, command);
    }
  }

  /** The rows in the form of the model. */
  async state(): Promise<{ job: string; tasks: Record<string, unknown>[] }> {
    const { all, schedules } = this;
    const tasks = await all.db.query<{ job: string }>(
      `select j.state as job, t.state, token, replace(owner, $2, '') as owner, lost, killed, writes,
              coalesce((deaths ->> $3)::int, 0) as deaths, outcome ->> 'reason' as outcome,
              extract(epoch from lease_until - (select begun from clock.time))::int as "leaseUntil"
         from job_task t join job j on j.id = t.job where t.job = $1 order by part`,
      [this.job, `${schedules}/`, PAGE],
    );
    const { job } = tasks[0]!;
    return { job, tasks: tasks.map(withoutJob) };
  }

  /** The writes, in order. */
  writes(): Promise<Record<string, unknown>[]> {
    return this.all.db.query(
      `select 'write' as what, task, token, replace(owner, $2, '') as owner, unit from effect where job = $1 order by id`,
      [this.job, `${this.schedules}/`],
    );
  }

  /** Empties the queue and returns the tasks of its messages. */
  async announced(): Promise<number[]> {
    await this.all.db.query(`update clock.time set at = at + interval '1 second'`);
    const messages = await this.all.announced();
    return messages
      .filter(({ job }) => job === this.job)
      .map(({ task }) => this.tasks.indexOf(task))
      .sort();
  }

  private owners(names: Iterable<string>): string[] {
    return [...names].map((name) => `${this.schedules}/${name}`);
  }

  private async claim(owner: string, t: number): Promise<Answer> {
    const { all } = this;
    const claim = await all.tasks.claim({ job: this.job, task: this.tasks[t]! }, `${this.schedules}/${owner}`);
    if (!claim) return 'refused';
    const parts = {
      ...all,
      job: await all.job(this.job),
      claim,
      conf: {} as Conf,
      workers: 1,
      ownPorts: [],
      onWaiting: () => undefined,
    };
    this.attempts.set(`${owner} ${t}`, { claim, run: new TaskRun(parts, {}), write: null });
    return 'ok';
  }

  private async beat(owner: string): Promise<Answer> {
    const claims = [...this.attempts].filter(([name]) => name.startsWith(`${owner} `)).map(([, { claim }]) => claim);
    const kept = await this.all.pool.query(
      `update job_task t set lease_until = now() + make_interval(secs => $1)
         from unnest($2::bigint[], $3::int[]) as claim (id, token)
        where t.id = claim.id and t.token = claim.token and t.state = 'RUNNING' returning t.id`,
      [LEASE, claims.map(({ task }) => task), claims.map(({ token }) => token)],
    );
    return kept.rowCount === claims.length ? 'ok' : 'lost';
  }

  private async work(owner: string, { kind, t }: Extract<Command, { t: number }>): Promise<Answer> {
    const name = `${owner} ${t}`;
    const attempt = this.attempts.get(name)!;
    const answer = await this.workOn(attempt, kind, t);
    if (answer === 'lost' || ['finish', 'fail', 'release'].includes(kind)) this.attempts.delete(name);
    else if (kind === 'commit' || kind === 'retry') attempt.write = null;
    return answer;
  }

  private workOn(attempt: Attempt, kind: Command['kind'], t: number): Promise<Answer> {
    const { tasks } = this.all;
    if (kind === 'begin') {
      const write = new Write(() => this.write(attempt, t));
      attempt.write = this.current = write;
      return write.next();
    }
    if (kind === 'finish') return answerOf(tasks.finish(attempt.claim, { reason: 'done' }));
    if (kind === 'fail') return answerOf(tasks.fail(attempt.claim, 'failed'));
    if (kind === 'release') return answerOf(tasks.release(attempt.claim));
    const write = (this.current = attempt.write!);
    write.unacknowledged = kind === 'commit unacknowledged';
    return write.next(kind === 'cut' || kind === 'retry' ? new Error('Connection terminated unexpectedly') : undefined);
  }

  private write({ run, claim }: Attempt, t: number): Promise<unknown> {
    return run.write((tx) =>
      (tx as typeof this.all.pool).query(
        `insert into effect (job, task, token, owner, unit) select $1, $2, $3, owner, writes from job_task where id = $4`,
        [this.job, t, claim.token, claim.task],
      ),
    );
  }

  /** The crash of a process ends its open transactions. */
  private async die(owner: string): Promise<Answer> {
    for (const [name, { write }] of this.attempts) {
      if (!name.startsWith(`${owner} `)) continue;
      this.attempts.delete(name);
      await write?.next(new Death());
    }
    return 'ok';
  }

  private pass(point: FaultPoint): void | Promise<void> {
    const write = this.current;
    if (point === 'fetch.locked') return write?.stay();
    if (point === 'fetch.afterCommit' && write?.unacknowledged) {
      write.unacknowledged = false;
      return write.stay();
    }
  }
}

function withoutJob(row: Record<string, unknown>): Record<string, unknown> {
  const { job: _, ...task } = row;
  return task;
}

async function until(done: () => Promise<boolean>): Promise<void> {
  while (!(await done().catch(() => false))) await new Promise((wake) => setTimeout(wake, 20));
}

const answerOf = (last: Promise<void>): Promise<Answer> =>
  last.then(
    () => 'ok',
    (error: unknown) => {
      if (error instanceof LeaseLost) return 'lost';
      throw error;
    },
  );
