import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadModule } from 'libpg-query';
import type { LoggedStatement } from '../support/sql-log.js';
import { findingsOf } from './sql-rules.js';
import { scanOf } from './sql-scans.js';

/** Holds all statements of a run against the rules of docs/distributed.md; returns a line for each that breaks one. */
export async function judgeLoggedSql(folder: string): Promise<string[]> {
  await loadModule();
  return readdirSync(folder).flatMap((name) => {
    const { text, spec } = JSON.parse(readFileSync(join(folder, name), 'utf8')) as LoggedStatement;
    const { broken, scanned } = findingsOf(text);
    const complaints = scanOf(text) === undefined ? scanned.map((table) => `${table} without its host, or crawl`) : [];
    const all = [...broken, ...complaints];
    if (all.length === 0) return [];
    return [`${all.join('; ')} (${spec.replace(/.*\/test\//, 'test/')})\n    ${text.replace(/\s+/g, ' ').trim()}`];
  });
}
