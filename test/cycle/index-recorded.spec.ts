import { afterEach, beforeEach, expect, it } from 'vitest';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { IndexJob } from '../../src/cycle/index/index.job.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { page, redirect, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { indexLines } from './index-files.js';
import { runKilled } from './interrupted.js';
import { counters } from './table.js';

/** In a continuous CRAWL with index UPDATEDB records the pages whose documents may change, and INDEX takes these. */

useCrawler();

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
  cycle.indexDir = folder.path;
});
afterEach(async () => {
  armFaultPoints(undefined);
  await folder.remove();
});

const conf = { 'plugin.includes.also': 'indexer-jsonl' };
const crawlOf = async (crawlId: string): Promise<number> =>
  (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId]))[0]!.id;
const recorded = async (crawlId: string): Promise<string[]> =>
  (
    await cycle.db.query<{ path: string }>(
      `select substring(key from '/.*') as path from document_due where crawl = $1 order by 1`,
      [await crawlOf(crawlId)],
    )
  ).map(({ path }) => path);

/** Fetches pages of a crawl that are due, and updates the table as a continuous CRAWL with `index` does. */
async function update(crawlId: string, more: Record<string, string> = {}, args: Record<string, unknown> = {}) {
  const batch = await crawler.untilParsed(crawlId, more, args);
  await crawler.update(crawlId, { batch, documentsDue: true }, more);
}

const index = (crawlId: string, args: Record<string, unknown> = { ofCrawl: 'updated' }) =>
  cycle.run('INDEX', args, { crawlId, conf });

async function site(crawlId: string): Promise<void> {
  const { url } = await crawler.site({
    '/': links('/a', '/b', '/gone'),
    '/a': page('a'),
    '/b': page('b'),
    '/gone': status(404),
  });
  await crawler.inject(crawlId, [`${url}/`]);
}

it('INDEX takes the recorded pages, of any batch, and what it has written is recorded no longer', async () => {
  await site('two');
  await update('two');
  expect(await recorded('two')).toEqual(['/']);
  await update('two');
  // The page that is gone has no document.
  expect(await recorded('two')).toEqual(['/', '/a', '/b']);
  const job = await index('two');
  expect(job).toMatchObject({ state: 'FINISHED', result: { counters: { IndexerJob: { DocumentCount: 3 } } } });
  expect((await indexLines(folder.path, job)).map(({ id }) => id.slice(id.lastIndexOf('/')))).toEqual([
    '/',
    '/a',
    '/b',
  ]);
  expect(await recorded('two')).toEqual([]);
  expect(counters(await index('two'), 'IndexerJob')).toEqual({ DocumentCount: 0 });
});

it('with indexer.delete pages that are gone are recorded too, and their documents are deleted', async () => {
  await site('deletes');
  const more = { 'indexer.delete': 'true' };
  await update('deletes', more);
  await update('deletes', more);
  expect(await recorded('deletes')).toEqual(['/', '/a', '/b', '/gone']);
  const job = await cycle.run('INDEX', { ofCrawl: 'updated' }, { crawlId: 'deletes', conf: { ...conf, ...more } });
  expect(counters(job, 'IndexerStatus')).toMatchObject({ 'deleted (gone)': 1, 'indexed (add/update)': 3 });
  expect(await recorded('deletes')).toEqual([]);
});

it('UPDATEDB of other jobs records nothing', async () => {
  await site('plain');
  await crawler.round('plain');
  expect(await recorded('plain')).toEqual([]);
});

it('a page that UPDATEDB records again after INDEX has read it stays recorded', async () => {
  await site('again');
  await update('again');
  await update('again');
  armFaultPoints(async (point) => {
    if (point !== 'index.sent') return;
    await cycle.db.query(`update document_due set noted_at = now() where crawl = $1 and key like '%/a'`, [
      await crawlOf('again'),
    ]);
  });
  await index('again');
  expect(await recorded('again')).toEqual(['/a']);
});

