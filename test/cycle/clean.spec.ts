import { describe, expect, it } from 'vitest';
import { hostKeyOf, reverseUrl } from '../../src/core/url/row-key.js';
import { markIndexed } from '../../src/cycle/index/index.sql.js';
import { type Sql, transaction } from '../../src/db/sql.js';
import type { JobRow } from '../../src/job/job-row.js';
import { knownCrawl } from '../../src/webpage/crawl.store.js';
import { type Handler, type Site, page, status } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { indexLines, useIndexFolder } from './index-files.js';
import { counters } from './table.js';

useCrawler();

const folder = useIndexFolder();

const conf = { 'plugin.includes.also': 'indexer-jsonl' };
const run = (type: 'INDEX' | 'CLEAN', crawlId: string, args = {}) => cycle.run(type, args, { crawlId, conf });
/** Documents of the built-in index. */
const documentsOf = async (crawlId: string): Promise<number> =>
  (
    await cycle.db.query<{ n: number }>(
      'select count(*)::int as n from search_doc d join crawl c on c.id = d.crawl where c.name = $1',
      [crawlId],
    )
  )[0]!.n;

describe('CLEAN', () => {
  it('deletes the documents of pages that are now gone or duplicates, once, and no others', async () => {
    let there = true;
    const site = await crawler.site({
      '/': page('home'),
      '/leaves': (req, res) => (there ? page('still here') : status(404))(req, res),
      '/twin': page('home'),
      '/never': status(404),
    });
    await crawler.inject(
      'clean',
      ['/', '/leaves', '/twin', '/never'].map((path) => site.url + path),
    );
    await crawler.round('clean');
    expect(counters(await run('INDEX', 'clean'), 'IndexerJob')).toEqual({ DocumentCount: 3 });
    expect(counters(await run('CLEAN', 'clean'), 'CleaningJobStatus')).toEqual({ 'Deleted documents': 0 });

    there = false;
    await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour' where key like '%/leaves'`);
    await crawler.round('clean');
    await cycle.run('DEDUP', { compareOrder: ['urlLength'] }, { crawlId: 'clean' });
    const job = await run('CLEAN', 'clean');
    expect(counters(job, 'CleaningJobStatus')).toEqual({
      'Deleted documents': 2,
      'deleted (gone)': 1,
      'deleted (duplicates)': 1,
    });
    expect((await indexLines(folder.path, job)).map(({ id, deleted }) => [id.slice(id.indexOf('/')), deleted])).toEqual(
      [
        ['/leaves', true],
        ['/twin', true],
      ],
    );
    expect(counters(await run('CLEAN', 'clean'), 'CleaningJobStatus')).toEqual({ 'Deleted documents': 0 });
  });

  it.each([false, true])(
    'with normalize deletes documents by the ids that INDEX gave them (removed: %s)',
    async (removed) => {
      const crawlId = `normalized-${removed}`;
      let there = true;
      const site = await crawler.site({ '/a-1': (req, res) => (there ? page('a') : status(404))(req, res) });
      await crawler.inject(crawlId, [`${site.url}/a-1`]);
      await crawler.round(crawlId);
      const rules = {
        ...conf,
        'urlnormalizer.scope.indexer': 'urlnormalizer-regex',
        'urlnormalizer.regex.rules.indexer':
          '<regex-normalize><regex><pattern>-\\d</pattern><substitution></substitution></regex></regex-normalize>',
      };
      await cycle.run('INDEX', { normalize: true }, { crawlId, conf: rules });
      expect(await documentsOf(crawlId)).toBe(1);
      there = false;
      await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour' where key like '%/a-1'`);
      await crawler.round(crawlId, { 'db.update.purge.404': String(removed) });
      await cycle.run('CLEAN', { normalize: true }, { crawlId, conf: rules });
      expect(await documentsOf(crawlId)).toBe(0);
    },
  );

  describe('for pages that come back unmodified', () => {
    /** Answers 304 to a request with its validator. */
    const tagged =
      (text: () => string): Handler =>
      (req, res) => {
        const etag = `"${text()}"`;
        if (req.headers['if-none-match'] === etag) return status(304)(req, res);
        page(`<title>${text()}</title>`, { etag })(req, res);
      };
    const isConditional = ({ log }: Site, at: string): boolean =>
      'if-none-match' in log.findLast(({ path }) => path === at)!.headers;
    const visitAgain = async (crawlId: string): Promise<void> => {
      await cycle.db.query(
        `update webpage set fetch_time = now() - interval '1 hour' where crawl = (select id from crawl where name = $1)`,
        [crawlId],
      );
      await crawler.round(crawlId);
      await cycle.run('DEDUP', { compareOrder: ['urlLength'] }, { crawlId });
      await run('INDEX', crawlId);
      await run('CLEAN', crawlId);
    };

    it('lets INDEX write the document of a page that was gone', async () => {
      let there = true;
      const site = await crawler.site({
        '/': tagged(() => 'home'),
        '/away': (req, res) => (there ? tagged(() => 'away') : status(404))(req, res),
      });
      await crawler.inject('away', [`${site.url}/`, `${site.url}/away`]);
      await visitAgain('away');
      there = false;
      await visitAgain('away');
      expect(await documentsOf('away')).toBe(1);
      there = true;
      await visitAgain('away');
      expect(isConditional(site, '/away')).toBe(true);
      expect(await documentsOf('away')).toBe(2);
    });

    it('lets INDEX write the document of a page that was a duplicate', async () => {
      let text = 'the same';
      const site = await crawler.site({ '/': tagged(() => text), '/twin': tagged(() => 'the same') });
      await crawler.inject('twin', [`${site.url}/`, `${site.url}/twin`]);
      await visitAgain('twin');
      expect(await documentsOf('twin')).toBe(1);
      text = 'another';
      await visitAgain('twin');
      expect(isConditional(site, '/twin')).toBe(true);
      expect(await documentsOf('twin')).toBe(2);
    });
  });

  describe('for pages that were removed from the table', () => {
    /** A crawl of two pages, both indexed, of which `/leaves` was then found gone and removed. */
    async function removed(crawlId: string): Promise<{ comeBack: () => void; url: string }> {
      let there = true;
      const site = await crawler.site({
        '/': page('home'),
        '/leaves': (req, res) => (there ? page('still here') : status(404))(req, res),
      });
      await crawler.inject(crawlId, [`${site.url}/`, `${site.url}/leaves`]);
      await crawler.round(crawlId);
      expect(counters(await run('INDEX', crawlId), 'IndexerJob')).toEqual({ DocumentCount: 2 });
      there = false;
      await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour' where key like '%/leaves'`);
      await crawler.round(crawlId, { 'db.update.purge.404': 'true' });
      expect(await pathsOf(crawlId)).toEqual(['/']);
      return { comeBack: () => (there = true), url: `${site.url}/leaves` };
    }
    const pathsOf = async (crawlId: string): Promise<string[]> =>
      (
        await cycle.db.query<{ path: string }>(
          `select substring(key from '/.*') as path from webpage w join crawl c on c.id = w.crawl where c.name = $1 order by 1`,
          [crawlId],
        )
      ).map(({ path }) => path);
    const deletions = async (job: JobRow) =>
      (await indexLines(folder.path, job)).flatMap(({ id, deleted }) => (deleted ? [id.slice(id.indexOf('/'))] : []));

    it('deletes their documents from every writer, once', async () => {
      await removed('purged');
      const job = await run('CLEAN', 'purged');
      expect(counters(job, 'CleaningJobStatus')).toEqual({ 'Deleted documents': 1, 'deleted (removed)': 1 });
      expect(await deletions(job)).toEqual(['/leaves']);
      expect(await documentsOf('purged')).toBe(1);
      expect(counters(await run('CLEAN', 'purged'), 'CleaningJobStatus')).toEqual({ 'Deleted documents': 0 });
    });

    it('leaves them to an INDEX with deleteGone, which deletes and counts them', async () => {
      await removed('by-index');
      const job = await run('INDEX', 'by-index', { batch: '-all', deleteGone: true });
      expect(counters(job, 'IndexerStatus')).toMatchObject({ 'deleted (removed)': 1 });
      expect(await deletions(job)).toEqual(['/leaves']);
      expect(await documentsOf('by-index')).toBe(1);
    });

    it('keeps the document of a page that came back and was indexed again', async () => {
      const { comeBack, url } = await removed('back');
      comeBack();
      await crawler.inject('back', [url]);
      await crawler.round('back');
      await run('INDEX', 'back');
      expect(counters(await run('CLEAN', 'back'), 'CleaningJobStatus')).toEqual({ 'Deleted documents': 0 });
      expect(await documentsOf('back')).toBe(2);
    });

    it('deletes the document of a page that was removed after it was sent and before it was marked', async () => {
      const { url } = await removed('between');
      const crawl = (await knownCrawl(cycle.pool, 'between'))!;
      await run('CLEAN', 'between');
      const key = reverseUrl(url);
      await transaction(cycle.pool, (tx) => markIndexed(tx, crawl, [{ host: hostKeyOf(key), key, mark: 'b' }]));
      const job = await run('CLEAN', 'between');
      expect(await deletions(job)).toEqual(['/leaves']);
    });

    it('deletes the document of a page that was removed so and added again while it was marked', async () => {
      const { url } = await removed('added-again');
      const crawl = (await knownCrawl(cycle.pool, 'added-again'))!;
      await run('CLEAN', 'added-again');
      const key = reverseUrl(url);
      let isAdded = false;
      await transaction(cycle.pool, async (tx) => {
        const query: Sql['query'] = async (statement) => {
          const answer = await tx.query(statement);
          if (!isAdded) await crawler.inject('added-again', [url]);
          isAdded = true;
          return answer;
        };
        await markIndexed({ query }, crawl, [{ host: hostKeyOf(key), key, mark: 'b' }]);
      });
      expect(await pathsOf('added-again')).toEqual(['/', '/leaves']);
      const job = await run('CLEAN', 'added-again');
      expect(await deletions(job)).toEqual(['/leaves']);
    });

    it('deletes the document of a page without an index mark when an INDEX was stopped', async () => {
      let there = true;
      const site = await crawler.site({ '/': (req, res) => (there ? page('home') : status(404))(req, res) });
      await crawler.inject('cut', [`${site.url}/`]);
      await crawler.round('cut');
      await run('INDEX', 'cut');
      await cycle.db.query(`update webpage set index_mark = null`);
      await cycle.db.query(`update job set result = '{"reason":"stopped"}' where crawl_id = 'cut' and type = 'INDEX'`);
      there = false;
      await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour'`);
      await crawler.round('cut', { 'db.update.purge.404': 'true' });
      await run('CLEAN', 'cut');
      expect(await documentsOf('cut')).toBe(0);
    });
  });

  it('fails for a crawl to which no job has written', async () => {
    expect(await run('CLEAN', 'nobody')).toMatchObject({
      state: 'FAILED',
      msg: expect.stringContaining('no job has ever written to a crawl'),
    });
  });
});
