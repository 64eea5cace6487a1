/** Requests to an engine, sent by axios. */
import type { AxiosInstance } from 'axios';
import { WriteFailed } from '../../core/indexing/index-writer.js';
import { EgressRefused } from '../../net/connector.js';
import { type Engine, authorization } from './engine.js';

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
      const { status, data, headers } = await client.post<string>(target, Buffer.from(body), {
        headers: { 'content-type': contentType },
      });
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
  return new WriteFailed(`no answer: ${String(code ?? 'failed').slice(0, 100)}`, true);
}
