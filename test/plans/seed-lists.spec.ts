import { expect, it } from 'vitest';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { Explained, nodesOf } from './explained.js';
import { useFilledClient } from './filled-client.js';

/** The totals of seed lists with 20,000 lines: of each list one line is read. */

const LISTS = 5;
const LINES = 20_000;
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
  const lists = await store.list('', 100);
  expect(lists.map(({ total }) => total)).toEqual([0, ...Array<number>(LISTS).fill(LINES)]);
  expect(await store.find('s1')).toMatchObject({ total: LINES });
  const lines = nodesOf(explained.plans).filter((node) => node['Relation Name'] === 'seed_url');
  expect(lines.map((node) => node['Actual Rows']! <= 1)).toEqual([true, true]);
  await client().query('rollback');
});
