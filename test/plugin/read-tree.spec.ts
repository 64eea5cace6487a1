import { afterAll, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import type { ParsedPage, ParserInput } from '../../src/core/page/parser.js';
import { cappedPool } from '../../src/plugin/capped/capped-pool.js';
import { readMain } from '../../src/plugin/capped/read-tree.js';

/** Where the main content of a page is extracted: in this process, or in a capped one. */

afterAll(() => cappedPool.end());

const sentence = 'A reader comes for this sentence, which is long enough, and has commas, to count as content. ';
const markdown = (html: string, base = 'http://site.test/') =>
  readMain(
    { charset: 'utf-8', base } as ParsedPage,
    {
      content: Buffer.from(html),
      page: { url: 'http://site.test/', contentType: 'text/html' },
    } as unknown as ParserInput,
    { ...defaults, 'parse.markdown': true, 'parse.readable.limit': 100 },
  );

it('an ordinary page is processed synchronously, and no capped process is started', () => {
  // Processes of earlier specs may still be ending.
  const before = cappedPool.pids;
  expect(markdown(`<article><p>${sentence.repeat(9)}`)).toMatchObject({
    markdown: expect.stringContaining('A reader') as unknown,
  });
  expect(cappedPool.pids.filter((pid) => !before.includes(pid))).toEqual([]);
});

it.each<[string, string, string?]>([
  ['of more than 2 MiB', `<article><p>${sentence.repeat(9)}<!--${'x'.repeat(2_100_000)}-->`],
  [
    'that exceeds the step budget',
    `<article><p>${sentence.repeat(9)}${'<a href=?>A reader</a>'.repeat(15_000)}`,
    `http://site.test/${'a'.repeat(2_000)}`,
  ],
  ['with more than 1,000 nested elements', `${'<div>'.repeat(2_000)}<p>text`],
])('a page %s is processed in a capped process', async (_what, html, base) => {
  const reading = markdown(html, base);
  expect(reading).toBeInstanceOf(Promise);
  expect((await reading).markdown).not.toBeNull();
  expect(cappedPool.pids).toHaveLength(1);
});

it('a page that cannot be parsed fails with the reason from the capped process', async () => {
  await expect(markdown('<div>'.repeat(20_000))).rejects.toThrow('more than 10000 elements are nested');
});
