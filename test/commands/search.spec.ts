import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { searchCommand } from '../../src/commands/search/search.command.js';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { PostgresIndexWriter } from '../../src/search/postgres-index-writer.js';
import { crawlNumber } from '../../src/webpage/crawl.store.js';
import { type ApiUnderTest, apiUnderTest } from '../api/api-under-test.js';

/** With a direction mark, as titles of pages in Hebrew have. */
const MARKED = 'C\u200f\u200eD';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  const writer = new PostgresIndexWriter(api.database.pool, await crawlNumber(api.database.pool, 'k1'));
  // Two of them are near duplicates.
  const harbours = `Harbours ${Array.from({ length: 30 }, (_, i) => `pier${i}`).join(' ')}`;
  await writer.write([
    documentOf('', 'Night ferry', 'The ferry sails at night.'),
    ...['1', '2'].map((path) => documentOf(path, 'Harbours', harbours)),
    documentOf('marked', MARKED, 'A quay.'),
  ]);
  await writer.commit();
});
afterAll(() => api?.close());

const documentOf = (path: string, title: string, content: string): IndexDocument => ({
  id: `test.site:http/${path}`,
  url: `http://site.test/${path}`,
  boost: 1,
  fields: new Map([
    ['title', [title]],
    ['content', [content]],
  ]),
  fieldBoosts: new Map(),
});

/** The exit code and the output. */
async function search(...words: string[]): Promise<{ code: number; out: string }> {
  const stdout = new PassThrough();
  const printed = text(stdout);
  const terminal = { stdout, stderr: new PassThrough(), variables: {} };
  const code = await searchCommand([...words, '--server', api.url], terminal);
  stdout.end();
  return { code, out: await printed };
}

describe('orbweaver search', () => {
  it('prints the hits', async () => {
    const { code, out } = await search('night', 'ferries');
    expect(code).toBe(0);
    expect(out).toMatch(/^1 found\n\nNight ferry\n {2}http:\/\/site\.test\/ {2}\d+\.\d\d\n$/);
  });

  it('prints no direction marks of a title, and with --json them as escapes', async () => {
    expect((await search('quay')).out).toContain('C\ufffd\ufffdD');
    const { out } = await search('quay', '--json');
    expect(out).toContain('C\\u200f\\u200eD');
    expect(JSON.parse(out)).toMatchObject({ hits: [{ title: MARKED }] });
  });

  it('prints the explanation of a score with --explain', async () => {
    expect((await search('ferry', '--explain')).out).toMatch(/idf: ln/);
  });

  it('scores as Lucene does with --similarity', async () => {
    expect((await search('ferry', '--similarity', 'classic', '--explain')).out).toMatch(/queryNorm/);
  });

  it('searches the pages of a batch with --segment', async () => {
    await expect(search('ferry', '--segment', 'b9')).rejects.toMatchObject({ code: 'BATCH_UNKNOWN' });
  });

  it('adds words of the first hits with --expand on only', async () => {
    const reasonOf = async (when: string) =>
      JSON.parse((await search('ferry', '--expand', when, '--json')).out).expansion.reason as string;
    expect([await reasonOf('on'), await reasonOf('off')]).toEqual(['expansion is on', expect.stringContaining('off')]);
  });

  it('shows each of near duplicates with --no-collapse', async () => {
    const shown = async (...more: string[]) => JSON.parse((await search('harbours', '--json', ...more)).out);
    expect(await shown()).toMatchObject({ total: 2, hits: [{ duplicates: 1 }] });
    expect(await shown('--no-collapse')).toMatchObject({ hits: [{ duplicates: 0 }, { duplicates: 0 }] });
  });

  it('--json prints the response of the server', async () => {
    expect(JSON.parse((await search('ferry', '--json')).out)).toMatchObject({
      total: 1,
      hits: [{ title: 'Night ferry' }],
    });
  });

  it('ends with code 9 without hits', async () => {
    expect(await search('nothing')).toEqual({ code: 9, out: '0 found\n' });
  });

  it.each([[[]], [['ferry', '--limit', '0']], [['ferry', '--similarity', 'tf']], [['ferry', '--expand', 'yes']]])(
    'refuses %j',
    async (words) => {
      await expect(search(...words)).rejects.toThrow(/search/);
    },
  );
});
