import { describe, expect, it } from 'vitest';
import { type Handler, page, redirect, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { counters, pageAt, passDays } from './table.js';

/** A page whose interval exceeds db.fetch.interval.max is unfetched after its visit: it has been fetched all the same. */

useCrawler();

/** It obeys a fixed interval at every visit. */
const adaptive = { 'db.fetch.schedule.class': 'AdaptiveFetchSchedule' };

const index = async (crawlId: string, args: Record<string, unknown> = {}) =>
  counters(await cycle.run('INDEX', args, { crawlId }), 'IndexerStatus');

describe('a page that UPDATEDB leaves unfetched because of its long interval', () => {
  it.each<[string, string, Record<string, string>]>([
    ['of its seed line', '\tnutch.fetchInterval=10000000', {}],
    ['that the adaptive schedule has learnt', '', adaptive],
  ])('is indexed, with the interval %s', async (name, seed, conf) => {
    const crawlId = name.replaceAll(' ', '-');
    const yearAgo = new Date(Date.now() - 400 * 86_400_000).toUTCString();
    const site = await crawler.site({ '/': page('<title>Old</title><p>ferry', { 'last-modified': yearAgo }) });
    await crawler.inject(crawlId, [`${site.url}/${seed}`]);
    await crawler.round(crawlId, conf);
    expect(await pageAt(cycle, '/', crawlId)).toMatchObject({ status: 1, signature: null });
    for (const args of [{}, { batch: '-all' }, { batch: '-reindex' }])
      expect(await index(crawlId, args)).toEqual({ 'indexed (add/update)': 1 });
  });

  it('loses its document when its new content has no text', async () => {
    const answers: Handler[] = [page('<title>Old</title><p>ferry'), page('x', { 'content-type': 'image/png' })];
    const site = await crawler.site({ '/': (...asked) => answers.shift()!(...asked) });
    await crawler.inject('unread', [`${site.url}/\tnutch.fetchInterval.fixed=10000000`]);
    await crawler.round('unread', adaptive);
    expect(await index('unread')).toEqual({ 'indexed (add/update)': 1 });
    await passDays(cycle, 100, 'unread');
    await crawler.round('unread', adaptive);
    expect(await pageAt(cycle, '/', 'unread')).toMatchObject({ status: 1, parse_major: 2 });
    expect(await index('unread')).toEqual({ 'deleted (not parsed)': 1 });
  });

  it('is indexed again when another page links to it', async () => {
    const site = await crawler.site({ '/': page('<p>ferry') });
    const other = await crawler.site({ '/': links(`${site.url}/`) });
    await crawler.inject('linked', [`${site.url}/\tnutch.fetchInterval=10000000`]);
    await crawler.round('linked');
    await index('linked');
    await crawler.inject('linked', [`${other.url}/`]);
    const batch = await crawler.untilParsed('linked');
    const conf = { 'db.ignore.internal.links': 'false' };
    await crawler.update('linked', { batch, documentsDue: true }, conf);
    expect(await index('linked', { ofCrawl: 'updated' })).toEqual({ 'indexed (add/update)': 2 });
  });

  it('loses its document when it redirects, which its status says', async () => {
    const answers: Handler[] = [page('<title>Old</title><p>ferry'), redirect('/new', 301), redirect('/new', 302)];
    const site = await crawler.site({ '/': (...asked) => answers.shift()!(...asked), '/new': page('x') });
    await crawler.inject('moved', [`${site.url}/\tnutch.fetchInterval.fixed=10000000`]);
    await crawler.round('moved', adaptive);
    for (const status of [5, 4]) {
      await index('moved', { batch: '-all' });
      await passDays(cycle, 100, 'moved');
      await crawler.round('moved', adaptive);
      expect(await pageAt(cycle, '/', 'moved')).toMatchObject({ status, fetch_interval: 6_998_400 });
    }
    expect(counters(await cycle.run('CLEAN', {}, { crawlId: 'moved' }), 'CleaningJobStatus')).toEqual({
      'Deleted documents': 1,
      'deleted (redirects)': 1,
    });
  });

  it('is not indexed when its last visit has failed, nor when INJECT has reset it', async () => {
    const answers: Handler[] = [page('<p>ferry'), status(500)];
    const site = await crawler.site({ '/': (...asked) => answers.shift()!(...asked), '/reset': page('<p>boat') });
    const lines = ['/', '/reset'].map((path) => `${site.url}${path}\tnutch.fetchInterval.fixed=10000000`);
    await crawler.inject('failed', lines);
    await crawler.round('failed');
    await passDays(cycle, 100, 'failed');
    await cycle.db.query(`update webpage set fetch_time = now() + interval '1 day' where key like '%/reset'`);
    await crawler.round('failed');
    await cycle.inject([lines[1]!], { overwrite: true }, { crawlId: 'failed' });
    expect(await index('failed', { batch: '-all' })).toEqual({ 'skipped (not fetched)': 2 });
  });
});
