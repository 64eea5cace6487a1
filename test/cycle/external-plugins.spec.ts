import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startPlugins } from '../../src/plugin/external.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';

/** External plugins of URLs, pages, scores and documents, as seen in the rows and documents of a crawl. */

const MINUTE = 60_000;
const plugins = `import { appendFileSync } from 'node:fs';
export default [
  { id: 'x-normalizer', description: 'No session ids.',
    makeNormalizer: () => ({ normalize: (url) => url.replace(/;sid=\\w+/, '') }) },
  { id: 'x-exemption', description: 'Friends may be linked to.', makeExemption: () => (from, to) => to.includes('127.0.0.2') },
  { id: 'x-parser', description: 'Reads logs.',
    makeParser: () => ({ types: ['text/x-log'], parse: ({ content, page }) => {
      const lines = new TextDecoder().decode(content).trim().split('\\n');
      return { title: lines[0], text: lines.join(' '), outlinks: [new URL('/from-log', page.url).href], charset: 'log\\0', metadata: { lines: lines.length } };
    } }) },
  { id: 'x-parse-filter', description: 'Shouts.', makeParseFilter: () => async (page) => ({ title: page.title.toUpperCase(), metadata: { ...page.metadata, loud: '5' } }) },
  { id: 'x-in-place', description: 'Changes the page that it is given.', makeParseFilter: () => (page, input) => {
      page.metadata.words = 7;
      page.outlinks.push(new URL('/pushed', input.page.url).href);
      return page;
    } },
  { id: 'x-schedule', className: 'test.HourlySchedule', description: 'Every hour.',
    makeSchedule: () => ({ afterFetch: (page) => ({ fetchTime: page.fetchTime + 3600000.5, fetchInterval: 3600.4, retries: 0, modifiedTime: 0.1 }) }) },
  { id: 'x-signature', className: 'test.LengthSignature', description: 'By length.',
    makeSignature: () => ({ text }) => text.length.toString(16).padStart(8, '0') },
  { id: 'x-score', description: 'Boosts seeds.', makeSeedScore: () => (seed, score) => score + 1,
    makePageScore: () => (page, score) => score + 10 + Number(page.metadata.loud ?? 0),
    makeDistribute: () => () => ({ carried: { from: 'a\\0b', ['a' + '\u{1f600}'.repeat(200)]: 'long' } }) },
  { id: 'x-filter', description: 'No private pages.', makeFilter: () => (url) => !url.includes('/private') },
  { id: 'x-index', description: 'Colours.',
    makeIndexingFilter: () => (document, page) => (document.fields.set('colour', [page.title.toLowerCase()]), document),
    makeIndexBoost: () => (document, page, boost) => (boost > 0 ? 7 : 0) },
  { id: 'x-writer', description: 'Writes lines.', writesWithoutParameters: true, makeIndexWriter: () => ({
      write: async (documents) => {
        for (const { url, boost, fields } of documents)
          appendFileSync(new URL('written', import.meta.url), JSON.stringify([url, boost, fields.get('colour')]) + '\\n');
        return [];
      },
      delete: async () => {}, commit: async () => {}, close: async () => {} }) },
  { id: 'y-buffering', description: 'Stores all at its end.', makeIndexWriter: () => ({
      write: async () => [], delete: async () => {}, commit: async () => {},
      close: async () => { throw new Error('the disk is full'); } }) },
  { id: 'x-broken', description: 'Fails everywhere.',
    makeNormalizer: () => ({ normalize() { throw new Error('broken'); } }),
    makeParseFilter: () => () => { throw new Error('broken'); },
    makeParser: () => ({ types: ['text/html'], parse() { throw new Error('broken'); } }),
    makeSeedScore: () => () => { throw new Error('broken'); }, makeDistribute: () => () => 7 },
];`;

const conf = {
  'plugin.includes.also': 'x-.*',
  'db.fetch.schedule.class': 'HourlySchedule',
  'db.signature.class': 'LengthSignature',
  'urlnormalizer.order': 'x-normalizer',
  'db.ignore.external.links': 'true',
};

let cycle: Cycle;
let site: Site;
let dir: string;
const lines: string[] = [];
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plugins-'));
  await writeFile(join(dir, 'all.mjs'), plugins);
  await startPlugins(dir, (line) => void lines.push(line));
  cycle = await openCycle();
  site = await startSite({
    '/': page(
      '<title>home</title><a href="/log;sid=1">a</a><a href="/log;sid=2">b</a><a href="http://127.0.0.2:1/f">c</a><a href="http://127.0.0.3:1/">d</a><a href="/private">e</a>',
    ),
    '/log': page('first\nsecond\n', { 'content-type': 'text/x-log' }),
  });
  await cycle.inject([`${site.url}/`], {}, { conf });
  await cycle.round({ conf });
  await cycle.round({ conf });
}, MINUTE);
afterAll(async () => {
  await cycle?.close();
  await site?.close();
  await rm(dir, { recursive: true, force: true });
});

