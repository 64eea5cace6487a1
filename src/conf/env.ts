/**
 * The environment of a server, read once. The program takes an `Env` as a value. A wrong value stops the start with a line that
 * names the variable, the given value and the allowed ones. Secrets are kept as hashes only.
 *
 * Elsewhere `process.env` is read by:
 * - entry files: `main.ts`, `*.main.ts`, `health.ts`;
 * - code that starts child processes: `workers.ts`, `heavy-process.ts`, `postmaster.ts`;
 * - `local-server.ts`, for PLUGIN_DIR;
 * - `client-environment.ts`, which removes variables for other databases;
 * - `task.store.ts`, for LEASE_SECONDS, by the same parser.
 */
import { isIP, isIPv4 } from 'node:net';
import { availableParallelism } from 'node:os';
import { resolve } from 'node:path';
import { StartError } from '../core/start-error.js';
import { commaSeparated } from './comma-separated.js';
import {
  DEFAULT_PORT,
  DEFAULT_REQUEST_RATE,
  DEFAULT_SEARCH_CACHE,
  DEFAULT_WAITING_JOBS_PER_KEY,
  DEFAULT_WORKER_CONNECTIONS,
} from './env-defaults.js';
import { type ApiKey, readApiKeys, readMetricsToken, readUsers } from './credentials.js';
import { readDatabaseUrl } from './database-url.js';
import { leaseSeconds } from './lease-seconds.js';
import { LOG_FORMATS, type LogFormat } from './log.js';
import { whole } from './whole-variable.js';
import { MAX_PORT } from '../core/address/port-range.js';

export const ROLES = ['all', 'api', 'worker'] as const;
export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

export type Role = (typeof ROLES)[number];
export type LogLevel = (typeof LOG_LEVELS)[number];

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
  /** Running tasks in one worker process; undefined: the default of the worker. */
  readonly workerSlots: number | undefined;
  /** Resident memory, MiB, above which a worker claims no task while another runs. */
  readonly workerMemory: number | undefined;
  /** Keys of API_KEYS and users of RESTAPI_AUTH_USERS. Empty: the API is open, or (a worker) there is none. */
  readonly apiKeys: readonly ApiKey[];
  /** Requests a second that one client may make; the burst is twice as many. */
  readonly requestRate: number;
  /** Jobs of one key that may wait for a worker. */
  readonly waitingJobsPerKey: number;
  /** MiB of the built-in index that a process with an API keeps in memory for searches. */
  readonly searchCache: number;
  /** Host names, besides HOST and localhost, that requests to a server without keys may have; `*` for any. */
  readonly allowedHosts: readonly string[];
  readonly confFile: string | undefined;
  /** Folder of external plugins. Absolute. */
  readonly pluginDir: string | undefined;
  readonly logLevel: LogLevel;
  /** Undefined: events as JSON, the few lines of a server's life (start, ready, stop) as text. */
  readonly logFormat: LogFormat | undefined;
  /** Maximum connections to the database of a process with an API, and of each worker process. */
  readonly apiConnections: number;
  readonly workerConnections: number;
}

/** Worker processes of one server. */
export const MAX_WORKERS = 64;

