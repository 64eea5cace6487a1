/**
 * Fetches robots.txt (RFC 9309 §2.3) with the client and the limits of pages. Redirects are followed here, up to
 * `http.robots.redirect.max`, because the file applies to the requested host, wherever it is stored; each hop passes the
 * egress guard. core/robots decides what a status or a failure means for the crawl.
 */
import { REDIRECT_STATUSES } from '../core/http/redirect-statuses.js';
import { MAX_ROBOTS_BYTES } from '../core/robots/robots-file.js';
import type { FetchLimits, HttpClient } from './http-client.js';
import type { HttpAnswer, HttpSuccess } from './http-answer.js';

export interface RobotsRequest {
  /** `http://host:port` or `https://host:port`, or any URL of that origin. */
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: FetchLimits;
  /** `http.robots.redirect.max`; RFC 9309 §2.3.1.2 asks for at least 5. */
  readonly maxRedirects: number;
  /** Maximum of bytes read; default `MAX_ROBOTS_BYTES`. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

export type RobotsFile =
  | {
      readonly status: number;
      readonly body: Buffer;
      readonly finalUrl: string;
      /** The file is longer than the limit. */
      readonly truncated: boolean;
      /** `Retry-After` as sent. */
      readonly retryAfter?: string;
    }
  | {
      readonly error: RobotsFailure;
      readonly message: string;
      /** The origin itself answered with a redirect. */
      readonly redirected: boolean;
      /** The cause is on our side. */
      readonly local?: true;
      /** A proxy could not reach the server, for a reason unknown to us. */
      readonly proxied?: true;
    };

/** A failure of the fetch, a chain longer than allowed (or a loop), or a redirect without a usable target. */
export type RobotsFailure = Exclude<HttpAnswer, { ok: true }>['code'] | 'too-many-redirects' | 'bad-redirect';

/** The answer after all redirects, with any status but 3xx, or the reason why there is none. Never rejects. */
export async function fetchRobots(client: Pick<HttpClient, 'fetch'>, request: RobotsRequest): Promise<RobotsFile> {
  const start = URL.parse('/robots.txt', request.origin);
  if (start === null) return { error: 'url', message: 'not an http or https URL', redirected: false };
  const limits = { ...request.limits, contentLimit: request.maxBytes ?? MAX_ROBOTS_BYTES };
  const seen = new Set<string>();
  for (let url = start; seen.size <= request.maxRedirects;) {
    seen.add(url.href);
    const headers = url.origin === start.origin ? request.headers : withoutSecrets(request.headers);
    const answer = await client.fetch({ url: url.href, headers, signal: request.signal }, limits);
    if (!answer.ok) {
      const { code, message, local, proxied } = answer;
      return { error: code, message, redirected: seen.size > 1, ...(local && { local }), ...(proxied && { proxied }) };
    }
    if (!REDIRECT_STATUSES.has(answer.status)) return robotsFileOf(answer, url, seen.size > 1);
    const next = target(answer.headers['location'], url);
    if (next === null)
      return { error: 'bad-redirect', message: 'redirect without a usable Location', redirected: true };
    if (seen.has(next.href)) break;
    url = next;
  }
  return {
    error: 'too-many-redirects',
    message: `more than ${request.maxRedirects} redirects, or a loop`,
    redirected: true,
  };
}

const BROKEN = { time: 'timeout', disconnect: 'reset', decode: 'decode' } as const;

/**
 * Why the file of an answer is incomplete; null: it is complete, or longer than the bytes that are read. An incomplete file
 * cannot be used: the missing part may disallow what the rest allows.
 */
export function breakOf({ status, truncated }: HttpSuccess): RobotsFailure | null {
  const isFile = status >= 200 && status < 300;
  return isFile && truncated !== false && truncated !== 'length' ? BROKEN[truncated] : null;
}

function robotsFileOf(answer: HttpSuccess, url: URL, redirected: boolean): RobotsFile {
  const { status, body, truncated } = answer;
  const broken = breakOf(answer);
  if (broken !== null) return { error: broken, message: 'the file ended early', redirected };
  const retryAfter = answer.headers['retry-after'];
  const retry = retryAfter === undefined ? {} : { retryAfter };
  return { status, body, finalUrl: url.href, truncated: truncated !== false, ...retry };
}

function target(location: string | undefined, base: URL): URL | null {
  const url = location === undefined ? null : URL.parse(location, base.href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return null;
  url.hash = '';
  return url;
}

/** Authorization and cookies are sent only to the host for which they are configured. */
function withoutSecrets(headers: RobotsRequest['headers']): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !/^(?:authorization|cookie)$/i.test(name));
  return Object.fromEntries(kept);
}
