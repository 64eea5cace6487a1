import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPlugins } from '../../src/plugin/registry.js';
import { type ApiUnderTest, apiUnderTest } from '../api/api-under-test.js';
import { indexLines } from '../cycle/index-files.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type Site, page, startSite } from '../support/site.js';

/** From a seed to a search hit: a crawl of two rounds, INDEX of each, and searches (feature rows H1 to H18, L1, L9, N7). */

const CRAWL = 'find';
/** Words that no query contains. */
const filler = (words: number, page = 0): string =>
  Array.from({ length: words }, (_, i) => `filler${page}x${i}`).join(' ');
const pageOf = (title: string, text: string) => page(`<title>${title}</title><p>${text}</p>`);

const pages = {
  '/zebra-five': pageOf('Animals', `${'zebra '.repeat(5)}${filler(55)}`),
  '/zebra-once': pageOf('Animals', `zebra ${filler(59, 3)}`),
  '/quokka': pageOf('Quokka', filler(60, 5)),
  '/quokka-text': pageOf('Islands', `quokka ${filler(59, 7)}`),
  '/short': pageOf('Short', `lemur ${filler(9, 9)}`),
  '/long': pageOf('Longer', `lemur ${filler(300, 11)}`),
  '/both': pageOf('Both', `heron stork ${filler(58, 13)}`),
  '/one': pageOf('One', `heron heron ${filler(58, 15)}`),
  '/common-1': pageOf('Birds', `sparrow ${filler(59, 17)}`),
  '/common-2': pageOf('Birds', `sparrow ${filler(59, 19)}`),
  '/common-3': pageOf('Birds', `sparrow ${filler(59, 21)}`),
  '/rare': pageOf('Birds', `kakapo ${filler(59, 23)}`),
} as const;

let cycle: Cycle;
let api: ApiUnderTest;
let site: Site;
let folder: TemporaryFolder;
/** Segments of the two rounds, and documents that INDEX of each wrote to files. */
const segments: string[] = [];
const documents: Record<string, unknown>[] = [];

const conf = {
  'plugin.includes.also': 'indexer-jsonl|index-metadata|test-double|test-add-one|scoring-metadata',
  'index.db.md': 'topic',
};

async function round(): Promise<void> {
  const made = await cycle.run('GENERATE', {}, { crawlId: CRAWL, conf });
  const segment = String(made.result!['generate.segment']);
  for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const)
    await cycle.run(type, { batch: segment }, { crawlId: CRAWL, conf });
  const index = await cycle.run('INDEX', { segment: [segment] }, { crawlId: CRAWL, conf });
  expect([index.state, index.msg]).toEqual(['FINISHED', 'OK']);
  documents.push(...(await indexLines(folder.path, index)));
  segments.push(segment);
}

beforeAll(async () => {
  cycle = await openCycle();
  folder = await temporaryFolder();
  cycle.indexDir = folder.path;
  api = await apiUnderTest({}, cycle.db);
  const scoring = (id: string, change: (boost: number) => number) => ({
    plugin: {
      id,
      className: `test.${id}`,
      description: 'Changes the boost of documents.',
      makeIndexBoost: () => (_document: unknown, _page: unknown, boost: number) => change(boost),
    },
    origin: 'test',
  });
  addPlugins([scoring('test-double', (boost) => boost * 2), scoring('test-add-one', (boost) => boost + 1)]);
  site = await startSite({
    '/': page(
      `<title>Home</title>${Object.keys(pages)
        .map((path) => `<a href="${path}">next</a>`)
        .join(' ')}`,
    ),
    ...pages,
  });
  await cycle.inject([`${site.url}/\ttopic=animals`], {}, { crawlId: CRAWL });
  await round();
  await round();
});
afterAll(async () => {
  await api?.close();
  await site?.close();
  await cycle?.close();
  await folder?.remove();
});

async function found(q: string, more: Record<string, string> = {}): Promise<string[]> {
  const { status, body } = await request(api.url)
    .get('/search')
    .query({ q, crawlId: CRAWL, expand: 'off', ...more });
  expect(status).toBe(200);
  return (body.hits as { url: string }[]).map(({ url }) => new URL(url).pathname);
}

