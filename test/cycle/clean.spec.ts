import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { page, status } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { indexLines } from './index-files.js';
import { counters } from './table.js';

useCrawler();

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await temporaryFolder();
  cycle.indexDir = folder.path;
});
afterAll(() => folder.remove());

const conf = { 'plugin.includes.also': 'indexer-jsonl' };
const run = (type: 'INDEX' | 'CLEAN', crawlId: string) => cycle.run(type, {}, { crawlId, conf });

describe('CLEAN', () => {
  it('deletes the documents of pages that are gone or duplicates by now, once, and of no other', async () => {
    let there = true;
    const site = await crawler.site({
      '/': page('home'),
      '/leaves': (req, res) => (there ? page('still here') : status(404))(req, res),
      '/twin': page('home'),
      '/never': status(404),
    });
    await crawler.inject(
      'clean',
      ['/', '/leaves', '/twin', '/never'].map((path) => site.url + path),
    );
    await crawler.round('clean');
    expect(counters(await run('INDEX', 'clean'), 'IndexerJob')).toEqual({ DocumentCount: 3 });
    expect(counters(await run('CLEAN', 'clean'), 'CleaningJobStatus')).toEqual({ 'Deleted documents': 0 });

    there = false;
    await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour' where key like '%/leaves'`);
    await crawler.round('clean');
    await cycle.run('DEDUP', { compareOrder: ['urlLength'] }, { crawlId: 'clean' });
    const job = await run('CLEAN', 'clean');
    expect(counters(job, 'CleaningJobStatus')).toEqual({
      'Deleted documents': 2,
      'deleted (gone)': 1,
      'deleted (duplicates)': 1,
    });
    expect((await indexLines(folder.path, job)).map(({ id, deleted }) => [id.slice(id.indexOf('/')), deleted])).toEqual(
      [
        ['/leaves', true],
        ['/twin', true],
      ],
    );
    expect(counters(await run('CLEAN', 'clean'), 'CleaningJobStatus')).toEqual({ 'Deleted documents': 0 });
  });

  it('of a crawl that nobody has written to is refused', async () => {
    expect(await run('CLEAN', 'nobody')).toMatchObject({
      state: 'FAILED',
      msg: expect.stringContaining('no job has ever written to a crawl'),
    });
  });
});
