import type { OpenAPIObject } from '@nestjs/swagger';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, nameCrawler, rawRequest, storeSeedList } from './api-under-test.js';

/** A request with an `Idempotency-Key` creates its resource once, whatever happens to the response. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
  await storeSeedList(api);
});
afterAll(() => api?.close());

const post = (path: string, key: string, body: object) =>
  request(api.url).post(path).set('Idempotency-Key', key).send(body);
const inject = (crawlId: string) => ({ type: 'INJECT', crawlId, args: { seedName: 's1' } });
const jobsOf = async (crawlId: string) =>
  (
    await api.database.query<{ id: string }>('select id from job where crawl_id = $1 and parent is null', [crawlId])
  ).map(({ id }) => id);

/** POSTs that create nothing that could exist twice; each with its reason. */
const makingNothing = new Map([
  ['/db', 'reads'],
  ['/db/crawldb', 'reads'],
  ['/job/{id}/stop', 'twice is once'],
  ['/job/{id}/abort', 'twice is once'],
  ['/job/{id}/pause', 'twice is once'],
  ['/job/{id}/resume', 'twice is once'],
  ['/admin/stop', 'twice is once'],
  ['/reader/sequence/read', 'reads'],
  ['/reader/link/read', 'reads'],
  ['/reader/node/read', 'reads'],
  ['/services/commoncrawldump', 'stores nothing'],
  ['/services/commoncrawldump/{crawlId}', 'stores nothing'],
  ['/v1/crawls/{id}/pause', 'twice is once'],
  ['/v1/crawls/{id}/resume', 'twice is once'],
  ['/v1/crawls/{id}/stop', 'twice is once'],
  ['/v1/crawls/{id}/abort', 'twice is once'],
  ['/v1/webhooks/{id}/deliveries/{delivery}/replay', 'twice is once'],
  ['/v1/inspect/url', 'reads'],
  ['/v1/inspect/parse', 'reads'],
  ['/v1/inspect/robots', 'reads'],
  ['/v1/inspect/fetch', 'stores nothing'],
  ['/v1/inspect/generate', 'reads'],
  ['/v1/inspect/schedule', 'reads'],
]);

describe('every POST of the API', () => {
  it('documents Idempotency-Key or is listed as creating nothing', async () => {
    const { paths } = (await request(api.url).get('/openapi.json')).body as OpenAPIObject;
    const without = Object.entries(paths)
      .filter(([, { post: operation }]) => operation)
      .filter(([, { post: operation }]) => !JSON.stringify(operation?.parameters ?? []).includes('Idempotency-Key'))
      .map(([path]) => path)
      .filter((path) => !makingNothing.has(path));
    expect(without).toEqual([]);
  });
});

