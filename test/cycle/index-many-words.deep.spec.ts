import { expect, it } from 'vitest';
import { MAX_FIELD_WORDS } from '../../src/core/search/postings/segment-builder.js';
import { Searcher } from '../../src/search/searcher.js';
import { page } from '../support/site.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { counters } from './table.js';

/** A page of a million different words passes PARSE and INDEX: memory is bounded, and a warning names the page. */

useCrawler();

const WORDS = 1_000_000;
/** Starts with a letter, so that no language analyzes it as a number. */
const word = (n: number): string => `w${n.toString(36).padStart(4, '0')}`;
const unlimited = { 'http.content.limit': '-1', 'parser.text.limit': '16777216', 'http.timeout': '60000' };

it('INDEX of a page of a million different words stores the first 100,000 and warns of the rest', async () => {
  const text = Array.from({ length: WORDS }, (_, n) => word(n)).join(' ');
  const site = await crawler.site({
    '/': page(`<title>Many words</title><p>${text}`),
    '/few': page('<title>Few</title>one'),
  });
  await crawler.inject('many', [`${site.url}/`, `${site.url}/few`]);
  await crawler.round('many', unlimited);
  const before = process.resourceUsage().maxRSS;
  const job = await cycle.run('INDEX', {}, { crawlId: 'many', conf: unlimited });
  expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'done' } });
  // A tenth of the words is stored: a segment and its columns use up to 256 MiB, a million words would use more than twice that.
  expect((process.resourceUsage().maxRSS - before) / 1_024).toBeLessThan(512);
  expect(counters(job, 'IndexerJob')).toEqual({ DocumentCount: 2, DocumentsInPart: 1 });
  const warnings = await cycle.db.query<{ message: string }>(
    `select data->>'message' as message from job_event where job = $1 and kind = 'warning'`,
    [job.id],
  );
  expect(warnings.map(({ message }) => message)).toEqual([
    `index writer indexer-postgres took ${site.url}/ in part: a field has more than 100000 words; those behind are not searched`,
  ]);

  const [{ id: crawl, sums }] = (await cycle.db.query(
    `select c.id, s.sums from crawl c join search_segment s on s.crawl = c.id where c.name = 'many'`,
  )) as [{ id: number; sums: string[] }];
  expect(Number(sums.at(-1))).toBeLessThanOrEqual(MAX_FIELD_WORDS + 1);
  const searcher = new Searcher(cycle.pool, 1_000_000);
  const total = async (query: string) =>
    (
      await searcher.search({
        crawl,
        query,
        ...SEARCH_DEFAULTS,
        limit: 10,
        expand: 'auto',
        explain: true,
        snippets: 1,
      })
    ).total;
  expect(await total(word(7))).toBe(1);
  expect(await total(word(99_000))).toBe(1);
  expect(await total(word(WORDS - 1))).toBe(0);
  // A prefix of 100,000 words matches through the most frequent of them.
  expect(await total('w0*')).toBe(1);
});
