import { expect, it } from 'vitest';
import { eventsOf, logEvent } from '../../src/job/job-event.store.js';
import { type Handler, page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { batchOf, pages } from './table.js';

/** Text of servers that PostgreSQL cannot store as it is, in every place where it is stored: the steps continue. */

useCrawler();

const site = async (handlers: Record<string, Handler>): Promise<string> => (await crawler.site(handlers)).url;
/** Surrogate pairs after a text of even and of odd length: a cut at any fixed length splits a pair in one of them. */
const PAIRS = ['a', 'aa'].map((before) => before + '😀'.repeat(1_200));
/** A header as it is sent over the wire. */
const bytes = (text: string) => Buffer.from(text).toString('latin1');
const whole = { isWellFormed: true, hasNul: false };
const shapeOf = (text: string) => ({ isWellFormed: text.isWellFormed(), hasNul: text.includes('\0') });
const steps = async (crawlId: string, seeds: string[], conf: Record<string, string> = {}) => {
  await cycle.inject(seeds, {}, { crawlId, conf });
  const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId, conf }));
  for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const)
    expect(await cycle.run(type, { batch }, { crawlId, conf })).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  return pages(cycle, crawlId);
};

it('a robots.txt line cut in the middle of a character is stored well-formed as the reason of a denial', async () => {
  const urls = await Promise.all(
    PAIRS.map((text) => site({ '/robots.txt': page(`User-agent: *\nDisallow: / # ${text}`) })),
  );
  const found = await steps('robots', [...urls.map((url) => `${url}/a`), `${await site({ '/a': page('good') })}/a`]);
  const denied = found.filter(({ protocol_args: args }) => args?.[0]?.startsWith('robots.txt line 2: Disallow'));
  expect(denied).toHaveLength(2);
  expect(denied.map(({ protocol_args: args }) => args![0]!.length >= 999 && shapeOf(args![0]!))).toEqual([
    whole,
    whole,
  ]);
  expect(denied.filter(({ protocol_args: args }) => args![0]!.endsWith('😀'))).toHaveLength(2);
  const lines = await cycle.db.query<{ line: { number: number; text: string } | null }>(
    'select robots_line as line from webpage order by key',
  );
  const stored = lines.flatMap(({ line }) => (line === null ? [] : [line]));
  expect(stored.map(({ number, text }) => [number, text.slice(0, 9), shapeOf(text)])).toEqual([
    [2, 'Disallow:', whole],
    [2, 'Disallow:', whole],
  ]);
  expect(found.filter(({ status }) => status === 2)).toHaveLength(1);
});

it('headers cut in the middle of a character are stored well-formed', async () => {
  const named = (text: string) => ({ etag: `"${text}"`, 'content-type': `text/html; a=${text}` });
  const tagged = (text: string) => ({ 'x-robots-tag': `${'a'.repeat(8_000)}${text}` });
  const good = (headers: Record<string, string>) => page('<title>good</title>', headers);
  const url = await site(
    Object.fromEntries(
      PAIRS.map(bytes).flatMap(
        (text, n) =>
          [
            [`/${n}`, good(named(text))],
            [`/tag${n}`, good(tagged(text))],
          ] as const,
      ),
    ),
  );
  const seeds = PAIRS.flatMap((_, n) => [`${url}/${n}`, `${url}/tag${n}`]);
  const found = await steps('headers', seeds, { 'store.http.headers': 'true' });
  expect(found.map(({ status }) => status)).toEqual([2, 2, 2, 2]);
  const tags = found.flatMap(({ metadata }) => metadata?.['X-Robots-Tag'] ?? []);
  expect(tags.map(shapeOf)).toEqual([whole, whole]);
  expect(tags.every(({ length }) => length === 9_999 || length === 10_000)).toBe(true);
});

it('NUL in a robots.txt is replaced in the error of a sitemap', async () => {
  const url = await site({ '/robots.txt': page('User-agent: *\nDisallow: / # \0') });
  const asked = await cycle.run('SITEMAP', { sitemapUrls: [`${url}/m`] }, { crawlId: 'nul' });
  expect(asked).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  const [{ status, error }] = (await cycle.db.query<{ status: string; error: string }>(
    'select status, error from sitemap',
  )) as [{ status: string; error: string }];
  expect({ status, error }).toEqual({ status: 'robots_denied', error: 'robots.txt line 2: Disallow: / # \uFFFD' });
});

it('NUL and lone surrogates are replaced in the events, the msg and the failure of a job', async () => {
  const { id } = await cycle.jobs.create({
    type: 'DEDUP',
    crawlId: 'log',
    confId: 'c',
    confHash: await confHash(),
    args: {},
  });
  const text = 'a\0b \ud83d';
  await logEvent(cycle.pool, id, 'warning', { message: text, list: [text] });
  const claim = (await cycle.tasks.claim((await cycle.queue.take())!, 'test'))!;
  await cycle.jobs.setMessage(id, `OK: ${text}`);
  expect((await cycle.jobs.find(id))!.msg).toBe('OK: a\uFFFDb \uFFFD');
  await cycle.tasks.fail(claim, `ERROR: ${text}`);
  expect(await cycle.jobs.find(id)).toMatchObject({ state: 'FAILED', msg: 'ERROR: a\uFFFDb \uFFFD' });
  const warnings = (await eventsOf(cycle.pool, id)).filter(({ kind }) => kind === 'warning');
  expect(warnings.map(({ data }) => data)).toEqual([{ message: 'a\uFFFDb \uFFFD', list: ['a\uFFFDb \uFFFD'] }]);
});

const confHash = async (): Promise<string> =>
  (await cycle.db.query<{ hash: string }>('select hash from conf_snapshot limit 1'))[0]!.hash;