describe('a repeated request', () => {
  it.each([
    ['/config/create', { configId: 'i1', params: { 'http.agent.name': 'bot', 'no.such': '1' } }],
    ['/seed/create', { name: 'i1', seedUrls: [{ url: 'http://site.test/' }] }],
    ['/seedList', { name: 'i2', crawlId: 'i2', seedUrls: [{ url: 'http://site.test/' }] }],
    ['/job/create', { ...inject('i3'), args: { seedName: 's1', unknown: 1 } }],
    ['/v1/crawls', { crawlId: 'i4', seeds: ['http://site.test/'] }],
    ['/v1/webhooks', { url: 'http://site.test/hook' }],
  ])('POST %s returns the same status, body, type and notice', async (path, body) => {
    const first = await post(path, 'again', body);
    const second = await post(path, 'again', body);
    const withSlash = await post(`${path}/`, 'again', body);
    expect([first.status, first.body.detail]).toEqual([200, undefined]);
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    for (const answer of [second, withSlash]) {
      expect([answer.status, answer.text]).toEqual([first.status, first.text]);
      for (const name of ['content-type', 'orbweaver-notice', 'content-length'])
        expect(answer.headers[name]).toBe(first.headers[name]);
      expect(answer.headers['idempotency-replayed']).toBe('true');
    }
  });

  it('creates one job, one crawl and one webhook', async () => {
    expect([await jobsOf('i2'), await jobsOf('i3'), await jobsOf('i4')].map(({ length }) => length)).toEqual([1, 1, 1]);
    expect(await api.database.query('select id from webhook')).toHaveLength(1);
  });

  it('returns the same refusal', async () => {
    const bad = { configId: 'i5', params: { 'fetcher.threads.fetch': 'many' } };
    const empty = { type: 'INJECT', crawlId: 'i5', args: {} };
    const first = await post('/job/create', 'bad', empty);
    const second = await post('/job/create', 'bad', empty);
    expect([first.status, second.status]).toEqual([400, 400]);
    expect(second.body).toEqual(first.body);
    expect(second.headers['content-type']).toBe('application/problem+json');
    expect(second.headers['idempotency-replayed']).toBe('true');
    expect((await post('/config/create', 'bad', bad)).status).toBe(400);
    expect((await post('/config/create', 'bad', bad)).status).toBe(400);
  });

  it('with another body returns 422; to another path it is a new request', async () => {
    await post('/job/create', 'other', inject('o1'));
    const reused = await post('/job/create', 'other', inject('o2'));
    expect([reused.status, reused.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect(await jobsOf('o2')).toEqual([]);
    expect((await post('/config/create', 'other', { configId: 'o1' })).status).toBe(200);
  });

  it('without Idempotency-Key creates a new job', async () => {
    for (let n = 0; n < 2; n++) await request(api.url).post('/job/create').send(inject('none'));
    expect(await jobsOf('none')).toHaveLength(2);
  });

  it('creates a new job after 24 hours', async () => {
    const first = await post('/job/create', 'day', inject('day'));
    await api.database.query(`update request set created_at = now() - interval '25 hours'`);
    await api.database.query(`update job set created_at = now() - interval '25 hours' where crawl_id = 'day'`);
    const next = await post('/job/create', 'day', inject('day'));
    expect(next.body.id).not.toBe(first.body.id);
    expect(await jobsOf('day')).toHaveLength(2);
  });

  it.each(['', 'with blank', 'é', 'x'.repeat(256), 'a, b'])('with the invalid key %j returns 400', async (key) => {
    const body = JSON.stringify(inject('bad-key'));
    const answer = await rawRequest(
      api.port,
      'POST /job/create',
      { 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body,
    );
    expect([answer.status, (JSON.parse(answer.body) as { code: string }).code]).toEqual([
      400,
      'IDEMPOTENCY_KEY_INVALID',
    ]);
    expect(await jobsOf('bad-key')).toEqual([]);
  });

  it('from another API key is a new request', async () => {
    const secrets = ['a', 'b'].map((letter) => letter.repeat(40));
    const { createHash } = await import('node:crypto');
    const apiKeys = secrets.map((secret) => ({
      sha256: createHash('sha256').update(secret).digest(),
      scope: 'run' as const,
    }));
    const keyed = await apiUnderTest({ apiKeys }, api.database);
    const ids = [];
    for (const secret of [...secrets, ...secrets])
      ids.push(
        (
          await request(keyed.url)
            .post('/job/create')
            .auth(secret, { type: 'bearer' })
            .set('Idempotency-Key', 'mine')
            .send(inject('mine'))
        ).body.id,
      );
    await keyed.close();
    expect(ids[2]).toBe(ids[0]);
    expect(ids[3]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(2);
  });
});

describe('20 equal concurrent requests', () => {
  it('create one job and return 409 while the first one runs', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => post('/job/create', 'many', inject('many'))));
    const made = await jobsOf('many');
    expect(made).toHaveLength(1);
    for (const answer of answers) {
      if (answer.status === 200) expect(answer.body.id).toBe(made[0]);
      else
        expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([409, 'REQUEST_RUNNING', '1']);
    }
    expect(answers.map(({ status }) => status)).toContain(200);
    expect((await post('/job/create', 'many', inject('many'))).body.id).toBe(made[0]);
  });

  it('create one job even if no request finds another one running', async () => {
    // As if each had run longer than the minute for which it excludes the others.
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => {
        await api.database.query(
          `update request set running_until = now() - interval '1 second' where running_until is not null`,
        );
        return post('/job/create', 'strangers', inject('strangers'));
      }),
    );
    expect(await jobsOf('strangers')).toHaveLength(1);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
  });
});

