import { describe, expect, it } from 'vitest';
import { HTML_OPTIONS, parseHtml } from '../../../src/core/html/parse-html.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

/** Text and links of pages with SVG or MathML are those of the tree that the HTML standard defines. */

const ours = (html: string) => {
  const { title, text, links } = parseHtml(html, 'http://a.test/', HTML_OPTIONS);
  return { title, words: words(text), links: links.map(({ url }) => url) };
};

function standard(html: string) {
  const tree = parseTree(html);
  const links = tree.querySelectorAll('a[href]').map((a) => URL.parse(a.getAttribute('href')!, 'http://a.test/')!.href);
  const { title } = tree;
  for (const element of tree.querySelectorAll('script,style')) element.remove();
  return { title, words: words(tree.textContent), links };
}

const words = (text: string): string => text.replaceAll(/\s+/g, '');
const SCRIPT = '<script>if (a<b) x = "<a href=/no>no</a>"</script>';
const END = `${SCRIPT}<style>b<a href=/no></style><title>t</title><p>yes <a href=/yes>link</a><div/>end`;

describe('SVG and MathML end', () => {
  it.each([
    ['with their own end tag', `<svg><g><path d=x></g></svg>${END}`],
    ['at a start tag that only HTML has', `<svg><g><path><div>a</div>${END}`],
    ['at such a tag in nested ones', `<svg><svg><g><p>a</p>${END}`],
    ['at the end of an element around', `<div><svg><path></div>${END}`],
    ['at the end of an element around that is not closed in them', `<section><svg><path></section>${END}`],
    ['at the end of a link around', `<a href=/around><svg><path></a>${END}`],
    ['not at the end of a link inside', `<svg><a href=/in>x</a><path/><text>b</text></svg>${END}`],
    ['at an end tag that begins a paragraph', `<svg><path></p>${END}`],
    [
      'not at an element of HTML in a foreign object',
      `<svg><foreignObject><div>a</div></foreignObject><g/></svg>${END}`,
    ],
    ['not at an element of HTML in a description', `<svg><desc><b>a</b></desc><g/></svg>${END}`],
    ['after a foreign object that is not closed', `<svg><foreignObject><div>a</div></svg>${END}`],
    ['after an SVG in a foreign object', `<svg><foreignObject><div><svg><path></div></foreignObject></svg>${END}`],
    ['of MathML with text', `<math><mi>x<b>y</b></mi><mo>+</mo></math>${END}`],
    ['of MathML that is not closed', `<math><mrow><mi>x</mi><p>a</p>${END}`],
    ['with CDATA in them', `<svg><text><![CDATA[c<d]]></text></svg>${END}`],
  ])('%s', (_where, html) => expect(ours(html)).toEqual(standard(html)));

  it('with scripts as HTML in their foreign objects', () => {
    const html = `<svg><foreignObject><div>${SCRIPT}</div></foreignObject></svg>${END}`;
    expect(ours(html)).toEqual(standard(html));
  });
});
