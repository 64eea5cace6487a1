import { describe, expect, it } from 'vitest';
import { batchNamed, listBatches } from '../../src/webpage/batch.store.js';
import { pageByKey } from '../../src/webpage/page-columns.sql.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { batchOf, counter, counters, pages } from './table.js';

/** Batches by the names that clients of 1.x use: segments of 14 digits (feature rows C34 to C36, C39). */

useCrawler();

const generate = (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
  cycle.run('GENERATE', args, { crawlId, conf });
const segmentOf = (job: Awaited<ReturnType<typeof generate>>): string => String(job.result?.['generate.segment']);
const seeds = (n: number) => Array.from({ length: n }, (_, i) => `http://a.test/${i}`);

describe('a batch', () => {
  it('has a segment name of 14 digits: the time of its creation', async () => {
    await cycle.inject(seeds(2), {}, { crawlId: 'named' });
    const before = new Date(Date.now() - 5_000).toISOString().replace(/\D/g, '').slice(0, 14);
    const name = segmentOf(await generate('named'));
    expect(name).toMatch(/^\d{14}$/);
    expect(name > before).toBe(true);
  });

  it('has a segment name that is unique in the crawl, in ascending order', async () => {
    await cycle.inject(seeds(6), {}, { crawlId: 'shared' });
    const names = [];
    for (let i = 0; i < 3; i++) names.push(segmentOf(await generate('shared', { topN: 1 })));
    const several = await generate('shared', { maxNumSegments: 3 }, { 'generate.max.count': '1' });
    expect(several.result?.['generate.segments']).toHaveLength(3);
    names.push(...(several.result!['generate.segments'] as string[]));
    expect(new Set(names).size).toBe(6);
    expect(names).toEqual(names.toSorted());
  });

  it.each([
    ['in all', {}, 4, [2, 2]],
    ['for each with generate.topN.per.segment', { 'generate.topN.per.segment': 'true' }, 8, [4, 4]],
  ])('topN counts for several segments %s (C34)', async (how, conf, total, sizes) => {
    const crawlId = `per-${how.length}`;
    await cycle.inject(seeds(10), {}, { crawlId });
    const job = await generate(crawlId, { topN: 4, maxNumSegments: 2 }, conf);
    expect(job.result).toMatchObject({ 'generate.count': total });
    expect((await listBatches(cycle.pool, job.crawl, { after: '', limit: 9 })).map((made) => made.pages)).toEqual(
      sizes,
    );
  });

  it('has no segment name when nothing was selected', async () => {
    expect((await generate('nothing')).result).toMatchObject({ 'generate.batch.id': null, 'generate.segment': null });
  });

  it('shows creation time and number in the metadata of its pages until UPDATEDB (C35, C36)', async () => {
    await cycle.inject([`${seeds(1)[0]}\tcolour=red`, 'http://a.test/1'], {}, { crawlId: 'shown' });
    const before = Date.now() - 1_000;
    const job = await generate('shown', { maxNumSegments: 2 }, { 'generate.max.count': '1' });
    const metadata = async () => {
      const rows = await pages(cycle, 'shown');
      const [{ id }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'shown'`)) as [
        { id: number },
      ];
      return Promise.all(rows.map(async (page) => (await pageByKey(cycle.pool, id, page))?.metadata ?? null));
    };
    const shown = await metadata();
    expect(shown).toEqual([
      { colour: 'red', _ngt_: expect.any(Number), segnum: 1, partition: 0 },
      { _ngt_: expect.any(Number), segnum: 2, partition: 0 },
    ]);
    expect(shown[0]!['_ngt_']).toBeGreaterThan(before);
    for (const batch of job.result!['generate.batch.ids'] as string[]) await crawler.update('shown', { batch });
    expect(await metadata()).toEqual([{ colour: 'red' }, null]);
  });
});

it('a batch id used for several rounds counts all pages under its first segment name', async () => {
  await cycle.inject(seeds(5), {}, { crawlId: 'again' });
  const first = await generate('again', { batch: 'one', topN: 2 });
  const second = await generate('again', { batch: 'one', topN: 3 });
  expect([first, second].map(({ result }) => result?.['generate.count'])).toEqual([2, 3]);
  expect(segmentOf(second)).toBe(segmentOf(first));
  const { crawl } = second;
  expect(await listBatches(cycle.pool, crawl, { after: '', limit: 9 })).toMatchObject([
    { id: 'one', segment: segmentOf(first), segnum: 1, pages: 5 },
  ]);
  expect(await batchNamed(cycle.pool, crawl, segmentOf(first))).toBe('one');
});

describe('segment names', () => {
  it('are accepted by FETCH, PARSE, UPDATEDB and INVERTLINKS, also as paths', async () => {
    const site = await crawler.site({ '/': links('http://other.test/') });
    await crawler.inject('round', [`${site.url}/`]);
    const segment = segmentOf(await generate('round'));
    const run = (type: 'FETCH' | 'PARSE' | 'UPDATEDB' | 'INVERTLINKS', args: Record<string, unknown>) =>
      cycle.run(type, args, { crawlId: 'round' });
    expect(counter(await run('FETCH', { segment }), 'FetcherStatus', 'SUCCESS')).toBe(1);
    expect(counter(await run('PARSE', { segment: `round/segments/${segment}/` }), 'ParserStatus', 'success')).toBe(1);
    const elsewhere = `hdfs://n1:8020/my crawls/round/segments/${segment}//`;
    expect(counter(await run('UPDATEDB', { segment: [elsewhere] }), 'UpdateDb', 'db_fetched')).toBe(1);
    expect(counters(await run('INVERTLINKS', { segment: [`round/segments/${segment}`] }), 'LinkDb')).toMatchObject({
      pages: 1,
    });
  });

  it('can be mixed with batch ids in one UPDATEDB', async () => {
    await cycle.inject(seeds(2), {}, { crawlId: 'both' });
    const made = [await generate('both', { topN: 1 }), await generate('both', { topN: 1 })];
    const job = await crawler.update('both', { segment: [segmentOf(made[0]!), batchOf(made[1]!)] });
    expect(counter(job, 'UpdateDb', 'not_fetched')).toBe(2);
  });

  it('of another crawl fail the job', async () => {
    await cycle.inject(seeds(1), {}, { crawlId: 'mine' });
    await cycle.inject(seeds(1), {}, { crawlId: 'yours' });
    const segment = segmentOf(await generate('mine'));
    await generate('yours', { batch: 'b' });
    await cycle.db.query(`update batch set segment = '20000101000000' where id = 'b'`);
    const failed = await crawler.update('yours', { segment });
    expect([failed.state, failed.msg]).toEqual(['FAILED', expect.stringContaining(`"${segment}"`)]);
    const job = await crawler.update('yours', { segment: '20000101000000' });
    expect(counter(job, 'UpdateDb', 'not_fetched')).toBe(1);
  });
});
