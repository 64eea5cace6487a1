/** Groups of the worked Nutch cases, for the specs of this folder. */
import { readFileSync } from 'node:fs';

export type ConformanceCase = Record<string, unknown> & { readonly n: number };

const file = new URL('../conformance/data/nutch/examples.json', import.meta.url);
const { groups } = JSON.parse(readFileSync(file, 'utf8')) as { groups: { id: string; cases: ConformanceCase[] }[] };

export function casesOf(id: string): ConformanceCase[] {
  const found = groups.find((group) => group.id === id);
  if (found === undefined) throw new Error(`no group ${id}`);
  return found.cases;
}