/** Reads and checks the environment. An empty variable counts as unset. @throws StartError `environment` */
export function readEnv(variables: NodeJS.ProcessEnv): Env {
  const read = (name: string): string | undefined => variables[name]?.trim() || undefined;
  const role = oneOf('ROLE', read('ROLE'), ROLES, 'all');
  const env: Env = {
    port: whole('PORT', read('PORT'), { min: 0, max: MAX_PORT, otherwise: DEFAULT_PORT }),
    host: readHost(read('HOST')),
    databaseUrl: readDatabaseUrl(read('DATABASE_URL')),
    dataDir: resolve(read('DATA_DIR') ?? 'data'),
    role,
    workers: whole('WORKERS', read('WORKERS'), {
      min: 1,
      max: MAX_WORKERS,
      otherwise: Math.min(4, availableParallelism()),
    }),
    workerSlots: wholeOrNone('WORKER_SLOTS', read('WORKER_SLOTS'), { min: 1, max: 100 }),
    workerMemory: wholeOrNone('WORKER_MEMORY', read('WORKER_MEMORY'), { min: 64, max: 1_000_000 }),
    apiKeys: role === 'worker' ? [] : readKeys(read),
    requestRate: whole('REQUEST_RATE', read('REQUEST_RATE'), { min: 1, max: 100_000, otherwise: DEFAULT_REQUEST_RATE }),
    waitingJobsPerKey: whole('WAITING_JOBS_PER_KEY', read('WAITING_JOBS_PER_KEY'), {
      min: 1,
      max: 1_000,
      otherwise: DEFAULT_WAITING_JOBS_PER_KEY,
    }),
    searchCache: whole('SEARCH_CACHE', read('SEARCH_CACHE'), { min: 16, max: 65_536, otherwise: DEFAULT_SEARCH_CACHE }),
    allowedHosts: readAllowedHosts(read('ALLOWED_HOSTS')),
    confFile: read('CONF_FILE'),
    pluginDir: readFolder(read('PLUGIN_DIR')),
    logLevel: oneOf('LOG_LEVEL', read('LOG_LEVEL'), LOG_LEVELS, 'info'),
    logFormat: oneOf<LogFormat, undefined>('LOG_FORMAT', read('LOG_FORMAT'), LOG_FORMATS, undefined),
    apiConnections: whole('DB_POOL_API', read('DB_POOL_API'), { min: 4, max: 200, otherwise: 20 }),
    workerConnections: whole('DB_POOL_WORKER', read('DB_POOL_WORKER'), {
      min: 4,
      max: 200,
      otherwise: DEFAULT_WORKER_CONNECTIONS,
    }),
  };
  // Only checked here: job/task.store.ts reads it.
  leaseSeconds(variables);
  refuseOpenHost(env, oneOf<'keys' | 'none', undefined>('AUTH', read('AUTH'), ['keys', 'none'], undefined));
  if (role !== 'all' && !env.databaseUrl) {
    throw wrong(
      `ROLE=${role} needs DATABASE_URL (that of an embedded database is in postgres.url of its data directory)`,
    );
  }
  return env;
}

function readKeys(read: (name: string) => string | undefined): ApiKey[] {
  const keys = [...readApiKeys(read('API_KEYS')), ...readUsers(read('RESTAPI_AUTH'), read('RESTAPI_AUTH_USERS'))];
  return [...keys, ...readMetricsToken(read('METRICS_TOKEN'), keys)];
}

/** Whether this host name or address means this machine alone. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'));
}

/** A client that reaches the port controls the crawler, so an open one beyond this machine must be configured explicitly. */
function refuseOpenHost(env: Env, auth: 'keys' | 'none' | undefined): void {
  if (env.role === 'worker') return;
  if (auth === 'none' && env.apiKeys.length > 0)
    throw wrong('AUTH=none contradicts API_KEYS and RESTAPI_AUTH=BASIC: unset one of them');
  if (auth === 'keys' && env.apiKeys.length === 0) throw wrong('AUTH=keys needs API_KEYS or RESTAPI_AUTH=BASIC');
  if (auth === 'none' || env.apiKeys.length > 0 || isLoopback(env.host)) return;
  throw wrong(
    `HOST=${env.host} would open the API to others without credentials: set API_KEYS or RESTAPI_AUTH=BASIC, or AUTH=none if that is meant`,
  );
}

const readFolder = (path: string | undefined): string | undefined => path && resolve(path);

function readHost(address: string | undefined): string {
  const host = address?.replace(/^\[(.*)\]$/, '$1') ?? '127.0.0.1';
  if (!/^[\w.:%-]{1,255}$/.test(host)) throw wrong(`HOST="${host}" is not a host name or address`);
  return host;
}

/** Names as they appear in a Host header, without its port; `*` alone means any. */
function readAllowedHosts(text: string | undefined): string[] {
  const hosts = commaSeparated(text);
  const bad = hosts.find((host) => host !== '*' && isIP(host) === 0 && !/^[\w.-]{1,255}$/.test(host));
  if (bad !== undefined) throw wrong(`ALLOWED_HOSTS entry "${bad}" is not a host name (without scheme and port), or *`);
  return hosts;
}

const wholeOrNone = (name: string, text: string | undefined, range: { min: number; max: number }) =>
  text === undefined ? undefined : whole(name, text, { ...range, otherwise: range.min });

function oneOf<T extends string, D extends T | undefined>(
  name: string,
  value: string | undefined,
  allowed: readonly T[],
  otherwise: D,
): T | D {
  if (value === undefined) return otherwise;
  if (isOneOf(value, allowed)) return value;
  throw wrong(`${name}="${value}" is unknown; allowed: ${allowed.join(', ')}`);
}

function isOneOf<T extends string>(value: string, allowed: readonly T[]): value is T {
  return (allowed as readonly string[]).includes(value);
}

function wrong(message: string): StartError {
  return new StartError('environment', message);
}
