/**
 * The check before every request for a page or sitemap. For a protocol other than HTTP there is no robots.txt, as in Nutch, and
 * without a protocol there is no request. For HTTP it gets robots.txt, from memory or from the server, and decides: the URL
 * may be requested; it is skipped, as the file disallows it or asks for too long a delay; or the page returns to its queue, as
 * the file itself was the request that the delay allowed, or the lease of the queue was lost meanwhile.
 */
import type { Conf } from '../core/conf/properties.js';
import { PROTOCOL_STATUS } from '../core/page/protocol-status.js';
import type { RobotsLine } from '../core/robots/robots-file.js';
import type { HttpFailure } from '../net/http-answer.js';
import { type ProtocolKind, schemeOf } from '../plugin/protocols.js';
import type { OriginRobots, RobotsCache } from './robots-cache.js';

/** Whether one URL may be requested now. */
export type GateVerdict =
  /** It may be requested; `delayMs` is the accepted crawl delay, or null. */
  | { kind: 'go'; delayMs: number | null }
  /** The file was requested just now, and the delay follows: the page returns to its queue. */
  | { kind: 'robots-fetched' }
  /** No request may begin any more, for the file or for the page: the page returns to its queue. */
  | { kind: 'lease-lost' }
  /** The server could not be reached for the file: the visit of the page fails with the same failure. */
  | { kind: 'unreachable'; failure: HttpFailure }
  | Skip;

type Go = Extract<GateVerdict, { kind: 'go' }>;

interface Skip {
  kind: 'skip';
  code: number;
  args: string[];
  skipped?: string;
  line?: RobotsLine;
  /** Only if a rule of the file disallows the URL: whether a sitemap that the file names may be requested nevertheless. */
  ifNamed?: Go | Skip;
}

const denied = (why: string, more: Pick<Skip, 'line' | 'ifNamed'> = {}): Skip => ({
  kind: 'skip',
  code: PROTOCOL_STATUS.ROBOTS_DENIED,
  args: [why],
  ...more,
});

/** What robots.txt means for one page, with the line that decided and the crawl delay, in seconds. */
export interface RobotsDecision {
  verdict: Exclude<GateVerdict, { kind: 'robots-fetched' | 'lease-lost' | 'unreachable' }>;
  line: RobotsLine | null;
  crawlDelay: number | null;
  /** Product tokens of the groups that apply. */
  agents: readonly string[];
}

export interface RobotsGateOptions {
  robots: RobotsCache;
  conf: Conf;
  /** How URLs are fetched. Default: by HTTP. */
  kindOf?: (url: string) => ProtocolKind;
  /** Whether a request may still begin: while robots.txt is looked up, the lease may expire, or others may use the queue. */
  mayAsk: () => boolean;
  /** Sets the crawl delay of the queue, ms, here and in the table, before any request that it has to follow. */
  setDelay: (ms: number) => Promise<void>;
}

/**
 * Checks robots.txt before a request for a page or sitemap, with the longest Crawl-delay that the properties accept; sets the
 * delay; then checks the lease once more.
 */
export async function passRobots(
  url: string,
  { robots, conf, kindOf, mayAsk, setDelay }: RobotsGateOptions,
): Promise<GateVerdict> {
  const kind = kindOf?.(url) ?? 'http';
  if (kind !== 'http') return mayAsk() ? gateWithoutRobots(url, kind) : { kind: 'lease-lost' };
  const { meaning, fetched, unreachable, notRequested } = await robots.get(new URL(url).origin, mayAsk);
  if (notRequested) return { kind: 'lease-lost' };
  if (unreachable) return { kind: 'unreachable', failure: unreachable };
  if (fetched) return { kind: 'robots-fetched' };
  const { verdict } = decideRobots(robots, meaning, { url, conf });
  if (verdict.kind === 'go' && verdict.delayMs !== null) await setDelay(verdict.delayMs);
  return verdict.kind === 'skip' || mayAsk() ? verdict : { kind: 'lease-lost' };
}

/** The check of a URL that is not fetched by HTTP. */
export function gateWithoutRobots(url: string, kind: ProtocolKind): RobotsDecision['verdict'] {
  if (kind !== 'none') return { kind: 'go', delayMs: null };
  const why = `protocol not found: no active plugin fetches ${schemeOf(url)} (plugin.includes)`;
  return { kind: 'skip', code: PROTOCOL_STATUS.PROTO_NOT_FOUND, args: [why] };
}

/** What robots.txt of an origin means for a page of it. */
export function decideRobots(
  robots: RobotsCache,
  meaning: OriginRobots,
  { url, conf }: { url: string; conf: Conf },
): RobotsDecision {
  const unread = { line: null, crawlDelay: null, agents: [] };
  if (meaning.kind === 'allow') return { ...unread, verdict: { kind: 'go', delayMs: null } };
  if (meaning.kind === 'deny') return { ...unread, verdict: denied(meaning.why) };
  if (meaning.kind === 'wait') {
    const args = [meaning.why];
    return { ...unread, verdict: { kind: 'skip', code: PROTOCOL_STATUS.RETRY, args, skipped: 'robots_deferred' } };
  }
  const { allowed, line, crawlDelay, agents } = robots.judge(meaning.robots, url);
  const byDelay = accept(crawlDelay, conf);
  const why = line ? `robots.txt line ${line.number}: ${line.text}` : 'robots.txt';
  const refused = denied(why, { ...(line && { line }), ifNamed: byDelay });
  return { line, crawlDelay, agents, verdict: allowed ? byDelay : refused };
}

function accept(crawlDelay: number | null, conf: Conf): Go | Skip {
  if (crawlDelay === null) return { kind: 'go', delayMs: null };
  const delayMs = acceptedDelay(crawlDelay, conf);
  return delayMs === null
    ? denied(`Crawl-delay of ${crawlDelay} s is over fetcher.max.crawl.delay`)
    : { kind: 'go', delayMs };
}

/** The delay for a Crawl-delay (seconds), ms; null: longer than accepted, so nothing is fetched. */
export function acceptedDelay(crawlDelay: number, conf: Conf): number | null {
  const maxDelay = conf['fetcher.max.crawl.delay'];
  if (maxDelay >= 0 && crawlDelay > maxDelay) return null;
  return Math.max(crawlDelay, conf['fetcher.min.crawl.delay']) * 1000;
}