describe('a document', () => {
  it('is sent to two writers with id, url, title, content, digest, boost and tstamp (H1, L1)', async () => {
    expect(documents).toHaveLength(13);
    const quokka = documents.find(({ id }) => String(id).endsWith('/quokka'))!;
    expect(quokka).toMatchObject({ url: `${site.url}/quokka`, title: 'Quokka' });
    expect(Object.keys(quokka)).toEqual(expect.arrayContaining(['content', 'digest', 'boost', 'tstamp', 'segment']));
    expect(await found('quokka')).toContain('/quokka');
  });

  it('has the metadata of its seed line (N7)', () => {
    expect(documents.filter(({ topic }) => topic !== undefined)).toMatchObject([
      { url: `${site.url}/`, topic: 'animals' },
    ]);
  });

  it('has a boost changed by two scoring filters in sequence (H12, L9)', async () => {
    const [{ score }] = (await cycle.db.query(
      `select score from webpage w join crawl c on c.id = w.crawl where c.name = $1 and w.key like '%:%/' and w.key not like '%/_%/_%'
        order by length(w.key) limit 1`,
      [CRAWL],
    )) as unknown as [{ score: number }];
    const home = documents.find(({ url }) => url === `${site.url}/`)!;
    expect(home['boost']).toBeCloseTo(2 * Math.sqrt(score) + 1, 3);
  });
});

describe('a query', () => {
  it.each<[string, string, string[]]>([
    [
      'ranks a page with the word five times before one with it once (H15, tf)',
      'zebra',
      ['/zebra-five', '/zebra-once'],
    ],
    ['ranks a page with a rare word first (H15, idf)', 'sparrow kakapo', ['/rare']],
    ['ranks a match in the title before one in the text (H16)', 'quokka', ['/quokka', '/quokka-text']],
    ['ranks the shorter of two pages with the word first (H17, lengthNorm)', 'lemur', ['/short', '/long']],
    ['ranks a page with both words before one with one of them twice (H17, coord)', 'heron stork', ['/both', '/one']],
  ])('%s', async (_, q, first) => {
    expect((await found(q)).slice(0, first.length)).toEqual(first);
  });

  it('with segment: returns pages of that segment only (H9)', async () => {
    expect(await found(`home segment:${segments[0]}`)).toEqual(['/']);
    expect(await found(`home segment:${segments[1]}`)).toEqual([]);
    expect((await found(`zebra segment:${segments[1]}`)).toSorted()).toEqual(['/zebra-five', '/zebra-once']);
  });

  it('returns a snippet that marks the word (H2, H18)', async () => {
    const { body } = await request(api.url).get('/v1/search').query({ q: 'kakapo', crawlId: CRAWL });
    const [hit] = body.hits as { snippets: { text: string; marks: [number, number][] }[] }[];
    expect(hit!.snippets.flatMap(({ text, marks }) => marks.map(([from, to]) => text.slice(from, to)))).toEqual([
      'kakapo',
    ]);
  });
});

describe('INDEX and CLEAN', () => {
  it('INDEX before UPDATEDB indexes no page and warns that pages wait for UPDATEDB (H8)', async () => {
    await cycle.inject([`${site.url}/rare`], {}, { crawlId: 'early' });
    const made = await cycle.run('GENERATE', {}, { crawlId: 'early' });
    const batch = String(made.result!['generate.batch.id']);
    for (const type of ['FETCH', 'PARSE'] as const) await cycle.run(type, { batch }, { crawlId: 'early' });
    const job = await cycle.run('INDEX', { batch }, { crawlId: 'early' });
    expect(job).toMatchObject({ state: 'FINISHED', result: { counters: { IndexerJob: { DocumentCount: 0 } } } });
    const events = await cycle.db.query(
      `select data ->> 'message' as message from job_event where job = $1 and kind = 'warning'`,
      [job.id],
    );
    const warning = expect.stringContaining('Parsed pages that wait for UPDATEDB are not indexed: 1.');
    expect(events).toContainEqual({ message: warning });
    expect(job.result).toMatchObject({ warnings: [warning] });
  });

  it('CLEAN removes a duplicate from the search results (H5, H6)', async () => {
    await cycle.db.query(
      `update webpage w set status = 7 from crawl c where c.id = w.crawl and c.name = $1 and w.key like '%/zebra-once'`,
      [CRAWL],
    );
    await cycle.run('CLEAN', {}, { crawlId: CRAWL, conf });
    expect(await found('zebra')).toEqual(['/zebra-five']);
  });
});
