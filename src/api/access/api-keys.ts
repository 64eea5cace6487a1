/**
 * API keys: who may call, and how far.
 *
 * The environment keeps only the SHA-256 of each key (`API_KEYS`, see conf/env.ts). A key comes as a Bearer token, or as
 * the password of HTTP Basic, as NutchServer's clients send credentials; the user name is free. All keys are compared,
 * found or not, in constant time.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import { type ApiKey, SCOPES, type Scope } from '../../conf/env.js';

export interface Principal {
  name: string;
  scope: Scope;
  /** Whether properties may be set that open inner addresses to the crawler. */
  mayOpenGuards: boolean;
  /** Whether a key said who this is; else everyone at one address counts as one client. */
  byKey: boolean;
}

const longestHeader = 4_096;

/** Whether a scope holds another. */
export const holds = (has: Scope, needed: Scope): boolean => SCOPES.indexOf(has) >= SCOPES.indexOf(needed);

/** Who sends this Authorization header, or undefined when it holds no known key. */
export function principalOfHeader(keys: readonly ApiKey[], authorization: string | undefined): Principal | undefined {
  if (authorization === undefined || authorization.length > longestHeader) return undefined;
  const [, scheme, credentials] = /^(Bearer|Basic) +(\S+) *$/i.exec(authorization) ?? [];
  if (scheme === undefined || credentials === undefined) return undefined;
  const secret = scheme.toLowerCase() === 'bearer' ? credentials : passwordOf(credentials);
  const at = placeOf(keys, secret);
  const scope = keys[at]?.scope;
  return scope && { name: `key ${at + 1}`, scope, mayOpenGuards: scope === 'admin', byKey: true };
}

/** Everything after the first colon: a password may have colons, a user name may not (RFC 7617 section 2). */
function passwordOf(credentials: string): string {
  const pair = Buffer.from(credentials, 'base64').toString();
  return pair.slice(pair.indexOf(':') + 1);
}

function placeOf(keys: readonly ApiKey[], secret: string): number {
  const sha256 = createHash('sha256').update(secret).digest();
  let place = -1;
  for (const [at, key] of keys.entries()) if (timingSafeEqual(key.sha256, sha256)) place = at;
  return place;
}
