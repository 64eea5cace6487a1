/**
 * Fetches files and directories over FTP. Answers have the form of HTTP, with the status that Nutch gives them: 200, 301 (a
 * directory without the slash at its end), 304, 401, 404, 500, 503; a directory is a page of links.
 *
 * Each fetch has a session of its own: within the delay of a host, servers close idle sessions. The time of a fetch, its
 * bytes and those of all replies are bounded, and its connections are closed when it ends. Nothing that a server does makes
 * it throw.
 */
import { parseHttpDate } from '../core/http/http-date.js';
import { bytePath, shownBytes } from '../core/listing/byte-path.js';
import type { FtpOptions, FtpVisit } from './ftp-visit.js';
import { type HttpAnswer, abortedFetch, failure } from './http-answer.js';
import type { FetchLimits, HttpRequest } from './http-client.js';

export class FtpClient {
  readonly #open = new Set<FtpVisit>();
  #closed = false;

  constructor(private readonly options: FtpOptions) {}

  /** Never rejects. `if-modified-since` of the request's headers is applied; user info and query of the URL are not used. */
  async fetch(request: HttpRequest, limits: FetchLimits): Promise<HttpAnswer> {
    const url = URL.parse(request.url);
    const path = url?.protocol === 'ftp:' ? bytePath(url.pathname) : null;
    if (url === null || path === null) return failure('url', 'not an ftp URL, or its path has control characters');
    // Loaded on demand: most crawls have no ftp.
    const { FtpVisit } = await import('./ftp-visit.js');
    if (this.#closed || request.signal?.aborted === true) return abortedFetch();
    const since = parseHttpDate(request.headers['if-modified-since'] ?? '');
    const visit = new FtpVisit({ url, path, since }, this.options, limits, this.#talkOf(request.url));
    this.#open.add(visit);
    const timer = setTimeout(() => visit.expire(), limits.totalTimeout);
    const abort = (): void => visit.end(abortedFetch());
    request.signal?.addEventListener('abort', abort, { once: true });
    try {
      return await visit.answer();
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
      this.#open.delete(visit);
    }
  }

  /** Ends all fetches: they fail as `aborted`. */
  close(): void {
    this.#closed = true;
    for (const visit of this.#open) visit.end(abortedFetch());
  }

  /** Servers may repeat the password in a reply. */
  #talkOf(url: string): ((line: string) => void) | undefined {
    const { talk, password } = this.options;
    if (talk === undefined) return undefined;
    return (line) => talk(url, shownBytes(password === '' ? line : line.replaceAll(password, '***')));
  }
}