const row = async (path: string) => {
  const [found] = await cycle.db.query<Record<string, unknown>>(
    `select status, title, score, content_score, signature, fetch_interval, metadata, parse_major from webpage where key like '%' || $1`,
    [path],
  );
  return found;
};

describe('external plugins in a crawl', () => {
  it('normalize links: two session ids give one page', async () => {
    expect(site.log.filter(({ path }) => path.startsWith('/log')).map(({ path }) => path)).toEqual(['/log']);
  });

  it('exempt links to another host, and no others', async () => {
    const hosts = await cycle.db.query<{ host: string }>(`select distinct host from webpage order by 1`);
    expect(hosts.map(({ host }) => host)).toEqual(['127.0.0.1', '127.0.0.2']);
  });

  it('parse a type without a built-in parser: text, links, metadata', async () => {
    expect(await row('/log')).toMatchObject({
      status: 2,
      parse_major: 1,
      metadata: expect.objectContaining({ lines: '2' }),
    });
    const [content] = await cycle.db.query<{ text: Buffer }>(`select text from page_content where key like '%/log'`);
    expect(zstdDecompressSync(content!.text).toString()).toBe('first second');
    expect(await row('/from-log')).toMatchObject({ status: 1 });
  });

  it('change the result of a parser', async () => {
    expect((await row('/'))?.['title']).toBe('HOME');
    expect((await row('/log'))?.['title']).toBe('FIRST');
  });

  it('change the result in place', async () => {
    expect(await row('/log')).toMatchObject({ metadata: { lines: '2', words: '7' } });
    expect(await row('/pushed')).toBeDefined();
  });

  it('set fetch interval and signature', async () => {
    expect(await row('/log')).toMatchObject({ fetch_interval: 3_600, signature: '0000000c' });
  });

  it('raise the score of a seed and the score of its content', async () => {
    const scores = await cycle.db.query<{ seed: boolean; score: number }>(
      `select inject_mark is not null as seed, score from webpage where key like '%/' and inject_mark is not null`,
    );
    expect(scores).toEqual([{ seed: true, score: 1 + 1 + 10 + 5 }]);
  });

  it('refuse URLs', async () => {
    expect(await row('/private')).toBeUndefined();
  });

  it('change documents and their boosts, and write them', async () => {
    await cycle.run('INDEX', { batch: '-all' }, { conf });
    const written = await readFile(join(dir, 'written'), 'utf8');
    expect(
      written
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown)
        .sort(),
    ).toEqual([
      [`${site.url}/`, 7, ['home']],
      [`${site.url}/log`, 7, ['first']],
    ]);
  });

  it('fail INDEX by a writer whose close fails', async () => {
    const rules = '<writers><writer id="b" class="y-buffering"/></writers>';
    const own = { 'plugin.includes.also': 'y-buffering', 'indexer.indexwriters.rules': rules };
    expect(await cycle.run('INDEX', { batch: '-all' }, { conf: own })).toMatchObject({
      state: 'FAILED',
      msg: expect.stringContaining('index writer b was given up: close: the disk is full'),
      result: { failure: 'INDEX_WRITER' },
    });
  });

  it('score content by the metadata of a parse filter', async () => {
    expect(await row('/log')).toMatchObject({ content_score: 15, metadata: { loud: '5' } });
  });

  it('return text that PostgreSQL cannot store: it is replaced and cut', async () => {
    const [log] = await cycle.db.query<{ charset: string }>(`select charset from page_content where key like '%/log'`);
    expect(log?.charset).toBe('log\uFFFD');
    const handedOn = (await row('/log'))?.['metadata'] as Record<string, string>;
    expect(handedOn).toMatchObject({ from: 'a\uFFFDb', [`a${'\u{1f600}'.repeat(127)}`]: 'long' });
  });

  it('that fail at every point do not stop the crawl and are reported, not for each call', () => {
    expect(lines).toContain('plugin x-broken, makeNormalizer failed: broken');
    expect(lines).toContain('plugin x-broken, makeParseFilter failed: broken');
    expect(lines).toContain('plugin x-broken, makeSeedScore failed: broken');
    expect(lines).toContain('plugin x-broken, makeDistribute failed: it answered no distribution');
    // Each call is reported the first time, the tenth, the hundredth: not for every link.
    expect(lines.length).toBeLessThan(20);
  });
});
