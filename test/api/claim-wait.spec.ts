import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { JobStore } from '../../src/job/job.store.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler, storeSeedList } from './api-under-test.js';

const LIMIT_MS = 1_100;

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest({}, undefined, LIMIT_MS);
  await nameCrawler(api);
  await storeSeedList(api);
});
afterAll(() => api?.close());

describe('POST /job/create', () => {
  it('waits for a worker to claim the job; for less time while jobs wait that none claims', async () => {
    const waits = vi.spyOn(JobStore.prototype, 'waitUntilClaimed');
    const create = async (crawlId: string) => {
      const job = { type: 'INJECT', crawlId, args: { seedName: 's1' } };
      return (await request(api.url).post('/job/create').send(job)).body.state;
    };
    // No worker runs.
    expect(await create('k1')).toBe('IDLE');
    expect(await create('k2')).toBe('IDLE');
    waits.mockImplementationOnce(async function (this: JobStore, id) {
      await api.database.query(`update job set state = 'RUNNING', started_at = now() where id = $1`, [id]);
      return this.find(id);
    });
    expect(await create('k3')).toBe('RUNNING');
    expect(await create('k4')).toBe('IDLE');
    expect(waits.mock.calls.map(([, ms]) => ms)).toEqual([LIMIT_MS, 1_000, 1_000, LIMIT_MS]);
  });
});
