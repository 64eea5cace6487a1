import { describe, expect, it } from 'vitest';
import { MergeSegsJob } from '../../src/cycle/mergesegs/mergesegs.job.js';
import type { JobRow } from '../../src/job/job-row.js';
import { addPlugins } from '../../src/plugin/registry.js';
import { guarded } from '../../src/plugin/external-guard.js';
import { page, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { indexLines, useIndexFolder } from './index-files.js';
import { runKilled } from './interrupted.js';
import { batchOf, byPath, counters } from './table.js';

/** MERGESEGS: merges segments into one (Nutch 1.x SegmentMerger; feature row L10). */

useCrawler();

const folder = useIndexFolder();

/** A crawl of two rounds: the first page, then three that it links to, one of them missing. @returns the batches */
async function crawledTwice(crawlId: string): Promise<[string, string]> {
  const site = await crawler.site({
    '/': links('/a', '/b', '/missing'),
    '/a': page('<title>alpha</title>a'),
    '/b': page('<title>beta</title>b'),
    '/missing': status(404),
  });
  await crawler.inject(crawlId, [`${site.url}/`]);
  const first = await crawler.untilParsed(crawlId);
  await crawler.update(crawlId, { batch: first });
  const second = await crawler.untilParsed(crawlId);
  await crawler.update(crawlId, { batch: second });
  return [first, second];
}

const merge = (crawlId: string, args: Record<string, unknown>, conf: Record<string, string> = {}): Promise<JobRow> =>
  cycle.run('MERGESEGS', args, { crawlId, conf });

const batches = (crawlId: string) =>
  byPath(cycle, ({ batch_id, update_mark }) => [batch_id, update_mark].join(' '), crawlId);

describe('MERGESEGS', () => {
  it('waits for an INDEX of its crawl, which reads closed batches, too', async () => {
    const [first, second] = await crawledTwice('beside');
    const index = await cycle.run('INDEX', { batch: '-all' }, { crawlId: 'beside' });
    const set = (state: string, endedAt: string | null) =>
      cycle.db.query(`update job set state = $2, ended_at = $3, lock_key = crawl || '/INDEX' where id = $1`, [
        index.id,
        state,
        endedAt,
      ]);
    await set('RUNNING', null);
    const merging = merge('beside', { segment: [first, second], batch: 'merged' });
    const waiting = () =>
      cycle.db.query(`select id from job where type = 'MERGESEGS' and msg like '%' || $1 || ', which holds INDEX%'`, [
        index.id,
      ]);
    await expect.poll(waiting).toHaveLength(1);
    await set('FINISHED', 'now');
    expect(await merging).toMatchObject({ state: 'FINISHED', result: { reason: 'done' } });
  });

  it('moves the pages of two segments to a new one and updates their marks', async () => {
    const [first, second] = await crawledTwice('two');
    const job = await merge('two', { segment: [first, second], batch: 'merged' });
    expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'done', 'merge.batch.ids': ['merged'] } });
    expect(counters(job, 'SegmentMerger')).toEqual({ merged: 4 });
    expect(await batches('two')).toEqual({
      '/': 'merged merged',
      '/a': 'merged merged',
      '/b': 'merged merged',
      '/missing': 'merged ',
    });
    const [made] = await cycle.db.query(
      `select b.pages, b.segnum, b.segment, b.generated_at = first.generated_at as "isAsOld", c.newest_batch as newest
         from batch b join crawl c on c.id = b.crawl join batch first on first.crawl = c.id and first.id = $1
        where c.name = 'two' and b.id = 'merged'`,
      [first],
    );
    expect(made).toEqual({
      pages: 4,
      segnum: 1,
      segment: (job.result!['merge.segments'] as string[])[0],
      isAsOld: true,
      newest: 'merged',
    });
  });

  it('leaves the newest batch the one of jobs that name none, if it is not merged', async () => {
    const [first, second] = await crawledTwice('newest');
    const newest = async () =>
      (await cycle.db.query(`select newest_batch as id from crawl where name = 'newest'`)).map(
        ({ id }) => id as string,
      );
    await merge('newest', { segment: [first], batch: 'older' });
    expect(await newest()).toEqual([second]);
    await merge('newest', { segment: ['older', second], batch: 'merged' });
    expect(await newest()).toEqual(['merged']);
  });

  it('leaves a page that URL filters reject in its segment, so that INDEX of the merged one skips it', async () => {
    const [first, second] = await crawledTwice('filtered');
    const conf = { 'urlfilter.regex.rules': '-/b$\n+.', 'plugin.includes.also': 'indexer-jsonl' };
    const job = await merge('filtered', { segment: [first, second], filter: true }, conf);
    expect(counters(job, 'SegmentMerger')).toEqual({ merged: 3, urls_filtered: 1 });
    const [merged] = job.result!['merge.batch.ids'] as [string];
    expect((await batches('filtered'))['/b']).toBe(`${second} ${second}`);
    const index = await cycle.run('INDEX', { batch: merged }, { crawlId: 'filtered', conf });
    expect((await indexLines(folder.path, index)).map(({ id }) => id.slice(id.indexOf('/')))).toEqual(['/', '/a']);
  });

  it('skips pages that a SegmentMergeFilter plugin rejects or throws at', async () => {
    const failures: string[] = [];
    const plugin = guarded(
      {
        id: 'test-merge-filter',
        className: 'test.MergeFilter',
        description: 'Keeps what has no title beta.',
        makeSegmentMergeFilter: () => (found) => {
          if (found.status === 3) throw new Error('gone');
          return found.title !== 'beta';
        },
      },
      (line) => void failures.push(line),
    );
    addPlugins([{ plugin, origin: 'test' }]);
    const [first, second] = await crawledTwice('plugged');
    const job = await merge('plugged', { segment: [first, second] }, { 'plugin.includes.also': 'test-merge-filter' });
    expect(counters(job, 'SegmentMerger')).toEqual({ merged: 2, pages_filtered: 2 });
    expect(failures).toEqual([expect.stringContaining('gone')]);
  });

  it('skips pages whose URLs are normalized differently now', async () => {
    const [first, second] = await crawledTwice('normalized');
    const conf = {
      'plugin.includes.also': 'urlnormalizer-regex',
      'urlnormalizer.regex.rules':
        '<regex-normalize><regex><pattern>/a$</pattern><substitution>/alpha</substitution></regex></regex-normalize>',
    };
    const job = await merge('normalized', { segment: [first, second], normalize: true }, conf);
    expect(counters(job, 'SegmentMerger')).toEqual({ merged: 3, urls_normalized: 1 });
  });

  it('divides the pages by slice into segments of one batch name with numbers', async () => {
    await crawledTwice('sliced');
    const job = await merge('sliced', { segment_dir: 'sliced/segments', batch: 'm', slice: 3 });
    expect(job.result).toMatchObject({ 'merge.batch.ids': ['m', 'm-2'] });
    expect(new Set(job.result!['merge.segments'] as string[]).size).toBe(2);
    const made = await cycle.db.query(`select id, pages, segnum from batch where id in ('m', 'm-2') order by segnum`);
    expect(made).toEqual([
      { id: 'm', pages: 3, segnum: 1 },
      { id: 'm-2', pages: 1, segnum: 2 },
    ]);
  });

  it('does not move a page that was generated again into a newer batch', async () => {
    const [first, second] = await crawledTwice('again');
    await cycle.db.query(
      `update webpage set fetch_time = now() - interval '1 hour' from crawl c where c.id = crawl and c.name = 'again' and key like '%/a'`,
    );
    const third = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'again' }));
    expect(counters(await merge('again', { segment: [first, second] }), 'SegmentMerger')).toEqual({ merged: 3 });
    expect((await batches('again'))['/a']).toBe(`${third} ${second}`);
  });

  it.each<[string, (segments: [string, string]) => Record<string, unknown>, string]>([
    ['no segment', () => ({}), 'name the segments to merge'],
    ['a segment that does not exist', () => ({ segment: ['17-3'] }), 'never had a batch or segment "17-3"'],
    [
      'the name of a batch that exists',
      ([a, b]) => ({ segment: [a, b], batch: b }),
      'exists already: the merged batch needs another name',
    ],
  ])('fails for %s', async (name, args, reason) => {
    const crawlId = `refused ${name.length}`.replace(' ', '-');
    const segments = await crawledTwice(crawlId);
    const job = await merge(crawlId, args(segments));
    expect(job).toMatchObject({ state: 'FAILED', msg: expect.stringContaining(reason) });
  });

  it('fails for a segment before UPDATEDB, and skips it when it merges a folder', async () => {
    const site = await crawler.site({ '/': page('home') });
    await crawler.inject('open', [`${site.url}/`]);
    const batch = await crawler.untilParsed('open');
    expect(await merge('open', { segment: [batch] })).toMatchObject({
      state: 'FAILED',
      msg: expect.stringContaining(`batch "${batch}" has pages that wait for UPDATEDB (1)`),
    });
    expect(counters(await merge('open', { segment_dir: 'open/segments' }), 'SegmentMerger')).toEqual({ merged: 0 });
  });

  it('continues after a kill at every write and counts each page once', async () => {
    const [{ id }] = (await cycle.db.query(`insert into crawl (name) values ('killed') returning id`)) as unknown as [
      { id: number },
    ];
    await cycle.db.query(
      `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, batch_id, update_mark)
       select $1, 'test.h' || i % 9, 'test.h' || i % 9 || ':http/' || i, '2027-01-01', 1, i, 0, 2, 'link', 'b' || i % 2, case when i % 5 > 0 then 'b' || i % 2 end
         from generate_series(1, 4500) i`,
      [id],
    );
    await cycle.db.query(
      'insert into host (crawl, host, domain, n_fetched) select crawl, host, host, count(*) from webpage where crawl = $1 group by 1, 2',
      [id],
    );
    await cycle.db.query(
      `insert into batch (crawl, id, segment, segnum, generated_at, pages, partitions) select $1, b, to_char(n, 'FM00000000000000'), 1, now(), 2250, 1 from (values ('b0', 1), ('b1', 2)) as b (b, n)`,
      [id],
    );
    const args = { segment: ['b0', 'b1'], batch: 'm', slice: 1_700 };
    const { attempts, counted } = await runKilled(new MergeSegsJob(), { pool: cycle.pool, crawl: id, args, writes: 1 });
    expect(attempts).toBeGreaterThan(3);
    expect(counted).toEqual({ merged: 4_500 });
    const pages = await cycle.db.query(
      `select batch_id as batch, count(*)::int as pages, count(update_mark)::int as parsed from webpage where crawl = $1 group by 1 order by 1`,
      [id],
    );
    expect(pages.map(({ batch, pages }) => [batch, pages])).toEqual([
      ['m', 1_700],
      ['m-2', 1_700],
      ['m-3', 1_100],
    ]);
    expect(pages.reduce((sum, { parsed }) => sum + Number(parsed), 0)).toBe(3_600);
    const made = await cycle.db.query(`select id, pages, segnum from batch where crawl = $1 and id ~ '^m' order by 1`, [
      id,
    ]);
    expect(made.map(({ id: batch, pages: n, segnum }) => [batch, n, segnum])).toEqual([
      ['m', 1_700, 1],
      ['m-2', 1_700, 2],
      ['m-3', 1_100, 3],
    ]);
  });

  describe('of all segments of a crawl with very many', () => {
    /** Records 1,000 batches before those of a crawl; with `pages` each has one, on a host of its own. */
    const addOlder = async (crawlId: string, { pages }: { pages: boolean }): Promise<void> => {
      await cycle.db.query(
        `insert into batch (crawl, id, segnum, segment, pages, generated_at)
         select id, 'b' || n, n, (20000101000000 + n)::text, 0, now() from crawl, generate_series(1, 1000) n where name = $1`,
        [crawlId],
      );
      if (!pages) return;
      await cycle.db.query(
        `insert into webpage (crawl, host, key, source_kind, fetch_time, fetch_interval, score, cash, status, batch_id, update_mark)
         select id, 'test.h' || n, 'test.h' || n || ':http/', 'seed', now(), 1, 1, 1, 2, 'b' || n, 'b' || n
           from crawl, generate_series(1, 1000) n where name = $1`,
        [crawlId],
      );
      await cycle.db.query(
        `insert into host (crawl, host, domain, n_fetched)
         select id, 'test.h' || n, 'test.h' || n, 1 from crawl, generate_series(1, 1000) n where name = $1`,
        [crawlId],
      );
    };

    it('says that the newest stay as they are', async () => {
      const [first, second] = await crawledTwice('many');
      await addOlder('many', { pages: true });
      const job = await merge('many', { segment_dir: 'crawl/segments' });
      expect(job.result?.warnings).toEqual([
        'the crawl has more than 1000 segments: only the oldest 1000 are merged; name others in segment',
      ]);
      expect(counters(job, 'SegmentMerger')).toEqual({ merged: 1_000 });
      expect(await batches('many')).toMatchObject({ '/a': `${second} ${second}`, '/missing': `${second} ` });
      const { rows: left } = await cycle.pool.query('select from webpage where update_mark = $1', [first]);
      expect(left).toHaveLength(1);
    });

    it('does not count those without pages', async () => {
      await crawledTwice('empties');
      await addOlder('empties', { pages: false });
      const job = await merge('empties', { segment_dir: 'crawl/segments', batch: 'merged' });
      expect(job.result).not.toHaveProperty('warnings');
      expect(counters(job, 'SegmentMerger')).toEqual({ merged: 4 });
      expect(await batches('empties')).toMatchObject({ '/': 'merged merged', '/a': 'merged merged' });
    });
  });
});