describe('after a crash before the response is stored', () => {
  /** The state after a crash: the job is committed, the request is marked as running, and later that mark expires. */
  const die = (more: string) =>
    api.database.query(
      `update request set status = null, headers = null, body = null, running_until = now() + interval '1 minute' ${more}
        where key = (select idempotency_key from job where crawl_id = 'dead')`,
    );
  const later = () => api.database.query(`update request set running_until = now() where running_until is not null`);

  it('the next request returns the committed job', async () => {
    const first = await post('/job/create', 'dead', inject('dead'));
    await die('');
    expect((await post('/job/create', 'dead', inject('dead'))).status).toBe(409);
    await later();
    const found = await post('/job/create', 'dead', inject('dead'));
    expect([found.status, found.body.id]).toEqual([200, first.body.id]);
    expect(found.headers['idempotency-replayed']).toBeUndefined();
    expect((await post('/job/create', 'dead', inject('dead'))).headers['idempotency-replayed']).toBe('true');
    expect(await jobsOf('dead')).toHaveLength(1);
  });

  it('the next request returns the job even if the row of the request is gone', async () => {
    await api.database.query('delete from request');
    const found = await post('/job/create', 'dead', inject('dead'));
    expect(found.body.id).toBe((await jobsOf('dead'))[0]);
    await api.database.query('delete from request');
    const reused = await post('/job/create', 'dead', inject('alive'));
    expect([reused.status, reused.body.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    expect([(await jobsOf('dead')).length, (await jobsOf('alive')).length]).toEqual([1, 0]);
  });

  it('the next request returns the same crawl, with one set of children', async () => {
    const body = { crawlId: 'dead2', seeds: ['http://site.test/'] };
    const first = await post('/v1/crawls', 'dead', body);
    await api.database.query('delete from request');
    const found = await post('/v1/crawls', 'dead', body);
    expect(found.body.id).toBe(first.body.id);
    expect(await api.database.query(`select id from job where crawl_id = 'dead2'`)).toHaveLength(2);
  });

  it('the next request returns the same webhook with its secret', async () => {
    const body = { url: 'http://site.test/once' };
    const first = await post('/v1/webhooks', 'dead', body);
    await api.database.query('delete from request');
    const found = await post('/v1/webhooks', 'dead', body);
    expect(found.body).toEqual(first.body);
  });
});

describe('a failed request', () => {
  it('with 500 is not stored and runs again', async () => {
    await api.database.query('alter table job rename to job_away');
    const failed = await post('/job/create', 'fail', inject('fail'));
    await api.database.query('alter table job_away rename to job');
    expect(failed.status).toBe(500);
    expect((await post('/job/create', 'fail', inject('fail'))).status).toBe(200);
    expect(await jobsOf('fail')).toHaveLength(1);
  });

  it('with 429 is not stored and runs again', async () => {
    await api.database.query(`
      insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args)
      select 'w-' || n, 1000000 + n, 1, 'full', 'c', (select hash from conf_snapshot limit 1), 'INJECT', '{}' from generate_series(1, 1000) n`);
    const refused = await post('/job/create', 'full', inject('full2'));
    await api.database.query(`delete from job where crawl_id = 'full'`);
    expect(refused.status).toBe(429);
    expect((await post('/job/create', 'full', inject('full2'))).status).toBe(200);
  });
});
