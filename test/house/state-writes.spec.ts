import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complaintsOf } from './planted.js';

const root = join(import.meta.dirname, '..', '..');
const JOBS = 'src/job/job.store.ts';
const TASKS = 'src/job/task-moves.sql.ts';
const own = (path: string): string => readFileSync(join(root, path), 'utf8');
/** A file with one statement. */
const code = (statement: string): string => `export const q = sql\`${statement}\`;`;
/** A file of this repository with one statement more. */
const andAlso = (path: string, statement: string): string =>
  `${own(path)}\nexport const planted = sql\`${statement}\`;\n`;

describe('the one layer that writes the tables of jobs', () => {
  it.each([
    'insert into job (id) values ($1)',
    'INSERT INTO\n  job select 1',
    'insert into public.job (id) values ($1)',
    'update job set msg = $1',
    'update only job as j set msg = $1',
    'update "job" as j set state = $1',
    'update "job" "j" set msg = $1',
    'update public.job set state = $1',
    'update "public"."job" j set msg = $1',
    'update public . job set msg = $1',
    'update only (job) set msg = $1',
    'update job * set msg = $1',
    'update /* all of them */ job set msg = $1',
    'update job -- all of them\n set msg = $1',
    `select '--'; update job set msg = 'a'`,
    'with x as (select 1) update JOB set msg = $1',
    'delete from job where id = $1',
    'delete from only "job"',
    'merge into job using x on true when matched then delete',
    'truncate job',
    'truncate table crawl, job cascade',
    'copy job (id) from stdin',
    'update job_task set lease_until = now()',
    'update "job_task" t set lost = 0',
    'update public.job_task set state = $1',
    'insert into job_task (job, part) values ($1, 0)',
    'delete from job_task where job = $1',
    'update ${table} set msg = $1',
    'update ${schema}.job set msg = $1',
    'delete from ${table} where id = $1',
    'insert into ${table} (id) values ($1)',
  ])('refuses "%s" outside src/job', (statement) => {
    for (const path of ['src/cycle/a.ts', 'src/worker/a.ts', 'src/api/a.ts'])
      expect(complaintsOf({ [path]: code(statement) })).toEqual([
        expect.stringMatching(
          /^src\/\w+\/a\.ts:1: only src\/job writes (the table job|the table job_task|a table that may be job) /,
        ),
      ]);
  });

  it.each([
    'insert into job_event (job) values ($1)',
    'update webhook_delivery set state = $1',
    'delete from pgboss.job where id = $1',
    'insert into crawl (name) values ($1) on conflict do update set job = 1',
    'select * from job for update of job',
    'select * from job_task t for no key update of t skip locked',
    'copy job to stdout',
    'cannot update job 7',
    '/* update job set state */ select 1',
    `select 'update job set state = 1'`,
  ])('allows "%s"', (statement) => {
    expect(complaintsOf({ 'src/cycle/a.ts': code(statement) })).toEqual([]);
  });

  it.each([
    'insert into job (id) values ($1)',
    'update job set msg = $1, started_at = case when state = $2 then now() end where state = $3',
    'update job_task t set lost = 0 from job where job.id = t.job and job.state = $1',
    'update ${table} set idempotency_key = null',
  ])('allows "%s" in src/job', (statement) => {
    expect(complaintsOf({ 'src/job/a.ts': code(statement) })).toEqual([]);
  });

  it('sees a statement with interpolated values', () => {
    expect(
      complaintsOf({ 'src/api/a.ts': 'export const q = (id: string) => sql`delete from job where id = ${id}`;' }),
    ).toHaveLength(1);
  });
});

describe('the one place where a state changes', () => {
  const planted = (files: Record<string, string>) => complaintsOf({ [JOBS]: own(JOBS), [TASKS]: own(TASKS), ...files });

  it('is as it is in this repository', () => expect(planted({})).toEqual([]));

  it.each([
    'update job set state = $1',
    `update only public."job" as j set msg = 'x', "state" = $1 where id = $2`,
    'update job set (msg, state) = ($1, $2)',
    'update job set msg = coalesce($1, msg), STATE = $2',
    'update job set ${what} where id = $1',
    'insert into job (id, state) values ($1, $2)',
    'insert into job values ($1)',
    'insert into job (id) values ($1) on conflict (id) do update set state = $2',
    'insert into job (id) values ($1) on conflict (id) do update ${what}',
  ])('a second statement is seen: %s', (statement) => {
    expect(planted({ 'src/job/a.ts': code(statement) })).toEqual([
      `src/job/a.ts:1: the state of the table job changes in ${JOBS} only`,
    ]);
    expect(planted({ [JOBS]: andAlso(JOBS, statement) })).toEqual([`${JOBS}: 2 statements change job.state, not one`]);
  });

  it.each([
    `update job_task set state = 'DONE'`,
    'update "job_task" t set idle = false, state = $1',
    'update job_task set ${move.to}, lost = 0',
    'insert into job_task (job, part, state) values ($1, 0, $2)',
  ])('that of a task, too: %s', (statement) => {
    for (const path of ['src/job/task.store.ts', 'src/job/lost-tasks.ts'])
      expect(planted({ [path]: code(statement) })).toEqual([
        `${path}:1: the state of the table job_task changes in ${TASKS} only`,
      ]);
    expect(planted({ [TASKS]: andAlso(TASKS, statement) })).toEqual([]);
  });

  it('a table that is put in by value may be one of them', () => {
    expect(planted({ 'src/job/a.ts': code('update ${table} set state = $1') })).toEqual([
      'src/job/a.ts:1: the state of a table that may be job changes elsewhere',
    ]);
  });

  it('a store without such a statement is seen', () => {
    expect(planted({ [JOBS]: code('select 1'), [TASKS]: 'export {};' })).toEqual([
      `${JOBS}: 0 statements change job.state, not one`,
      `${TASKS}: 0 statements change job_task.state, not some`,
    ]);
  });
});

describe('lists of states', () => {
  it.each([
    `export const q = "select from job where state in ('IDLE', 'RUNNING')";`,
    `export const q = sql\`select from job where state not in ('FINISHED','FAILED', 'KILLED') and id = \${1}\`;`,
    `export const q = "select from job_task where state = any ('{}') or state in ('WAITING',\\n 'RUNNING')";`,
    `export const ends = ['FINISHED', 'FAILED', 'KILLED'];`,
  ])('are refused outside of their tables: %s', (text) => {
    expect(complaintsOf({ 'src/api/a.ts': text })).toEqual([
      'src/api/a.ts:1: lists of states stand in src/core/job/job-states.ts and src/core/job/task-states.ts',
    ]);
    expect(complaintsOf({ 'src/core/job/job-states.ts': text })).toEqual([]);
  });

  it.each([
    `export const q = "select from job where state = 'IDLE'";`,
    `export const m = ['STOPPING', 'stopping: what is in hand is written'];`,
    `export type End = 'FINISHED' | 'FAILED';`,
    `export const q = "select case when a then 'IDLE' end, 'x'";`,
  ])('one state is none: %s', (text) => {
    expect(complaintsOf({ 'src/api/a.ts': text })).toEqual([]);
  });
});
