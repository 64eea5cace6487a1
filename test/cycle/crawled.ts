import { zstdDecompressSync } from 'node:zlib';
import type { Cycle } from '../support/cycle.js';
import type { Site } from '../support/site.js';

/** Columns of a page after one round. */
export interface CrawledPage {
  readonly title: string | null;
  readonly text: string;
  /** `success`, or the reason of a failure. */
  readonly status: string;
  /** Row keys of the links. */
  readonly links: readonly string[];
  readonly metadata: Readonly<Record<string, string>>;
}

/** Crawls pages of a site for one round, in a crawl of their own; returns them by their paths. */
export async function crawled(
  { cycle, site }: { cycle: Cycle; site: Site },
  crawlId: string,
  paths: readonly string[],
  conf: Record<string, string> = {},
): Promise<Map<string, CrawledPage>> {
  await cycle.inject(
    paths.map((path) => site.url + path),
    {},
    { crawlId },
  );
  await cycle.round({ crawlId, conf });
  const rows = await cycle.db.query<{
    key: string;
    title: string | null;
    text: Buffer | null;
    major: number;
    args: string[];
    links: string[] | null;
    metadata: Record<string, string> | null;
  }>(
    `select w.key, w.title, w.parse_major as major, w.parse_args as args, w.metadata, p.text, p.outlink_keys as links
       from webpage w join crawl c on c.id = w.crawl
       left join page_content p on p.crawl = w.crawl and p.host = w.host and p.key = w.key
      where c.name = $1 and w.distance = 0`,
    [crawlId],
  );
  return new Map(
    rows.map(({ key, title, text, major, args, links, metadata }) => [
      key.slice(key.indexOf('/')),
      {
        title,
        text: text === null ? '' : zstdDecompressSync(text).toString(),
        status: major === 1 ? 'success' : args.join(),
        links: links ?? [],
        metadata: metadata ?? {},
      },
    ]),
  );
}
