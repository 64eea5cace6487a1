import type { Env } from '../conf/env.js';
import { openDatabase } from './database.js';

/** `orbweaver migrate`: brings the schema up to date and ends; an embedded database is started for the while. */
export async function migrateOnly(env: Env, log: (line: string) => void): Promise<void> {
  const database = await openDatabase(env, log, (error) => log(error.message));
  await database.close();
  log('the database schema is up to date');
}
