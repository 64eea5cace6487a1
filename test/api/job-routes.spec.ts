import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, storeSeedList } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await storeSeedList(api);
});
afterAll(() => api?.close());

const inject = (args: object, crawlId = 'k1') =>
  request(api.url).post('/job/create').send({ type: 'INJECT', crawlId, args });

describe('routes of /job', () => {
  it('GET /job lists waiting jobs, filtered by crawlId', async () => {
    const { body } = await inject({ seedName: 's1' }, 'k3');
    const listed = (await request(api.url).get('/job?crawlId=k3')).body as { id: string }[];
    expect(listed.map(({ id }) => id)).toEqual([body.id]);
    expect(((await request(api.url).get('/job')).body as { id: string }[]).map(({ id }) => id)).toContain(body.id);
  });

  it('GET /job?state= filters by state; ANY returns all', async () => {
    expect((await request(api.url).get('/job?state=FINISHED&crawlId=k3')).body).toEqual([]);
    expect((await request(api.url).get('/job?state=ANY&crawlId=k3')).body).toHaveLength(1);
    expect((await request(api.url).get('/job?state=SLEEPING')).status).toBe(400);
  });

  it('GET /job/{id} returns the current counters', async () => {
    const { body } = await inject({ seedName: 's1' });
    expect((await request(api.url).get(`/job/${body.id}`)).body).toMatchObject({
      id: body.id,
      state: 'IDLE',
      counters: {},
    });
  });

  it('GET /job/{id}/events returns the changes of state, after ?after if given', async () => {
    const { body } = await inject({ seedName: 's1' });
    await request(api.url).post(`/job/${body.id}/abort`);
    const events = (await request(api.url).get(`/job/${body.id}/events`)).body as {
      id: string;
      kind: string;
      data: { state: string };
    }[];
    expect(events.map(({ kind, data }) => [kind, data.state])).toEqual([
      ['state', 'IDLE'],
      ['state', 'KILLED'],
    ]);
    expect((await request(api.url).get(`/job/${body.id}/events?after=${events[0]?.id}`)).body).toHaveLength(1);
  });

  it.each(['stop', 'abort'])('%s works by GET and POST, and returns false when the job has ended', async (verb) => {
    for (const method of ['get', 'post'] as const) {
      const { body } = await inject({ seedName: 's1' });
      const path = `/job/${body.id}/${verb}`;
      expect((await request(api.url)[method](path)).body).toBe(true);
      expect((await request(api.url).get(`/job/${body.id}`)).body.state).toBe('KILLED');
      const again = await request(api.url)[method](path);
      const why = `Job ${body.id} has ended already: KILLED.`;
      expect([again.status, again.body, again.headers['orbweaver-notice']]).toEqual([200, false, why]);
    }
  });

  it.each([
    ['stop', 'STOPPING', 'is being stopped already: STOPPING.'],
    ['pause', 'STOPPING', 'is being stopped already: STOPPING.'],
    ['abort', 'KILLING', 'is being aborted already: KILLING.'],
    ['stop', 'KILLING', 'is being aborted already: KILLING.'],
    ['resume', 'RUNNING', 'is not paused: RUNNING.'],
  ])('%s of a job that is %s returns false, and a notice that says why', async (verb, state, why) => {
    const { body } = await inject({ seedName: 's1' });
    // As a worker and an earlier request left it.
    await api.database.query(`update job set state = $2, started_at = now() where id = $1`, [body.id, state]);
    const answer = await request(api.url).post(`/job/${body.id}/${verb}`);
    await api.database.query(`update job set state = 'KILLED', ended_at = now() where id = $1`, [body.id]);
    expect([answer.status, answer.body]).toEqual([200, false]);
    expect(answer.headers['orbweaver-notice']).toBe(`Job ${body.id} ${why}`);
  });

  it.each([
    '/job/none',
    '/job/none/stop',
    '/job/none/abort',
    '/job/none/events',
    "/job/x'--",
    `/job/${'x'.repeat(400)}`,
  ])('GET %s returns 404', async (path) => {
    const answer = await request(api.url).get(path);
    expect([answer.status, answer.body.code]).toEqual([404, 'JOB_UNKNOWN']);
  });
});
