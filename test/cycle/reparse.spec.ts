import { describe, expect, it } from 'vitest';
import { crawler, cycle, useCrawler } from './crawler.js';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { page } from '../support/site.js';
import { batchOf, counters, pageAt, passDays } from './table.js';

/** PARSE over all pages of the table (`-reparse`): which statuses it processes and sets. */

useCrawler();

const unreadable = {
  'plugin.includes': 'protocol-http|urlfilter-regex|urlnormalizer-basic|scoring-opic',
  'parser.delete.failed.parse': 'true',
};
const reparse = (crawlId: string, conf: Record<string, string> = {}) =>
  cycle.run('PARSE', { batch: '-reparse' }, { crawlId, conf });

describe('PARSE with -reparse', () => {
  it('makes a page with a failed parse a fetched one again and keeps its fetch time', async () => {
    const web = await crawler.site({ '/': page('<title>Home</title><a href="/a">a</a>') });
    await crawler.inject('back', [`${web.url}/`]);
    await crawler.round('back', unreadable);
    const before = await pageAt(cycle, '/', 'back');
    expect(before).toMatchObject({ status: 9, parse_major: 2, title: null });
    expect(counters(await reparse('back', unreadable), 'ParserStatus')).toEqual({ success: 0, failed: 1 });
    expect(await pageAt(cycle, '/', 'back')).toMatchObject({ status: 9, parse_major: 2 });
    expect(counters(await reparse('back'), 'ParserStatus')).toEqual({ success: 1 });
    const after = await pageAt(cycle, '/', 'back');
    expect(after).toMatchObject({ status: 2, parse_major: 1, title: 'Home', fetch_time: before.fetch_time });
    expect(after.signature).not.toBeNull();
  });

  it('parses orphans and skips pages that failed or were injected since their fetch', async () => {
    const paths = ['orphan', 'gone', 'unfetched', 'overwritten'].map((name) => `/${name}`);
    const web = await crawler.site(Object.fromEntries(paths.map((path) => [path, page(`<title>${path}</title>`)])));
    await crawler.inject(
      'which',
      paths.map((path) => web.url + path),
    );
    await crawler.round('which');
    for (const [path, status] of [
      ['/orphan', 'db_orphan'],
      ['/gone', 'db_gone'],
      ['/unfetched', 'db_unfetched'],
    ])
      await cycle.inject([`${web.url}${path}\tnutch.status=${status}`], { update: true }, { crawlId: 'which' });
    await cycle.inject([`${web.url}/overwritten`], { overwrite: true }, { crawlId: 'which' });
    await cycle.db.query(`update webpage set title = 'lost' where crawl = (select id from crawl where name = 'which')`);
    expect(counters(await reparse('which'), 'ParserStatus')).toEqual({ success: 1 });
    expect(await pageAt(cycle, '/orphan', 'which')).toMatchObject({ status: 8, title: '/orphan' });
    expect(await pageAt(cycle, '/overwritten', 'which')).toMatchObject({ status: 1, signature: null });
  });

  it('counts only the pages that it writes, not those that FETCH writes meanwhile', async () => {
    const web = await crawler.site({ '*': page('<title>old</title>') });
    await crawler.inject('counted', [`${web.url}/a`, `${web.url}/b`]);
    await crawler.round('counted');
    await passDays(cycle, 31, 'counted');
    const batch = batchOf(await cycle.run('GENERATE', { topN: 1 }, { crawlId: 'counted' }));
    armFaultPoints(async (point) => {
      if (point === 'parse.read') await cycle.run('FETCH', { batch }, { crawlId: 'counted' });
    });
    try {
      expect(counters(await reparse('counted'), 'ParserStatus')).toEqual({ success: 1 });
    } finally {
      armFaultPoints(undefined);
    }
  });
});
