/**
 * How a sitemap is asked for: through the queue of its host, where robots.txt allows it, along its redirects, and only if it has
 * changed since it was read last.
 *
 * Nutch asks no robots.txt for sitemaps. Here it is asked: a sitemap that the robots.txt of its own origin names may be fetched
 * whatever its rules say, since it was put there to be read by crawlers; any other one must be allowed. Crawl-delay holds for all.
 */
import type { Conf } from '../../conf/properties.js';
import { isTrouble, retryAfter } from '../../core/politeness/back-off.js';
import type { Reservation } from '../../core/queueing/memory-budget.js';
import type { FetchLimits, HttpClient } from '../../net/http-client.js';
import type { HttpAnswer, HttpSuccess } from '../../net/http-answer.js';
import { requestHeaders } from '../../net/request-headers.js';
import type { SitemapWork } from '../../webpage/sitemap.store.js';
import { limitsOf } from '../../plugin/http-protocol.js';
import type { RobotsAnswer, RobotsCache } from '../../politeness/robots-cache.js';
import { type Passage, passGate } from '../../politeness/request-gate.js';
import type { OrderedRequests, RequestEnd, RequestWork } from '../../politeness/ordered-requests.js';

/**
 * A sitemap or the reason why there is none. `later`: its queue is with another task, or the job is ending; `left-alone`: its
 * host is, for longer than we wait.
 */
export type Got =
  | { kind: 'document'; answer: HttpSuccess; url: string }
  | { kind: 'unchanged' }
  | { kind: 'none'; status: 'gone' | 'robots_denied' | 'failed'; error: string; httpStatus: number | null }
  | { kind: 'later' }
  | { kind: 'left-alone' };

export interface FetchParts {
  conf: Conf;
  client: Pick<HttpClient, 'fetch'>;
  queues: OrderedRequests;
  robots: RobotsCache;
  signal: AbortSignal;
  /** Sitemaps are read whether they have changed or not. */
  force: boolean;
  /** A URL as it may be asked for; null: it may not. */
  admit: (url: string) => string | null;
}

type Asked = { answer: HttpAnswer } | { denied: string } | 'left-alone' | undefined;

const none = (status: 'gone' | 'robots_denied' | 'failed', error: string, httpStatus: number | null = null): Got => ({
  kind: 'none',
  status,
  error,
  httpStatus,
});

export class SitemapFetch {
  private readonly limits: FetchLimits;

  constructor(private readonly parts: FetchParts) {
    const { conf } = parts;
    const max = conf['sitemap.size.max'];
    const wanted = conf['sitemap.content.limit'];
    this.limits = { ...limitsOf(conf), contentLimit: wanted < 0 ? max : Math.min(wanted, max), maxContent: max };
  }

  /** The sitemap, after at most `sitemap.redir.max` redirects. Never throws for what servers do. */
  async get(work: SitemapWork, reservation: Reservation): Promise<Got> {
    let url = work.url;
    const seen = new Set<string>();
    while (seen.size <= this.parts.conf['sitemap.redir.max']) {
      seen.add(url);
      const asked = await this.ask(url, work, reservation);
      if (asked === undefined) return { kind: 'later' };
      if (asked === 'left-alone')
        return url === work.url ? { kind: asked } : none('failed', 'a redirect leads to a host that is left alone');
      if ('denied' in asked) return none('robots_denied', asked.denied);
      const { answer } = asked;
      if (!answer.ok) return answer.code === 'aborted' ? { kind: 'later' } : none('failed', answer.message);
      if (answer.status === 304) return { kind: 'unchanged' };
      const location = answer.headers['location'];
      if (!REDIRECTS.has(answer.status) || location === undefined) return endOf(answer, url);
      const next = URL.parse(location, url)?.href;
      const target = next === undefined ? null : this.parts.admit(next);
      if (target === null)
        return none('failed', `a redirect leads to ${String(next ?? location).slice(0, 200)}`, answer.status);
      if (seen.has(target)) return none('failed', 'its redirects lead in a circle', answer.status);
      url = target;
      reservation.shrink(0);
    }
    return none('failed', `more than ${this.parts.conf['sitemap.redir.max']} redirects (sitemap.redir.max)`);
  }

