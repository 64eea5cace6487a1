import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeLog } from '../../src/conf/log.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';

/** Log lines of a worker about pages: URL and datum in each step. */

interface Line {
  level: string;
  msg: string;
  job: string;
  task: string;
  url: string;
  datum: Record<string, unknown>;
}

let cycle: Cycle;
let site: Site;
let lines: Line[];
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite({ '/': page('<title>t</title><a href="/a">a</a>') });
});
beforeEach(() => (lines = []));
afterAll(async () => {
  await site.close();
  await cycle.close();
});

const logAt = (level: string) =>
  makeLog('worker', { level, format: 'json', to: { write: (line) => void lines.push(JSON.parse(line) as Line) } });
const of = (step: string, url: string) =>
  lines.filter(({ msg, url: about }) => msg === step && about === url).map(({ datum }) => datum);

it('the log at level debug has a line for each URL in each step, with its datum', async () => {
  cycle.log = logAt('debug');
  const [seed, gone] = [`${site.url}/`, `${site.url}/gone`];
  await cycle.inject([seed, gone]);
  const fresh = { status: '66 (injected)', merge: 'insert', becomes: '1 (db_unfetched)', score: 1 };
  expect([of('INJECT', seed), of('INJECT', gone)]).toEqual([[fresh], [fresh]]);
  expect(lines[0]).toMatchObject({
    level: 'debug',
    job: 'k-c1-INJECT-1',
    task: expect.stringMatching(/^\d+$/) as string,
  });
  expect(await cycle.db.query('select distinct status from webpage')).toEqual([{ status: 1 }]);

  await cycle.inject([seed]);
  expect(of('INJECT', seed)[1]).toEqual({ ...fresh, merge: 'keep' });

  await cycle.round();
  const [{ batch } = { batch: '' }] = await cycle.db.query<{ batch: string }>(
    `select newest_batch as batch from crawl where name = 'k'`,
  );
  expect(of('GENERATE', seed)).toEqual([{ status: '1 (db_unfetched)', score: 1, batch }]);
  expect(of('FETCH', seed)).toEqual([{ status: '2 (db_fetched)', protocol: 'SUCCESS', args: [], http: 200 }]);
  expect(of('FETCH', gone)).toMatchObject([{ status: '3 (db_gone)', protocol: 'NOTFOUND', http: 404 }]);
  expect(of('PARSE', seed)).toEqual([{ status: 'success/ok (1/0), args=[]', links: 1 }]);
  const rows = await cycle.db.query<{ key: string; score: number; time: Date }>(
    `select key, score, fetch_time as time from webpage where status <> 1 order by key`,
  );
  expect(of('UPDATEDB', seed)).toEqual([
    { status: '2 (db_fetched)', score: rows[0]!.score, fetchTime: rows[0]!.time.toISOString() },
  ]);
  expect(of('UPDATEDB', gone)).toMatchObject([{ status: '3 (db_gone)', fetchTime: rows[1]!.time.toISOString() }]);

  await cycle.run('INDEX', { deleteGone: true });
  const fields = expect.arrayContaining(['url', 'title', 'content', 'digest']) as string[];
  expect(of('INDEX', seed)).toEqual([{ result: 'indexed (add/update)', fields }]);
  expect(of('INDEX', gone)).toEqual([{ result: 'deleted (gone)' }]);
});

it('the log has the parse status of a page in a FETCH that parses, and no password of a URL', async () => {
  cycle.log = logAt('debug');
  const seed = `${site.url}/?password=secret`;
  const options = { crawlId: 'parses', conf: { 'urlfilter.regex.rules': '+.' } };
  await cycle.inject([seed], {}, options);
  await cycle.run('GENERATE', { batch: 'b' }, options);
  await cycle.run('FETCH', { batch: 'b', parse: true }, options);
  const shown = `${site.url}/?password=***`;
  expect(of('INJECT', shown)).toHaveLength(1);
  expect(of('FETCH', shown)).toMatchObject([{ http: 200, parse: 'success/ok (1/0), args=[]' }]);
});

it('the log at level info has no lines about pages', async () => {
  cycle.log = logAt('info');
  await cycle.inject([`${site.url}/`], {}, { crawlId: 'quiet' });
  await cycle.round({ crawlId: 'quiet' });
  expect(lines).toEqual([]);
});
