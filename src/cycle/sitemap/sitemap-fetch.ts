/**
 * Fetches a sitemap: through the queue of its host, if robots.txt allows it, along its redirects, and only if it has
 * changed since it was read last.
 *
 * Nutch reads no robots.txt for sitemaps. Here it does: a sitemap that the robots.txt of its own origin names may be fetched
 * whatever its rules are, since it was put there to be read by crawlers; any other one must be allowed. Crawl-delay applies
 * to all.
 */
import type { Conf } from '../../core/conf/properties.js';
import { isTrouble, retryAfter } from '../../core/politeness/back-off.js';
import type { Reservation } from '../../core/queueing/memory-budget.js';
import type { FetchLimits, HttpClient } from '../../net/http-client.js';
import type { HttpAnswer, HttpSuccess } from '../../net/http-answer.js';
import { REDIRECT_STATUSES } from '../../core/http/redirect-statuses.js';
import { requestHeaders } from '../../core/http/request-headers.js';
import { urlWithoutUserInfo } from '../../core/url/url-credentials.js';
import type { SitemapWork } from '../../webpage/sitemap.store.js';
import { fetchLimitsOf } from '../../plugin/http-protocol.js';
import type { OriginRobots, RobotsCache } from '../../politeness/robots-cache.js';
import { passRobots } from '../../politeness/robots-gate.js';
import type { OrderedRequests, RequestEnd, RequestWork } from '../../politeness/ordered-requests.js';

/**
 * A sitemap or the reason why there is none. `later`: another task has leased its queue, or the job is ending; `excluded`: its
 * host is, for longer than `fetcher.backoff.max.wait`.
 */
export type SitemapAnswer =
  | { kind: 'document'; answer: HttpSuccess; url: string }
  | { kind: 'unchanged' }
  | { kind: 'none'; status: 'gone' | 'robots_denied' | 'failed'; error: string; httpStatus: number | null }
  | { kind: 'later' }
  | { kind: 'excluded' };

export interface SitemapFetchOptions {
  conf: Conf;
  client: Pick<HttpClient, 'fetch'>;
  queues: OrderedRequests;
  robots: RobotsCache;
  signal: AbortSignal;
  /** Sitemaps are read even if they have not changed. */
  force: boolean;
  /** The URL to request; null: it must not be requested. */
  admit: (url: string) => string | null;
}

type RequestOutcome = { answer: HttpAnswer } | { denied: string } | 'excluded' | undefined;

const none = (
  status: 'gone' | 'robots_denied' | 'failed',
  error: string,
  httpStatus: number | null = null,
): SitemapAnswer => ({
  kind: 'none',
  status,
  error,
  httpStatus,
});

export class SitemapFetch {
  private readonly limits: FetchLimits;

  constructor(private readonly options: SitemapFetchOptions) {
    const { conf } = options;
    const max = conf['sitemap.size.max'];
    const limit = conf['sitemap.content.limit'];
    this.limits = {
      ...fetchLimitsOf(conf),
      contentLimit: limit < 0 ? max : Math.min(limit, max),
      maxContent: max,
    };
  }

  /** Fetches the sitemap, following at most `sitemap.redir.max` redirects. Never throws because of a server. */
  async get(sitemap: SitemapWork, reservation: Reservation): Promise<SitemapAnswer> {
    let url = sitemap.url;
    const seen = new Set<string>();
    while (seen.size <= this.options.conf['sitemap.redir.max']) {
      seen.add(url);
      const outcome = await this.request(url, sitemap, reservation);
      if (outcome === undefined) return { kind: 'later' };
      if (outcome === 'excluded')
        return url === sitemap.url ? { kind: outcome } : none('failed', 'a redirect leads to a host that is excluded');
      if ('denied' in outcome) return none('robots_denied', outcome.denied);
      const { answer } = outcome;
      if (!answer.ok) return answer.code === 'aborted' ? { kind: 'later' } : none('failed', answer.message);
      // To a request without a condition it is a failure: there is nothing that could be unchanged.
      if (answer.status === 304 && isConditional(this.headersOf(sitemap))) return { kind: 'unchanged' };
      const location = answer.headers['location'];
      if (!REDIRECT_STATUSES.has(answer.status) || location === undefined) return endOf(answer, url);
      const next = URL.parse(location, url)?.href;
      const target = next === undefined ? null : this.options.admit(next);
      if (target === null) {
        const shown = urlWithoutUserInfo(next ?? location).slice(0, 200);
        return none('failed', `a redirect leads to ${shown}`, answer.status);
      }
      if (seen.has(target)) return none('failed', 'its redirects lead in a circle', answer.status);
      url = target;
      reservation.shrink(0);
    }
    return none('failed', `more than ${this.options.conf['sitemap.redir.max']} redirects (sitemap.redir.max)`);
  }

