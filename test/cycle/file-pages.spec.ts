import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { knownCrawl } from '../../src/webpage/crawl.store.js';
import { cycle, useCrawler } from './crawler.js';
import { counters, pages } from './table.js';

/** Pages of file: have no host: they are the first of each table, and jobs that read a whole table begin with them. */

useCrawler();

const FILES = 40;

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'orbweaver-files-')));
  mkdirSync(join(root, 'docs'));
  for (let n = 0; n < FILES; n++) writeFileSync(join(root, 'docs', `${n}.txt`), `text ${n}`);
});
afterAll(() => rmSync(root, { recursive: true }));

const conf = (): Record<string, string> => ({
  'plugin.includes.also': 'protocol-file',
  'urlfilter.regex.rules': '+.',
  'file.crawl.roots': root,
});

const inject = (crawlId: string, folder: string) =>
  cycle.inject(
    Array.from({ length: FILES }, (_, n) => `file://${root}/${folder}/${n}.txt`),
    {},
    { crawlId, conf: conf() },
  );

describe('jobs that read all pages', () => {
  it.each([
    ['PAGERANK', {}, 'PageRank', 'nodes'],
    ['SCOREUPDATE', {}, 'ScoreUpdater', 'cleared'],
    ['PARSE', { batch: '-reparse' }, 'ParserStatus', 'success'],
    ['INDEX', { batch: '-all' }, 'IndexerJob', 'DocumentCount'],
    ['INVERTLINKS', { batch: '-all' }, 'LinkDb', 'pages'],
  ] as const)('%s reads all those of file:', async (type, args, group, name) => {
    const crawlId = type.toLowerCase();
    await inject(crawlId, 'docs');
    await cycle.round({ crawlId, conf: conf() });
    const crawl = await knownCrawl(cycle.pool, crawlId);
    if (type === 'SCOREUPDATE')
      await cycle.db.query(`insert into webgraph_node (crawl, host, key, link_rank) values ($1, 'x', 'x:http/', 1)`, [
        crawl,
      ]);
    const job = await cycle.run(type, args, { crawlId, conf: conf() });
    expect([job.state, counters(job, group)[name]]).toEqual(['FINISHED', FILES]);
  });

  it('UPDATEDB removes all that are gone, and CLEAN their documents', async () => {
    await inject('gone', 'missing');
    await cycle.round({ crawlId: 'gone', conf: conf() });
    expect((await pages(cycle, 'gone')).map(({ status }) => status)).toEqual(Array(FILES).fill(3));
    await cycle.db.query(`update webpage set index_mark = '-' where crawl = $1`, [
      await knownCrawl(cycle.pool, 'gone'),
    ]);
    const clean = await cycle.run('CLEAN', {}, { crawlId: 'gone', conf: conf() });
    expect(counters(clean, 'CleaningJobStatus')['Deleted documents']).toBe(FILES);
    await cycle.run('UPDATEDB', {}, { crawlId: 'gone', conf: { ...conf(), 'db.update.purge.404': 'true' } });
    expect(await pages(cycle, 'gone')).toEqual([]);
  });
});

it('DROPCRAWL deletes the row that counts them, too', async () => {
  await inject('dropped', 'docs');
  const crawl = await knownCrawl(cycle.pool, 'dropped');
  expect(await cycle.db.query('select host from host where crawl = $1', [crawl])).toEqual([{ host: '' }]);
  await cycle.run('DROPCRAWL', {}, { crawlId: 'dropped' });
  expect(await cycle.db.query('select host from host where crawl = $1', [crawl])).toEqual([]);
});
