import { expect, it } from 'vitest';
import { makeDocumentReader, readContent } from '../../../src/core/html-document/read-document.js';
import { PageBudget } from '../../../src/core/tree/page-budget.js';

const readDocument = makeDocumentReader();

/** Main content and Markdown within a step budget: what the worker itself extracts from a page. */

const STEPS = 16 << 20;
const BYTES = 512 << 10;
const sentence = 'A reader comes for this sentence, which is long enough, and has commas, to count as content. ';
const story = `<nav><a href=/a>Home</a></nav><article><h1>Story</h1>${`<p>${sentence.repeat(3)}<a href=b>on</a>`.repeat(5)}</article>`;

const asked = (html: string, base = 'http://site.test/') => ({
  content: Buffer.from(html),
  contentType: 'text/html',
  charset: 'utf-8',
  base,
  readable: 100_000,
  markdown: 100_000,
});
/** A page of maximum size, filled with `unit`. */
const filled = (unit: string, head = '') => head + unit.repeat((BYTES - head.length) / unit.length);
const SPENT = 'the page takes more steps than it may';

it('readContent returns what readDocument returns without a step budget', async () => {
  const { values, ...content } = await readDocument(asked(story));
  expect(values).toEqual({});
  expect(content.markdown).toContain('[on](http://site.test/b)');
  // Another page in between, so that the tree is built again.
  readContent(asked('<p>x'), new PageBudget(STEPS));
  expect(readContent(asked(story), new PageBudget(STEPS))).toEqual(content);
});

it('the query of a link is encoded in the charset of the page, as that of an outlink (HTML §2.4.3)', () => {
  const bytes = Buffer.from(story.replace('href=b', 'href=b?q=\xe4'), 'latin1');
  const page = { ...asked(''), content: bytes, charset: 'windows-1252' };
  expect(readContent(page, new PageBudget(STEPS)).markdown).toContain('[on](http://site.test/b?q=%E4)');
});

it('a page costs the same number of steps each time and is refused with one step less', () => {
  const spent = () => {
    let steps = 0;
    readContent(asked('<p>x'), new PageBudget(STEPS));
    readContent(asked(story), { spend: (n: number) => void (steps += n) } as unknown as PageBudget);
    return steps;
  };
  const steps = spent();
  expect(spent()).toBe(steps);
  readContent(asked('<p>x'), new PageBudget(STEPS));
  expect(() => readContent(asked(story), new PageBudget(steps - 1))).toThrow(SPENT);
});

const formatting = Array.from({ length: 900 }, (_, at) => `<b class=${at}>`).join('');
const attributes = Array.from({ length: 20_000 }, (_, at) => ` a${at}`).join('');

it.each<[string, string, string?]>([
  ['formatting elements reopened in each paragraph', filled('<p>x', formatting)],
  ['20,000 attributes', `<b${attributes}><p>x<p>x`],
  ['lines in 900 nested quotations', filled('x<br>', '<blockquote>'.repeat(900))],
  ['code in 400 nested lists', filled('x\n', `${'<ul><li>'.repeat(400)}<pre>`)],
  ['empty elements, 900 levels deep', filled('<i></i>', '<div>'.repeat(900))],
  ['images, 900 levels deep', filled('<img src=a.jpg>', '<div>'.repeat(900))],
  ['references against a long base URL', filled('<a href=?>y</a>', ''), `http://site.test/${'a'.repeat(2_000)}`],
])('a page exceeds the step budget with %s, and the next page is read', (_what, html, base) => {
  expect(() => readContent(asked(html, base), new PageBudget(STEPS))).toThrow(SPENT);
  expect(readContent(asked('<p>next'), new PageBudget(STEPS)).markdown).toBe('next');
});

it('a meta element with 512 KiB of spaces as its name stays within the step budget', () => {
  const html = `<meta property="${' '.repeat(BYTES)}" content=x>${story}`;
  expect(readContent(asked(html), new PageBudget(STEPS)).markdown).toContain('Story');
});
