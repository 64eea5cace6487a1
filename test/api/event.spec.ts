import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { transaction } from '../../src/db/sql.js';
import { logEvent } from '../../src/job/job-event.store.js';
import type { JobState } from '../../src/core/job/job-states.js';
import { type ApiUnderTest, rawRequest } from './api-under-test.js';
import { type EventJobs, apiWithJobs, createFetch, moveJob } from './event-jobs.js';
import { openStream, states } from './event-reader.js';

let under: EventJobs;
let api: ApiUnderTest;
let pool: Pool;
beforeAll(async () => {
  under = await apiWithJobs();
  ({ api, pool } = under);
});
afterAll(() => api?.close());

const newJob = (crawlId?: string) => createFetch(under, crawlId);
const move = (id: string, to: JobState, result?: Parameters<typeof moveJob>[3]) => moveJob(under, id, to, result);
const open = (path: string, headers: Record<string, string> = {}, base = api.url) => openStream(base, path, headers);

describe('GET /v1/jobs/{id}/events as a stream', () => {
  it('sends stored events, then new ones, and ends with the final state of the job', async () => {
    const { id } = await newJob();
    const stream = await open(`/v1/jobs/${id}/events`);
    expect(stream.answer.statusCode).toBe(200);
    expect(stream.answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    await stream.until(1);
    await move(id, 'RUNNING');
    await logEvent(pool, id, 'progress', { part: 0, counters: { a: { b: 1 } } });
    await stream.until(3);
    await move(id, 'FINISHED');
    await stream.ended;
    expect(states(stream.frames)).toEqual([
      ['state', 'IDLE'],
      ['state', 'RUNNING'],
      ['progress', undefined],
      ['state', 'FINISHED'],
      ['end', 'FINISHED'],
    ]);
    const ids = stream.frames.map((frame) => Number(frame.id)).slice(0, 4);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(JSON.parse(stream.frames[1]?.data ?? '')).toEqual({
      id: stream.frames[1]?.id,
      jobId: id,
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      kind: 'state',
      data: { state: 'RUNNING', msg: 'OK' },
    });
    expect(JSON.parse(stream.frames[4]?.data ?? '')).toMatchObject({ jobId: id, result: { reason: 'done' } });
  });

  it.each([
    ['Last-Event-ID', (id: string) => ({ path: '', headers: { 'Last-Event-ID': id } })],
    ['after', (id: string) => ({ path: `?after=${id}`, headers: {} })],
    ['Last-Event-ID before after', (id: string) => ({ path: '?after=999999', headers: { 'Last-Event-ID': id } })],
  ])('resumes by %s without repeating an event', async (_, place) => {
    const { id } = await newJob();
    const first = await open(`/v1/jobs/${id}/events`);
    await move(id, 'RUNNING');
    const [, second] = await first.until(2);
    first.leave();
    await move(id, 'FAILED');
    const { path, headers } = place(second?.id ?? '');
    const again = await open(`/v1/jobs/${id}/events${path}`, headers);
    await again.ended;
    expect(states(again.frames)).toEqual([
      ['state', 'FAILED'],
      ['end', 'FAILED'],
    ]);
  });

  it('of an ended job sends all events, also more than one query reads, and ends', async () => {
    const { id } = await newJob();
    await transaction(pool, async (tx) => {
      for (let n = 0; n < 250; n++) await logEvent(tx, id, 'progress', { n });
    });
    await move(id, 'KILLED');
    const stream = await open(`/v1/jobs/${id}/events`);
    await stream.ended;
    expect(stream.frames).toHaveLength(253);
    expect(new Set(stream.frames.slice(0, -1).map((frame) => frame.id)).size).toBe(252);
  });

  it('sends an event at the next poll when its notification was lost', async () => {
    const { id, crawl } = await newJob('deaf');
    const stream = await open(`/v1/jobs/${id}/events`);
    await stream.until(1);
    // An insert without the lock and without NOTIFY.
    await pool.query(`insert into job_event (job, crawl, kind, data) values ($1, $2, 'warning', '{"n":1}')`, [
      id,
      crawl,
    ]);
    await stream.until(2);
    stream.leave();
  });

  it('continues after the LISTEN connection was terminated', async () => {
    const { id } = await newJob('cut');
    const stream = await open(`/v1/jobs/${id}/events`);
    await stream.until(1);
    const listener = `select pg_terminate_backend(pid) from pg_stat_activity
                   where application_name = 'orbweaver listener' and datname = current_database()`;
    expect((await pool.query(listener)).rowCount).toBe(1);
    await move(id, 'RUNNING');
    await stream.until(2);
    for (let open = 0; open === 0; await sleep(20)) open = (await pool.query(listener)).rowCount ?? 0;
    await move(id, 'FINISHED');
    await stream.ended;
    expect(states(stream.frames).at(-1)).toEqual(['end', 'FINISHED']);
  });

  it.each(['x', '-1', '1,2', '1234567890123456789', "1' or '1'='1"])(
    'returns 400 for Last-Event-ID %j',
    async (given) => {
      const { id } = await newJob();
      const answer = await request(api.url).get(`/v1/jobs/${id}/events`).set('Last-Event-ID', given);
      expect([answer.status, answer.body.code]).toEqual([400, 'LAST_EVENT_ID_INVALID']);
    },
  );

  it.each([
    ['/v1/jobs/none/events', 404, 'JOB_UNKNOWN'],
    ['/v1/jobs/%00/events', 404, 'JOB_UNKNOWN'],
    ['/v1/jobs/none/events?after=x', 404, 'JOB_UNKNOWN'],
    ['/v1/crawls/none/events', 404, 'EVENTS_UNKNOWN'],
    ['/v1/crawls/%FF/events', 400, 'REQUEST_MALFORMED'],
    ['/v1/crawls/..%2f..%2f/events', 404, 'EVENTS_UNKNOWN'],
    [`/v1/crawls/${'a'.repeat(200)}/events`, 404, 'EVENTS_UNKNOWN'],
  ])('%s returns %i', async (path, status, code) => {
    const answer = await request(api.url).get(path);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('?after=x returns 400 for each Accept', async () => {
    const { id } = await newJob();
    for (const accept of ['text/event-stream', 'application/json']) {
      const answer = await request(api.url).get(`/v1/jobs/${id}/events?after=x`).set('Accept', accept);
      expect([answer.status, answer.body.code]).toEqual([400, 'FIELDS_INVALID']);
    }
  });

  it.each(['jobs', 'crawls'])(
    '%s: kind selects the events of one kind, as a stream and as a list',
    async (resource) => {
      const { id } = await newJob();
      await logEvent(pool, id, 'progress', { n: 1 });
      await logEvent(pool, id, 'warning', { message: 'a' });
      const path = `/v1/${resource}/${id}/events?kind=warning`;
      const stream = await open(path);
      await stream.until(1);
      await move(id, 'RUNNING');
      await logEvent(pool, id, 'warning', { message: 'b' });
      await move(id, 'FINISHED');
      await stream.ended;
      expect(stream.frames.map(({ event }) => event)).toEqual(['warning', 'warning', 'end']);
      const list = await request(api.url).get(path).set('Accept', 'application/json');
      expect(list.body.map(({ data }: { data: object }) => data)).toEqual([{ message: 'a' }, { message: 'b' }]);
      const after = await request(api.url).get(`${path}&after=${list.body[0].id}`).set('Accept', 'application/json');
      expect(after.body).toEqual(list.body.slice(1));
      expect((await request(api.url).get(`/job/${id}/events?kind=progress`)).body).toMatchObject([{ data: { n: 1 } }]);
    },
  );

  it.each(['/v1/jobs/ID/events', '/v1/crawls/ID/events', '/job/ID/events'])(
    '%s?kind=error returns 400 with the allowed kinds',
    async (path) => {
      const { id } = await newJob();
      const { status, body } = await request(api.url).get(`${path.replace('ID', id)}?kind=error`);
      expect([status, body.code]).toEqual([400, 'FIELDS_INVALID']);
      expect(body.detail).toMatch(/kind.*state, task, progress, warning.*"error"/);
      expect(body.errors).toMatchObject([{ field: 'kind' }]);
    },
  );

  it('HEAD returns the headers and no body', async () => {
    const { id } = await newJob();
    const answer = await rawRequest(api.port, `HEAD /v1/jobs/${id}/events`);
    expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([200, 'text/event-stream', '']);
  });
});

describe('GET /v1/jobs/{id}/events as a list', () => {
  it.each(['application/json', 'application/json, text/plain, */*'])(
    'returns the events after ?after as JSON for Accept: %s',
    async (accept) => {
      const { id } = await newJob();
      await move(id, 'RUNNING');
      const answer = await request(api.url).get(`/v1/jobs/${id}/events`).set('Accept', accept);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.body).toMatchObject([
        { jobId: id, kind: 'state', data: { state: 'IDLE' } },
        { jobId: id, kind: 'state', data: { state: 'RUNNING' } },
      ]);
      const rest = await request(api.url)
        .get(`/v1/jobs/${id}/events?after=${answer.body[0].id}&limit=1`)
        .set('Accept', accept);
      expect(rest.body).toEqual(answer.body.slice(1));
    },
  );
});

describe('GET /v1/crawls/{id}/events', () => {
  it('of a CRAWL job sends the events of its children and ends when all have ended', async () => {
    const [parent, child, other] = [await newJob('c1'), await newJob('c1'), await newJob('c1')];
    await pool.query('update job set parent = $1, round = 1 where id = $2', [parent.id, child.id]);
    const stream = await open(`/v1/crawls/${parent.id}/events`);
    await move(parent.id, 'RUNNING');
    await move(other.id, 'KILLED');
    await move(parent.id, 'FINISHED');
    await stream.until(4);
    await move(child.id, 'KILLED');
    await stream.ended;
    const read = stream.frames.map(({ data }) => (JSON.parse(data ?? '') as { jobId: string }).jobId);
    expect(read).toEqual([parent.id, child.id, parent.id, parent.id, child.id, parent.id]);
    expect(states(stream.frames).at(-1)).toEqual(['end', 'FINISHED']);
  });

  it('of a crawl id sends the events of all its jobs and stays open after they end', async () => {
    const [one, two] = [await newJob('c2'), await newJob('c2')];
    await newJob('c3');
    const stream = await open('/v1/crawls/c2/events');
    await move(one.id, 'KILLED');
    await move(two.id, 'KILLED');
    await stream.until(4);
    const late = await newJob('c2');
    const frames = await stream.until(5);
    expect(JSON.parse(frames[4]?.data ?? '')).toMatchObject({ jobId: late.id, data: { state: 'IDLE' } });
    stream.leave();
  });

  it('of a crawl id ends with its jobs when until=end is given', async () => {
    const [one, two] = [await newJob('c4'), await newJob('c4')];
    const stream = await open('/v1/crawls/c4/events?until=end');
    await move(two.id, 'KILLED');
    await stream.until(3);
    await move(one.id, 'RUNNING');
    await move(one.id, 'FINISHED');
    await stream.ended;
    const read = stream.frames.map(({ data }) => (JSON.parse(data ?? '') as { jobId: string }).jobId);
    expect(read).toEqual([one.id, two.id, two.id, one.id, one.id, two.id]);
    // The end event describes the newest job, as GET /v1/crawls/{id} does.
    expect(states(stream.frames).at(-1)).toEqual(['end', 'KILLED']);
  });

  it('?until=never returns 400', async () => {
    await newJob('c5');
    const answer = await request(api.url).get('/v1/crawls/c5/events?until=never');
    expect([answer.status, answer.body.code, answer.body.errors[0].field]).toEqual([400, 'FIELDS_INVALID', 'until']);
  });
});
