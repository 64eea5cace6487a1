/**
 * Writes down the SQL that the program sends in tests: each distinct statement once, with the spec that sent it first, as a
 * file named by its hash in a folder of the run. Statements of the tests themselves (fixtures) do not count: the program's
 * come on connections that it opened, which bear its name, and as objects (src/db/sql.ts); TypeORM's, which are texts, are of
 * small tables. A statement that was seen costs a look into a set.
 */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect } from 'vitest';

/** A statement, and where it came from. */
export interface LoggedStatement {
  /** Values as `$1`, rows of VALUES that are alike once. */
  text: string;
  spec: string;
}

type Query = (this: pg.Client, ...given: unknown[]) => unknown;
interface Named {
  connectionParameters?: { application_name?: string };
}

/** Whether it is done: a process may run several spec files, each with its own instance of this module. */
const LOGGED = Symbol.for('orbweaver.sql-log');

/** Logs what this process sends from now on. */
export function logSql(folder: string): void {
  if (LOGGED in pg.Client) return;
  Object.assign(pg.Client, { [LOGGED]: true });
  const seen = new Set<string>();
  const client = pg.Client.prototype as unknown as { query: Query };
  const query = client.query;
  client.query = function (...given) {
    const text = textOf(given[0]);
    if (text !== undefined && !seen.has(text) && isOurs(this as unknown as Named)) {
      seen.add(text);
      write(folder, withoutNumbers(text));
    }
    return query.apply(this, given);
  };
}

const isOurs = ({ connectionParameters }: Named): boolean =>
  connectionParameters?.application_name?.startsWith('orbweaver') ?? false;

function textOf(given: unknown): string | undefined {
  const text = (given as { text?: unknown } | null)?.text;
  return typeof text === 'string' ? text : undefined;
}

/** Lists of rows differ in their length only. */
const ROW = /(\((?:[^()]|\([^()]*\))*\$1(?:[^()]|\([^()]*\))*\))(?:,\s*\1)+/g;
const withoutNumbers = (text: string): string => text.replace(/\$\d+/g, '$1').replace(ROW, '$1');

function write(folder: string, text: string): void {
  const name = createHash('sha1').update(text).digest('hex');
  const logged: LoggedStatement = { text, spec: expect.getState().testPath ?? '' };
  try {
    writeFileSync(join(folder, name), JSON.stringify(logged), { flag: 'wx' });
  } catch {
    // Another process had it first, or the run is over.
  }
}
