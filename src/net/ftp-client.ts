/**
 * Fetches files and directories over FTP. Answers have the form of HTTP, with the status that Nutch gives them: 200, 301 (a
 * directory without the slash at its end), 304, 401, 404, 500, 503; a directory is a page of links.
 *
 * Each fetch has a session of its own: within the delay of a host, servers close idle sessions. The time of a fetch, its bytes and
 * those of all replies are bounded, and its connections are closed when it ends. Nothing that a server does makes it throw.
 */
import { setImmediate as yieldToOthers } from 'node:timers/promises';
import { FTPError } from 'basic-ftp';
import { httpStatusOf, modifiedTime, type FailedStep } from '../core/ftp/ftp-replies.js';
import { formatHttpDate, parseHttpDate } from '../core/http/http-date.js';
import { bytePath, shownBytes, urlPath } from '../core/listing/byte-path.js';
import { listingPage } from '../core/listing/listing-page.js';
import type { ConnectorPolicy } from './connector.js';
import { listedEntries } from './ftp-listing.js';
import { FtpSession } from './ftp-session.js';
import { FtpFailure, type Transferred } from './ftp-transfer.js';
import { type HttpAnswer, type HttpFailure, failure, failureOf } from './http-answer.js';
import type { FetchLimits, HttpRequest } from './http-client.js';

export interface FtpOptions extends Pick<ConnectorPolicy, 'guard' | 'resolve' | 'proxy'> {
  readonly username: string;
  readonly password: string;
  /** Receives the commands and replies of each fetch, passwords masked. */
  readonly talk?: ((url: string, line: string) => void) | undefined;
}

/** What a fetch has received, before it is an answer. */
interface Received extends Transferred {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes of a listing that are read even if files may be larger: each line is parsed. */
const MAX_LISTING_BYTES = 4 * 1_048_576;

export class FtpClient {
  readonly #open = new Set<FtpSession>();
  #closed = false;

  constructor(private readonly options: FtpOptions) {}

