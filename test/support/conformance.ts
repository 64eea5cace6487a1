/**
 * Reads the conformance cases of other projects, which stand beside the repository. Where their folder is missing there
 * are no cases: specs say so through `eachCase` and `withConformanceFolder`. Imports nothing of ours, so that scripts
 * load it as it is.
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** `conformance` in the folder that ORBWEAVER_SHARED names, by default `shared` beside the repository. */
export const conformanceFolder = join(
  process.env['ORBWEAVER_SHARED'] || join(import.meta.dirname, '../../../shared'),
  'conformance',
);
export const hasConformance = existsSync(conformanceFolder);
export const CONFORMANCE_MISSING = `${conformanceFolder} is not there (ORBWEAVER_SHARED names the folder that has conformance/)`;

/** @throws {Error} ENOENT when the folder is there and the file is not */
const read = (path: string): unknown => JSON.parse(readFileSync(join(conformanceFolder, path), 'utf8'));

/** What the JSON files of one folder hold, in the order of their names. */
export function documentsOf(folder: string): unknown[] {
  if (!hasConformance) return [];
  const files = readdirSync(join(conformanceFolder, folder)).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => read(join(folder, file)));
}

/** The cases of one suite; plain strings in it are comments. */
export function suiteOf<Case>(folder: string, name: string): Case[] {
  if (!hasConformance) return [];
  const file = read(join(folder, `${name}.json`)) as Case[] | { cases: Case[] };
  const cases = Array.isArray(file) ? file : file.cases;
  return cases.filter((each) => typeof each !== 'string');
}

export type NutchCase = Record<string, unknown> & { readonly n: number };

/** Worked Nutch examples of one rule, with what holds for all of them. */
export interface NutchGroup<Case> {
  id: string;
  cases: Case[];
  rules: string[];
  [more: string]: unknown;
}

export function nutchGroups<Case = NutchCase>(): NutchGroup<Case>[] {
  if (!hasConformance) return [];
  return (read('nutch/examples.json') as { groups: NutchGroup<Case>[] }).groups;
}

/** @throws {Error} for an id that no group has */
export function groupOf<Case = NutchCase>(id: string): NutchGroup<Case> {
  if (!hasConformance) return { id, cases: [], rules: [] };
  const group = nutchGroups<Case>().find((each) => each.id === id);
  if (!group) throw new Error(`no group ${id}`);
  return group;
}
