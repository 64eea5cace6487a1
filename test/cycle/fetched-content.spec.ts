import { createHash, randomBytes } from 'node:crypto';
import { gzipSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { type Handler, type Site, cutShort, page, startSite } from '../support/site.js';
import { cycle, untilTestEnds, useCrawler } from './crawler.js';
import { counters, pageAt, pages } from './table.js';

/** What FETCH stores of a response (docs/semantics/fetch.md; feature rows D19, D21, D24, D27). */

useCrawler();

const site = async (handlers: Record<string, Handler> | Handler): Promise<Site> =>
  untilTestEnds(await startSite(handlers));
/** Injects URLs, generates and fetches them. */
const crawl = async (
  crawlId: string,
  urls: string[],
  { conf = {} }: { conf?: Record<string, string> } = {},
): Promise<JobRow> => {
  await cycle.inject(urls, {}, { crawlId });
  await cycle.run('GENERATE', {}, { crawlId });
  return cycle.run('FETCH', {}, { crawlId, conf });
};
const contentOf = async (crawlId: string): Promise<Record<string, Buffer | null>> => {
  const found = await cycle.db.query<{ key: string; content: Buffer | null }>(
    `select key, content from page_content where crawl = (select id from crawl where name = $1) and content is not null`,
    [crawlId],
  );
  return Object.fromEntries(
    found.map(({ key, content }) => [
      key.slice(key.indexOf('/')),
      content!.length > 0 ? zstdDecompressSync(content!) : content,
    ]),
  );
};

describe('content', () => {
  it('is stored byte for byte, with the headers (D19, D21, D27)', async () => {
    const image = randomBytes(70_000);
    const web = await site({ '/img': page(image, { 'content-type': 'image/png', server: 'test/1' }) });
    await crawl('bytes', [`${web.url}/img`]);
    const sha = (data: Buffer) => createHash('sha256').update(data).digest('hex');
    expect(sha((await contentOf('bytes'))['/img']!)).toBe(sha(image));
    const [row] = await cycle.db.query(
      `select headers ->> 'server' as server, content_length from page_content where crawl = (select id from crawl where name = 'bytes')`,
    );
    expect(row).toEqual({ server: 'test/1', content_length: 70_000 });
  });

  it('is cut at http.content.limit and marked as truncated; -1 stores all', async () => {
    const web = await site(page('y'.repeat(200_000)));
    await crawl('cut', [`${web.url}/`], { conf: { 'http.content.limit': '1000' } });
    await crawl('whole', [`${web.url}/`], { conf: { 'http.content.limit': '-1' } });
    const stored = await cycle.db.query(
      `select c.name, content_length, truncated from page_content p join crawl c on c.id = p.crawl where c.name in ('cut', 'whole') order by 1`,
    );
    expect(stored).toEqual([
      { name: 'cut', content_length: 1_000, truncated: 'length' },
      { name: 'whole', content_length: 200_000, truncated: null },
    ]);
  });

  it('of a body that was cut is stored with http.partial.truncated', async () => {
    const web = await site({ '/': cutShort('half', 1_000) });
    await crawl('partial', [`${web.url}/`], { conf: { 'http.partial.truncated': 'true' } });
    expect((await contentOf('partial'))['/']?.toString()).toBe('half');
  });

  it('with incomplete gzip data fails, and gzip with trailing bytes is stored whole', async () => {
    const text = Buffer.from(Array.from({ length: 9000 }, (_, i) => 97 + ((i * 7919 + (i >> 7) * 31) % 26)));
    const gzip = gzipSync(text);
    const coded = { 'content-encoding': 'gzip', 'content-type': 'text/plain' };
    const web = await site({
      '/half': page(gzip.subarray(0, gzip.length >> 1), coded),
      '/behind': page(Buffer.concat([gzip, Buffer.alloc(300, 'x')]), coded),
    });
    const job = await crawl('gzip', [`${web.url}/half`, `${web.url}/behind`]);
    expect(counters(job, 'FetcherStatus')).toMatchObject({ EXCEPTION: 1, SUCCESS: 1 });
    expect((await pages(cycle, 'gzip')).map((row) => row.status).toSorted()).toEqual([2, 34]);
    expect((await contentOf('gzip'))['/behind']?.equals(text)).toBe(true);
  });

  it('is parsed and then not stored with fetcher.store.content false and fetcher.parse true', async () => {
    const web = await site(page('<title>here</title>'));
    await crawl('nostore', [`${web.url}/`], { conf: { 'fetcher.store.content': 'false', 'fetcher.parse': 'true' } });
    expect((await contentOf('nostore'))['/']).toHaveLength(0);
    expect(await pageAt(cycle, '/', 'nostore')).toMatchObject({ title: 'here', status: 2 });
  });

  it('adds status, time and signature of the visit to the fetch history (D24)', async () => {
    const web = await site(page('<p>hello'));
    await crawl('d24', [`${web.url}/`], { conf: { 'fetcher.parse': 'true' } });
    const row = await pageAt(cycle, '/', 'd24');
    expect(row).toMatchObject({ status: 2, signature: createHash('md5').update('<p>hello').digest('hex') });
    const [visit] = await cycle.db.query(`select time, status, signature, bytes from fetch_history h
       where crawl = (select id from crawl where name = 'd24')`);
    expect(visit).toEqual({ time: row.fetch_time, status: 2, signature: row.signature, bytes: 8 });
  });
});
