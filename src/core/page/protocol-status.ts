/**
 * The protocol status of one request.
 *
 * The fetcher maps every response, refusal and network error to one of sixteen codes (Nutch `ProtocolStatusCodes`).
 * The code determines the status that the page has until UPDATEDB processes it.
 */
import { isRedirection } from '../http/redirect-statuses.js';
import { PAGE_STATUS, type PageStatus } from './page-status.js';

export const PROTOCOL_STATUS = {
  SUCCESS: 1,
  FAILED: 2,
  PROTO_NOT_FOUND: 10,
  GONE: 11,
  MOVED: 12,
  TEMP_MOVED: 13,
  NOTFOUND: 14,
  RETRY: 15,
  EXCEPTION: 16,
  ACCESS_DENIED: 17,
  ROBOTS_DENIED: 18,
  REDIR_EXCEEDED: 19,
  NOTFETCHING: 20,
  NOTMODIFIED: 21,
  WOULDBLOCK: 22,
  BLOCKED: 23,
} as const;

export type ProtocolName = keyof typeof PROTOCOL_STATUS;
export type ProtocolCode = (typeof PROTOCOL_STATUS)[ProtocolName];

/** A code with its arguments: the target of a redirect, the message of an error. */
export interface ProtocolStatus {
  readonly code: number;
  readonly args: readonly string[];
}

const NAMES: ReadonlyMap<number, string> = new Map(Object.entries(PROTOCOL_STATUS).map(([name, code]) => [code, name]));

const OF_HTTP: ReadonlyMap<number, ProtocolCode> = new Map([
  [200, PROTOCOL_STATUS.SUCCESS],
  [302, PROTOCOL_STATUS.TEMP_MOVED],
  [303, PROTOCOL_STATUS.TEMP_MOVED],
  [304, PROTOCOL_STATUS.NOTMODIFIED],
  [307, PROTOCOL_STATUS.TEMP_MOVED],
  [400, PROTOCOL_STATUS.GONE],
  [401, PROTOCOL_STATUS.ACCESS_DENIED],
  [404, PROTOCOL_STATUS.NOTFOUND],
  [410, PROTOCOL_STATUS.GONE],
]);

const PAGE_STATUS_OF: ReadonlyMap<number, PageStatus> = new Map<number, PageStatus>([
  [PROTOCOL_STATUS.SUCCESS, PAGE_STATUS.fetched],
  [PROTOCOL_STATUS.MOVED, PAGE_STATUS.redirPerm],
  [PROTOCOL_STATUS.TEMP_MOVED, PAGE_STATUS.redirTemp],
  [PROTOCOL_STATUS.NOTMODIFIED, PAGE_STATUS.notModified],
  [PROTOCOL_STATUS.GONE, PAGE_STATUS.gone],
  [PROTOCOL_STATUS.NOTFOUND, PAGE_STATUS.gone],
  [PROTOCOL_STATUS.ACCESS_DENIED, PAGE_STATUS.gone],
  [PROTOCOL_STATUS.ROBOTS_DENIED, PAGE_STATUS.gone],
]);

/** The name of a protocol code (`ROBOTS_DENIED`), `UNKNOWN` for any other number. */
export function protocolName(code: number): string {
  return NAMES.get(code) ?? 'UNKNOWN';
}

/**
 * The protocol code of an HTTP status (Nutch protocol-http): any other 3xx is MOVED, everything else (403, 429, 5xx,
 * 204, 206) is EXCEPTION and is retried.
 */
export function protocolOfHttp(httpStatus: number): ProtocolCode {
  const listed = OF_HTTP.get(httpStatus);
  if (listed !== undefined) return listed;
  return isRedirection(httpStatus) ? PROTOCOL_STATUS.MOVED : PROTOCOL_STATUS.EXCEPTION;
}

/** The status of a page after a fetch that ended with `code`; 34 (retry) for every code that is not final. */
export function statusOfProtocol(code: number): PageStatus {
  return PAGE_STATUS_OF.get(code) ?? PAGE_STATUS.retry;
}

/** The text form in `/db`: `SUCCESS, args=[]`. */
export function protocolStatusText(status: ProtocolStatus): string {
  return `${protocolName(status.code)}, args=[${status.args.join(', ')}]`;
}
