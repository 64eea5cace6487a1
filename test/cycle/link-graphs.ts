/** Crawls for tests of the link graph: pages as INJECT stores them, with links as PARSE stores them. */
import { reverseUrl } from '../../src/core/url/row-key.js';
import type { Cycle } from '../support/cycle.js';

/** Makes a crawl of these pages; returns its number. `links` are pairs of URLs. */
export async function linkedCrawl(
  cycle: Cycle,
  crawlId: string,
  { urls, links }: { urls: readonly string[]; links: readonly (readonly [from: string, to: string])[] },
): Promise<number> {
  await cycle.inject([...urls], {}, { crawlId, conf: { 'urlfilter.regex.rules': '+.' } });
  const [crawl] = await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId]);
  const targets = Map.groupBy(links, ([from]) => from);
  for (const [from, found] of targets)
    await cycle.db.query(
      `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
       values ($1, split_part($2, ':', 1), $2, $3, array_fill(''::text, array[cardinality($3::text[])]))`,
      [crawl!.id, reverseUrl(from), found.map(([, to]) => reverseUrl(to))],
    );
  return crawl!.id;
}
