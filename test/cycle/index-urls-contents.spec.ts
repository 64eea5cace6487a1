import { beforeAll, describe, expect, it } from 'vitest';
import { reverseUrl } from '../../src/core/url/row-key.js';
import type { JobRow } from '../../src/job/job-row.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { type Line, indexLines, useIndexFolder } from './index-files.js';
import { counters } from './table.js';

/** Arguments of INDEX for the URLs and the contents of documents (Nutch `-filter -normalize -addBinaryContent -base64`). */

useCrawler();

const folder = useIndexFolder();

const index = (crawlId: string, args: Record<string, unknown>, conf: Record<string, string> = {}) =>
  cycle.run(
    'INDEX',
    { batch: '-reindex', ...args },
    { crawlId, conf: { 'plugin.includes.also': 'indexer-jsonl', ...conf } },
  );
const documents = (job: JobRow): Promise<Line[]> => indexLines(folder.path, job);
const paths = (lines: Line[]): string[] => lines.map(({ id }) => id.slice(id.indexOf('/'))).sort();

const BYTES = Buffer.concat([Buffer.from('<title>é in Latin-1: '), Buffer.from([0xe9]), Buffer.from('</title>words')]);
let url: string;
beforeAll(async () => {
  const site = await crawler.site({
    '/a': page('<title>A</title>one'),
    '/b': page('<title>B</title>two'),
    '/latin': (_req, res) => void res.writeHead(200, { 'content-type': 'text/html; charset=iso-8859-1' }).end(BYTES),
  });
  ({ url } = site);
  await crawler.inject(
    'pages',
    ['/a', '/b', '/latin'].map((path) => url + path),
  );
  await crawler.round('pages');
});

describe('INDEX with filter', () => {
  const rules = { 'urlfilter.regex.rules': '-/b$\n+.' };

  it('leaves out pages whose URLs the filters of now refuse, and counts them', async () => {
    const job = await index('pages', { filter: true }, rules);
    expect(paths(await documents(job))).toEqual(['/a', '/latin']);
    expect(counters(job, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 2, 'skipped (URL filters)': 1 });
  });

  it('is not the default: filters concern what is fetched', async () => {
    expect(paths(await documents(await index('pages', {}, rules)))).toEqual(['/a', '/b', '/latin']);
  });
});

describe('INDEX with normalize', () => {
  const rules = {
    'urlnormalizer.scope.indexer': 'urlnormalizer-regex',
    'urlnormalizer.regex.rules':
      '<regex-normalize><regex><pattern>/b$</pattern><substitution>/second</substitution></regex></regex-normalize>',
  };

  it('gives documents the URLs that the normalizers of now make', async () => {
    const lines = await documents(await index('pages', { normalize: true }, rules));
    expect(paths(lines)).toEqual(['/a', '/latin', '/second']);
    expect(lines.find(({ title }) => title === 'B')).toMatchObject({
      id: reverseUrl(`${url}/second`),
      url: `${url}/second`,
    });
  });

  it('filters the normalized URLs', async () => {
    const conf = { ...rules, 'urlfilter.regex.rules': '-/second$\n+.' };
    const job = await index('pages', { normalize: true, filter: true }, conf);
    expect(paths(await documents(job))).toEqual(['/a', '/latin']);
    expect(counters(job, 'IndexerStatus')).toMatchObject({ 'skipped (URL filters)': 1 });
  });
});

describe('INDEX with addBinaryContent', () => {
  const contentOf = async (args: Record<string, unknown>): Promise<unknown> =>
    (await documents(await index('pages', args))).find(({ id }) => id.endsWith('/latin'))?.['binaryContent'];

  it('adds the content as it came, as text', async () => {
    expect(await contentOf({ addBinaryContent: true })).toBe(BYTES.toString('utf8'));
  });

  it('adds it in base 64 with base64, byte by byte', async () => {
    expect(await contentOf({ addBinaryContent: true, base64: true })).toBe(BYTES.toString('base64'));
  });

  it.each([[{}], [{ base64: true }]])('adds none with %j', async (args) => {
    expect(await contentOf(args)).toBeUndefined();
  });
});
