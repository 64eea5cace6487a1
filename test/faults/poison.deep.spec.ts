import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type Site, page, startSite } from '../support/site.js';
import { Crawler, type Job } from './crawl.js';

/**
 * Pages that crash each worker that parses them (fault F18): killed by the kernel when memory is exhausted (with FAULTS_LONG by a
 * parser that uses all of the heap), and by a parser that never ends (fault F23). The process is restarted; the page is tried three
 * times and given up, and the other pages of its batch are processed.
 */

const DEATH = process.env['FAULTS_LONG']
  ? 'const all = []; for (;;) all.push(new Array(1e6).fill({}));'
  : `process.kill(process.pid, 'SIGKILL'); for (;;);`;
const PARSERS = `
const parser = (type, parse) => ({ types: [type], parse });
export default [
  { id: 'parse-greedy', description: 'Takes all memory.', makeParser: () => parser('text/x-greedy', () => { ${DEATH} }) },
  { id: 'parse-later', description: 'Takes all memory behind a promise.', makeParser: () =>
    parser('text/x-later', async () => { await new Promise(setImmediate); ${DEATH} }) },
  { id: 'parse-endless', description: 'Never ends.', makeParser: () => parser('text/x-endless', () => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)) },
];`;
const GOOD = 20;
const PLUGINS = { 'plugin.includes.also': 'parse-greedy|parse-later|parse-endless' };

let plugins: TemporaryFolder;
let site: Site;
let crawler: Crawler;
beforeAll(async () => {
  plugins = await temporaryFolder();
  await writeFile(join(plugins.path, 'deadly.mjs'), PARSERS);
  const of = (type: string) => page('all', { 'content-type': type });
  site = await startSite({
    '/greedy': of('text/x-greedy'),
    '/later': of('text/x-later'),
    '/endless': of('text/x-endless'),
    '*': page('<title>good</title> words'),
  });
  // A worker without a heartbeat for six leases exits.
  crawler = new Crawler(await testDatabase(), { PLUGIN_DIR: plugins.path, LEASE_SECONDS: '2', WORKERS: '3' });
  await crawler.start();
  await crawler.configure({ ...PLUGINS, 'fetcher.parse': 'false' });
});
afterAll(async () => {
  await crawler?.close();
  await crawler?.db.drop();
  await site?.close();
  await plugins?.remove();
});

/** Number of workers that each page of a job has crashed, as far as known. */
async function deathsOf(job: string): Promise<Record<string, number>> {
  const tasks = await crawler.db.query<{ deaths: Record<string, number> }>(
    'select deaths from job_task where job = $1',
    [job],
  );
  return Object.assign({}, ...tasks.map(({ deaths }) => deaths));
}

/** A batch of the bad page between good ones. */
async function batch(crawlId: string, bad: string): Promise<void> {
  const good = Array.from({ length: GOOD }, (_, i) => `${site.url}/${i < GOOD / 2 ? 'a' : 'z'}${i}`);
  const made = async (type: string, args: object) => {
    const { id } = await crawler.create(type, { ...args }, crawlId);
    expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
  };
  await made('INJECT', { seed: [...good, `${site.url}${bad}`].join('\n') });
  await made('GENERATE', { batch: 'b1' });
}

async function ended(crawlId: string, type: string, args: object = {}): Promise<Job> {
  const { id } = await crawler.create(type, { batch: 'b1', ...args }, crawlId);
  return crawler.ended(id);
}

async function expectAllButOne(crawlId: string, bad: string): Promise<void> {
  const pages = await crawler.db.query<{ path: string; status: number; args: string[]; done: boolean }>(
    `select substring(key from '/.*') as path, status, parse_args as args, parse_mark = 'b1' as done
       from webpage where crawl = (select id from crawl where name = $1)`,
    [crawlId],
  );
  expect(pages.filter(({ status, done }) => status === 2 && done)).toHaveLength(GOOD);
  const [left] = pages.filter(({ done }) => !done);
  expect(left).toMatchObject({ path: bad, status: 2, args: ['given up: it has ended 3 workers'] });
}

async function warnings(job: string): Promise<unknown[]> {
  const logged = await crawler.db.query<{ data: unknown }>(
    `select data from job_event where job = $1 and kind = 'warning' order by id`,
    [job],
  );
  return logged.map(({ data }) => data);
}

describe('a page that crashes the worker that parses it', () => {
  it.each([
    ['uses all memory', '/greedy'],
    ['never ends (the worker without heartbeat exits)', '/endless'],
  ])(
    'is given up by PARSE after three attempts when its parser %s: others are parsed, a warning names it',
    async (_, bad) => {
      const crawlId = `parse-${bad.slice(1)}`;
      await batch(crawlId, bad);
      expect((await ended(crawlId, 'FETCH')).state).toBe('FINISHED');
      const job = await ended(crawlId, 'PARSE');
      expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK', result: { reason: 'done' } });
      expect(job.result!.counters['ParserStatus']).toEqual({ success: GOOD, given_up: 1 });
      expect(Object.values(await deathsOf(job.id))).toEqual([3]);
      await expectAllButOne(crawlId, bad);
      const warning = { part: 0, message: 'given up: it has ended 3 workers', url: site.url + bad };
      expect(await warnings(job.id)).toEqual([warning]);
    },
  );

  it('is given up by a FETCH that parses after three attempts', async () => {
    await batch('fetch', '/greedy');
    const job = await ended('fetch', 'FETCH', { parse: true });
    expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK', result: { reason: 'done' } });
    expect(job.result!.counters['FetcherStatus']).toMatchObject({ SUCCESS: GOOD + 1 });
    expect(job.result!.counters['ParserStatus']).toEqual({ success: GOOD, given_up: 1 });
    expect(Object.values(await deathsOf(job.id))).toEqual([3]);
    await expectAllButOne('fetch', '/greedy');
  });

  it('fails its job after three attempts when it is not known which page it was; other jobs continue', async () => {
    await batch('later', '/later');
    expect((await ended('later', 'FETCH')).state).toBe('FINISHED');
    expect(await ended('later', 'PARSE')).toMatchObject({
      state: 'FAILED',
      msg: expect.stringMatching(/^ERROR: PARSE: task \d+ was lost 3 times in a row without any progress$/) as string,
    });
    expect(site.log.filter(({ path }) => path === '/later')).toHaveLength(1);
    const other = await crawler.create('INJECT', { seed: `${site.url}/other` }, 'another');
    expect((await crawler.ended(other.id)).state).toBe('FINISHED');
  });
});
