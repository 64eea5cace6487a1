import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { crawlStats } from '../../src/webpage/crawl-stats.js';
import { type Cycle, openCycle } from '../support/cycle.js';

/** READDB of Nutch 2.x: the statistics of a crawl as the result of a job. */

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
  await cycle.inject(['http://a.test/', 'http://a.test/b\tnutch.score=3', 'http://c.test/'], {}, { crawlId: 'k' });
});
afterAll(() => cycle.close());

const statsOf = async (args: Record<string, unknown>, crawlId = 'k') => {
  const job = await cycle.run('READDB', args, { crawlId });
  expect([job.state, job.msg, job.result?.reason]).toEqual(['FINISHED', 'OK', 'done']);
  return job.result!['stats'] as Awaited<ReturnType<typeof crawlStats>>;
};

describe('READDB', () => {
  it('returns what POST /db/crawldb returns for type stats', async () => {
    const stats = await statsOf({});
    expect(stats).toMatchObject({
      totalUrls: '3',
      maxScore: '3.0',
      status: { 1: { statusValue: 'db_unfetched', count: '3' } },
    });
    const [{ id }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'k'`)) as [
      { id: number },
    ];
    const snapshotTime = expect.any(String) as string;
    expect(stats).toEqual({ ...(await crawlStats(cycle.pool, id, null)), snapshotTime });
  });

  it.each([['true'], [true], [1]])('with sort %j returns counts by host, too', async (sort) => {
    const stats = await statsOf({ sort });
    expect(stats.status['1']!.hostValues).toEqual({ 'a.test': '2', 'c.test': '1' });
    expect(stats['score quantile 0.5']).toBe('1.0');
  });

  it('of a crawl without pages returns no counts', async () => {
    expect(await statsOf({}, 'new')).toEqual({ totalUrls: '0', status: {} });
  });
});
