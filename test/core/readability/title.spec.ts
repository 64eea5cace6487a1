import { describe, expect, it } from 'vitest';
import { aboutPage, likeTitle } from '../../../src/core/readability/title.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

function about(html: string) {
  const document = parseTree(`<!doctype html>${html}`);
  return aboutPage(document, document.getElementsByTagName('meta'));
}
const titled = (title: string, body = '') => about(`<title>${title}</title><body>${body}`).title;

describe('the title of a page', () => {
  it.each<[rule: string, title: string, found: string]>([
    ['is the one in its head', 'A plain title of a page', 'A plain title of a page'],
    ['is what is before the last divider', 'How to read a page | Site', 'How to read a page'],
    ['keeps the dividers before', 'How to read - or not - a page - Site', 'How to read - or not - a page'],
    [
      'is what is after the first divider, if less than three words are before',
      'Site | How to read a page',
      'How to read a page',
    ],
    ['is that after two words, too', 'Some site | How to read a page', 'How to read a page'],
    ['is whole where the part has four words', 'How to read pages | Site', 'How to read pages | Site'],
    ['is a short part of a hierarchy', 'Read a page » Site', 'Read a page'],
    ['is whole where a short part is none of a hierarchy', 'Read a page | Site', 'Read a page | Site'],
    ['is what is after the last colon', 'Site: How to read a page', 'How to read a page'],
    [
      'is what is after the first colon, if few words follow the last',
      'Site: How to read well: pages',
      'How to read well: pages',
    ],
    ['is what is after five words and a colon', 'One two three four five: how to read a page', 'how to read a page'],
    [
      'is whole with more before a colon',
      'One two three four five six: how to read a page',
      'One two three four five six: how to read a page',
    ],
  ])('%s', (_rule, title, found) => expect(titled(title)).toBe(found));

  it('is whole where a heading repeats it', () => {
    expect(titled('Site: How to read a page', '<h2>Site: How to read a page</h2>')).toBe('Site: How to read a page');
  });

  it('is the only first heading, if that of the head is short', () => {
    expect(titled('Short', '<h1>A heading of  five words</h1>')).toBe('A heading of five words');
    expect(titled('Short', '<h1>A heading of five words</h1><h1>Another one</h1>')).toBe('Short');
  });

  it.each<[metas: string, found: string]>([
    ['<meta property="og:title" content="Of Open Graph">', 'Of Open Graph'],
    ['<meta name="twitter:title" content="t"><meta property="og:title" content="o">', 'o'],
    ['<meta property="og:title" content="o"><meta name="DC.title" content="d">', 'd'],
    ['<meta name=title content=""><title>A plain title of a page</title>', 'A plain title of a page'],
    ['<meta name=title content="a &amp;amp; b &amp;#38; &amp;#x26; c">', 'a & b & & c'],
    ['<meta name=title content="a &amp;#0; &amp;#xD800;">', 'a \uFFFD \uFFFD'],
    ['<meta name=subtitle content="b"><title>A plain title of a page</title>', 'A plain title of a page'],
  ])('is that of meta elements: %s', (metas, found) => expect(about(metas).title).toBe(found));
});

describe('the author', () => {
  it.each<[meta: string, isKnown: boolean]>([
    ['<meta name=author content="A. B.">', true],
    ['<meta name="dc.creator" content="A. B.">', true],
    ['<meta property="article:author" content="A. B.">', true],
    ['<meta property="article:author" content="https://a.test/people/ab">', false],
    ['<meta name=author content="">', false],
    ['', false],
  ])('is known by %s: %s', (meta, isKnown) => expect(about(meta).hasAuthor).toBe(isKnown));
});

describe('a heading', () => {
  it.each<[title: string, heading: string, isLike: boolean]>([
    ['How to read a page', 'How to read a page', true],
    ['How to read a page', 'how to READ, a page!', true],
    ['How to read a page', 'How to read', true],
    ['How to read a page', 'How to read a page twice', true],
    ['How to read a page', 'How to read twice', false],
    ['How to read a page', '—', false],
    ['', '', false],
  ])('of a page "%s" repeats the title: "%s": %s', (title, heading, isLike) =>
    expect(likeTitle(title)(heading)).toBe(isLike),
  );
});
