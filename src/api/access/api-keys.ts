/**
 * API keys: who may call, and with which scope.
 *
 * The environment contains only SHA-256 digests (see conf/credentials.ts). A key is sent as a Bearer token, or as the password of
 * HTTP Basic, as NutchServer's clients send credentials, with any user name. A user of RESTAPI_AUTH_USERS sends name and password
 * by HTTP Basic. Every key is compared, even after a match, in constant time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type ApiKey, type KeyRole, SCOPES, type Scope, sha256 } from '../../conf/credentials.js';

export interface Principal {
  name: string;
  /** The name that is stored: for a key without a name its digest, since its number changes when keys are added or removed. */
  owner?: string;
  scope: Scope | KeyRole;
  /** Whether this client may set properties that allow the crawler to connect to internal addresses. */
  mayOpenGuards: boolean;
  /** Whether a key identified this client; else everyone at one address counts as one client. */
  byKey: boolean;
}

const MAX_HEADER_LENGTH = 4_096;

/**
 * Whether a scope includes another. Role `user` of NutchServer 2.x and role `metrics` include none: routes admit them by
 * name.
 */
export const includesScope = (has: Scope | KeyRole, needed: Scope): boolean =>
  has !== 'user' && has !== 'metrics' && SCOPES.indexOf(has) >= SCOPES.indexOf(needed);

/** Who sent this Authorization header; undefined when it contains no known key. */
export function principalOfHeader(keys: readonly ApiKey[], authorization: string | undefined): Principal | undefined {
  if (authorization === undefined || authorization.length > MAX_HEADER_LENGTH) return undefined;
  const [, scheme, credentials] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme === undefined || credentials === undefined) return undefined;
  const at = scheme.toLowerCase() === 'bearer' ? indexOf(keys, credentials) : indexOfPair(keys, credentials);
  const key = keys[at];
  if (key === undefined) return undefined;
  const { scope, name = String(at + 1) } = key;
  const kind = key.isUser ? 'user' : 'key';
  const owner = `${kind} ${key.name ?? `#${createHash('sha256').update(key.sha256).digest('hex').slice(0, 32)}`}`;
  return { name: `${kind} ${name}`, owner, scope, mayOpenGuards: scope === 'admin', byKey: true };
}

/** Everything after the first colon: a password may have colons, a user name may not (RFC 7617 §2). */
function indexOfPair(keys: readonly ApiKey[], credentials: string): number {
  const pair = Buffer.from(credentials, 'base64').toString();
  return indexOf(keys, pair.slice(pair.indexOf(':') + 1), pair);
}

function indexOf(keys: readonly ApiKey[], secret: string, pair?: string): number {
  const ofSecret = sha256(secret);
  const ofPair = pair === undefined ? undefined : sha256(pair);
  let index = -1;
  for (const [at, key] of keys.entries()) {
    const digest = key.isUser ? ofPair : ofSecret;
    if (digest !== undefined && timingSafeEqual(key.sha256, digest)) index = at;
  }
  return index;
}
