import { describe, expect, it } from 'vitest';
import { contentsOf } from '../../../src/core/tree/contents.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

const body = (html: string) => parseTree(`<!doctype html><body>${html}`).body!;
const contents = (html: string) => contentsOf(body(html));

describe('the length of a text', () => {
  it.each<[rule: string, html: string, length: number]>([
    ['counts characters', 'abc', 3],
    ['counts a run of white space as one', 'a \n\t b', 3],
    ['does not count white space at the ends', '<p> a </p> ', 1],
    ['counts white space between elements', '<b>a</b> <i>b</i>', 3],
    ['joins words over the ends of elements', '<b>a</b><i>b</i>', 2],
    ['joins white space over the ends of elements', '<b>a </b> <i> b</i>', 3],
    ['counts no-break and ideographic spaces as white space', 'a\u00a0\u3000b', 3],
    ['counts code units', '😀', 2],
    ['does not count comments', 'a<!-- b -->', 1],
    ['is 0 without a word', ' <p> </p>', 0],
  ])('%s', (_rule, html, length) => expect(contents(html).length).toBe(length));

  it('is counted again after a change', () => {
    const element = body('<p>a</p><p>b c</p>');
    expect(contentsOf(element).length).toBe(4);
    element.lastElementChild!.remove();
    expect(contentsOf(element).length).toBe(1);
    element.firstElementChild!.appendChild(element.ownerDocument!.createTextNode(' d'));
    expect(contentsOf(element).length).toBe(3);
  });
});

describe('the part of a text in links', () => {
  it.each<[rule: string, html: string, density: number]>([
    ['is the fraction of its length', 'aaaaaa<a href=/b>bb</a>', 2 / 8],
    ['counts links into the page with 0.3', 'aaaaaa<a href=#b>bb</a>', 0.6 / 8],
    ['counts # alone as a link', 'aaaaaa<a href=#>bb</a>', 2 / 8],
    ['counts anchors without a target', 'aaaaaa<a>bb</a>', 2 / 8],
    ['is 0 without text', '<a href=/b></a>', 0],
  ])('%s', (_rule, html, density) => expect(contents(html).linkDensity).toBe(density));
});

it('commas are counted in all scripts, those of Latin also alone', () => {
  const { commas, latinCommas } = contents('a, b،c﹐d︐e︑f⹁g⸴h⸲i，j');
  expect([commas, latinCommas]).toEqual([9, 1]);
});

it('elements are counted by kind, and the text in them', () => {
  const { kinds } = contents(
    '<h2>abc</h2><ul><li>de<li><img></ul><p>f</p><p><input></p><iframe></iframe><table></table><ol><ul>gh</ul></ol>',
  );
  expect({ ...kinds }).toEqual({
    linkText: 0,
    inPageLinkText: 0,
    headingText: 3,
    // A list in a list counts twice.
    listText: 2 + 2 + 2,
    // Items and their lists: de twice, f, gh twice.
    textualText: 4 + 1 + 4,
    paragraphs: 2,
    images: 1,
    items: 2,
    inputs: 1,
    embedded: 1,
    tables: 1,
  });
});
