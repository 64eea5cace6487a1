import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { batchOf, counters, expectConsistent, pageAt } from './table.js';

/** PARSE over pages whose content was not kept (`fetcher.store.content` false). */

let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite({ '/': page('<title>Home</title>words <a href="/a">a</a>'), '/empty': page('') });
});
afterEach(() => expectConsistent(cycle));
afterAll(async () => {
  await cycle.close();
  await site.close();
});

/** Injects and fetches a page without keeping its content; returns the batch. */
async function fetched(crawlId: string, conf: Record<string, string>, path = '/'): Promise<string> {
  await cycle.inject([site.url + path], {}, { crawlId });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId }));
  await cycle.run('FETCH', { batch }, { crawlId, conf });
  return batch;
}
const stored = async (crawlId: string) => ({
  row: await pageAt(cycle, '/', crawlId),
  content: await cycle.db.query(
    `select * from page_content where crawl = (select id from crawl where name = $1) order by key`,
    [crawlId],
  ),
});
const notKept = { 'fetcher.store.content': 'false' };

describe('content that was not stored', () => {
  it.each([
    ['force', { force: true }],
    ['-reparse', { batch: '-reparse' }],
  ])('is not parsed again by %s: the result of the parse in FETCH stays', async (how, args) => {
    const crawlId = `read-${how}`;
    const batch = await fetched(crawlId, { ...notKept, 'fetcher.parse': 'true' });
    const before = await stored(crawlId);
    expect(before).toMatchObject({ row: { title: 'Home', parse_mark: batch }, content: [{ text_length: 12 }] });
    const job = await cycle.run('PARSE', args, { crawlId });
    expect(job).toMatchObject({ state: 'FINISHED', result: { reason: 'done' } });
    expect([counters(job, 'Parser'), counters(job, 'ParserStatus')]).toEqual([{ content_not_kept: 1 }, {}]);
    expect(await stored(crawlId)).toEqual(before);
  });

  it('is not parsed by PARSE: the page gets no parse status, and its cash is not distributed', async () => {
    await fetched('never', notKept);
    const before = await stored('never');
    const job = await cycle.run('PARSE', {}, { crawlId: 'never' });
    expect([counters(job, 'Parser'), counters(job, 'ParserStatus')]).toEqual([{ content_not_kept: 1 }, {}]);
    expect(job.result?.warnings).toEqual([
      'Pages that were not parsed because their content was not kept (fetcher.store.content): 1. Only FETCH can parse them, with fetcher.parse or its argument parse.',
    ]);
    expect(await stored('never')).toEqual(before);
    expect(before.row).toMatchObject({ status: 2, parse_major: null, parse_mark: null, signature: null });
    await cycle.run('UPDATEDB', {}, { crawlId: 'never' });
    expect(await pageAt(cycle, '/', 'never')).toMatchObject({ status: 2, cash: 1, update_mark: null });
  });

  it('is distinguished from empty content, which is parsed', async () => {
    await fetched('empty', {}, '/empty');
    const job = await cycle.run('PARSE', {}, { crawlId: 'empty' });
    expect([counters(job, 'Parser'), counters(job, 'ParserStatus')]).toEqual([{}, { success: 1 }]);
  });
});
