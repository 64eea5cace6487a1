/**
 * The credentials of the API, from the environment.
 *
 * API_KEYS contains keys with a scope; RESTAPI_AUTH and RESTAPI_AUTH_USERS correspond to `restapi.auth` and
 * `restapi.auth.users` of NutchServer 2.x: named users with the roles admin and user. There are no default keys and no
 * default passwords. Only SHA-256 sums are kept. Of RESTAPI_AUTH, BASIC is supported: Digest (RFC 7616) would need every
 * password, or the equally usable hash of user, realm and password, in memory, and TLS is the task of a proxy in front.
 */
import { createHash } from 'node:crypto';
import { StartError } from '../core/start-error.js';
import { commaSeparated } from './comma-separated.js';

/** What a key may do; each scope includes those to its left. */
export const SCOPES = ['read', 'run', 'admin'] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles besides the scopes: `user` reads configurations and jobs, and stops jobs; `metrics` reads metrics. */
export type KeyRole = 'user' | 'metrics';

/** A key or a user. */
export interface ApiKey {
  /** For logs and limits; keys without a name are numbered. */
  readonly name?: string;
  readonly scope: Scope | KeyRole;
  /** Of the secret, or of `name:password` where `isUser`; 32 bytes, for a comparison in constant time. */
  readonly sha256: Buffer;
  /** Accepted by HTTP Basic only, under its own name. */
  readonly isUser?: true;
}

const MIN_SECRET_LENGTH = 16;
const SECRET = new RegExp(`^[\\x21-\\x7e]{${MIN_SECRET_LENGTH},}$`);
const MIN_PASSWORD_LENGTH = 12;
const MAX_KEYS = 100;
const NAME = /^[A-Za-z][\w.@-]{0,63}$/;
const NAME_WORDS = 'a letter, then at most 63 letters, digits and . _ @ -';

/**
 * API_KEYS: comma-separated entries `[[name:]scope:]secret`; an entry without a scope is an admin key.
 * @throws StartError `environment`, with the number of the entry and never its text
 */
export function readApiKeys(entries: string | undefined): ApiKey[] {
  const keys = commaSeparated(entries).map(readApiKey);
  // Whoever sets the variable wants a guarded server: an open one must not be the result of a slip.
  if (entries !== undefined && keys.length === 0) throw wrong('API_KEYS is set and has no key in it');
  if (keys.length > MAX_KEYS) throw wrong(`API_KEYS has ${keys.length} keys; at most ${MAX_KEYS} are allowed`);
  refuseTwoScopes(keys);
  return keys;
}

/** One secret with two scopes would silently get one of them. The same entry twice does no harm. */
function refuseTwoScopes(keys: readonly ApiKey[]): void {
  for (const [at, key] of keys.entries()) {
    const first = keys.findIndex(({ sha256: sum, scope }) => sum.equals(key.sha256) && scope !== key.scope);
    if (first < 0 || first > at) continue;
    throw wrong(`API_KEYS entries ${first + 1} and ${at + 1} have the same secret and different scopes`);
  }
}

/**
 * METRICS_TOKEN: a key that reads GET /metrics and nothing else, for a Prometheus that needs nothing more.
 * @param keys the other keys: without any, the metrics are open to everyone
 * @throws StartError `environment`
 */
export function readMetricsToken(secret: string | undefined, keys: readonly ApiKey[]): ApiKey[] {
  if (secret === undefined) return [];
  if (keys.length === 0)
    throw wrong(
      'METRICS_TOKEN needs API_KEYS or RESTAPI_AUTH=BASIC: without them GET /metrics is open, as everything else',
    );
  if (!SECRET.test(secret))
    throw wrong(`METRICS_TOKEN must be at least ${MIN_SECRET_LENGTH} printable ASCII characters without blank`);
  const token: ApiKey = { name: 'metrics', scope: 'metrics', sha256: sha256(secret) };
  if (keys.some((key) => key.sha256.equals(token.sha256)))
    throw wrong('METRICS_TOKEN is also a key of API_KEYS: give it a value of its own');
  return [token];
}

