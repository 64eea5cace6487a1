import { expect, it } from 'vitest';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { Explained, nodesOf } from './explained.js';
import { useFilledClient } from './filled-client.js';

/** Seed lists with 20,000 lines: of each list those that are shown are read, and one more for its total. */

const LISTS = 5;
const LINES = 20_000;
const SHOWN = { lines: 100, characters: 150 };
const client = useFilledClient([
  `insert into seed_list (name, inline) select 's' || n, false from generate_series(1, ${LISTS}) n`,
  `insert into seed_list (name, inline) values ('empty', false)`,
  `insert into seed_url (list, position, line) select 's' || n, p, 'http://a.test/' || p
     from generate_series(1, ${LISTS}) n, generate_series(0, ${LINES - 1}) p`,
  'analyze seed_list, seed_url',
]);

it('lists of any length are listed and found without counting their lines', async () => {
  await client().query('begin');
  const explained = new Explained(client());
  const store = new SeedListStore({ pool: explained, getRepository: () => undefined } as unknown as PooledDataSource);
  const lists = await store.list('', 100, SHOWN);
  expect(lists.map(({ total }) => total)).toEqual([0, ...Array<number>(LISTS).fill(LINES)]);
  // The first ten lines have 15 characters each.
  expect(lists.map(({ lines }) => lines.length)).toEqual([0, ...Array<number>(LISTS).fill(10)]);
  expect(await store.find('s1')).toMatchObject({ total: LINES });
  const read = nodesOf(explained.plans).filter((node) => node['Relation Name'] === 'seed_url');
  const [ofFind, ofTotal, ofLines] = read.map((node) => node['Actual Rows']!).sort((a, b) => a - b);
  expect([ofFind! <= 1, ofTotal! <= 1, ofLines! <= SHOWN.lines, read.length]).toEqual([true, true, true, 3]);
  await client().query('rollback');
});
