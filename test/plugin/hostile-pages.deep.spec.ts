import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { CappedProcess, CappedWorkError } from '../../src/plugin/capped/capped-process.js';
import { PATIENCE_MS } from '../support/patience.js';

/** Pages made to exhaust time and memory, parsed as trees: each fails itself at most, within its limits. */

const capped = new CappedProcess();
afterAll(() => capped.end());

const MEGABYTES = 384;
const input = (html: string, wanted: object) => ({
  content: Buffer.from(html),
  contentType: 'text/html; charset=utf-8',
  charset: 'utf-8',
  base: 'http://site.test/',
  ...wanted,
});
const all = { readable: 100_000, markdown: 100_000 };
const rule = (expression: string, language = 'css') => ({
  extractions: [{ name: 'x', language, expression, take: 'text', all: true }],
});
const sentence = 'A reader comes for this sentence, which is long enough, and has commas, to count as content. ';

/** The outcome of a page: `read`, or the limit that it exceeded. */
async function outcome(html: string, wanted: object, seconds = PATIENCE_MS / 1_000): Promise<string> {
  try {
    await capped.run('document', input(html, wanted) as never, { seconds, megabytes: MEGABYTES });
    return 'read';
  } catch (error) {
    return error instanceof CappedWorkError ? error.message : String(error);
  }
}
const SLOW = 'timeout: took longer than 3 s (parser.timeout)';
const LARGE = `memory: took more than ${MEGABYTES} MB (parser.worker.memory)`;

afterEach(async () => {
  const { markdown } = await capped.run('document', input(`<p>next`, all) as never, {
    seconds: PATIENCE_MS / 1_000,
    megabytes: MEGABYTES,
  });
  expect(markdown).toBe('next');
});

describe('a hostile page parsed as a tree, after which the next one is parsed', () => {
  it.each<[string, string]>([
    ['100,000 nested elements', '<div>'.repeat(100_000)],
    ['100,000 formatting elements', '<b><i>'.repeat(50_000)],
    ['nested tables', '<table><tr><td>'.repeat(30_000)],
  ])('with %s is refused while it is parsed', async (_what, html) => {
    expect(await outcome(html, all)).toBe('more than 10000 elements are nested');
  });

  it.each<[string, string]>([
    ['10 MB of text', `<article><p>${sentence.repeat(110_000)}`],
    ['100,000 paragraphs', `<article>${`<p>${sentence}`.repeat(100_000)}`],
    ['a paragraph of 100,000 characters in 900 elements', `${'<div>'.repeat(900)}${sentence.repeat(1_000)}`],
    ['one attribute of 10 MB', `<article class="${'a b '.repeat(2_500_000)}"><p>${sentence.repeat(9)}`],
    [
      '10,000 attributes',
      `<p ${Array.from({ length: 10_000 }, (_, at) => `a${at}=1`).join(' ')}>${sentence.repeat(9)}`,
    ],
    ['9,000 nested elements', `${'<div>x'.repeat(9_000)}${sentence}`],
    ['2,000 nested tables', '<table><tr><td>x'.repeat(2_000)],
    ['20,000 rows of a table', `<table>${'<tr><td>a<td>b'.repeat(20_000)}`],
    ['rows after rows without cells', `<table>${'<tr></tr>'.repeat(60_000)}${'<tr><td>a'.repeat(30_000)}`],
    ['100,000 line breaks', `<div>${'<br>'.repeat(100_000)}${sentence.repeat(9)}`],
    ['100,000 empty elements', '<p></p><i></i>'.repeat(50_000)],
    ['formatting reopened in each of 20,000 paragraphs', '<p><b>x</p>'.repeat(20_000)],
    ['100,000 tables with text before them', '<table>x'.repeat(900) + '</table>x<table>y</table>'.repeat(50_000)],
  ])('with %s is parsed', async (_what, html) => {
    expect(await outcome(html, all)).toBe('read');
  });

  it.each<[string, string]>([
    ['a million elements', '<p>x'.repeat(1_000_000)],
    ['a million elements, 900 levels deep', '<div>'.repeat(900) + '<b>x</b>'.repeat(1_000_000)],
    ['300,000 cells of a table', `<table>${'<tr><td>a<td>b'.repeat(150_000)}`],
    ['100,000 attributes', `<p ${Array.from({ length: 100_000 }, (_, at) => `a${at}`).join(' ')}>`],
    ['10 MB of empty elements, 900 levels deep', '<div>'.repeat(900) + '<i></i>'.repeat(1_400_000)],
    ['500,000 end tags of no element, 9,000 levels deep', '<i>'.repeat(9_000) + '</x>'.repeat(500_000)],
  ])('with %s is parsed or exceeds a limit', async (_what, html) => {
    expect(['read', SLOW, LARGE]).toContain(await outcome(html, all, 3));
  });

  it.each<[string, string, object]>([
    ['pairs of a million elements', '<i></i>'.repeat(1_000_000), rule('i:has(~ u.none)')],
    ['all descendants of all elements', `${'<i>'.repeat(900)}${'<b></b>'.repeat(300_000)}`, rule('i:has(u ~ b, b u)')],
    [
      'all elements before each element, by XPath',
      '<i></i>'.repeat(300_000),
      rule('//i[count(preceding::i) = -1]', 'xpath'),
    ],
  ])('that a rule searches for %s exceeds a limit', async (_what, html, wanted) => {
    expect([SLOW, LARGE]).toContain(await outcome(html, wanted, 3));
  });

  it('with 900 nested elements around one long text is parsed within the memory limit', async () => {
    const html = `${'<div>'.repeat(900)}${`<p>${sentence}</p>`.repeat(2_000)}`;
    expect(await outcome(html, all)).toBe('read');
  });
});