  /** The answer of an origin's robots.txt; undefined: later. */
  async robotsOf(origin: string): Promise<RobotsAnswer | 'left-alone' | undefined> {
    const { queues, robots, signal } = this.parts;
    const found = await queues.enqueue<RobotsAnswer | 'left-alone' | undefined>(
      origin,
      async (_, mayAsk) => {
        const { answer, fetched, notRequested } = await robots.of(origin, mayAsk);
        return { value: notRequested ? undefined : answer, rest: fetched };
      },
      () => 'left-alone',
    );
    // A request that a stop has cut says nothing of the origin.
    return signal.aborted ? undefined : found;
  }

  private async ask(url: string, work: SitemapWork, reservation: Reservation): Promise<Asked> {
    for (;;) {
      const asked = await this.askOnce(url, work, reservation);
      if (asked !== 'robots') return asked;
    }
  }

  /** One request; `robots`: it was for robots.txt, and the sitemap needs another one. */
  private askOnce(url: string, sitemap: SitemapWork, reservation: Reservation): Promise<Asked | 'robots'> {
    const { queues, robots, client, conf, signal } = this.parts;
    const work: RequestWork<Asked | 'robots'> = async (setDelay, mayAsk) => {
      const passage = await passGate(url, { robots, conf, mayAsk, setDelay });
      if (passage.kind === 'robots-fetched') return { value: 'robots', rest: true };
      if (passage.kind === 'lease-lost') return { value: 'robots', rest: false };
      if (passage.kind === 'unreachable') return this.came(passage.failure);
      if (passage.kind === 'skip' && !isAnnounced(passage, url, sitemap)) {
        return { value: { denied: passage.args.join(' ') }, rest: false };
      }
      // An announced sitemap goes though its passage is a refusal.
      if (!mayAsk()) return { value: 'robots', rest: false };
      const reserveBody = () => reservation.reserve(this.limits.maxContent);
      return this.came(await client.fetch({ url, headers: this.headersOf(sitemap), signal, reserveBody }, this.limits));
    };
    return queues.enqueue<Asked | 'robots'>(url, work, () => 'left-alone');
  }

  private came(answer: HttpAnswer): RequestEnd<Asked> {
    return { value: { answer }, rest: answer.ok || answer.code !== 'blocked', ...this.troubleOf(answer) };
  }

  private troubleOf(answer: HttpAnswer): { trouble?: number } {
    if (!answer.ok) return answer.code === 'blocked' || answer.code === 'aborted' ? {} : { trouble: 0 };
    const max = this.parts.conf['fetcher.backoff.max'] * 1000;
    return isTrouble(answer.status) ? { trouble: retryAfter(answer.headers['retry-after'], Date.now(), max) ?? 0 } : {};
  }

  private headersOf({ etag, lastModified, position }: SitemapWork): Record<string, string> {
    const { conf, force } = this.parts;
    // Of a sitemap that was only half written the other half is still wanted.
    return requestHeaders(conf, force || position > 0 ? {} : { etag, lastModified });
  }
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Named by the robots.txt of its own origin: what that denies, it denies to pages. A file that cannot be had denies all. */
const isAnnounced = (passage: Passage & { kind: 'skip' }, url: string, { source, vouchedBy }: SitemapWork): boolean =>
  passage.skipped === undefined && source === 'robots' && vouchedBy === new URL(url).origin;

function endOf(answer: HttpSuccess, url: string): Got {
  const { status } = answer;
  if (status >= 200 && status < 300) return { kind: 'document', answer, url };
  return none(status === 404 || status === 410 ? 'gone' : 'failed', `the server answered ${status}`, status);
}
