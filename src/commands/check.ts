import type { Env } from '../conf/env.js';
import { openDataSource } from '../db/data-source.js';
import { StartError } from '../core/start-error.js';
import { type Finding, checkConsistency, busyCrawls } from '../webpage/consistency.sql.js';
import { openDatabaseInUse } from './database-in-use.js';
import { CommandError, COMMAND_EXIT } from './exit-codes.js';
import { requireDatabase } from './kept-database.js';

const REPAIR = '--repair';

/**
 * `orbweaver check [--repair]`: prints which rows of the tables contradict each other, one line a rule, and with the option
 * repairs them, which deletes rows without a page. Runs beside a server; otherwise an embedded database is started temporarily.
 * @throws CommandError `disorder` when something is found and not repaired, `notAllChecked` when crawls were left out
 */
export async function checkDatabase(env: Env, log: (line: string) => void, words: readonly string[]): Promise<void> {
  const unknown = words.find((word) => word !== REPAIR);
  if (unknown !== undefined)
    throw new StartError('environment', `check takes ${REPAIR} and no other words; given: "${unknown}"`);
  if (!env.databaseUrl) await requireDatabase('check', env.dataDir);
  const database = await openDatabaseInUse(env, log);
  // Whole tables are read: without the timeout of requests.
  const dataSource = await openDataSource(database.url, { max: 1 });
  try {
    const pool = dataSource.pool;
    const leftOut = await busyCrawls(pool);
    for (const name of leftOut) log(`crawl "${name}" has open jobs: it is left out`);
    const findings = await checkConsistency(pool, { repair: words.includes(REPAIR) });
    findings.forEach((finding) => log(findingLine(finding)));
    if (findings.some(({ repaired }) => repaired === undefined))
      throw new CommandError(
        COMMAND_EXIT.disorder,
        `not in order; orbweaver check ${REPAIR} mends it, and deletes what belongs to no page: dump first`,
      );
    if (leftOut.length > 0) {
      const others = findings.length === 0 ? 'nothing found in the other crawls' : 'the other crawls are mended';
      throw new CommandError(COMMAND_EXIT.notAllChecked, `${others}; end the open jobs and check again`);
    }
    if (findings.length === 0) log('all is in order');
  } finally {
    await dataSource.destroy();
    await database.close();
  }
}

const findingLine = ({ rule, rows, example, repaired }: Finding): string =>
  `${rule}: ${rows} (${example}${rows > 1 ? ', …' : ''})${repaired === undefined ? '' : `; ${repaired}`}`;
