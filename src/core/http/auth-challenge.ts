/**
 * Challenges of WWW-Authenticate and Proxy-Authenticate (RFC 9110 §11); credentials for Basic (RFC 7617) and Digest (RFC
 * 7616).
 */
import { createHash } from 'node:crypto';

export interface Challenge {
  /** In lower case: `basic`, `digest`, … */
  readonly scheme: string;
  /** Names in lower case; values unquoted, one character per byte if the header was so. No prototype. */
  readonly params: Readonly<Record<string, string>>;
}

/** Limits of one header: characters and challenges that are read. */
const MAX_LENGTH = 8192;
const MAX_CHALLENGES = 16;

/** One token of the header: `name=value`, or a single word (a scheme, or a token68). */
const STEP = /[\s,]*([!#$%&'*+\-.^_`|~\w/]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([!#$%&'*+\-.^_`|~\w]+)))?=*/y;

/** The challenges in order; parsing stops at the first syntax error. Repeated fields come joined by ", ". */
export function challengesOf(header: string): Challenge[] {
  const text = header.slice(0, MAX_LENGTH);
  const challenges: { scheme: string; params: Record<string, string> }[] = [];
  STEP.lastIndex = 0;
  for (let step = STEP.exec(text); step !== null && step[0] !== ''; step = STEP.exec(text)) {
    const [, name = '', quoted, plain] = step;
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain;
    if (value === undefined) {
      if (challenges.length === MAX_CHALLENGES) break;
      challenges.push({ scheme: name.toLowerCase(), params: Object.create(null) as Record<string, string> });
    } else {
      const current = challenges.at(-1);
      if (current === undefined) break;
      current.params[name.toLowerCase()] ??= value;
    }
  }
  return challenges;
}

export const basicCredentials = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

const HASHES = new Map([
  ['md5', 'md5'],
  ['sha-256', 'sha256'],
]);

/** Whether a Digest challenge is one that `digestCredentials` can answer. */
export function canDigest({ scheme, params }: Challenge): boolean {
  const algorithm = (params['algorithm'] ?? 'MD5').toLowerCase().replace(/-sess$/, '');
  const offered = params['qop']?.split(',').map((each) => each.trim().toLowerCase());
  const { realm, nonce } = params;
  const named = realm !== undefined && nonce !== undefined;
  return scheme === 'digest' && named && HASHES.has(algorithm) && (offered?.includes('auth') ?? true);
}

export interface DigestRequest {
  readonly user: string;
  readonly password: string;
  /** Path and query. */
  readonly uri: string;
  /** Number of requests that used this nonce, including this one. */
  readonly count: number;
  /** Client nonce: the same for all requests after a challenge, as the key of `-sess` is derived from it (RFC 7616 §3.4.2). */
  readonly cnonce: string;
}

/** The value of Authorization for a GET, for a challenge that `canDigest` accepts. */
export function digestCredentials({ params }: Challenge, request: DigestRequest): string {
  const { user, password, uri, count, cnonce } = request;
  const { realm = '', nonce = '', opaque, algorithm = 'MD5' } = params;
  const session = /-sess$/i.test(algorithm);
  const hash = (...values: string[]) =>
    createHash(HASHES.get(algorithm.toLowerCase().replace(/-sess$/, '')) ?? 'md5')
      .update(values.join(':'), 'latin1')
      .digest('hex');
  const nc = count.toString(16).padStart(8, '0');
  const name = utf8Bytes(user);
  const first = hash(name, realm, utf8Bytes(password));
  const secret = session ? hash(first, nonce, cnonce) : first;
  const requestHash = hash('GET', uri);
  const qop = params['qop'] !== undefined;
  const response = qop ? hash(secret, nonce, nc, cnonce, 'auth', requestHash) : hash(secret, nonce, requestHash);
  const fields = [
    `username=${quote(name)}`,
    `realm=${quote(realm)}`,
    `nonce=${quote(nonce)}`,
    `uri=${quote(uri)}`,
    ...(params['algorithm'] === undefined ? [] : [`algorithm=${algorithm}`]),
    `response="${response}"`,
    ...(qop ? [`qop=auth`, `nc=${nc}`] : []),
    ...(qop || session ? [`cnonce="${cnonce}"`] : []),
    ...(opaque === undefined ? [] : [`opaque=${quote(opaque)}`]),
  ];
  return `Digest ${fields.join(', ')}`;
}

/** A header field takes one byte per character. */
const utf8Bytes = (text: string): string => Buffer.from(text).toString('latin1');

const quote = (text: string): string => `"${text.replace(/["\\]/g, '\\$&')}"`;
