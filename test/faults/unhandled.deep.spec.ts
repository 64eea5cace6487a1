import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type Handler, type Site, page, startSite } from '../support/site.js';
import { Crawler } from './crawl.js';

/**
 * Rejected promises that a plugin does not handle (threat D13): their work is not done, so the job of the task that they
 * come from fails and counts them. The process and its other tasks continue, and the batch can be fetched again.
 */

const PARSERS = `
const parser = (id, forget) => ({
  id, description: 'Forgets a promise.', makeParser: () => ({ types: ['text/x-' + id], parse: () => { forget(); return { text: 'x' }; } }),
});
export default [
  parser('now', () => { Promise.reject(new Error('boom')); }),
  parser('bare', () => { Promise.reject(Object.create(null)); }),
  parser('later', () => { setTimeout(async () => { throw new TypeError('it was too late') }, 20); }),
];`;
// Long enough for a request to outlast the test.
const CONF = { 'fetcher.parse': 'true', 'http.timeout': '60000' };
const PLUGINS = { 'plugin.includes.also': 'now|bare|later' };

let plugins: TemporaryFolder;
let site: Site;
/** Respond at the end of the tests; separate hosts, so that each has its own queue. */
let slow: Site;
let besides: Site;
let crawler: Crawler;
const end = Promise.withResolvers<void>();
const asked = Promise.withResolvers<void>();

const good = page('<title>good</title> words');
const held: Handler = async (request, response) => {
  await end.promise;
  await good(request, response);
};

beforeAll(async () => {
  plugins = await temporaryFolder();
  await writeFile(join(plugins.path, 'forgetful.mjs'), PARSERS);
  const of = (id: string) => page('x', { 'content-type': `text/x-${id}` });
  site = await startSite({ '/now': of('now'), '/bare': of('bare'), '/later': of('later'), '*': good });
  slow = await startSite({ '/held': held, '*': good }, { host: '127.0.0.2' });
  besides = await startSite(
    { '/held': (...request) => (asked.resolve(), held(...request)), '*': good },
    { host: '127.0.0.3' },
  );
  crawler = new Crawler(await testDatabase(), { PLUGIN_DIR: plugins.path, WORKERS: '1' });
  await crawler.start();
  await crawler.configure({ ...PLUGINS, ...CONF });
});
afterAll(async () => {
  end.resolve();
  await crawler?.close();
  await crawler?.db.drop();
  await Promise.all([site, slow, besides].map((one) => one?.close()));
  await plugins?.remove();
});

/** Starts the FETCH of a batch of these pages, the last of which gets no response before the end of the tests. */
async function fetching(crawlId: string, ...urls: string[]): Promise<string> {
  const made = async (type: string, args: object) => {
    const { id } = await crawler.create(type, { ...args }, crawlId);
    expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
  };
  await made('INJECT', { seed: urls.join('\n') });
  await made('GENERATE', { batch: 'b1' });
  return (await crawler.create('FETCH', { batch: 'b1' }, crawlId)).id;
}

const unfetched = () =>
  crawler.db.query<{ key: string }>('select key from webpage where fetch_mark is null').then((pages) => pages.length);
const workers = () => crawler.db.query('select id from worker order by id');

describe('an unhandled rejection of a parser', () => {
  let other: string;
  let before: unknown;
  beforeAll(async () => {
    other = await fetching('other', `${besides.url}/held`);
    await asked.promise;
    before = await workers();
  });

  it.each([
    ['now', 'boom'],
    ['bare', 'something that has no words'],
    ['later', 'it was too late'],
  ])('fails the job of its page only (%s), in the same process', async (id, why) => {
    const job = await crawler.ended(await fetching(id, `${site.url}/${id}`, `${slow.url}/held`));
    expect(job).toMatchObject({ state: 'FAILED', msg: `ERROR: FETCH: unhandled rejection: ${why}` });
    expect(job.result!.counters['Task']).toEqual({ unhandled_rejections: 1 });
    expect((await crawler.job(other)).state).toBe('RUNNING');
    expect(await workers()).toEqual(before);
  });

  it('leaves the batch of the page to be fetched again without the parser', async () => {
    expect(await unfetched()).toBeGreaterThanOrEqual(4);
    end.resolve();
    await crawler.configure(CONF);
    for (const id of ['now', 'bare', 'later']) {
      const again = await crawler.create('FETCH', { batch: 'b1', resume: true }, id);
      expect(await crawler.ended(again.id)).toMatchObject({ state: 'FINISHED' });
    }
    expect(await crawler.ended(other)).toMatchObject({ state: 'FINISHED' });
    expect(await unfetched()).toBe(0);
  });
});
