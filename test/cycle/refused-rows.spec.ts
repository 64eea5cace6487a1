import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { batchOf, byPath, counters, expectConsistent } from './table.js';

/** D10 of the threat list: PostgreSQL rejects the row of one page, and the other rows of its batch are stored. */

const PAGES = 150;
let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite((req, res) => page(`<title>title of ${req.url}</title><a href="/x">x</a>`)(req, res));
});
afterEach(() => dropConstraint());
afterAll(async () => {
  await cycle?.close();
  await site?.close();
});

/** Conditions that fail with the code for every row. */
const failing = {
  '22P02': `('no number: ' || key)::integer > 0`,
  '54000': 'length(repeat(key, 2000000000)) > 0',
  '23514': 'false',
};
/** From now on a write of this page that meets the condition fails with the code. */
const addConstraint = (path: string, when: string, code: keyof typeof failing) =>
  cycle.db.query(
    `alter table webpage add constraint refusing
       check (case when key like '%${path}' and ${when} then ${failing[code]} else true end) not valid`,
  );
const dropConstraint = () => cycle.db.query('alter table webpage drop constraint if exists refusing');
const generated = async (crawlId: string) => {
  await cycle.inject(
    Array.from({ length: PAGES }, (_, n) => `${site.url}/p${n}x`),
    {},
    { crawlId },
  );
  return batchOf(await cycle.run('GENERATE', {}, { crawlId }));
};
const others = <T>(all: Record<string, T>, without: string): T[] =>
  Object.entries(all).flatMap(([path, value]) => (path === without ? [] : [value]));

it.each([
  ['22P02', 'false'],
  ['54000', 'true'],
] as const)('FETCH stores all rows but the one rejected with %s (fetcher.parse: %s)', async (code, parse) => {
  const crawlId = `fetch-${code}`;
  const batch = await generated(crawlId);
  await addConstraint('/p77x', 'protocol_code = 1', code);
  const job = await cycle.run('FETCH', { batch }, { crawlId, conf: { 'fetcher.parse': parse } });
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  expect(counters(job, 'FetcherStatus')).toMatchObject({ SUCCESS: PAGES - 1, not_stored: 1 });
  const found = await byPath(cycle, (row) => row, crawlId);
  expect(found['/p77x']).toMatchObject({
    status: 34,
    protocol_code: 2,
    protocol_args: [`the database refused it (SQLSTATE ${code})`],
    http_status: 200,
    fetch_mark: batch,
    parse_mark: null,
  });
  expect(new Set(others(found, '/p77x').map(({ status }) => status))).toEqual(new Set([2]));
  await expectConsistent(cycle);
});

it('PARSE stores all rows but the one rejected', async () => {
  const batch = await generated('parse');
  await cycle.run('FETCH', { batch }, { crawlId: 'parse' });
  await addConstraint('/p77x', 'title is not null', '22P02');
  const job = await cycle.run('PARSE', { batch }, { crawlId: 'parse' });
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  expect(counters(job, 'ParserStatus')).toEqual({ success: PAGES - 1, not_stored: 1 });
  const found = await byPath(cycle, (row) => row, 'parse');
  expect(found['/p77x']).toMatchObject({
    title: null,
    parse_major: 2,
    parse_args: ['the database refused it (SQLSTATE 22P02)'],
    parse_mark: null,
  });
  expect(others(found, '/p77x').map(({ title }) => title?.slice(0, 10))).toEqual(Array(PAGES - 1).fill('title of /'));
  await expectConsistent(cycle);
});

it('UPDATEDB fails at the row that is rejected, and names its page', async () => {
  const batch = await generated('update');
  await cycle.run('FETCH', { batch }, { crawlId: 'update', conf: { 'fetcher.parse': 'true' } });
  await addConstraint('/p77x', 'update_mark is not null', '22P02');
  const job = await cycle.run('UPDATEDB', { batch }, { crawlId: 'update' });
  expect(job).toMatchObject({
    state: 'FAILED',
    msg: expect.stringContaining(`ERROR: UPDATEDB at ${site.url}/p77x: invalid input syntax`) as string,
  });
  await expectConsistent(cycle);
  await dropConstraint();
  const again = await cycle.run('UPDATEDB', { batch }, { crawlId: 'update' });
  expect(again).toMatchObject({ state: 'FINISHED' });
  const found = await byPath(cycle, (row) => row.update_mark, 'update');
  expect(new Set(Object.entries(found).flatMap(([path, mark]) => (path === '/x' ? [] : [mark])))).toEqual(
    new Set([batch]),
  );
});

it.each([
  ['all', '22P02', (at: string) => `ERROR: FETCH at ${at}/p77x: `],
  ['other', '23514', () => 'ERROR: FETCH: '],
] as const)(
  'FETCH (%s) fails when a row is rejected even without its data, or not for its data (%s)',
  async (crawlId, code, msg) => {
    const batch = await generated(crawlId);
    await addConstraint('/p77x', 'fetch_mark is not null', code);
    const job = await cycle.run('FETCH', { batch }, { crawlId });
    expect(job).toMatchObject({ state: 'FAILED', msg: expect.stringContaining(msg(site.url)) as string });
  },
);