function readApiKey(entry: string, index: number): ApiKey {
  const fields = entry.split(':');
  // Secrets may contain colons: only a scope in the second field makes the first field a name.
  const named = !isScope(fields[0]) && isScope(fields[1]);
  const [name] = named ? fields.splice(0, 1) : [];
  const scope = fields.length > 1 ? fields.shift() : 'admin';
  const secret = fields.join(':');
  const complain = (fault: string) => wrong(`API_KEYS entry ${index + 1} ${fault}`);
  // Read as scope and secret, its secret would be `scope:secret`, and the client of this key would be refused.
  if (!named && fields.length > 1 && isScope(fields[0]))
    throw complain(`has the name of a scope as its name: "${scope}"`);
  if (!isScope(scope)) throw complain(`has an unknown scope; allowed: ${SCOPES.join(', ')}`);
  if (name !== undefined && !NAME.test(name)) throw complain(`has a bad name; allowed: ${NAME_WORDS}`);
  if (!SECRET.test(secret)) {
    throw complain(`needs a secret of at least ${MIN_SECRET_LENGTH} printable ASCII characters`);
  }
  return { ...(name !== undefined && { name }), scope, sha256: sha256(secret) };
}

/**
 * RESTAPI_AUTH (NONE, BASIC; DIGEST and SSL are refused with the reason) and RESTAPI_AUTH_USERS, comma-separated entries
 * `name|password|role`, role admin or user.
 * @throws StartError `environment`
 */
export function readUsers(auth: string | undefined, entries: string | undefined): ApiKey[] {
  const method = (auth ?? 'NONE').toUpperCase();
  const refusal = REFUSED[method];
  if (refusal !== undefined) throw wrong(`RESTAPI_AUTH=${method} is not offered: ${refusal}`);
  if (method !== 'NONE' && method !== 'BASIC') throw wrong(`RESTAPI_AUTH="${auth}" is unknown; allowed: NONE, BASIC`);
  if (method === 'NONE' && entries !== undefined) {
    throw wrong(
      'RESTAPI_AUTH_USERS is set, but without RESTAPI_AUTH=BASIC nobody is asked: set it, or unset the users',
    );
  }
  if (method === 'BASIC' && entries === undefined) {
    throw wrong('RESTAPI_AUTH=BASIC needs RESTAPI_AUTH_USERS=name|password|role,…; there are no default users');
  }
  const users = commaSeparated(entries).map(readUser);
  if (method === 'BASIC' && users.length === 0) throw wrong('RESTAPI_AUTH_USERS is set and has no user in it');
  if (users.length > MAX_KEYS) throw wrong(`RESTAPI_AUTH_USERS has ${users.length} users; at most ${MAX_KEYS}`);
  const twice = users.find(({ name }, at) => users.findIndex((user) => user.name === name) < at);
  if (twice) throw wrong(`RESTAPI_AUTH_USERS names ${twice.name} twice`);
  return users;
}

const REFUSED: Readonly<Record<string, string>> = {
  DIGEST:
    'it needs passwords kept as text, or a hash that is as usable as the password; use BASIC behind TLS, or API_KEYS',
  SSL: 'put a proxy that speaks TLS in front, and use BASIC or API_KEYS behind it',
};

function readUser(entry: string, index: number): ApiKey {
  const [name = '', password = '', role = '', ...more] = entry.split('|');
  const complain = (fault: string) => wrong(`RESTAPI_AUTH_USERS entry ${index + 1} ${fault}`);
  const scope = role.toLowerCase();
  if (more.length > 0 || (scope !== 'admin' && scope !== 'user')) {
    throw complain('must be name|password|role, with role admin or user');
  }
  if (!NAME.test(name)) throw complain(`has a bad name; allowed: ${NAME_WORDS}`);
  if (!/^[^\p{Cc}\p{Cs}]+$/u.test(password) || [...password].length < MIN_PASSWORD_LENGTH) {
    throw complain(`needs a password of at least ${MIN_PASSWORD_LENGTH} characters without | and comma`);
  }
  return { name, scope, sha256: sha256(`${name}:${password}`), isUser: true };
}

/**
 * A configuration of Nutch that requires credentials must not start a server without any.
 * @param params the content of CONF_FILE
 * @throws StartError `environment`
 */
export function refuseUnheededAuth(params: Readonly<Record<string, unknown>>, keys: readonly ApiKey[]): void {
  const method = params['restapi.auth'];
  if (method === undefined || String(method).toUpperCase() === 'NONE' || keys.length > 0) return;
  throw wrong(
    'CONF_FILE has restapi.auth, which the environment sets here: RESTAPI_AUTH=BASIC and RESTAPI_AUTH_USERS, or API_KEYS',
  );
}

const isScope = (text: string | undefined): text is Scope => (SCOPES as readonly (string | undefined)[]).includes(text);
export const sha256 = (text: string): Buffer => createHash('sha256').update(text).digest();
const wrong = (message: string): StartError => new StartError('environment', message);
