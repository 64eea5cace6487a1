import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { registerWorker } from '../../src/job/worker.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

const wait = {
  for: 'parser',
  what: 'the parser: 3 pages',
  url: 'http://site.test/',
  pages: 3,
  since: '2026-11-21T08:00:00.000Z',
};

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  const pool = (await api.database.dataSource()).pool;
  const state = { leaving: false, pagesPerSecond: 12.34, load: 0.567, memoryBytes: 3_000_000_000 };
  for (const [n, id] of ['m/1', 'm/2', 'm/3'].entries()) {
    const self = { id, server: 'm', machine: 'crawl-1', pid: 10 + n, role: 'worker', version: '0.1.0', slots: 10 };
    await registerWorker(pool, self, { ...state, leaving: n === 2 });
  }
  await request(api.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'k', args: {} });
  await api.database.query(
    `update job_task set state = 'RUNNING', token = 1, owner = 'm/2', claimed_at = now(), lease_until = now() + interval '1 minute', counters = '{"Generator": {"n": 2}}',
            waits = jsonb_build_object('token', 1) || $1::jsonb`,
    [JSON.stringify(wait)],
  );
});
afterAll(() => api?.close());

describe('GET /job/{id}', () => {
  it('returns what the running attempts of a job wait for', async () => {
    const [{ id }] = (await request(api.url).get('/job?crawlId=k')).body as [{ id: string }];
    const { body } = await request(api.url).get(`/job/${id}`).set('Accept', 'application/json');
    expect(body.waitsFor).toEqual([{ job: id, ...wait }]);
  });
});

describe('GET /v1/workers', () => {
  it('returns the workers with state, load and running tasks', async () => {
    const { body, status } = await request(api.url).get('/v1/workers');
    expect(status).toBe(200);
    expect(body.cursor).toBeNull();
    const time = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const alike = { host: 'crawl-1', role: 'worker', version: '0.1.0', slots: 10, startedAt: time, lastSeen: time };
    const measured = { pagesPerSecond: 12.3, load: 0.57, memoryBytes: 3_000_000_000 };
    const task = { job: expect.stringMatching(/^k-/) as string, type: 'GENERATE', crawlId: 'k', part: 0, since: time };
    expect(body.workers).toEqual([
      { id: 'm/1', pid: 10, state: 'alive', tasks: [], ...alike, ...measured },
      {
        id: 'm/2',
        pid: 11,
        state: 'alive',
        tasks: [{ ...task, progress: { Generator: { n: 2 } }, waitsFor: wait }],
        ...alike,
        ...measured,
      },
      { id: 'm/3', pid: 12, state: 'leaving', tasks: [], ...alike, ...measured },
    ]);
  });

  it('continues after a cursor', async () => {
    const first = (await request(api.url).get('/v1/workers?limit=2')).body;
    expect([first.workers.length, first.cursor]).toEqual([2, 'm/2']);
    const rest = (await request(api.url).get(`/v1/workers?limit=2&cursor=${encodeURIComponent(first.cursor)}`)).body;
    expect([rest.workers.map(({ id }: { id: string }) => id), rest.cursor]).toEqual([['m/3'], null]);
  });

  it.each(['limit=0', 'limit=1001', 'limit=x', 'cursor=garbage', `cursor=${'x'.repeat(1_001)}/1`])(
    'returns 400 for ?%s',
    async (query) => {
      expect((await request(api.url).get(`/v1/workers?${query}`)).status).toBe(400);
    },
  );
});
