import { randomBytes } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';

/** `POST /v1/jobs/{id}/run-again`, and the cure that a job shows. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
  await request(api.url)
    .post('/seed/create')
    .send({ name: 's1', seedUrls: ['http://site.test/'] });
});
afterAll(() => api?.close());

const create = async (body: object) => (await request(api.url).post('/job/create').send(body)).body as { id: string };
const again = (id: string) => request(api.url).post(`/v1/jobs/${id}/run-again`);
const stored = async (id: string) =>
  (
    await api.database.query<{ args: object; plan: object | null }>('select args, plan from job where id = $1', [id])
  )[0];
/** Ends a job that no worker claims, as a worker would. */
const end = (id: string, state: string, result: object) =>
  api.database.query(
    'update job set state = $2, started_at = now(), ended_at = now(), result = $3::jsonb where id = $1',
    [id, state, JSON.stringify({ result: '-1', reason: 'failed', counters: {}, ...result })],
  );

describe('a job that failed', () => {
  it('contains its cure in GET /job/{id} and GET /job, but not for a client of 2.x', async () => {
    const { id } = await create({ type: 'FETCH', crawlId: 'cured', confId: 'default', args: {} });
    expect((await request(api.url).get(`/job/${id}`)).body).not.toHaveProperty('cure');
    await end(id, 'FAILED', { failure: 'AGENT_NAME_MISSING' });
    const cure = {
      code: 'AGENT_NAME_MISSING',
      message: expect.stringContaining('PUT /config/default/http.agent.name'),
      property: 'http.agent.name',
      again: true,
    };
    expect((await request(api.url).get(`/job/${id}`)).body).toMatchObject({ cure });
    expect((await request(api.url).get('/job?crawlId=cured')).body).toMatchObject([{ cure }]);
    const java = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
    expect((await request(api.url).get(`/job/${id}`).set('Accept', java)).body).not.toHaveProperty('cure');
  });
});

