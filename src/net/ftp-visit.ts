/** The dialogue of one fetch over FTP, and the answer that it becomes. */
import { setImmediate as nextIteration } from 'node:timers/promises';
import { FTPError } from 'basic-ftp';
import { connectedHost } from '../core/address/egress-guard.js';
import { httpStatusOf, modifiedTime, type FailedStep } from '../core/ftp/ftp-replies.js';
import { formatHttpDate } from '../core/http/http-date.js';
import { shownBytes, urlPath } from '../core/listing/byte-path.js';
import { listingPage } from '../core/listing/listing-page.js';
import type { ConnectorPolicy } from './connector.js';
import { listedEntries } from './ftp-listing.js';
import { FtpSession } from './ftp-session.js';
import { FtpFailure, type Transferred } from './ftp-transfer.js';
import { type HttpAnswer, type HttpFailure, failure, failureOf } from './http-answer.js';
import { type FetchLimits, bodyLimit } from './http-client.js';

export interface FtpOptions extends Pick<ConnectorPolicy, 'guard' | 'resolve' | 'proxy'> {
  readonly username: string;
  readonly password: string;
  /** Receives the commands and replies of each fetch, passwords masked. */
  readonly talk?: ((url: string, line: string) => void) | undefined;
}

export interface FtpTarget {
  readonly url: URL;
  /** Bytes, one character each. */
  readonly path: string;
  /** Only if it was modified after this time, ms since 1970; null: in any case. */
  readonly since: number | null;
}

/** What was received, before it is an answer. */
interface Received extends Transferred {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bytes of a listing that are read even if files may be larger: each line is parsed. */
const MAX_LISTING_BYTES = 4 * 1_048_576;
/** Characters of a reply that are shown. */
const MAX_REPLY_LENGTH = 500;

export class FtpVisit {
  readonly #started = performance.now();
  readonly #session: FtpSession;
  readonly #limit: number;
  /** The step whose reply is read. */
  #step: FailedStep = 'other';

  /** @param talk receives each command and reply */
  constructor(
    private readonly target: FtpTarget,
    private readonly options: FtpOptions,
    limits: FetchLimits,
    talk?: (line: string) => void,
  ) {
    const { guard, resolve, proxy } = options;
    this.#session = new FtpSession({ guard, resolve, proxy, verifyTls: true }, limits, talk);
    this.#limit = bodyLimit(limits);
  }

  /** Runs the dialogue once; its connections are closed at its end. Never rejects. */
  async answer(): Promise<HttpAnswer> {
    try {
      return this.#answerOf(await this.#get());
    } catch (error) {
      return this.#failedAnswer(error);
    } finally {
      this.#session.close();
    }
  }

  /** The time of the fetch is over: what has arrived of a file is truncated. */
  expire(): void {
    this.#session.expire();
  }

  end(why: HttpFailure): void {
    this.#session.end(why);
  }

  async #get(): Promise<Received> {
    const { url, path } = this.target;
    await this.#session.open(connectedHost(url), url.port);
    this.#step = 'login';
    await this.#session.login(this.options.username, this.options.password);
    this.#step = 'other';
    await this.#session.send('TYPE I');
    return path.endsWith('/') ? this.#directory() : this.#file();
  }

  async #file(): Promise<Received> {
    const { url, path, since } = this.target;
    const time = modifiedTime((await this.#session.try(`MDTM ${path}`))?.message ?? '');
    const headers: Record<string, string> = time === null ? {} : { 'last-modified': formatHttpDate(time) };
    if (time !== null && since !== null && time <= since) return without(304, headers);
    this.#step = 'retrieve';
    try {
      return { status: 200, headers, ...(await this.#session.retrieve(`RETR ${path}`, this.#limit)) };
    } catch (error) {
      const isRefused = error instanceof FTPError && httpStatusOf(error.code, 'retrieve') === 404;
      if (!isRefused || !(await this.#isDirectory())) throw error;
      // As in Nutch, the page of a directory is the one with the slash.
      return without(301, { location: new URL(`${urlPath(path)}/`, url).href });
    }
  }

  async #isDirectory(): Promise<boolean> {
    return (await this.#session.try(`CWD ${this.target.path}`)) !== null;
  }

  async #directory(): Promise<Received> {
    const { path } = this.target;
    this.#step = 'retrieve';
    await this.#session.send(`CWD ${path}`);
    this.#step = 'other';
    const command = (await this.#session.has('MLST')) ? 'MLSD' : 'LIST';
    const limit = Math.min(this.#limit, MAX_LISTING_BYTES);
    const { body, truncated } = await this.#session.retrieve(command, limit);
    // A long listing takes some time to parse.
    await nextIteration();
    const { entries, skipped } = listedEntries(body.toString('latin1'), truncated !== false);
    const page = listingPage({ path, entries, more: skipped, parent: path !== '/' });
    return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: page, truncated: false };
  }

  #answerOf(received: Received, reply?: string): HttpAnswer {
    const ms = performance.now() - this.#started;
    const { address } = this.#session;
    const answer = { ok: true, ...received, wireBytes: received.body.length, ms, address } as const;
    return reply === undefined ? answer : { ...answer, reply };
  }

  /** A refusal of the server is an answer; everything else is a failure. */
  #failedAnswer(error: unknown): HttpAnswer {
    if (error instanceof FtpFailure) return error.failure;
    if (error instanceof FTPError) {
      // The reply to a password may repeat it.
      const words = this.#step === 'login' ? `${error.code} to the login` : shownBytes(error.message);
      const status = httpStatusOf(error.code, this.#step);
      return this.#answerOf(without(status, {}), `FTP ${words.slice(0, MAX_REPLY_LENGTH)}`);
    }
    const message = error instanceof Error ? error.message : '';
    if (message.startsWith('Timeout')) return failure('timeout', 'no reply in time');
    if (message.includes('exceeded maximum')) return failure('protocol', 'a reply of the server is too long');
    return failureOf(error);
  }
}

const without = (status: number, headers: Readonly<Record<string, string>>): Received => ({
  status,
  headers,
  body: Buffer.alloc(0),
  truncated: false,
});