it('INDEX that is killed after each write is continued, and leaves none', async () => {
  await site('killed');
  await update('killed');
  await update('killed');
  const what = { pool: cycle.pool, crawl: await crawlOf('killed'), conf, args: { ofCrawl: 'updated' as const } };
  const { counted } = await runKilled(new IndexJob(), { ...what, writes: 1, indexDir: folder.path });
  expect(counted).toMatchObject({ DocumentCount: 3 });
  expect(await recorded('killed')).toEqual([]);
});

it('INDEX of all pages takes the recorded ones with them', async () => {
  await site('all');
  await update('all');
  await index('all', { batch: '-all' });
  expect(await recorded('all')).toEqual([]);
});

it('INDEX of all pages takes recorded ones without a document with them: a redirect to a page of its own', async () => {
  const { url } = await crawler.site({ '/': links('/moved'), '/moved': redirect('/new'), '/new': page('new') });
  await crawler.inject('moved', [`${url}/`]);
  const more = { 'indexer.delete': 'true' };
  await update('moved', more);
  await update('moved', more);
  expect(await recorded('moved')).toEqual(['/', '/moved']);
  const job = await cycle.run('INDEX', { batch: '-all' }, { crawlId: 'moved', conf: { ...conf, ...more } });
  expect(counters(job, 'IndexerStatus')).toMatchObject({ 'deleted (redirects)': 1, 'indexed (add/update)': 1 });
  expect(await recorded('moved')).toEqual([]);
});

it('a page that has left the table is recorded no longer', async () => {
  await site('left');
  await update('left');
  await cycle.db.query(
    `insert into document_due (crawl, host, key, noted_at) values ($1, 'test.x', 'test.x:http/', now())`,
    [await crawlOf('left')],
  );
  expect(counters(await index('left'), 'IndexerJob')).toEqual({ DocumentCount: 1 });
  expect(await recorded('left')).toEqual([]);
});

it('a writer that is given up leaves the pages recorded: the next INDEX sends them again', async () => {
  await site('lost');
  await update('lost');
  const rules = `<writers><writer id="o" class="indexer-opensearch-1x">
    <parameters><param name="url" value="http://127.0.0.1:1"/></parameters></writer></writers>`;
  const lost = {
    'plugin.includes.also': 'indexer-opensearch-1x',
    'indexer.write.retries': '0',
    'indexer.engines': '127.0.0.1:1',
  };
  const job = await cycle.run(
    'INDEX',
    { ofCrawl: 'updated' },
    { crawlId: 'lost', conf: { ...lost, 'indexer.indexwriters.rules': rules } },
  );
  expect(job.state).toBe('FAILED');
  expect(await recorded('lost')).toEqual(['/']);
  await index('lost');
  expect(await recorded('lost')).toEqual([]);
});

it('beside a FETCH, segments are written before they take much memory: this INDEX writes more than another one', async () => {
  // A word that is new takes some 150 bytes: all pages 25 MB, of which 16 MiB may wait.
  const words = (n: number) => Array.from({ length: 12_000 }, (_, at) => `w${n * 12_000 + at}`).join(' ');
  const paths = Array.from({ length: 14 }, (_, n) => `/p${n}`);
  const { url } = await crawler.site(Object.fromEntries(paths.map((path, n) => [path, page(words(n))])));
  await crawler.inject(
    'large',
    paths.map((path) => url + path),
  );
  const unlimited = { 'http.content.limit': '-1', 'parser.text.limit': '1000000' };
  await update('large', unlimited);
  const segments = async (): Promise<number> =>
    (
      await cycle.db.query<{ n: number }>('select count(*)::int as n from search_segment where crawl = $1', [
        await crawlOf('large'),
      ])
    )[0]!.n;
  const written = async (args: Record<string, unknown>): Promise<number> => {
    expect(await cycle.run('INDEX', args, { crawlId: 'large' })).toMatchObject({ state: 'FINISHED' });
    return segments();
  };
  expect(await written({ ofCrawl: 'updated' })).toBe(2);
  expect(await written({ batch: '-reindex' })).toBe(1);
});