  /** Never rejects. `if-modified-since` of the request's headers is applied; user info and query of the URL are not used. */
  async fetch(request: HttpRequest, limits: FetchLimits): Promise<HttpAnswer> {
    const started = performance.now();
    const url = URL.parse(request.url);
    const path = url?.protocol === 'ftp:' ? bytePath(url.pathname) : null;
    if (url === null || path === null) return failure('url', 'not an ftp URL, or its path has control characters');
    if (this.#closed || request.signal?.aborted === true) return aborted();
    const session = new FtpSession({ ...this.options, verifyTls: true }, limits, this.#talkOf(request.url));
    this.#open.add(session);
    const clock = setTimeout(() => session.expire(), limits.totalTimeout);
    const abort = (): void => session.end(aborted());
    request.signal?.addEventListener('abort', abort, { once: true });
    const visit = new Visit(session, { url, path, limit: limitOf(limits), since: sinceOf(request) });
    try {
      const received = await visit.get(this.options);
      return answerOf(received, visit, started);
    } catch (error) {
      return failedAnswer(error, visit, started);
    } finally {
      clearTimeout(clock);
      request.signal?.removeEventListener('abort', abort);
      this.#open.delete(session);
      session.close();
    }
  }

  /** Ends all fetches: they fail as `aborted`. */
  close(): void {
    this.#closed = true;
    for (const session of this.#open) session.end(aborted());
  }

  /** Servers may repeat the password in a reply. */
  #talkOf(url: string): ((line: string) => void) | undefined {
    const { talk, password } = this.options;
    if (talk === undefined) return undefined;
    return (line) => talk(url, shownBytes(password === '' ? line : line.replaceAll(password, '***')));
  }
}

interface Wanted {
  readonly url: URL;
  /** Bytes. */
  readonly path: string;
  readonly limit: number;
  /** Only if it was modified after this time, ms since 1970; null: in any case. */
  readonly since: number | null;
}

/** The dialogue of one fetch. */
class Visit {
  /** The step whose reply is read. */
  step: FailedStep = 'other';

  constructor(
    readonly session: FtpSession,
    private readonly wanted: Wanted,
  ) {}

  async get({ username, password }: FtpOptions): Promise<Received> {
    const { session, wanted } = this;
    await session.open(wanted.url.hostname.replace(/^\[|\]$/g, ''), wanted.url.port);
    this.step = 'login';
    await session.login(username, password);
    this.step = 'other';
    await session.send('TYPE I');
    return wanted.path.endsWith('/') ? this.directory() : this.file();
  }

  private async file(): Promise<Received> {
    const { session, wanted } = this;
    const time = modifiedTime((await session.try(`MDTM ${wanted.path}`))?.message ?? '');
    const headers: Record<string, string> = time === null ? {} : { 'last-modified': formatHttpDate(time) };
    if (time !== null && wanted.since !== null && time <= wanted.since) return without(304, headers);
    this.step = 'retrieve';
    try {
      return { status: 200, headers, ...(await session.retrieve(`RETR ${wanted.path}`, wanted.limit)) };
    } catch (error) {
      const isRefused = error instanceof FTPError && httpStatusOf(error.code, 'retrieve') === 404;
      if (!isRefused || !(await this.isDirectory())) throw error;
      // As Nutch does: the page of a directory is the one with the slash.
      return without(301, { location: new URL(`${urlPath(wanted.path)}/`, wanted.url).href });
    }
  }

  private async isDirectory(): Promise<boolean> {
    return (await this.session.try(`CWD ${this.wanted.path}`)) !== null;
  }

  private async directory(): Promise<Received> {
    const { session, wanted } = this;
    this.step = 'retrieve';
    await session.send(`CWD ${wanted.path}`);
    this.step = 'other';
    const command = (await session.has('MLST')) ? 'MLSD' : 'LIST';
    const { body, truncated } = await session.retrieve(command, Math.min(wanted.limit, MAX_LISTING_BYTES));
    // Listings of many lines take some time to parse.
    await yieldToOthers();
    const { entries, skipped } = listedEntries(body.toString('latin1'), truncated !== false);
    const page = listingPage({ path: wanted.path, entries, more: skipped, parent: wanted.path !== '/' });
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: page, truncated: false };
  }
}

const aborted = (): HttpFailure => failure('aborted', 'the fetch was aborted');

const limitOf = ({ contentLimit, maxContent }: FetchLimits): number =>
  contentLimit < 0 ? maxContent : Math.min(contentLimit, maxContent);

const sinceOf = ({ headers }: HttpRequest): number | null => parseHttpDate(headers['if-modified-since'] ?? '');

const without = (status: number, headers: Readonly<Record<string, string>>): Received => ({
  status,
  headers,
  body: Buffer.alloc(0),
  truncated: false,
});

function answerOf(received: Received, { session }: Visit, started: number, reply?: string): HttpAnswer {
  return {
    ok: true,
    ...received,
    wireBytes: received.body.length,
    ms: performance.now() - started,
    address: session.address,
    ...(reply !== undefined && { reply }),
  };
}

/** A refusal of the server is an answer; everything else is a failure. */
function failedAnswer(error: unknown, visit: Visit, started: number): HttpAnswer {
  if (error instanceof FtpFailure) return error.failure;
  if (error instanceof FTPError) {
    // The reply to a password may repeat it.
    const text = visit.step === 'login' ? `${error.code} to the login` : shownBytes(error.message).slice(0, 500);
    return answerOf(without(httpStatusOf(error.code, visit.step), {}), visit, started, `FTP ${text}`);
  }
  const message = error instanceof Error ? error.message : '';
  if (message.startsWith('Timeout')) return failure('timeout', 'no reply in time');
  if (message.includes('exceeded maximum')) return failure('protocol', 'a reply of the server is too long');
  return failureOf(error);
}
