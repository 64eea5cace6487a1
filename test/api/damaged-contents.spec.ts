import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

/** A page whose content and text cannot be decompressed (F24): its own reads say so, lists and jobs go on past it. */

let cycle: Cycle;
let api: ApiUnderTest;
let site: Site;
let segment: string;

beforeAll(async () => {
  cycle = await openCycle();
  api = await apiInOneProcess(cycle.db);
  site = await startSite({
    '/a': page('<title>a</title><p>words of a</p><a href="/x">x</a>'),
    '/b': page('<title>b</title><p>words of b</p><a href="/x">x</a>'),
    '/c': page('<title>c</title><p>words of c</p><a href="/y" rel="nofollow">y</a>'),
  });
  await cycle.inject(['/a', '/b', '/c'].map(urlOf), {}, { crawlId: 'k1' });
  const made = await cycle.run('GENERATE', {}, { crawlId: 'k1' });
  segment = String(made.result!['generate.segment']);
  for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const)
    await cycle.run(type, { batch: segment }, { crawlId: 'k1' });
  await cycle.db.query(`update page_content set content = '\\x0102', text = substr(text, 1, 12) where key like '%/b'`);
});
afterAll(async () => {
  await api?.close();
  await site?.close();
  await cycle?.close();
});

const urlOf = (path: string) => `${site.url}${path}`;
const pathOf = (url: string) => url.slice(site.url.length);
const read = (path: string, part: string) =>
  request(api.url).get(`/v1/pages/${encodeURIComponent(urlOf(path))}/${part}?crawlId=k1`);

async function dump(parts: string): Promise<string> {
  const args = { segment, parts };
  const answer = await request(api.url)
    .post('/db/crawldb')
    .send({ type: 'dump', crawlId: 'k1', confId: 'default', args });
  expect(answer.status).toBe(200);
  return (answer.body as Buffer).toString();
}

async function sequence(path: string): Promise<[string, string][]> {
  const answer = await request(api.url).post('/reader/sequence/read').send({ path });
  expect(answer.status).toBe(200);
  return JSON.parse(answer.text) as [string, string][];
}

describe('a page whose stored bytes are damaged', () => {
  it.each(['content', 'text'])('is answered 500 PAGE_DAMAGED, which names it and its %s', async (part) => {
    const { status, body } = await read('/b', part);
    expect([status, body.code]).toEqual([500, 'PAGE_DAMAGED']);
    expect(body.detail).toBe(
      `The stored ${part} of the page "${urlOf('/b')}" is damaged: it cannot be decompressed. The next visit that receives content replaces it.`,
    );
    expect((await read('/a', part)).status).toBe(200);
  });

  it('is in a list of /db like the others, with null and the names of what is damaged', async () => {
    const { body } = await request(api.url)
      .post('/db')
      .send({ crawlId: 'k1', fields: ['url', 'text', 'content'] })
      .expect(200);
    const values = body.values.filter(({ text }: { text: string | null }) => text !== null);
    expect(values.map(({ url }: { url: string }) => pathOf(url))).toEqual(['/a', '/c']);
    for (const value of values) expect(value).not.toHaveProperty('damaged');
    expect(body.values).toContainEqual({
      url: urlOf('/b'),
      text: null,
      content: null,
      damaged: ['text', 'content'],
    });
  });

  it('is in the dump of a segment like the others, with a sentence in place of what is damaged', async () => {
    const text = await dump('content,parse_text');
    expect(text).toContain('Content:\n(damaged: the stored content cannot be decompressed)');
    expect(text).toContain('ParseText::\n(damaged: the stored text cannot be decompressed)\n');
    for (const words of ['words of a', 'words of c']) expect(text.split(words)).toHaveLength(3);
  });

  it('is among the rows of a sequence file like the others', async () => {
    const rows = await sequence(`k1/segments/${segment}/parse_text`);
    expect(rows.map(([url]) => pathOf(url))).toEqual(['/a', '/b', '/c']);
    const made = await request(api.url)
      .post('/services/commoncrawldump')
      .send({ crawlId: 'k1', confId: 'default', args: {} });
    const records = (await sequence(made.text)).map(([url, value]) => [pathOf(url), JSON.parse(value)]);
    expect(records.map(([path]) => path)).toEqual(['/a', '/b', '/c']);
    expect(records[0]![1]).not.toHaveProperty('damaged');
    expect(records[1]![1]).toMatchObject({ response: { status: 200, body: '' }, damaged: ['content'] });
  });

  it('does not keep an inspector from searching the other pages for links', async () => {
    const inspect = (from?: string) =>
      request(api.url)
        .post('/v1/inspect/url')
        .send({ url: urlOf('/y'), crawlId: 'k1', ...(from !== undefined && { from: urlOf(from) }) })
        .expect(200);
    const codesOf = ({ body }: { body: { fetchable: { reasons: { code: string; url?: string }[] } } }) =>
      body.fetchable.reasons.map(({ code, url }) => [code, url && pathOf(url)]);
    expect(codesOf(await inspect('/b'))).toContainEqual(['PAGE_NOT_READ', '/b']);
    const codes = codesOf(await inspect());
    expect(codes).toContainEqual(['NOFOLLOW', '/c']);
    expect(codes).toContainEqual(['PAGE_NOT_READ', '/b']);
  });

  it('counts as an error of INDEX, is named in its warnings, and the others are indexed', async () => {
    const job = await cycle.run('INDEX', { batch: '-all' }, { crawlId: 'k1' });
    expect(job).toMatchObject({ state: 'FINISHED' });
    expect(job.result!.counters['IndexerStatus']).toEqual({ 'indexed (add/update)': 2, 'errors (damaged page)': 1 });
    expect(job.result!['warnings']).toEqual([`not indexed, as its stored text is damaged: ${urlOf('/b')}`]);
    const marked = await cycle.db.query<{ key: string }>('select key from webpage where index_mark is not null');
    expect(marked).toHaveLength(2);
  });

  it('counts as a failed parse of PARSE', async () => {
    const job = await cycle.run('PARSE', { batch: '-reparse' }, { crawlId: 'k1' });
    expect(job).toMatchObject({ state: 'FINISHED' });
    expect(job.result!.counters['ParserStatus']).toMatchObject({ success: 2, failed: 1 });
  });
});
