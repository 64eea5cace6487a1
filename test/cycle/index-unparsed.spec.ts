import { expect, it } from 'vitest';
import { Searcher } from '../../src/search/searcher.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';
import { type Handler, page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { counters } from './table.js';

/** Documents of pages whose new content has no text: nothing of them is in the table any more. */

useCrawler({ uncounted: true });

/** A crawl whose pages are indexed, and then visited again with other contents; the titles that are found, in order. */
async function changed(crawlId: string, contents: Record<string, Handler>): Promise<() => Promise<string[]>> {
  let isChanged = false;
  const site = await crawler.site(
    Object.fromEntries(
      Object.entries(contents).map(([path, after]): [string, Handler] => {
        const before = page(`<title>${path}</title><p>ferry`);
        return [path, (req, res) => (isChanged ? after : before)(req, res)];
      }),
    ),
  );
  await crawler.inject(
    crawlId,
    Object.keys(contents).map((path) => site.url + path),
  );
  await crawler.round(crawlId);
  expect(counters(await index(crawlId), 'IndexerStatus')).toEqual({
    'indexed (add/update)': Object.keys(contents).length,
  });
  isChanged = true;
  await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour'`);
  await crawler.round(crawlId);
  const [crawl] = await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId]);
  const searcher = new Searcher(cycle.pool, 1_000_000);
  return async () =>
    (await searcher.search({ ...SEARCH_DEFAULTS, query: 'ferry', crawl: crawl!.id })).hits
      .map(({ title }) => title)
      .sort();
}
const index = (crawlId: string, args = {}) => cycle.run('INDEX', args, { crawlId });

const contents = {
  '/refresh': page('<meta http-equiv="refresh" content="0; url=/stays"><title>moved</title>'),
  '/image': page(Buffer.from([0x89, 0x50, 0x4e, 0x47]), { 'content-type': 'image/png' }),
  '/broken': page('%PDF-1.4 broken', { 'content-type': 'application/pdf' }),
  '/stays': page('<title>/stays</title><p>ferry boat'),
};

it.each([
  ['of the batch', {}],
  ['of the batch, with deleteGone', { deleteGone: true }],
  ['of all pages', { batch: '-all' }],
])('are deleted by INDEX %s, once', async (name, args) => {
  const crawlId = `unparsed ${name}`.replaceAll(/\W+/g, '-');
  const found = await changed(crawlId, contents);
  expect(counters(await index(crawlId, args), 'IndexerStatus')).toEqual({
    'indexed (add/update)': 1,
    'deleted (not parsed)': 3,
  });
  expect(await found()).toEqual(['/stays']);
  expect(counters(await index(crawlId, args), 'IndexerStatus')).not.toHaveProperty('deleted (not parsed)');
});

it('stay while their pages wait for PARSE', async () => {
  const found = await changed('waiting', { '/': page('<title>/</title><p>ferry boat') });
  await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour'`);
  await cycle.run('GENERATE', { batch: 'b9' }, { crawlId: 'waiting' });
  await cycle.run('FETCH', { batch: 'b9' }, { crawlId: 'waiting' });
  expect(counters(await index('waiting', { batch: '-all' }), 'IndexerStatus')).not.toHaveProperty(
    'deleted (not parsed)',
  );
  expect(await found()).toEqual(['/']);
});

it.each([{ batch: '-all' }, { segment_dir: 'late/segments' }, {}])(
  'of a page that UPDATEDB closed without a PARSE, and PARSE of -reparse read later, are written by INDEX with %j',
  async (args) => {
    const crawlId = `late${JSON.stringify(args).length}`;
    const step = (type: 'FETCH' | 'PARSE' | 'UPDATEDB', batch: string) => cycle.run(type, { batch }, { crawlId });
    let text = '<title>late</title><p>ferry';
    const site = await crawler.site({ '/': (_, res) => void res.end(text) });
    await crawler.inject(crawlId, [`${site.url}/`]);
    const { result } = await cycle.run('GENERATE', {}, { crawlId });
    const batch = String(result?.['generate.batch.id']);
    await step('FETCH', batch);
    await step('UPDATEDB', batch);
    await step('PARSE', '-reparse');
    const given = 'segment_dir' in args ? { segment_dir: `${crawlId}/segments` } : args;
    expect(counters(await index(crawlId, given), 'IndexerStatus')).toEqual({ 'indexed (add/update)': 1 });

    // Its document is deleted when its new content is not parsed either.
    text = '<title>later</title><p>boat';
    await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour'`);
    const again = await cycle.run('GENERATE', {}, { crawlId });
    await step('FETCH', String(again.result?.['generate.batch.id']));
    await step('UPDATEDB', String(again.result?.['generate.batch.id']));
    expect(counters(await index(crawlId, given), 'IndexerStatus')).toEqual({ 'deleted (not parsed)': 1 });
    expect(counters(await index(crawlId, given), 'IndexerStatus')).not.toHaveProperty('deleted (not parsed)');
  },
);
