/**
 * The gate before every request for a page or sitemap. It asks robots.txt, from memory or from the server, and says how it
 * goes on: the URL may be requested; it is skipped, for the file forbids it or asks for too long a delay; or the page goes
 * back into its queue, since fetching the file was this turn's request, or the lease of the queue was lost meanwhile.
 */
import type { Conf } from '../conf/properties.js';
import { PROTOCOL_STATUS } from '../core/page/protocol-status.js';
import type { RobotsLine } from '../core/robots/robots-file.js';
import type { HttpFailure } from '../net/http-answer.js';
import type { RobotsAnswer, RobotsCache } from './robots-cache.js';

/** Whether one URL may be requested now. */
export type Passage =
  /** It may be requested; `delayMs` is the pace that its host asks for, or null. */
  | { kind: 'go'; delayMs: number | null }
  /** The file was asked for just now, a request like any other: the page goes back into its queue. */
  | { kind: 'robots-fetched' }
  /** The server may not be asked any more, for the file or for the page: the page goes back into its queue. */
  | { kind: 'lease-lost' }
  /** The server could not be connected to for the file just now: the page has failed by that. */
  | { kind: 'unreachable'; failure: HttpFailure }
  | { kind: 'skip'; code: number; args: string[]; skipped?: string };

const denied = (why: string): Extract<Passage, { kind: 'skip' }> => ({
  kind: 'skip',
  code: PROTOCOL_STATUS.ROBOTS_DENIED,
  args: [why],
});

/** What robots.txt means for one page, with what it says: the line that decided and the delay it asks for, in seconds. */
export interface RobotsDecision {
  passage: Exclude<Passage, { kind: 'robots-fetched' | 'lease-lost' | 'unreachable' }>;
  line: RobotsLine | null;
  crawlDelay: number | null;
  /** The names in the file whose groups count. */
  agents: readonly string[];
}

export interface GateParts {
  robots: RobotsCache;
  conf: Conf;
  /** Whether the server may still be asked: the lease may run out, or the queue be used by others, while robots.txt is looked for. */
  mayAsk: () => boolean;
  /** Sets the delay that robots.txt asks of the queue, ms, here and in the table, before any request that it is to follow. */
  setDelay: (ms: number) => Promise<void>;
}

/**
 * What every request for a page or sitemap passes: robots.txt is asked, and the properties, how long a Crawl-delay is accepted; the
 * delay is set; then the lease is looked at once more.
 */
export async function passGate(url: string, { robots, conf, mayAsk, setDelay }: GateParts): Promise<Passage> {
  const { answer, fetched, unmet, unasked } = await robots.of(new URL(url).origin, mayAsk);
  if (unasked) return { kind: 'lease-lost' };
  if (unmet) return { kind: 'unreachable', failure: unmet };
  if (fetched) return { kind: 'robots-fetched' };
  const { passage } = decideRobots(robots, answer, { url, conf });
  if (passage.kind === 'go' && passage.delayMs !== null) await setDelay(passage.delayMs);
  return passage.kind === 'skip' || mayAsk() ? passage : { kind: 'lease-lost' };
}

/** What the answer for an origin means for a page of it. */
export function decideRobots(
  robots: RobotsCache,
  answer: RobotsAnswer,
  { url, conf }: { url: string; conf: Conf },
): RobotsDecision {
  const unread = { line: null, crawlDelay: null, agents: [] };
  if (answer.kind === 'allow') return { ...unread, passage: { kind: 'go', delayMs: null } };
  if (answer.kind === 'deny') return { ...unread, passage: denied(answer.why) };
  if (answer.kind === 'wait') {
    const args = [answer.why];
    return { ...unread, passage: { kind: 'skip', code: PROTOCOL_STATUS.RETRY, args, skipped: 'robots_deferred' } };
  }
  const { allowed, line, crawlDelay, agents } = robots.judge(answer.robots, url);
  const refused = denied(line ? `robots.txt line ${line.number}: ${line.text}` : 'robots.txt');
  return { line, crawlDelay, agents, passage: allowed ? accept(crawlDelay, conf) : refused };
}

function accept(crawlDelay: number | null, conf: Conf): RobotsDecision['passage'] {
  if (crawlDelay === null) return { kind: 'go', delayMs: null };
  const delayMs = acceptedDelay(crawlDelay, conf);
  return delayMs === null
    ? denied(`Crawl-delay of ${crawlDelay} s is over fetcher.max.crawl.delay`)
    : { kind: 'go', delayMs };
}

/** The rest that a Crawl-delay (seconds) makes, ms; null: longer than is accepted, so nothing is fetched. */
export function acceptedDelay(crawlDelay: number, conf: Conf): number | null {
  const maxDelay = conf['fetcher.max.crawl.delay'];
  if (maxDelay >= 0 && crawlDelay > maxDelay) return null;
  return Math.max(crawlDelay, conf['fetcher.min.crawl.delay']) * 1000;
}
