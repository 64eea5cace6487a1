/**
 * Result of a fetch: an answer, or one of a few kinds of failure. The misbehaviour of a web server is a value here, never an
 * exception; callers branch on `code`, users read `message`, and no message contains an address.
 */
import { errors } from 'undici';
import { ConnectTimeout, EgressRefused } from './connector.js';
import { ProxyRefused } from '../core/http/proxy.js';

/** Why a body is incomplete: our limit, our timeout, a broken connection, damaged coded data. */
export type Truncation = 'length' | 'time' | 'disconnect' | 'decode';

export interface HttpSuccess {
  readonly ok: true;
  readonly status: number;
  /** Lower-case names, no prototype. Repeated fields are joined by ", " (set-cookie by LF), single-valued ones keep the first. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decoded body. */
  readonly body: Buffer;
  readonly truncated: false | Truncation;
  /** Bytes of the body as sent. */
  readonly wireBytes: number;
  /** From the call to the last byte, ms. */
  readonly ms: number;
  /** The remote IP address; '' behind a proxy that resolves names itself. */
  readonly address: string;
  /**
   * Parts of `ms`: until the socket was open (name resolution and handshakes; null for a kept connection), until the status
   * line.
   */
  readonly timings?: { readonly openMs: number | null; readonly firstByteMs: number };
  /** `store.protocol.versions`: `http/1.1`, `h2,TLSv1.3`; only if the client was created to record it. */
  readonly protocols?: string;
  /** `store.http.request`: the request as text, secrets masked; only if the client was created to record it. */
  readonly request?: string;
  /** The reply of a server that does not speak HTTP, in its words: `FTP 550 …`. `status` is the one that corresponds. */
  readonly reply?: string;
}

/**
 * `url` not http(s) or not a URL · `dns` no such name · `blocked` by the egress guard · `refused` no listener, no route, or
 * refused by a proxy · `timeout`, also of a name server, or no free local port · `reset` broken connection · `tls`
 * certificate or handshake · `protocol` not HTTP, or headers too large · `decode` undecodable content coding · `aborted` by
 * the caller.
 */
export type HttpFailureCode =
  'url' | 'dns' | 'blocked' | 'refused' | 'timeout' | 'reset' | 'tls' | 'protocol' | 'decode' | 'aborted';

export interface HttpFailure {
  readonly ok: false;
  readonly code: HttpFailureCode;
  readonly message: string;
  /** The rule of the egress guard that refused the address or port. */
  readonly rule?: string;
  /**
   * The request used a kept connection that its server was closing, or got a challenge that can now be answered: it may safely
   * be sent again.
   */
  readonly stale?: true;
  /** With a challenge: the answer that contains it. */
  readonly challenge?: HttpSuccess;
  /** The cause is on our side: it says nothing about the server. */
  readonly local?: true;
  /** A proxy could not reach the server, for a reason unknown to us. */
  readonly proxied?: true;
}

export type HttpAnswer = HttpSuccess | HttpFailure;

export const failure = (code: HttpFailureCode, message: string): HttpFailure => ({ ok: false, code, message });

/** The result of a fetch that its caller has ended. */
export const abortedFetch = (): HttpFailure => failure('aborted', 'the fetch was aborted');
export const localFailure = (code: HttpFailureCode, message: string): HttpFailure => ({
  ...failure(code, message),
  local: true,
});

const UNREACHED: ReadonlySet<HttpFailureCode> = new Set(['url', 'dns', 'blocked', 'refused']);

/** Whether a server was reached: the delay follows then. */
export const reachedServer = (answer: HttpAnswer): boolean =>
  answer.ok || answer.stale === true || !UNREACHED.has(answer.code);

