import type { Conf } from '../../conf/properties.js';
import { PROTOCOL_STATUS } from '../../core/page/protocol-status.js';
import type { RobotsCache } from './robots-cache.js';

/** What robots.txt says about one page now. */
export type Passage =
  /** It may be fetched; `delayMs` is the pace that its host asks for, or null. */
  | { kind: 'go'; delayMs: number | null }
  /** The file was asked for just now, a request like any other: the page waits for its own turn. */
  | { kind: 'asked' }
  | { kind: 'skip'; code: number; args: string[]; skipped?: string };

const denied = (why: string): Passage => ({ kind: 'skip', code: PROTOCOL_STATUS.ROBOTS_DENIED, args: [why] });

/** Asks robots.txt for a page, and the properties how long a Crawl-delay is borne. */
export async function passRobots(robots: RobotsCache, url: string, conf: Conf): Promise<Passage> {
  const { answer, fetched } = await robots.of(new URL(url).origin);
  if (fetched) return { kind: 'asked' };
  if (answer.kind === 'allow') return { kind: 'go', delayMs: null };
  if (answer.kind === 'deny') return denied(answer.why);
  if (answer.kind === 'wait') {
    return { kind: 'skip', code: PROTOCOL_STATUS.RETRY, args: [answer.why], skipped: 'robots_deferred' };
  }
  const { allowed, line, crawlDelay } = robots.judge(answer.robots, url);
  if (!allowed) return denied(line ? `robots.txt line ${line.number}: ${line.text}` : 'robots.txt');
  if (crawlDelay === null) return { kind: 'go', delayMs: null };
  const longest = conf['fetcher.max.crawl.delay'];
  if (longest >= 0 && crawlDelay > longest) {
    return denied(`Crawl-delay of ${crawlDelay} s is over fetcher.max.crawl.delay`);
  }
  return { kind: 'go', delayMs: Math.max(crawlDelay, conf['fetcher.min.crawl.delay']) * 1000 };
}
