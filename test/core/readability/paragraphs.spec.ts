import { describe, expect, it } from 'vitest';
import { findParagraphs, type SearchedPage } from '../../../src/core/readability/paragraphs.js';
import { likeTitle } from '../../../src/core/readability/title.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

function found(body: string, { stripsUnlikely = true, page = pageNamed('') } = {}) {
  const document = parseTree(`<!doctype html><body>${body}`);
  const paragraphs = findParagraphs(document, page, stripsUnlikely).map(
    ({ localName, textContent }) => `${localName} ${textContent}`,
  );
  return { paragraphs, left: document.body!.innerHTML };
}
const pageNamed = (title: string): SearchedPage => ({ hasByline: false, saysTitle: likeTitle(title) });

describe('the search for paragraphs', () => {
  it.each<[rule: string, html: string]>([
    ['hidden', '<p hidden>a</p>'],
    ['hidden by its style', '<p style="display: none">a</p>'],
    ['invisible by its style', '<p style="visibility:hidden">a</p>'],
    ['hidden from screen readers', '<p aria-hidden="true">a</p>'],
    ['a modal dialog', '<p role="dialog" aria-modal="true">a</p>'],
    ['a line about the author', '<p class="byline">a</p>'],
    ['a menu by its role', '<p role="menu">a</p>'],
    ['a side bar by its class', '<p class="sidebar">a</p>'],
    ['comments by their id', '<p id="comments">a</p>'],
    ['a heading without text', '<h3> </h3>'],
    ['a division with line breaks only', '<div><br><hr></div>'],
  ])('removes what is %s', (_rule, html) => expect(found(`${html}<p>b</p>`).left).toBe('<p>b</p>'));

  it.each<[rule: string, html: string]>([
    [
      'an image for lack of another, though hidden from screen readers',
      '<p aria-hidden="true" class="fallback-image">a</p>',
    ],
    ['a dialog that is not modal', '<p role="note" aria-modal="true">a</p>'],
    ['a long line about the author', `<p class="byline">${'a'.repeat(100)}</p>`],
    ['a side bar with the main content', '<p class="sidebar main">a</p>'],
    ['an unlikely link', '<p><a class="sidebar">a</a></p>'],
    ['an unlikely part of a table', '<table><tbody><tr><td><p class="sidebar">a</p></td></tr></tbody></table>'],
    ['unlikely code', '<code><em class="sidebar">a</em></code>'],
  ])('keeps %s', (_rule, html) => expect(found(html).left).toBe(html));

  it('removes unlikely elements in the first attempt only, hidden ones in all', () => {
    const html = '<p class="sidebar">a</p><p hidden>b</p><p role="menu">c</p>';
    expect(found(html, { stripsUnlikely: false }).left).toBe('<p class="sidebar">a</p><p role="menu">c</p>');
  });

  it('removes one line about the author, and none on a page whose metadata name one', () => {
    const lines = '<p class="byline">a</p><p rel="author">b</p>';
    expect(found(lines).left).toBe('<p rel="author">b</p>');
    expect(found(lines, { page: { ...pageNamed(''), hasByline: true } }).left).toBe(lines);
  });

  it('removes the first heading that repeats the title, of the first two levels', () => {
    const heading = (level: number): string => `<h${level}>How to read</h${level}>`;
    const page = pageNamed('How to read');
    expect(found([3, 2, 1].map(heading).join(''), { page }).left).toBe(heading(3) + heading(1));
  });

  it('finds sections, headings from the second level, paragraphs, cells and preformatted text', () => {
    const { paragraphs } = found(
      '<h1>1</h1><h2>2</h2><section><p>3</p></section><pre>4</pre><ul><li>5</ul><table><td>6',
    );
    expect(paragraphs).toEqual(['h2 2', 'section 3', 'p 3', 'pre 4', 'td 6']);
  });

  it.each<[rule: string, html: string, left: string]>([
    ['with phrases only becomes a paragraph', '<div>a <b>b</b></div>', '<p>a <b>b</b></p>'],
    ['has its phrases wrapped between blocks', '<div>a<br><ul></ul>b</div>', '<div><p>a</p><ul></ul><p>b</p></div>'],
    ['with one paragraph is replaced by it', '<div id="i"><p>a</p></div>', '<p>a</p>'],
    ['with a paragraph of links stays', '<div><p><a>a</a></p></div>', '<div><p><a>a</a></p></div>'],
    ['with a list stays', '<div><ul><li>a</li></ul></div>', '<div><ul><li>a</li></ul></div>'],
    ['without such blocks becomes a paragraph', '<div><article>a</article></div>', '<p><article>a</article></p>'],
  ])('a division %s', (_rule, html, left) => expect(found(html).left).toBe(left));
});