const BY_CODE = new Map<string, [HttpFailureCode, string]>([
  ['ENOTFOUND', ['dns', 'the host name has no address']],
  ['ENODATA', ['dns', 'the host name has no address']],
  ['EAI_AGAIN', ['timeout', 'the host name could not be resolved now']],
  // The resolver itself refuses or fails.
  ['EAI_FAIL', ['timeout', 'the host name could not be resolved now']],
  ['ECONNREFUSED', ['refused', 'the connection was refused']],
  ['EHOSTUNREACH', ['refused', 'there is no route to the host']],
  ['ENETUNREACH', ['refused', 'there is no route to the network']],
  // No local port is free now; or this machine has no address of this kind.
  ['EADDRNOTAVAIL', ['timeout', 'there is no route to the address now']],
  ['EINVAL', ['refused', 'there is no route to the address']],
  ['ETIMEDOUT', ['timeout', 'no connection in time']],
  ['ECONNRESET', ['reset', 'the connection was reset']],
  ['EPIPE', ['reset', 'the connection was reset']],
  ['UND_ERR_SOCKET', ['reset', 'the connection was closed before the answer was complete']],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['reset', 'the body is shorter than its Content-Length']],
  ['UND_ERR_HEADERS_TIMEOUT', ['timeout', 'no answer in time']],
  ['UND_ERR_BODY_TIMEOUT', ['timeout', 'the body sent nothing for too long']],
  ['ERR_HTTP2_STREAM_ERROR', ['reset', 'the server reset the stream']],
  ['ERR_HTTP2_STREAM_CANCEL', ['reset', 'the connection was closed before the answer was complete']],
  ['ERR_HTTP2_GOAWAY_SESSION', ['reset', 'the connection was closed before the answer was complete']],
  ['ERR_HTTP2_INVALID_SESSION', ['reset', 'the connection was closed before the answer was complete']],
  ['ERR_HTTP2_SESSION_ERROR', ['protocol', 'the server closed the connection with an error of HTTP/2']],
  ['ERR_HTTP2_ERROR', ['protocol', 'the answer is not HTTP/2']],
  ['UND_ERR_HEADERS_OVERFLOW', ['protocol', 'the headers are too large']],
  // What undici asserts of an answer, and its parser does not check.
  ['ERR_ASSERTION', ['protocol', 'the answer has a status below 100']],
  ['UND_ERR_DESTROYED', ['aborted', 'the client was closed']],
  ['UND_ERR_CLOSED', ['aborted', 'the client was closed']],
]);

/** What this machine lacks for a connection: file descriptors, memory. */
const NO_SOCKET: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM']);

/** Maps an error of the connector, of undici or of Node to a failure; never repeats a text that might contain an address. */
export function failureOf(error: unknown): HttpFailure {
  if (error instanceof EgressRefused) return { ...failure('blocked', error.message), rule: error.rule };
  if (error instanceof ConnectTimeout) return failure('timeout', error.message);
  if (error instanceof ProxyRefused) {
    return error.aboutHost
      ? { ...failure('refused', error.message), proxied: true }
      : localFailure('refused', error.message);
  }
  // Its message is a fixed text of the parser.
  if (error instanceof errors.HTTPParserError) return failure('protocol', error.message.slice(0, 200));
  const code = codeOf(error);
  const known = BY_CODE.get(code);
  if (known !== undefined) return failure(...known);
  if (NO_SOCKET.has(code)) return localFailure('timeout', `this machine has no socket for a connection now (${code})`);
  if (code.startsWith('UND_ERR_')) return failure('protocol', `the request or its answer is not HTTP/1.1 (${code})`);
  if (TLS_CODE.test(code)) return failure('tls', `no trusted TLS connection (${code})`);
  return failure('reset', `the connection failed${code === '' ? '' : ` (${code})`}`);
}

/** Error codes of OpenSSL and Node for certificates and handshakes. */
const TLS_CODE =
  /^(?:ERR_SSL_|ERR_TLS_|EPROTO$|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CERT_|CA_|CRL_|HOSTNAME_|INVALID_|PATH_|ERROR_IN_)/;

function codeOf(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code.slice(0, 60) : '';
}
