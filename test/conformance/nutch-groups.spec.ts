import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type CompareBy, keptOf } from '../../src/core/page/duplicates.js';
import { groupOf, nutchGroups } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { withConformanceFolder } from '../support/left-out.js';

/** The tests of Nutch, group by group: each is run by a spec, or listed here with the reason why not. */

interface Side {
  url: string;
  score?: number;
  fetchTime?: number;
}

interface ChoiceCase {
  n: number;
  first: Side;
  second: Side;
  order: CompareBy[];
  duplicate: 'first' | 'second' | null;
}

/** Case 9: pages of one write share a fetch time here, so the order of URLs decides when it is a criterion. */
const ownChoices: Readonly<Record<number, ChoiceCase['duplicate']>> = { 9: 'second' };

describe('Nutch DeduplicationJob: dedup.choice', () => {
  eachCase(groupOf<ChoiceCase>('dedup.choice').cases)(
    'case $n: $order makes $duplicate the duplicate',
    ({ n, first, second, order, duplicate }) => {
      const pages = [first, second].map((side) => ({ score: 1, fetchTime: 0, ...side }));
      const kept = keptOf(pages, order);
      const [one, two] = pages.map((page) => kept.includes(page));
      const expected = ownChoices[n] ?? duplicate;
      expect([one, two]).toEqual([expected !== 'first', expected !== 'second']);
    },
  );
});

const notRun: Readonly<Record<string, string>> = {
  'crawldb.merge': 'crawls live in one table and are not merged',
  'linkdb.merge':
    'links of all rounds live in one table: their union is test/cycle/scores.spec.ts, "of earlier rounds stay"',
};

describe('the groups of nutch/examples.json', () => {
  const root = join(import.meta.dirname, '..');
  const specs = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('nutch-groups.spec.ts'))
    .map((path) => readFileSync(join(root, path), 'utf8'));
  const ids = nutchGroups()
    .map(({ id }) => id)
    .filter((id) => id !== 'dedup.choice');

  eachCase(ids.filter((id) => !(id in notRun)))('the group %s is named by a spec', (id) => {
    // Specs that iterate over several groups build the name: `filter.regex.${id}`.
    const [last = ''] = id.split('.').slice(-1);
    const stem = id.slice(0, -last.length);
    const names = (text: string) => text.includes(id) || (text.includes(`${stem}$`) && text.includes(`'${last}'`));
    expect(specs.some(names)).toBe(true);
  });

  it('that are listed as not run exist', withConformanceFolder, () => {
    expect(Object.keys(notRun).filter((id) => !ids.includes(id))).toEqual([]);
  });
});