describe('POST /v1/jobs/{id}/run-again', () => {
  it('creates a job of the same type, crawl, configuration and arguments, masked ones included', async () => {
    const args = { topN: 5, 'my.password': `secret-${randomBytes(4).toString('hex')}` };
    const { id } = await create({ type: 'GENERATE', crawlId: 'k1', confId: 'default', args });
    await end(id, 'FAILED', { failure: 'UNEXPECTED' });
    const { status, body } = await again(id);
    expect([status, body]).toEqual([
      200,
      expect.objectContaining({ type: 'GENERATE', crawlId: 'k1', confId: 'default', state: 'IDLE', parent: null }),
    ]);
    expect(body.id).not.toBe(id);
    expect(body.args).toEqual({ topN: 5, 'my.password': '********' });
    expect((await stored(body.id))?.args).toEqual(args);
  });

  it('reuses the list that was stored for inline seeds', async () => {
    const { id } = await create({ type: 'INJECT', crawlId: 'k1', args: { seed: 'http://site.test/inline' } });
    await end(id, 'FAILED', {});
    const { body } = await again(id);
    expect(body.args).toEqual((await stored(id))?.args);
    expect(body.args).toEqual({ seedName: expect.stringMatching(/^seed-/) });
  });

  it('uses the current configuration', async () => {
    await request(api.url).post('/config/create').send({ configId: 'c1', params: {} });
    const { id } = await create({ type: 'FETCH', crawlId: 'k1', confId: 'c1', args: {} });
    await end(id, 'FAILED', { failure: 'AGENT_NAME_MISSING' });
    await request(api.url).put('/config/c1/http.agent.name').type('text/plain').send('mybot');
    const { body } = await again(id);
    const agent = `select s.params ->> 'http.agent.name' as agent from job j join conf_snapshot s on s.hash = j.conf_hash where j.id = $1`;
    expect(await api.database.query(agent, [body.id])).toEqual([{ agent: 'mybot' }]);
  });

  /** A crawl that failed after its GENERATE. */
  async function leftOpen(crawlId: string, more: object = {}, batch = 'b-left'): Promise<{ id: string; args: object }> {
    const { body: crawl } = await request(api.url)
      .post('/v1/crawls')
      .send({ crawlId, seeds: ['http://site.test/'], rounds: 3, ...more });
    const [inject] = crawl.children as { id: string }[];
    await end(inject!.id, 'FINISHED', { reason: 'done' });
    const generate = { reason: 'done', 'generate.batch.id': batch, 'generate.count': 1 };
    const { id: made } = await create({ type: 'GENERATE', crawlId, args: {} });
    await end(made, 'FINISHED', generate);
    await api.database.query('update job set parent = $1, round = 1 where id = $2', [crawl.id, made]);
    await end(crawl.id, 'FAILED', { failure: 'AGENT_NAME_MISSING' });
    return crawl as { id: string; args: object };
  }

  it('of a crawl first completes the batch that it left open', async () => {
    const crawl = await leftOpen('left');
    const { body } = await again(crawl.id);
    expect(body).toMatchObject({ type: 'CRAWL', state: 'RUNNING', args: crawl.args });
    expect((await stored(body.id))?.plan).toMatchObject({ leftBatches: ['b-left'], rounds: 3 });
    const { children } = (await request(api.url).get(`/v1/crawls/${body.id}`)).body;
    expect(children).toMatchObject([{ type: 'PARSE', round: 0, args: { batch: 'b-left' } }]);
  });

  it('is what a new crawl with the same id does, too: otherwise it would end as done', async () => {
    await leftOpen('left2');
    const { body } = await request(api.url)
      .post('/v1/crawls')
      .send({ crawlId: 'left2', seeds: ['http://b.test/'] });
    expect(body.children).toMatchObject([{ type: 'PARSE', round: 0, args: { batch: 'b-left' } }]);
  });

  it('completes the batches of all crawls before it: one may have been created while another was open', async () => {
    for (const batch of ['b1', 'b2', 'b3']) {
      await leftOpen('left5', {}, batch);
      await api.database.query(
        `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, source_kind, generate_mark)
         select id, 'test.' || $1, 'test.' || $1 || ':http/', now(), 1, 1, 0, 'seed', $1 from crawl where name = 'left5'`,
        [batch],
      );
    }
    const { body } = await request(api.url).post('/v1/crawls').send({ crawlId: 'left5' });
    expect(body.children).toMatchObject([{ type: 'PARSE', round: 0, args: { batch: '-all' } }]);
    expect((await stored(body.id))?.plan).toMatchObject({ leftBatches: ['b3', 'b1'] });
  });

  it('completes the batch of a crawl that is still being aborted', async () => {
    const { id } = await leftOpen('left6');
    await api.database.query(`update job set state = 'KILLING', ended_at = null where id = $1`, [id]);
    const { body } = await request(api.url)
      .post('/v1/crawls')
      .send({ crawlId: 'left6', seeds: ['http://b.test/'] });
    expect(body.children).toMatchObject([{ type: 'PARSE', round: 0, args: { batch: 'b-left' } }]);
  });

  it('records the pages of a batch of a crawl with index, also after a run without it that did not get so far', async () => {
    await leftOpen('left4', { index: true });
    const run = async (index: boolean) =>
      (
        await request(api.url)
          .post('/v1/crawls')
          .send({ crawlId: 'left4', seeds: ['http://b.test/'], index })
      ).body as Awaited<ReturnType<typeof leftOpen>> & { children: { id: string }[] };
    const second = await run(false);
    expect((await stored(second.id))?.plan).toMatchObject({ leftBatches: ['b-left'], documentsDue: true });
    await end(second.children[0]!.id, 'FAILED', {});
    await end(second.id, 'FAILED', {});
    expect((await stored((await run(true)).id))?.plan).toMatchObject({ leftBatches: ['b-left'], documentsDue: true });
  });

  it('records the pages of a batch of a crawl with index after one without it that was created while a job was open', async () => {
    await leftOpen('left7', { index: true }, 'b7');
    await api.database.query(
      `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, source_kind, generate_mark)
       select id, 'test.b7', 'test.b7:http/', now(), 1, 1, 0, 'seed', 'b7' from crawl where name = 'left7'`,
    );
    const { id: open } = await create({ type: 'GENERATE', crawlId: 'left7', args: {} });
    const { body: between } = await request(api.url).post('/v1/crawls').send({ crawlId: 'left7' });
    const [step] = between.children as { id: string }[];
    for (const id of [open, step!.id, between.id as string]) await end(id, 'FINISHED', { reason: 'done' });
    const { body } = await request(api.url).post('/v1/crawls').send({ crawlId: 'left7', index: true });
    expect((await stored(body.id))?.plan).toMatchObject({ leftBatches: ['b7'], documentsDue: true });
  });

  it('leaves the batch to a job that is open', async () => {
    await leftOpen('left3');
    await create({ type: 'FETCH', crawlId: 'left3', args: { batch: 'b-left' } });
    const { body } = await request(api.url)
      .post('/v1/crawls')
      .send({ crawlId: 'left3', seeds: ['http://b.test/'] });
    expect(body.children).toMatchObject([{ type: 'INJECT', round: 0 }]);
  });

  it('creates one job for repeated requests with one Idempotency-Key', async () => {
    const { id } = await create({ type: 'DEDUP', crawlId: 'k1', args: {} });
    await end(id, 'KILLED', { reason: 'stopped' });
    const [one, other] = [
      await again(id).set('Idempotency-Key', 'once'),
      await again(id).set('Idempotency-Key', 'once'),
    ];
    expect([other.status, other.body.id]).toEqual([200, one.body.id]);
  });

  it.each(['none', 'k1-default-INJECT-999999', '..%2f..'])('of the unknown job %j returns 404', async (id) => {
    const { status, body } = await again(id);
    expect([status, body.code]).toEqual([404, 'JOB_UNKNOWN']);
  });

  it('of a job that has not ended returns 409', async () => {
    const { id } = await create({ type: 'DEDUP', crawlId: 'k1', args: {} });
    const { status, body } = await again(id);
    expect([status, body.code, body.detail]).toEqual([
      409,
      'JOB_NOT_ENDED',
      `Job ${id} is IDLE; it can be run again when it has ended.`,
    ]);
  });

  it('of a DROPCRAWL, which requires an admin, returns 409', async () => {
    const { id: inject } = await create({ type: 'INJECT', crawlId: 'gone', args: { seedName: 's1' } });
    await end(inject, 'FINISHED', { reason: 'done' });
    const { id } = (await request(api.url).delete('/v1/crawls/gone')).body as { id: string };
    await end(id, 'FAILED', {});
    const { status, body } = await again(id);
    expect([status, body.code]).toEqual([409, 'JOB_NOT_REPEATED']);
  });

  it('is refused when the seed list or configuration was deleted', async () => {
    await request(api.url)
      .post('/seed/create')
      .send({ name: 'brief', seedUrls: ['http://site.test/'] });
    await request(api.url).post('/config/create').send({ configId: 'brief', params: {} });
    const { id } = await create({ type: 'INJECT', crawlId: 'k1', args: { seedName: 'brief' } });
    const { id: other } = await create({ type: 'DEDUP', crawlId: 'k1', confId: 'brief', args: {} });
    await end(id, 'FAILED', {});
    await end(other, 'FAILED', {});
    await request(api.url).delete('/seed/brief');
    await request(api.url).delete('/config/brief');
    expect((await again(id)).body).toMatchObject({ code: 'JOB_SEED_UNKNOWN' });
    expect((await again(other)).body).toMatchObject({ code: 'CONFIG_ID_UNKNOWN' });
  });
});
