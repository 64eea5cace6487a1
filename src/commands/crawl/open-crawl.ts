import type { CrawlProgress } from '../../../clients/typescript/src/generated/schemas.js';
import { hasEnded, type Orbweaver } from '../../../clients/typescript/src/orbweaver.js';
import { followCrawl, type Following } from './follow-crawl.js';

/**
 * Follows the open crawls of this id to their ends, the oldest first: a killed command leaves one, and its
 * batch contains pages that another crawl would not get. Ctrl-C ends with the current one.
 */
export async function followOpenCrawls(
  client: Orbweaver,
  crawlId: string,
  following: Following,
): Promise<CrawlProgress[]> {
  const open = (await client.crawl.list({ crawlId })).crawls.filter((crawl) => !hasEnded(crawl)).reverse();
  const ended: CrawlProgress[] = [];
  for (const { id, paused } of open) {
    following.status.log(`goes on with ${id}`);
    if (paused) await client.crawl.resume(id);
    ended.push(await followCrawl(client, id, following));
    if (following.interrupts.count > 0) break;
  }
  return ended;
}
