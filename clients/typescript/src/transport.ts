import type { Readable } from 'node:stream';
import axios, { AxiosError, type AxiosInstance, type AxiosResponse } from 'axios';
import { readEvents, readLines, type ServerEvent, type StreamState } from './event-stream.js';
import { OrbweaverUnreachable, problemOf } from './problem.js';

/**
 * How calls are sent. One server, no redirects (a key must not follow them elsewhere), no proxy from the environment, a
 * time limit for every answer and for every silence in a stream, and errors that are problems.
 */

export interface TransportOptions {
  /** Where the server is: `http://127.0.0.1:8081`. */
  readonly url: string;
  /** A key of API_KEYS; sent as Bearer token. */
  readonly key?: string;
  /** Milliseconds until the answer has come; default 30,000. Streams: until it begins. */
  readonly timeout?: number;
  /** Milliseconds that a stream may be silent; default 60,000. */
  readonly idleTimeout?: number;
  /** Gets what the server remarks beside an answer (header Orbweaver-Notice): an unknown property, a refused seed. */
  readonly onNotice?: (notice: string) => void;
}

/** Options of a single call. */
export interface CallOptions {
  /** Two calls with the same key make one thing, so a call whose answer was lost can be sent again. */
  readonly idempotencyKey?: string;
  /** Ends the call. */
  readonly signal?: AbortSignal;
  /** Milliseconds, instead of the client's. */
  readonly timeout?: number;
  /** Further query parameters. */
  readonly query?: Readonly<Record<string, QueryValue>>;
  /** Further headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

export type QueryValue = string | number | boolean | undefined | null | readonly string[];

/** Bytes of an answer, as they come. Read it to its end, or destroy it. */
export type Bytes = Readable;

/** Events of one connection; `state` says where it stands. */
export interface Live extends AsyncIterableIterator<ServerEvent> {
  readonly state: StreamState;
}

/** What a generated call hands over. */
export interface Call {
  readonly method: string;
  readonly path: string;
  readonly accept?: string;
  readonly body?: unknown;
  readonly bodyType?: string;
  readonly query?: Readonly<Record<string, QueryValue>>;
  readonly options: CallOptions;
}

const MAX_BODY_LENGTH = 256 * 1024 * 1024;
const MAX_LINE_LENGTH = 64 * 1024 * 1024;
const MAX_PROBLEM_LENGTH = 1024 * 1024;

/** A value as one segment of a path. @throws TypeError for what would name another place: nothing, `.` and `..` */
export function segment(value: string): string {
  if (value === '' || value === '.' || value === '..') throw new TypeError(`"${value}" cannot be part of a path`);
  return encodeURIComponent(value);
}

export class Transport {
  private readonly http: AxiosInstance;
  private readonly idleTimeout: number;
  private readonly onNotice: (notice: string) => void;

  constructor(options: TransportOptions) {
    this.onNotice = options.onNotice ?? (() => undefined);
    this.idleTimeout = options.idleTimeout ?? 60_000;
    this.http = axios.create({
      adapter: 'http',
      baseURL: options.url.replace(/\/+$/, ''),
      allowAbsoluteUrls: false,
      maxRedirects: 0,
      proxy: false,
      timeout: options.timeout ?? 30_000,
      maxBodyLength: Infinity,
      // Bodies are read by us: nothing is guessed from the bytes.
      responseType: 'stream',
      transformRequest: [(data: unknown) => data],
      transformResponse: [(data: unknown) => data],
      validateStatus: null,
      headers: options.key === undefined ? {} : { Authorization: `Bearer ${options.key}` },
    });
  }

  /** A call that answers JSON. */
  async json<T>(call: Call): Promise<T> {
    const text = await this.text(call);
    try {
      return JSON.parse(text) as T;
    } catch {
      throw new OrbweaverUnreachable(`${place(call)} did not answer JSON: ${text.slice(0, 100)}`);
    }
  }

  /** A call that answers text. */
  async text(call: Call): Promise<string> {
    return this.whole(await this.open(call), call, MAX_BODY_LENGTH);
  }

  /** A call whose answer has no body. */
  async nothing(call: Call): Promise<void> {
    await this.text(call);
  }

