import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Crawler, type Job } from '../faults/crawl.js';
import { testDatabase } from '../support/database.js';
import { type Handler, type Site, page, startSite, status } from '../support/site.js';

/** POST /v1/crawls with `index` and `dedup`: their jobs run while FETCH still waits for pages of the same crawl. */

let crawler: Crawler;
let site: Site;
/** The slow page responds when it is released. */
let released = Promise.withResolvers<void>();

const links = (word: string, ...paths: string[]): Handler =>
  page(`${word} ${paths.map((path) => `<a href="${path}">${path}</a>`).join(' ')}`);

beforeAll(async () => {
  site = await startSite({
    '/robots.txt': status(404),
    '/': links('aardvark', '/slow', '/next'),
    '/next': page('buffalo'),
    '/a': page('dolphin'),
    '/a-twin': page('dolphin'),
    '/slow': async (req, res) => (await released.promise, page('chameleon')(req, res)),
  });
  crawler = new Crawler(await testDatabase());
  await crawler.start();
  await crawler.configure({ 'http.timeout': '600000' });
});
afterAll(async () => {
  released.resolve();
  await crawler?.close();
  await site?.close();
  await crawler?.db.drop();
});

interface Child extends Job {
  type: string;
  round: number;
}

const begin = (crawlId: string, more: object = {}): Promise<Job> =>
  crawler.call<Job>('/v1/crawls', { crawlId, confId: 'c', seeds: [`${site.url}/`], index: true, ...more });
const childrenOf = async (id: string): Promise<Child[]> =>
  (await crawler.call<{ children: Child[] }>(`/v1/crawls/${id}`)).children;
const typesOf = (children: readonly Child[]): string[] => children.map(({ type, round }) => `${type} ${round}`);

/** Waits until a search finds the page with this word. */
async function untilFound(crawlId: string, word: string): Promise<void> {
  for (;;) {
    const answer = await fetch(`${crawler.running.url}/search?q=${word}&crawlId=${crawlId}`);
    if (answer.ok && ((await answer.json()) as { total: number }).total === 1) return;
    await sleep(50);
  }
}
const total = async (crawlId: string, word: string): Promise<number> =>
  (await crawler.call<{ total: number }>(`/search?q=${word}&crawlId=${crawlId}`)).total;

it('finds pages of the crawl while its FETCH goes on, and all of them at its end', async () => {
  const { id } = await begin('found');
  await untilFound('found', 'aardvark');
  const meanwhile = await childrenOf(id);
  expect(meanwhile.find(({ type }) => type === 'FETCH')).toMatchObject({ state: 'RUNNING' });
  released.resolve();
  const job = await crawler.ended(id);
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK: nothing more is due' });
  expect(job.result!.counters['IndexerJob']).toEqual({ DocumentCount: 3 });
  for (const word of ['aardvark', 'buffalo', 'chameleon']) expect(await total('found', word)).toBe(1);
  const types = typesOf(await childrenOf(id));
  expect(types.filter((type) => type.startsWith('FETCH'))).toEqual(['FETCH 1']);
  expect(types.slice(-2).map((type) => type.split(' ')[0])).toEqual(['INDEX', 'CLEAN']);
});

it('indexes in its next run what it had fetched and not indexed when it was stopped', async () => {
  released = Promise.withResolvers<void>();
  const { id } = await begin('stopped');
  await untilFound('stopped', 'aardvark');
  // FETCH ends with the request that is under way; a stopped crawl does not index.
  await crawler.call(`/v1/crawls/${id}/stop`, {});
  released.resolve();
  const first = await crawler.ended(id);
  expect(first).toMatchObject({ state: 'FINISHED', msg: 'OK: stopped on request' });
  expect(await total('stopped', 'chameleon')).toBe(0);
  const again = await crawler.ended((await begin('stopped')).id);
  expect(again).toMatchObject({ state: 'FINISHED', msg: 'OK: nothing more is due' });
  expect(typesOf(await childrenOf(again.id))[0]).toBe('INDEX 0');
  for (const word of ['aardvark', 'buffalo', 'chameleon']) expect(await total('stopped', word)).toBe(1);
});

it('fails when its INDEX fails, with what it has fetched kept for the next run', async () => {
  const rules = `<writers><writer id="o" class="indexer-opensearch-1x">
    <parameters><param name="url" value="http://127.0.0.1:1"/></parameters></writer></writers>`;
  const lost = {
    'plugin.includes.also': 'indexer-opensearch-1x',
    'indexer.write.retries': '0',
    'indexer.engines': '127.0.0.1:1',
  };
  await crawler.configure({ ...lost, 'indexer.indexwriters.rules': rules });
  const job = await crawler.ended((await begin('lost')).id);
  expect(job).toMatchObject({ state: 'FAILED' });
  expect(job.msg).toMatch(/INDEX-\d+ failed: .*index writer o/);
  await crawler.configure();
  expect(await crawler.ended((await begin('lost')).id)).toMatchObject({ state: 'FINISHED' });
  for (const word of ['aardvark', 'buffalo', 'chameleon']) expect(await total('lost', word)).toBe(1);
});

it('marks duplicates while its FETCH goes on, and inverts links at its end', async () => {
  released = Promise.withResolvers<void>();
  await crawler.configure({ 'http.timeout': '600000' });
  // A host is asked for one page at a time, in any order: the slow page is on another one.
  const other = site.url.replace('127.0.0.1', 'localhost');
  const seeds = [`${site.url}/a`, `${site.url}/a-twin`, `${other}/slow`];
  const { id } = await begin('twins', { seeds, dedup: true, invertLinks: true });
  const duplicates = async (): Promise<number> =>
    (await crawler.call<{ pages: unknown[] }>('/v1/pages?crawlId=twins&status=db_duplicate')).pages.length;
  while ((await duplicates()) === 0) await sleep(50);
  expect((await childrenOf(id)).find(({ type }) => type === 'FETCH')).toMatchObject({ state: 'RUNNING' });
  released.resolve();
  expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED', msg: 'OK: nothing more is due' });
  expect(await duplicates()).toBe(1);
  expect(await total('twins', 'dolphin')).toBe(1);
  const types = (await childrenOf(id)).map(({ type }) => type);
  expect(types.filter((type) => type === 'FETCH')).toEqual(['FETCH']);
  expect(types.slice(-4)).toEqual(['INVERTLINKS', 'DEDUP', 'INDEX', 'CLEAN']);
}, 60_000);