  /** The robots.txt of an origin; undefined: later. */
  async robotsOf(origin: string): Promise<OriginRobots | 'excluded' | undefined> {
    const { queues, robots, signal } = this.options;
    const originRobots = await queues.enqueue<OriginRobots | 'excluded' | undefined>(
      origin,
      async (_, mayAsk) => {
        const { meaning, fetched, notRequested } = await robots.get(origin, mayAsk);
        return { value: notRequested ? undefined : meaning, reached: fetched };
      },
      () => 'excluded',
    );
    // A request that a stop has aborted says nothing about the origin.
    return signal.aborted ? undefined : originRobots;
  }

  private async request(url: string, sitemap: SitemapWork, reservation: Reservation): Promise<RequestOutcome> {
    for (;;) {
      const outcome = await this.requestOnce(url, sitemap, reservation);
      if (outcome !== 'robots') return outcome;
    }
  }

  /** One request; `robots`: it was for robots.txt, and the sitemap needs another one. */
  private requestOnce(url: string, sitemap: SitemapWork, reservation: Reservation): Promise<RequestOutcome | 'robots'> {
    const { queues, robots, client, conf, signal } = this.options;
    const send: RequestWork<RequestOutcome | 'robots'> = async (setDelay, mayAsk) => {
      const verdict = await passRobots(url, { robots, conf, mayAsk, setDelay });
      if (verdict.kind === 'robots-fetched') return { value: 'robots', reached: true };
      if (verdict.kind === 'lease-lost') return { value: 'robots', reached: false };
      if (verdict.kind === 'unreachable') return this.requestEnd(verdict.failure);
      const decided = (verdict.kind === 'skip' && isAnnounced(url, sitemap) && verdict.ifNamed) || verdict;
      if (decided.kind === 'skip') return { value: { denied: decided.args.join(' ') }, reached: false };
      if (decided !== verdict && decided.delayMs !== null) await setDelay(decided.delayMs);
      if (!mayAsk()) return { value: 'robots', reached: false };
      const reserveBody = () => reservation.reserve(this.limits.maxContent);
      return this.requestEnd(
        await client.fetch({ url, headers: this.headersOf(sitemap), signal, reserveBody }, this.limits),
      );
    };
    return queues.enqueue<RequestOutcome | 'robots'>(url, send, () => 'excluded');
  }

  private requestEnd(answer: HttpAnswer): RequestEnd<RequestOutcome> {
    return { value: { answer }, reached: answer.ok || answer.code !== 'blocked', ...this.troubleOf(answer) };
  }

  private troubleOf(answer: HttpAnswer): { trouble?: number } {
    if (!answer.ok) return answer.code === 'blocked' || answer.code === 'aborted' ? {} : { trouble: 0 };
    const max = this.options.conf['fetcher.backoff.max'] * 1000;
    return isTrouble(answer.status) ? { trouble: retryAfter(answer.headers['retry-after'], Date.now(), max) ?? 0 } : {};
  }

  private headersOf({ etag, lastModified, position }: SitemapWork): Record<string, string> {
    const { conf, force } = this.options;
    // Of a sitemap that was only partly written, the rest is still needed.
    return requestHeaders(conf, force || position > 0 ? {} : { etag, lastModified });
  }
}

const isConditional = (headers: Readonly<Record<string, string>>): boolean =>
  'if-none-match' in headers || 'if-modified-since' in headers;

/** Named by the robots.txt of its own origin: the rules of that file apply to pages, its Crawl-delay to the sitemap too. */
const isAnnounced = (url: string, { source, vouchedBy }: SitemapWork): boolean =>
  source === 'robots' && vouchedBy === new URL(url).origin;

function endOf(answer: HttpSuccess, url: string): SitemapAnswer {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'document', answer, url };
  return none(status === 404 || status === 410 ? 'gone' : 'failed', `the server answered ${status}`, status);
}
