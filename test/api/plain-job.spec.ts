import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, storeSeedList } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await storeSeedList(api);
});
afterAll(() => api?.close());

const create = (body: object) => request(api.url).post('/job/create').send(body);

describe('the client of the 2.x web UI', () => {
  /** Its content type, and the Accept header that Java sends by default. */
  const headers = {
    'Content-Type': 'application/json',
    Accept: 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
  };
  const fields = ['args', 'confId', 'crawlId', 'id', 'msg', 'result', 'state', 'type'];
  const config = { type: 'INJECT', crawlId: 'web', confId: 'default', args: { seedDir: 'seedFiles/s1', batch: 'b' } };
  const get = async (path: string) => {
    const { status, headers: answered, body } = await request(api.url).get(path).set(headers);
    expect([status, answered['content-type']]).toEqual([200, 'application/json']);
    return body;
  };

  it('gets the id of its job as text, and jobs with the eight fields that it knows', async () => {
    const created = await create(config).set(headers);
    expect([created.status, created.headers['content-type']]).toEqual([200, 'text/plain']);
    expect(created.text).toMatch(/^web-default-INJECT-\d+$/);
    const job = await get(`/job/${created.text}`);
    expect(Object.keys(job).sort()).toEqual(fields);
    expect(job).toMatchObject({ ...config, args: { ...config.args, seedName: 's1' }, state: 'IDLE', result: null });
    expect(Object.keys((await get('/job?crawlId=web'))[0]).sort()).toEqual(fields);
    const { jobs } = await get('/admin');
    expect(new Set(jobs.flatMap(Object.keys))).toEqual(new Set(fields));
  });

  it('is distinguished from a client that accepts JSON with a parameter and text', async () => {
    const both = await create(config).set('Accept', 'application/json;charset=UTF-8, text/plain');
    expect(both.body).toMatchObject({ paused: false });
  });

  it('is distinguished from a browser, which gets all fields', async () => {
    const { text: id } = await create(config).set(headers);
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';
    const { body } = await request(api.url).get(`/job/${id}`).set('Accept', browser);
    expect(body).toMatchObject({ id, paused: false, counters: {} });
  });
});
