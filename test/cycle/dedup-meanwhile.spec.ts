import { afterEach, describe, expect, it } from 'vitest';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { page } from '../support/site.js';
import { DedupJob } from '../../src/cycle/dedup/dedup.job.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';
import { crawled, dedup, kept, marked, numberOf, statuses, unmarked } from './duplicates.js';

/** DEDUP beside other jobs that change pages while it runs, and when it is killed. */

useCrawler();

afterEach(() => armFaultPoints(undefined));

describe('DEDUP', () => {
  describe('reads all pages again after PARSE with -reparse', () => {
    /** Pages that differ by the signature of a round, but not by the one with which they are parsed again. */
    async function differing(crawlId: string, n: number): Promise<void> {
      const paths = Array.from({ length: n }, (_, i) => `/${i + 10}`);
      const handlers = paths.map((path) => [path, page(`<!-- ${path} -->the same words`)] as const);
      await crawled(crawlId, Object.fromEntries(paths.map((path) => [path, 1])), Object.fromEntries(handlers));
    }
    const reparse = (crawlId: string) =>
      cycle.run('PARSE', { batch: '-reparse' }, { crawlId, conf: { 'db.signature.class': 'TextProfileSignature' } });

    it('that failed half-way', async () => {
      await differing('failed', 80);
      expect(numberOf(await dedup('failed'))).toBe(0);
      let chunks = 0;
      armFaultPoints((point) => {
        if (point === 'parse.read' && ++chunks === 2) throw new Error('the second chunk fails');
      });
      expect((await reparse('failed')).state).toBe('FAILED');
      expect(numberOf(await dedup('failed'))).toBe(63);
    });

    it('that ran between the last chunk of a DEDUP and its end', async () => {
      await differing('meanwhile', 3);
      let writes = 0;
      armFaultPoints(async (point) => {
        // After those of the plan, the start and the only chunk.
        if (point === 'dedup.locked' && ++writes === 4) expect((await reparse('meanwhile')).state).toBe('FINISHED');
      });
      expect(numberOf(await dedup('meanwhile'))).toBe(0);
      armFaultPoints(undefined);
      expect(numberOf(await dedup('meanwhile'))).toBe(2);
    });
  });

  it.each([
    ['marked', 'taken', { '/a': 2, '/best': 2 }, { '/a': 7, '/best': 2 }, async () => undefined],
    [
      'unmarked',
      'given-back',
      { '/a': 7, '/best': 5 },
      { '/a': 2, '/best': 5 },
      async (crawlId: string) => {
        await dedup(crawlId);
        await cycle.db.query(
          `with lost as (update webpage w set status = 5 from crawl c
                          where c.id = w.crawl and c.name = $1 and w.key like '%/best' returning w.crawl, w.host, w.signature),
                counted as (update host h set n_fetched = n_fetched - 1, n_redir_perm = n_redir_perm + 1
                              from lost where h.crawl = lost.crawl and h.host = lost.host)
           insert into signature_due select crawl, now(), host, signature from lost`,
          [crawlId],
        );
      },
    ],
  ])('skips a page that enters a batch before it is %s', async (_, crawlId, untouched, looked, prepare) => {
    await crawled(crawlId, { '/a': 1, '/best': 3 });
    await prepare(crawlId);
    const mark = (batch: string | null) =>
      cycle.db.query(
        `update webpage w set generate_mark = $2, batch_id = $2 from crawl c
            where c.id = w.crawl and c.name = $1 and w.key like '%/a'`,
        [crawlId, batch],
      );
    let writes = 0;
    armFaultPoints(async (point) => {
      // After that of the plan and, where all contents are read, that of the start: the write of the first pages.
      if (point === 'dedup.locked' && ++writes === (crawlId === 'taken' ? 3 : 2)) await mark('b1');
    });
    const job = await dedup(crawlId);
    armFaultPoints(undefined);
    expect([job.state, numberOf(job), numberOf(job, unmarked)]).toEqual(['FINISHED', 0, 0]);
    expect(await statuses(crawlId)).toEqual(untouched);
    // Its batch notes the content again.
    await mark(null);
    await cycle.db.query(
      `insert into signature_due select distinct crawl, now(), host, signature from webpage w join crawl c on c.id = w.crawl
          where c.name = $1 and signature is not null on conflict do nothing`,
      [crawlId],
    );
    await dedup(crawlId);
    expect(await statuses(crawlId)).toEqual(looked);
  });

  it('does not mark a page whose content changes before the write', async () => {
    await crawled('changed', { '/a': 1, '/best': 3 });
    let writes = 0;
    armFaultPoints(async (point) => {
      // After those of the plan and of the start.
      if (point !== 'dedup.locked' || ++writes !== 3) return;
      await cycle.db.query(
        `update webpage w set signature = 'another' from crawl c where c.id = w.crawl and c.name = 'changed' and w.key like '%/a'`,
      );
    });
    const job = await dedup('changed');
    armFaultPoints(undefined);
    expect([writes >= 3, job.state, numberOf(job)]).toEqual([true, 'FINISHED', 0]);
    expect(await statuses('changed')).toEqual({ '/a': 2, '/best': 2 });
  });

  it.each([1, 2, 3])('ends with the same table when it is killed after every %i writes', async (writes) => {
    const crawlId = `killed${writes}`;
    await crawler.inject(crawlId, []);
    const [{ id }] = (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId])) as [
      { id: number },
    ];
    await cycle.db.query(
      `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, signature)
       select $1, 'test.h' || i % 9, 'test.h' || i % 9 || ':http/' || i, '2027-01-01', 1, i, 0, 2 + 4 * (i % 2), 'link', 's' || i % 3000
         from generate_series(1, 9000) i`,
      [id],
    );
    await cycle.db.query(
      `insert into host (crawl, host, domain, n_fetched, n_notmodified)
       select crawl, host, host, count(*) filter (where status = 2), count(*) filter (where status = 6) from webpage where crawl = $1 group by 1, 2`,
      [id],
    );
    await cycle.db.query(
      'insert into signature_due select distinct crawl, now(), host, signature from webpage where crawl = $1',
      [id],
    );
    const what = { pool: cycle.pool, crawl: id, args: {}, writes };
    const { attempts, counted } = await runKilled(new DedupJob(), what);
    expect(attempts).toBeGreaterThan(1);
    expect(counted).toMatchObject({ [marked]: 6_000 });
    const left = await kept(crawlId);
    expect(left).toHaveLength(3_000);
    expect(left.every((key) => Number(/\d+$/.exec(key)![0]) > 6_000)).toBe(true);
    expect(await cycle.db.query('select from signature_due where crawl = $1', [id])).toEqual([]);
  });
});
