/** Requests to an engine, sent by axios. */
import type { AxiosInstance } from 'axios';
import { WriteFailed } from '../../core/indexing/index-writer.js';
import { EgressRefused } from '../../net/connector.js';
import { withinTime } from '../../net/within-time.js';
import { type Engine, authorization, refuseUnnamed } from './engine.js';

/** Maximum size of a response: engines repeat documents in their errors. */
const MAX_ANSWER_BYTES = 4_194_304;
export const TOO_LARGE = 'its answer is too large';

export interface EngineAnswer {
  readonly status: number;
  readonly body: string;
  readonly retryAfter: unknown;
}

export class EngineRequests {
  private client: Promise<AxiosInstance> | undefined;

  constructor(private readonly engine: Engine) {}

  /** @param path below the URL of the engine; empty: to that URL as it is. @throws WriteFailed when there is no response */
  async post(path: string, body: string, contentType: string): Promise<EngineAnswer> {
    const client = await (this.client ??= this.make());
    const { href } = this.engine.url;
    const target = path === '' ? href : `${href.replace(/\/$/, '')}${path}`;
    try {
      const request = client.post<string>(target, Buffer.from(body), { headers: { 'content-type': contentType } });
      const { status, data, headers } = await answerWithin(this.engine.timeoutMs, request);
      refuseUnnamed(this.engine, status);
      return { status, body: typeof data === 'string' ? data : '', retryAfter: headers['retry-after'] };
    } catch (error) {
      throw noAnswer(error);
    }
  }

  /** Ends all requests. */
  close(): void {
    this.engine.agents.close();
  }

  /** The client is loaded on first use: else it would take 5 MB in every worker process. */
  private async make(): Promise<AxiosInstance> {
    const { default: axios } = await import('axios');
    const { httpAgent, httpsAgent } = this.engine.agents;
    return axios.create({
      httpAgent,
      httpsAgent,
      adapter: 'http',
      maxRedirects: 0,
      proxy: false,
      responseType: 'text',
      transformResponse: [],
      timeout: this.engine.timeoutMs,
      maxContentLength: MAX_ANSWER_BYTES,
      maxBodyLength: Infinity,
      headers: { accept: 'application/json', ...authorization(this.engine.credentials) },
      validateStatus: () => true,
    });
  }
}

/**
 * The timeouts of the clients are those of an idle connection, and none of one that answers without end. A request without an
 * answer in time ends with its writer.
 */
export const answerWithin = <T>(ms: number, request: Promise<T>): Promise<T> =>
  withinTime(ms, request, () => {
    throw new WriteFailed('no answer: ETIMEDOUT', true);
  });

/** Clients that wrap an error keep at least its message. */
const REFUSAL_SHAPE = /refused by the egress rule "[^"]{0,100}"/;

/** The error for a missing response, not retried if the guard refused the address. It never contains an address. */
export function noAnswer(error: unknown): WriteFailed {
  if (error instanceof WriteFailed) return error;
  const {
    name,
    cause,
    code,
    message = '',
  } = error as {
    name?: string;
    cause?: unknown;
    code?: unknown;
    message?: string;
  };
  const refusal = REFUSAL_SHAPE.exec(cause instanceof EgressRefused ? cause.message : message)?.[0];
  if (refusal !== undefined) return new WriteFailed(refusal, false);
  // Of Elasticsearch's client, of ours, of axios.
  if (name === 'RequestAbortedError' || message === TOO_LARGE || message.startsWith('maxContentLength'))
    return new WriteFailed(TOO_LARGE, true);
  return new WriteFailed(`no answer: ${whyNone(message, code)}`, true);
}

/** What messages of the three clients mean, which have no code or another one. */
const MEANINGS: readonly (readonly [RegExp, string])[] = [
  [/reading the body|stream has been aborted/, 'the connection was cut within it'],
  [/timed out|^timeout of /, 'ETIMEDOUT'],
  [/socket hang up|disconnected before/, 'ECONNRESET'],
  [/^Parse Error/, 'it is no HTTP'],
  [/^no connection in time/, 'no connection in time'],
];
const CODE_SHAPE = /\b(?:E[A-Z]{3,}|EAI_[A-Z]+)\b/;
/** What OpenSSL says, and the words about a certificate; names and addresses follow after a colon. */
const TLS_SHAPE = /(?<=:SSL routines:[^:]*:)[^:]+|^[^:;]*certificate[^:;]*/;

/** Two of the clients drop the code of an error, and keep its message, which may have an address. */
function whyNone(message: string, code: unknown): string {
  const [, meaning] = MEANINGS.find(([shape]) => shape.test(message)) ?? [];
  const words = meaning ?? code ?? CODE_SHAPE.exec(message)?.[0] ?? TLS_SHAPE.exec(message)?.[0] ?? 'failed';
  return String(words).slice(0, 100);
}

/** The object that an answer is as JSON; null: it is something else. */
export function jsonObject<T extends object>(body: string): T | null {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' ? (answer as T | null) : null;
  } catch {
    return null;
  }
}
