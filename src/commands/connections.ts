/** How many connections a server may open, to its database and from its clients, to be compared with the limits of its surroundings. */
import { ENOUGH_FILES, limitsWithin } from '../api/access/connections.js';
import { openFilesLimit } from '../api/access/open-files.js';
import { HEAVY_CONNECTIONS, MAX_HEAVY } from '../api/heavy/heavy-processes.js';
import type { Env } from '../conf/env.js';
import { maxConnections } from '../db/server-settings.js';
import type { Sql } from '../db/sql.js';

export type ConnectionSettings = Pick<Env, 'role' | 'workers' | 'apiConnections' | 'workerConnections'>;

/** Besides its pool: the listener of an API; listener and heartbeat of a worker. */
const LISTENER = 1;
const LISTENER_AND_HEARTBEAT = 2;
/** Those of the processes for heavy requests of an API. */
const OF_HEAVY = MAX_HEAVY * HEAVY_CONNECTIONS;
/** Temporary ones: the start with its migrations, a check of a silent connection, a health check. */
const PASSING = 3;
/** Needed by users and backups beside the server. */
const OTHERS = 10;

/** The maximum that a server opens at once. */
export function connectionsOf({ role, workers, apiConnections, workerConnections }: ConnectionSettings): number {
  const ofApi = role === 'worker' ? 0 : apiConnections + LISTENER + OF_HEAVY;
  const ofWorkers = role === 'api' ? 0 : workers * (workerConnections + LISTENER_AND_HEARTBEAT);
  return ofApi + ofWorkers + PASSING;
}

/** `max_connections` of a database that serves this server alone. */
export const enoughFor = (settings: ConnectionSettings): number => Math.max(100, connectionsOf(settings) + OTHERS);

/** A sentence if the database has fewer connections than this server may open, else undefined. */
export async function tooFewConnections(db: Sql, settings: ConnectionSettings): Promise<string | undefined> {
  const max = await maxConnections(db);
  const needed = connectionsOf(settings);
  if (needed <= max) return undefined;
  const { workers, apiConnections, workerConnections } = settings;
  return (
    `the database has ${max} connections, and this server may open ${needed} ` +
    `(DB_POOL_API=${apiConnections}, WORKERS=${workers}, DB_POOL_WORKER=${workerConnections}): lower these, or raise max_connections`
  );
}

/** A sentence if the system lets an API open fewer files than all its connections need, else undefined. */
export function tooFewFiles({ role }: Pick<Env, 'role'>): string | undefined {
  const files = openFilesLimit();
  if (role === 'worker' || files >= ENOUGH_FILES) return undefined;
  const { max } = limitsWithin(files);
  return `at most ${max} clients can be connected, because this process may open ${files} files: raise ulimit -n to ${ENOUGH_FILES}`;
}
