import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** Routes about the server itself: /admin, /metrics. */

let api: ApiUnderTest;
const inject = () =>
  request(api.url)
    .post('/job/create')
    .send({ type: 'INJECT', crawlId: 'k1', args: { seed: 'http://site.test/' } });
beforeAll(async () => {
  api = await apiUnderTest();
  await inject();
});
afterAll(() => api?.close());

it('GET /admin returns start date, configurations and jobs', async () => {
  const { body } = await request(api.url).get('/admin');
  expect(body).toMatchObject({ startDate: expect.any(Number), activeConfId: 'default', runningJobs: [] });
  expect(body.configuration[0]).toBe('default');
  expect(body.jobs.length).toBeGreaterThan(0);
});

it('/admin/stop refuses while a job runs, unless force=true', async () => {
  const { body } = await inject();
  await api.database.query(`update job set state = 'RUNNING', started_at = now() where id = $1`, [body.id]);
  const refused = await request(api.url).get('/admin/stop');
  expect([refused.status, refused.text]).toEqual([200, 'Jobs still running -- Cannot stop server now']);
  for (const flag of ['false', 'False'])
    expect((await request(api.url).get(`/admin/stop?force=${flag}`)).text).toBe(refused.text);
  // As Python writes it.
  const forced = await request(api.url).post('/admin/stop?force=True');
  expect([forced.status, forced.text]).toEqual([200, `Stopping in server on port ${api.port}`]);
  await expect.poll(() => api.stops).toBe(1);
});

it('GET /metrics counts jobs and requests', async () => {
  // Counts from the database are cached for a few seconds.
  const metrics = expect.poll(async () => (await request(api.url).get('/metrics')).text);
  await metrics.toMatch(/orbweaver_jobs\{type="INJECT",state="IDLE"\} \d+/);
  await metrics.toMatch(/orbweaver_http_requests_total\{method="POST",status="200"\} \d+/);
});
