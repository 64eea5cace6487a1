import type { Env } from '../conf/env.js';
import { migrate, openDataSource } from '../db/data-source.js';
import { StartError } from '../core/start-error.js';
import { openDatabaseInUse } from './database-in-use.js';

const DISTRIBUTE = '--distribute';

/**
 * `orbweaver migrate [--distribute]`: brings the schema up to date and ends; an embedded database without a server is started
 * temporarily. With the option the tables that grow with the web are distributed over the nodes of a Citus cluster; without
 * Citus it only prints that there is none.
 */
export async function migrateOnly(env: Env, log: (line: string) => void, words: readonly string[]): Promise<void> {
  const unknown = words.find((word) => word !== DISTRIBUTE);
  if (unknown !== undefined)
    throw new StartError('environment', `migrate takes ${DISTRIBUTE} and no other words; given: "${unknown}"`);
  const database = await openDatabaseInUse(env, log);
  try {
    log('the database schema is up to date');
    if (words.length > 0) log(await spread(database.url));
  } finally {
    await database.close();
  }
}

/** On connections of its own, without the timeout of requests: existing rows are moved. */
async function spread(url: string): Promise<string> {
  const dataSource = await openDataSource(url, { max: 2 });
  try {
    const done = await migrate(dataSource, { distribute: true });
    if (done === undefined) return 'the database has no extension citus: nothing is distributed';
    const changes = done.changed.length > 0 ? done.changed.join(', ') : 'nothing new';
    return `distributed over ${done.nodes} nodes: ${changes}`;
  } catch (error) {
    throw new StartError('database', `cannot distribute the database: ${(error as Error).message}`);
  } finally {
    await dataSource.destroy();
  }
}
