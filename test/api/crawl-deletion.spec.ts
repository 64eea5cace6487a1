import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CrawlBeingDeleted, CrawlBusy } from '../../src/job/crawl-jobs.store.js';
import { JobQueue } from '../../src/job/job-queue.js';
import { JobStore } from '../../src/job/job.store.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';

/** DELETE /v1/crawls/{id} creates a job; changes that would conflict with it are refused. No worker runs here: the job waits. */

let api: ApiUnderTest;
let pool: Pool;
beforeAll(async () => {
  api = await apiUnderTest();
  await nameCrawler(api);
  pool = (await api.database.dataSource()).pool;
});
afterAll(() => api?.close());

const post = (path: string, body: object = {}) => request(api.url).post(path).send(body);
const remove = (id: string) => request(api.url).delete(`/v1/crawls/${id}`);
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const crawl = async (crawlId: string) =>
  (await post('/v1/crawls', { crawlId, seeds: ['http://a.test/'] })).body.id as string;

describe('DELETE /v1/crawls/{id}', () => {
  it('creates a DROPCRAWL job, by the crawl id or by the id of a CRAWL job', async () => {
    for (const byJob of [false, true]) {
      const crawlId = `gone${byJob ? 2 : 1}`;
      const id = await crawl(crawlId);
      await post(`/v1/crawls/${id}/abort`);
      const { status, body } = await remove(byJob ? id : crawlId);
      expect(status).toBe(200);
      expect(body).toMatchObject({ type: 'DROPCRAWL', crawlId, state: 'IDLE', args: {}, result: null });
      expect((await request(api.url).get(`/job/${body.id}`)).body).toMatchObject({ id: body.id, counters: {} });
    }
  });

  it('returns 409 that names the jobs of the crawl that have not ended', async () => {
    const id = await crawl('busy');
    const { status, body } = await remove('busy');
    expect([status, body.code]).toEqual([409, 'CRAWL_BUSY']);
    expect(body.detail).toContain(id);
    await post('/v1/crawls/busy/abort');
    const deletion = await remove('busy');
    expect(deletion.status).toBe(200);
    // A second deletion is refused because of the first.
    const second = await remove('busy');
    expect([second.status, second.body.code]).toEqual([409, 'CRAWL_BUSY']);
    expect(second.body.detail).toContain(deletion.body.id);
  });

  it('returns 404 for an unknown crawl', async () => {
    for (const id of ['none', 'a%20b', 'none-default-CRAWL-1']) {
      const { status, body } = await remove(id);
      expect([status, body.code]).toEqual([404, 'JOB_UNKNOWN']);
    }
  });

  it('makes new jobs and host settings of the crawl return 409 until it has ended', async () => {
    await post(`/v1/crawls/${await crawl('closed')}/abort`);
    const { id } = (await remove('closed')).body as { id: string };
    for (const answer of [
      await post('/v1/crawls', { crawlId: 'closed', seeds: ['http://a.test/'] }),
      await post('/job/create', { type: 'GENERATE', crawlId: 'closed', args: {} }),
      await request(api.url).patch('/v1/hosts/a.test?crawlId=closed').send({ drain: true }),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([409, 'CRAWL_BEING_DELETED']);
      expect(answer.body.detail).toContain(id);
    }
    await post(`/job/${id}/abort`);
    expect((await post('/job/create', { type: 'GENERATE', crawlId: 'closed', args: {} })).status).toBe(200);
  });

  it('is the only way to create that job: POST /job/create refuses type DROPCRAWL', async () => {
    await crawl('direct');
    const { status, body } = await post('/job/create', { type: 'DROPCRAWL', crawlId: 'direct', args: {} });
    expect([status, body.code]).toEqual([400, 'JOB_TYPE_UNKNOWN']);
    expect(body.detail).not.toContain('CRAWL, DROPCRAWL');
  });

  it('requires scope admin', async () => {
    const keyed = await apiUnderTest(
      {
        apiKeys: [
          { scope: 'run', sha256: sha256('run-secret') },
          { scope: 'admin', sha256: sha256('admin-secret') },
        ],
      },
      api.database,
    );
    const as = (key: string) => request(keyed.url).delete('/v1/crawls/none').set('Authorization', `Bearer ${key}`);
    expect((await as('run-secret')).body.code).toBe('SCOPE_MISSING');
    expect((await as('admin-secret')).body.code).toBe('JOB_UNKNOWN');
    await keyed.close();
  });

  it('refuses one of two concurrent requests: a deletion and a new job of the same crawl', async () => {
    const jobs = new JobStore(pool, await JobQueue.open(pool, { maintain: false, onError: () => undefined }));
    await pool.query(`insert into conf_snapshot (hash, params) values ('test', '{}') on conflict do nothing`);
    for (let n = 0; n < 20; n++) {
      const common = { crawlId: `race${n}`, confId: 'c', confHash: 'test' };
      await pool.query('insert into crawl (name) values ($1)', [common.crawlId]);
      const both = await Promise.allSettled([
        jobs.create({ ...common, type: 'GENERATE', args: {} }),
        jobs.createDrop(common),
      ]);
      const refused = both.flatMap((one) => (one.status === 'rejected' ? [one.reason as unknown] : []));
      expect(refused).toHaveLength(1);
      expect(refused[0] instanceof CrawlBusy || refused[0] instanceof CrawlBeingDeleted).toBe(true);
    }
  });
});
