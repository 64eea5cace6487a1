/**
 * Replies of FTP servers (RFC 959, 2428, 3659). Each ends as a status of HTTP, as in Nutch: protocol codes, back-off and history
 * then need no rules of their own.
 */
import { MAX_PORT } from '../address/port-range.js';

/** The reply to a step that failed. */
export type FailedStep = 'login' | 'retrieve' | 'other';

const NOT_LOGGED_IN = new Set([530, 532]);
/** No such file, not accessible, or a name that is not allowed: servers do not distinguish them. */
const NOT_FOUND = new Set([501, 550, 553]);
/** Refused answers to USER and PASS that are not final: 421 and 45x. */
const isTransient = (code: number): boolean => code < 500;

/** The status of HTTP for a reply of 400 and above, or for one that asks for more than we send. */
export function httpStatusOf(code: number, step: FailedStep): 401 | 404 | 500 | 503 {
  if (NOT_LOGGED_IN.has(code)) return 401;
  if (code >= 400 && isTransient(code)) return 503;
  if (step === 'login') return 401;
  return step === 'retrieve' && NOT_FOUND.has(code) ? 404 : 500;
}

/** The port in the reply to EPSV, `229 … (|||6446|)`; null if there is none. Some servers use another delimiter. */
export function epsvPort(reply: string): number | null {
  const [, , port] = /\(([!-~])\1\1(\d{1,5})\1\)/.exec(reply) ?? [];
  return portOf(port);
}

/** The port in the reply to PASV, `227 … (192,168,1,100,10,229)`; its address is not used. */
export function pasvPort(reply: string): number | null {
  const [, high, low] = /(?<![\d,])(?:\d{1,3},){4}(\d{1,3}),(\d{1,3})(?![\d,])/.exec(reply) ?? [];
  if (high === undefined || Number(high) > 255 || Number(low) > 255) return null;
  return portOf(String(Number(high) * 256 + Number(low)));
}

/** Data connections lead to the ports of no other service: below 1024 are those that a server has by name. */
const FIRST_DATA_PORT = 1024;

function portOf(text: string | undefined): number | null {
  const port = Number(text ?? 0);
  return port >= FIRST_DATA_PORT && port <= MAX_PORT ? port : null;
}

/** The time in the reply to MDTM, `213 20260131235959`, ms since 1970, UTC; null if there is none. */
export function modifiedTime(reply: string): number | null {
  const [, ...digits] = /^213[ -]\s*(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)/.exec(reply) ?? [];
  if (digits.length === 0) return null;
  const [year = 0, month = 0, day = 0, hours = 0, minutes = 0, seconds = 0] = digits.map(Number);
  const ms = Date.UTC(year, month - 1, day, hours, minutes, seconds);
  return year >= 1970 && new Date(ms).getUTCMonth() === month - 1 ? ms : null;
}
