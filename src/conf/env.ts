import { createHash } from 'node:crypto';
import { isIPv4 } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { StartError } from '../db/embedded/start-error.js';

/**
 * The environment, read once. Everything else in the program takes an `Env` as a value; nothing but the process entries
 * looks at `process.env`. A wrong value stops the start with a line that names the variable, what was given and what is
 * allowed. Secrets are kept as hashes only.
 */

export const ROLES = ['all', 'api', 'worker'] as const;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
/** What a key may do; each scope includes those to its left. */
export const SCOPES = ['read', 'run', 'admin'] as const;

export type Role = (typeof ROLES)[number];
export type LogLevel = (typeof LOG_LEVELS)[number];
export type Scope = (typeof SCOPES)[number];

/** A key of API_KEYS: its scope and the SHA-256 of its secret (32 bytes), for a comparison in constant time. */
export interface ApiKey {
  readonly scope: Scope;
  readonly sha256: Buffer;
}

export interface Env {
  /** 0 lets the operating system choose. */
  readonly port: number;
  readonly host: string;
  /** Undefined: the embedded PostgreSQL. */
  readonly databaseUrl: string | undefined;
  /** Absolute. */
  readonly dataDir: string;
  readonly role: Role;
  /** Worker processes that this server forks. */
  readonly workers: number;
  /** Empty: the API asks for no credentials. */
  readonly apiKeys: readonly ApiKey[];
  /** Host names, besides HOST and localhost, under which a server without keys may be asked; `*` for any. */
  readonly allowedHosts: readonly string[];
  readonly confFile: string | undefined;
  readonly logLevel: LogLevel;
}

const MOST_WORKERS = 64;
const SHORTEST_SECRET = 16;
const MOST_KEYS = 100;

/** Reads and checks the environment. An empty variable counts as unset. @throws StartError `environment` */
export function readEnv(variables: NodeJS.ProcessEnv): Env {
  const read = (name: string): string | undefined => variables[name]?.trim() || undefined;
  const role = oneOf('ROLE', read('ROLE'), ROLES, 'all');
  const env: Env = {
    port: whole('PORT', read('PORT'), { least: 0, most: 65_535, otherwise: 8081 }),
    host: readHost(read('HOST')),
    databaseUrl: readDatabaseUrl(read('DATABASE_URL')),
    dataDir: resolve(read('DATA_DIR') ?? 'data'),
    role,
    workers: whole('WORKERS', read('WORKERS'), {
      least: 1,
      most: MOST_WORKERS,
      otherwise: Math.min(4, availableParallelism()),
    }),
    apiKeys: readApiKeys(read('API_KEYS')),
    allowedHosts: listed(read('ALLOWED_HOSTS')),
    confFile: read('CONF_FILE'),
    logLevel: oneOf('LOG_LEVEL', read('LOG_LEVEL'), LOG_LEVELS, 'info'),
  };
  refuseOpenDoor(env, oneOf<'keys' | 'none', undefined>('AUTH', read('AUTH'), ['keys', 'none'], undefined));
  if (role !== 'all' && !env.databaseUrl) {
    throw wrong(
      `ROLE=${role} needs DATABASE_URL (that of an embedded database stands in postgres.url of its data directory)`,
    );
  }
  return env;
}

/** Does this host name or address mean this machine alone? */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** Whoever reaches the port commands the crawler, so an open one beyond this machine must be asked for by name. */
function refuseOpenDoor(env: Env, auth: 'keys' | 'none' | undefined): void {
  if (auth === 'none' && env.apiKeys.length > 0) throw wrong('AUTH=none contradicts API_KEYS: unset one of them');
  if (auth === 'keys' && env.apiKeys.length === 0) throw wrong('AUTH=keys needs API_KEYS');
  if (env.role === 'worker' || auth === 'none' || env.apiKeys.length > 0 || isLoopback(env.host)) return;
  throw wrong(
    `HOST=${env.host} would open the API to others without credentials: set API_KEYS, or AUTH=none if that is meant`,
  );
}

function readHost(given: string | undefined): string {
  const host = given?.replace(/^\[(.*)\]$/, '$1') ?? '127.0.0.1';
  if (!/^[\w.:%-]{1,255}$/.test(host)) throw wrong(`HOST="${host}" is not a host name or address`);
  return host;
}

function readDatabaseUrl(given: string | undefined): string | undefined {
  // The value may carry a password, so it is not repeated.
  if (given && !/^postgres(ql)?:\/\/\S+$/.test(given)) {
    throw wrong('DATABASE_URL must look like postgresql://user:password@host:5432/database');
  }
  return given;
}

/** Comma-separated entries `[scope:]secret`; an entry without a scope is an admin key. */
function readApiKeys(given: string | undefined): ApiKey[] {
  const keys = listed(given).map(readApiKey);
  if (keys.length > MOST_KEYS) throw wrong(`API_KEYS has ${keys.length} keys; at most ${MOST_KEYS} are allowed`);
  return keys;
}

function readApiKey(entry: string, index: number): ApiKey {
  const colon = entry.indexOf(':');
  const scope = colon < 0 ? 'admin' : entry.slice(0, colon);
  const secret = entry.slice(colon + 1);
  if (!isOneOf(scope, SCOPES)) {
    throw wrong(`API_KEYS entry ${index + 1} has an unknown scope; allowed: ${SCOPES.join(', ')}`);
  }
  if (!/^[\x21-\x7e]+$/.test(secret) || secret.length < SHORTEST_SECRET) {
    throw wrong(`API_KEYS entry ${index + 1} needs a secret of at least ${SHORTEST_SECRET} printable ASCII characters`);
  }
  return { scope, sha256: createHash('sha256').update(secret).digest() };
}

function listed(given: string | undefined): string[] {
  return (given ?? '')
    .split(',')
    .map((entry) => entry.trim())
    .filter(Boolean);
}

function whole(
  name: string,
  given: string | undefined,
  range: { least: number; most: number; otherwise: number },
): number {
  if (given === undefined) return range.otherwise;
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= range.least && value <= range.most) return value;
  throw wrong(`${name}="${given}" is not a whole number from ${range.least} to ${range.most}`);
}

function oneOf<T extends string, D extends T | undefined>(
  name: string,
  given: string | undefined,
  allowed: readonly T[],
  otherwise: D,
): T | D {
  if (given === undefined) return otherwise;
  if (isOneOf(given, allowed)) return given;
  throw wrong(`${name}="${given}" is unknown; allowed: ${allowed.join(', ')}`);
}

function isOneOf<T extends string>(given: string, allowed: readonly T[]): given is T {
  return (allowed as readonly string[]).includes(given);
}

function wrong(message: string): StartError {
  return new StartError('environment', message);
}