  /** A call that answers bytes; they are not gathered. */
  async bytes(call: Call): Promise<Bytes> {
    return (await this.open(call)).data;
  }

  /** A call that answers JSON lines, one value each; as many are in memory as fit a chunk. */
  async *lines<T>(call: Call): AsyncGenerator<T> {
    const { data } = await this.open(call);
    for await (const line of readLines(this.chunks(data, call), MAX_LINE_LENGTH)) {
      if (line.trim() !== '') yield JSON.parse(line) as T;
    }
  }

  /** A call that answers server-sent events, over one connection. `state`: what an earlier one has received. */
  live(call: Call, state: StreamState = { id: '', retry: undefined }): Live {
    return Object.assign(this.eventsOf(call, state), { state });
  }

  private async *eventsOf(call: Call, state: StreamState): AsyncGenerator<ServerEvent> {
    const { data, status } = await this.open(call);
    if (status !== 204) yield* readEvents(this.chunks(data, call), state);
  }

  /** Sends a call; what is not 2xx is thrown as a problem. */
  private async open(call: Call): Promise<AxiosResponse<Readable>> {
    const { options } = call;
    const answer = await this.send(call).catch((error: unknown) => {
      if (options.signal?.aborted) throw options.signal.reason;
      throw unreachable(error, call);
    });
    const notice: unknown = answer.headers['orbweaver-notice'];
    if (typeof notice === 'string') this.onNotice(notice);
    if (answer.status >= 200 && answer.status < 300) return answer;
    const body = await this.whole(answer, call, MAX_PROBLEM_LENGTH);
    throw problemOf(answer.status, body, answer.headers['retry-after']);
  }

  private send({ method, path, accept, body, bodyType, query, options }: Call): Promise<AxiosResponse<Readable>> {
    return this.http.request<Readable>({
      method,
      url: path + queryText({ ...query, ...options.query }),
      data: body === undefined ? undefined : bodyType === 'application/json' ? JSON.stringify(body) : body,
      headers: {
        ...(accept && { Accept: accept }),
        ...(body !== undefined && { 'Content-Type': bodyType }),
        ...(options.idempotencyKey !== undefined && { 'Idempotency-Key': options.idempotencyKey }),
        ...options.headers,
      },
      ...(options.signal && { signal: options.signal }),
      ...(options.timeout !== undefined && { timeout: options.timeout }),
    });
  }

  private async whole(answer: AxiosResponse<Readable>, call: Call, limit: number): Promise<string> {
    const parts: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of this.chunks(answer.data, call)) {
      size += chunk.length;
      if (size > limit) throw new OrbweaverUnreachable(`${place(call)}: an answer of more than ${limit} bytes`);
      parts.push(chunk);
    }
    return Buffer.concat(parts).toString();
  }

  /** The chunks of a body; a silence that is too long, a cut and an abort end it with an error. */
  private async *chunks(body: Readable, call: Call): AsyncGenerator<Uint8Array> {
    const { signal } = call.options;
    const late = (): void =>
      void body.destroy(new OrbweaverUnreachable(`${place(call)}: no byte for too long`, 'ETIMEDOUT'));
    let timer = setTimeout(late, this.idleTimeout);
    const abort = (): void => void body.destroy(asError(signal?.reason));
    signal?.addEventListener('abort', abort, { once: true });
    try {
      for await (const chunk of body) {
        clearTimeout(timer);
        yield chunk as Uint8Array;
        timer = setTimeout(late, this.idleTimeout);
      }
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw unreachable(error, call);
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      body.destroy();
    }
  }
}

function queryText(query: Readonly<Record<string, QueryValue>>): string {
  const pairs = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item !== undefined && item !== null) pairs.append(name, String(item));
    }
  }
  return pairs.size === 0 ? '' : `?${pairs.toString()}`;
}

function place({ method, path }: Call): string {
  return `${method} ${path}`;
}

/** Errors of axios hold the request with its key: only their words are kept. */
function unreachable(error: unknown, call: Call): Error {
  if (error instanceof OrbweaverUnreachable || error instanceof RangeError) return error;
  const { message, code } = error instanceof AxiosError ? error : (error as NodeJS.ErrnoException);
  return new OrbweaverUnreachable(`${place(call)}: ${message || code}`, code);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
