import { describe, expect, it } from 'vitest';
import { createHash } from 'node:crypto';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, pageAt, passDays } from './table.js';

/** fetcher.signature: a signature of the fetched bytes, for a crawl without PARSE. */

useCrawler();

const conf = { 'fetcher.signature': 'true', 'http.enable.if.modified.since.header': 'false' };

async function visit(crawlId: string, params: Record<string, string>, parse = false) {
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId, conf: params }));
  await cycle.run('FETCH', { batch }, { crawlId, conf: params });
  if (parse) await cycle.run('PARSE', { batch }, { crawlId, conf: params });
  await crawler.update(crawlId, {}, params);
  return pageAt(cycle, '/', crawlId);
}

describe('fetcher.signature', () => {
  it('sets the signature of an unparsed page, so that an unchanged page is recognized', async () => {
    const web = await crawler.site({ '/': page('one') });
    await crawler.inject('fs', [`${web.url}/`]);
    const first = await visit('fs', conf);
    expect(first).toMatchObject({ status: 2, signature: expect.stringMatching(/^[0-9a-f]{32}$/), metadata: null });
    await passDays(cycle, 40, 'fs');
    expect(await visit('fs', conf)).toMatchObject({
      status: 6,
      signature: first.signature,
      prev_signature: first.signature,
    });
  });

  it('is forgotten when the interval exceeds db.fetch.interval.max: the next visit compares nothing', async () => {
    const web = await crawler.site({ '/': page('one') });
    await crawler.inject('fsm', [`${web.url}/`]);
    await visit('fsm', conf);
    await passDays(cycle, 40, 'fsm');
    const short = { ...conf, 'db.fetch.interval.max': '1000' };
    expect(await visit('fsm', short)).toMatchObject({ status: 1, signature: null });
    await passDays(cycle, 40, 'fsm');
    expect(await visit('fsm', short)).toMatchObject({ status: 2 });
  });

  it('is replaced by the signature of PARSE', async () => {
    const web = await crawler.site({ '/': page('one') });
    await crawler.inject('fsp', [`${web.url}/`]);
    const text = { ...conf, 'db.signature.class': 'TextMD5Signature' };
    const parsed = await visit('fsp', text, true);
    expect(parsed.signature).toBe(createHash('md5').update('one').digest('hex'));
    expect(parsed.metadata).toBeNull();
  });

  it('off leaves an unparsed page without a signature', async () => {
    const web = await crawler.site({ '/': page('one') });
    await crawler.inject('fso', [`${web.url}/`]);
    expect(await visit('fso', {})).toMatchObject({ status: 2, signature: null });
  });
});
