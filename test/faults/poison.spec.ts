import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type Site, page, startSite } from '../support/site.js';
import { Crawler, until } from './crawl.js';

/**
 * A page that costs each worker its life, by the hand of the kernel when memory is out (F18; with FAULTS_LONG by a parser that
 * takes all of the heap). The process comes back, the page is tried three times, its job is given up with the reason, and
 * others go on.
 */

const DEATH = process.env['FAULTS_LONG']
  ? 'const all = []; for (;;) all.push(new Array(1e6).fill({}));'
  : `process.kill(process.pid, 'SIGKILL'); for (;;);`;
const PARSER = `export default { id: 'parse-greedy', description: 'Takes all memory.',
  makeParser: () => ({ types: ['text/x-greedy'], parse() { ${DEATH} } }) };`;

let plugins: TemporaryFolder;
let site: Site;
let crawler: Crawler;
beforeAll(async () => {
  plugins = await temporaryFolder();
  await writeFile(join(plugins.path, 'greedy.mjs'), PARSER);
  const good = page('<title>good</title>');
  site = await startSite({ '/poison': page('all', { 'content-type': 'text/x-greedy' }), '*': good });
  crawler = new Crawler(await testDatabase(), { PLUGIN_DIR: plugins.path });
  await crawler.start();
  await crawler.configure({ 'plugin.includes.also': 'parse-greedy', 'fetcher.parse': 'false' });
}, 60_000);
afterAll(async () => {
  await crawler?.close();
  await crawler?.db.drop();
  await site?.close();
  await plugins?.remove();
});

it('is given up after three attempts, with the reason; the worker comes back each time, and other jobs go on', async () => {
  await crawler.finished('INJECT', { seed: `${site.url}/poison` });
  await crawler.finished('GENERATE', { batch: 'b1' });
  await crawler.finished('FETCH', { batch: 'b1' });
  const { id } = await crawler.create('PARSE', { batch: 'b1' });
  await until(crawler.db, `select count(*) as n from job where id = '${id}' and ended_at is not null`, 1, 90);
  expect(await crawler.job(id)).toMatchObject({
    state: 'FAILED',
    msg: expect.stringMatching(/^ERROR: PARSE: task \d+ was lost 3 times in a row without any progress$/) as string,
  });
  const deaths = crawler.running.output().match(/worker \d+ ended .*another one starts/g);
  // The first attempt wrote the plan, which is progress.
  expect(deaths).toHaveLength(4);
  // The page was fetched once, and stands as it was.
  expect(site.log.filter(({ path }) => path === '/poison')).toHaveLength(1);
  expect(await crawler.db.query('select status, fetch_mark, parse_mark from webpage')).toEqual([
    { status: 2, fetch_mark: 'b1', parse_mark: null },
  ]);
  const other = await crawler.create('INJECT', { seed: `${site.url}/other` }, 'another');
  expect((await crawler.ended(other.id)).state).toBe('FINISHED');
}, 120_000);
