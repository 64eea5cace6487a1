/** Reads the conformance cases that stand beside the tests. */
import { readFileSync } from 'node:fs';

const read = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(`../../conformance/data/${path}.json`, import.meta.url), 'utf8'));

/** The cases of one suite; plain strings in it are comments. */
export function suiteOf<Case>(folder: string, name: string): Case[] {
  const file = read(`${folder}/${name}`) as Case[] | { cases: Case[] };
  const cases = Array.isArray(file) ? file : file.cases;
  return cases.filter((each) => typeof each !== 'string');
}

/** The cases of one group of worked Nutch examples, with what the group says of all of them. */
export function groupOf<Case>(id: string): { cases: Case[]; rules: string[]; [more: string]: unknown } {
  const { groups } = read('nutch/examples') as { groups: { id: string; cases: Case[]; rules: string[] }[] };
  const group = groups.find((each) => each.id === id);
  if (!group) throw new Error(`no group ${id}`);
  return group;
}
