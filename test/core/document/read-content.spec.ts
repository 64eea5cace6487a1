import { expect, it } from 'vitest';
import { readContent, readDocument } from '../../../src/core/document/read-document.js';
import { PageBudget } from '../../../src/core/tree/page-budget.js';

/** Main content and Markdown within a count of steps: what the worker itself reads of a page. */

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
/** As much of a page as may be. */
const filled = (unit: string, head = '') => head + unit.repeat((BYTES - head.length) / unit.length);
const SPENT = 'the page takes more steps than it may';

it('gives what is read without a count', async () => {
  const { values, ...content } = await readDocument(asked(story));
  expect(values).toEqual({});
  expect(content.markdown).toContain('[on](http://site.test/b)');
  // Another page between them, so that the tree is made anew.
  readContent(asked('<p>x'), new PageBudget(STEPS));
  expect(readContent(asked(story), new PageBudget(STEPS))).toEqual(content);
});

it('costs the same count each time, and is refused one step below it', () => {
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
  ['formatting that each paragraph opens anew', filled('<p>x', formatting)],
  ['20,000 attributes', `<b${attributes}><p>x<p>x`],
  ['lines in 900 quotations in each other', filled('x<br>', '<blockquote>'.repeat(900))],
  ['code in 400 lists in each other', filled('x\n', `${'<ul><li>'.repeat(400)}<pre>`)],
  ['elements with nothing in them, 900 deep', filled('<i></i>', '<div>'.repeat(900))],
  ['pictures, 900 deep', filled('<img src=a.jpg>', '<div>'.repeat(900))],
  ['references to a base that is long', filled('<a href=?>y</a>', ''), `http://site.test/${'a'.repeat(2_000)}`],
])('ends on %s, and the next page is read', (_what, html, base) => {
  expect(() => readContent(asked(html, base), new PageBudget(STEPS))).toThrow(SPENT);
  expect(readContent(asked('<p>next'), new PageBudget(STEPS)).markdown).toBe('next');
});

it('does not read names of meta elements again for each space in them', () => {
  const html = `<meta property="${' '.repeat(BYTES)}" content=x>${story}`;
  expect(readContent(asked(html), new PageBudget(STEPS)).markdown).toContain('Story');
});
