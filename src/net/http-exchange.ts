/**
 * One request and its answer over one connection: undici (or an HTTP/2 session) calls the handlers, and the promise `done`
 * resolves once.
 *
 * The first of these ends it: the last byte, a limit, a timeout, the caller's signal, an error. After the body has begun, a
 * limit or the total time truncate the answer, which says so; only after a clean end is the connection reusable.
 */
import { errors, type Dispatcher } from 'undici';
import { BodyBuffer } from '../core/http/body-buffer.js';
import { abortedFetch, failure, failureOf, type HttpFailure, type Truncation } from './http-answer.js';
import { headerRecord } from '../core/http/header-fields.js';
import { isRedirection } from '../core/http/redirect-statuses.js';

/** An answer before its content is decoded. */
export interface RawAnswer {
  readonly ok: true;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly wire: Buffer;
  readonly truncated: false | Truncation;
  /** When the status line was received (`performance.now()`). */
  readonly firstByteAt: number;
}

export type ExchangeEnd = { readonly answer: RawAnswer | HttpFailure; readonly clean: boolean };

/** Informational answers (1xx) accepted before the final one. */
const MAX_INFORMATIONAL = 16;

export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly done: Promise<ExchangeEnd>;
  #resolve: (end: ExchangeEnd) => void = () => undefined;
  #settled = false;
  #status = 0;
  #firstByteAt = 0;
  #informational = 0;
  #headers: Record<string, string> = {};
  readonly #body: BodyBuffer;

  /**
   * @param limit maximum of body bytes kept
   * @param keepPartial `http.partial.truncated`: an incomplete body is an answer
   */
  constructor(
    limit: number,
    private readonly keepPartial: boolean,
  ) {
    this.#body = new BodyBuffer(limit);
    this.done = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** True if a status was received: the server may have processed the request. */
  get answered(): boolean {
    return this.#status !== 0 || this.#informational > 0;
  }

  /** The total time is over: after the status the answer is truncated, before it the fetch fails. */
  expire(): void {
    if (this.#status !== 0) this.#cut('time');
    else this.#settle(failure('timeout', 'the fetch took too long'));
  }

  /** Ends the exchange: more bytes were received than any legitimate answer of this size takes. */
  overflow(): void {
    if (this.#status !== 0) this.#cut('length');
    else this.#settle(failure('protocol', 'too many bytes before the answer'));
  }

  abort(): void {
    this.#settle(abortedFetch());
  }

  /** Its presence makes undici use the newer handler methods. */
  onRequestStart(): void {}

  onResponseStart(controller: Dispatcher.DispatchController, status: number): void {
    const raw = controller.rawHeaders;
    this.begin(status, Array.isArray(raw) ? raw : []);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.take(chunk);
  }

  onResponseEnd(): void {
    this.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(error);
  }

  /** A status was received, with its header section as name/value pairs. */
  begin(status: number, raw: readonly (Buffer | string)[]): void {
    if (status < 200) {
      this.#informational += 1;
      if (this.#informational > MAX_INFORMATIONAL) this.#settle(failure('protocol', 'too many informational answers'));
      return;
    }
    this.#status = status;
    this.#firstByteAt = performance.now();
    this.#headers = headerRecord(raw);
  }

  /** Bytes of the body were received. */
  take(chunk: Buffer): void {
    if (!this.#settled && this.#body.push(chunk)) this.#cut('length');
  }

  end(): void {
    this.#settle(this.#rawAnswer(false), true);
  }

  /** The answer is incomplete or missing. */
  fail(error: Error): void {
    const status = this.#status;
    // Undici reports "mismatch" for contradictory header fields as well, but before the answer begins.
    const contradiction = status === 0 && error instanceof errors.ResponseContentLengthMismatchError;
    const failed = contradiction
      ? failure('protocol', 'the answer contradicts itself on its length')
      : failureOf(error);
    const partial = status !== 0 && PARTIAL.has(failed.code);
    // A 204 or 304 has no body (RFC 9110 §6.4.1); the body of a redirect does not matter.
    if (partial && (status === 204 || status === 304)) this.#settle(this.#rawAnswer(false));
    else if (partial && (isRedirection(status) || (this.keepPartial && this.#body.length > 0))) this.#cut('disconnect');
    else this.#settle(failed);
  }

  #cut(reason: Truncation): void {
    this.#settle(this.#rawAnswer(reason));
  }

  #rawAnswer(truncated: false | Truncation): RawAnswer {
    const [status, headers, firstByteAt] = [this.#status, this.#headers, this.#firstByteAt];
    return { ok: true, status, headers, wire: this.#body.toBuffer(), truncated, firstByteAt };
  }

  #settle(answer: RawAnswer | HttpFailure, clean = false): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#resolve({ answer, clean });
  }
}

/** Failures after which the received bytes can be used as a truncated page. */
const PARTIAL: ReadonlySet<string> = new Set(['reset', 'timeout', 'protocol']);
