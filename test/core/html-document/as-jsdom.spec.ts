import { afterAll, describe, expect, it } from 'vitest';
import { JSDOM } from 'jsdom';
import { makeDocTrees } from '../../../bench/doc-tree/trees.mjs';
import { oracleContent, oracleMarkdown } from '../../../bench/reader-oracle.mjs';
import { makeAbsolute } from '../../../src/core/html-document/absolute.js';
import { ReferenceResolver } from '../../../src/core/html/reference-resolver.js';
import { jsdomPage } from '../../../src/core/html-document/jsdom-page.js';
import { makeDocumentReader } from '../../../src/core/html-document/read-document.js';
import { canSelect, selectAll } from '../../../src/core/tree/select.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';
import { pickByXPath } from '../../../src/core/extract/xpath-on-tree.js';
import type { Attr, TreeElement } from '../../../src/core/tree/element.js';
import type { TreeNode } from '../../../src/core/tree/node.js';

const readDocument = makeDocumentReader();

/** Our tree, main content, Markdown, selectors and XPath return what jsdom, Readability and Turndown return. */

const BASE = 'http://docs.test/a/b.html';
const RESOLVER = new ReferenceResolver(BASE);
const LIMIT = 100_000;
const collapsed = (text: string | null) => (text ?? '').replaceAll(/\s+/g, '');

/** Some of the documentation pages that the benchmarks generate in the format of six tools. */
const made = [...makeDocTrees().values()].filter((_, at) => at % 90 === 0);

const sentence = 'A reader comes for this sentence, which is long enough, and has commas, to count as content. ';
const story = (body: string) =>
  `<!doctype html><title>t</title><body><article>${body}<p>${sentence.repeat(8)}</p></article>`;

/** Cases that tree construction, Readability or Turndown handle separately. */
const odd: Record<string, string> = {
  'misnested formatting': story('<p><b>a<i>b</b>c</i>d<p>e'),
  'nested tables': story('<table><tr><td><table><tr><td>a<td>b</table><td>c</table>'),
  'a template': story('<template><p>unseen</template>'),
  noscript: story('<noscript><img src=/a.png></noscript><img class=lazy data-src=/b.png>'),
  'svg and math': story('<svg viewBox="0 0 1 1"><title>s</title><a xlink:href="#a">x</a></svg><math><mi>y</math>'),
  'styles that hide': story(
    '<p style="display: none">a<p style="display:none;display:block">b<p style="visibility:hidden">c<p style="color:red">d',
  ),
  'aria and hidden': story('<p aria-hidden=true>a<p hidden>b<div role=dialog aria-modal=true>c</div>'),
  'line breaks for paragraphs': story(`<div>${`${sentence}<br><br>`.repeat(6)}</div>`),
  'a byline': story('<p class=byline>By Nobody<p>and more'),
  'little text': '<body><div class=sidebar><p>short</div><div id=main><p>also short</div>',
  'no body': '<frameset><frame src=a></frameset>',
  'a list of links': `<body><ul>${'<li><a href=/x>link, and link</a>'.repeat(40)}</ul>`,
  'code and lists': story(
    '<pre><code class="language-js">a  b\n`c`</code></pre><ol start=3><li>a<li>b<ul><li>c</ul></ol>',
  ),
  'white space': story('<p>  a  <b> b </b>  c<br> d </p>\n\n<p> <i> </i> </p>'),
  'a base and references': story(
    '<base href=/other/><a href="x">x</a><blockquote cite=y>q</blockquote><img src=z alt="[p]">',
  ),
  'fonts and centres': story('<center><font size=7>a</font></center><h1>t</h1><h2>b</h2>'),
  'a form': story('<form><input value=a><select><option>b</select><textarea>\n c</textarea></form>'),
  'no end': `<div><p>${sentence.repeat(3)}<a href="unfinished`,
};

describe('Markdown of the main content', () => {
  const ours = (html: string) =>
    readDocument({ content: Buffer.from(html), contentType: null, charset: 'utf-8', base: BASE, markdown: LIMIT });
  const theirs = (html: string) => {
    const page = () => jsdomPage(html, RESOLVER);
    const content = oracleContent(page());
    if (content !== null) makeAbsolute((visit) => content.querySelectorAll('img').forEach(visit), RESOLVER);
    return oracleMarkdown(content ?? page().body).slice(0, LIMIT) || null;
  };

  it.each(Object.entries(odd))(
    'equals that of jsdom, Readability and Turndown for a page with %s',
    async (_what, html) => {
      expect((await ours(html)).markdown).toBe(theirs(html));
    },
  );

  it.each(made)('equals that of jsdom, Readability and Turndown except for white space: $path', async ({ bytes }) => {
    const html = bytes.toString();
    expect(collapsed((await ours(html)).markdown)).toBe(collapsed(theirs(html)));
  });
});

/** Splits a list of expressions at ` ; `. */
const listed = (text: string) => text.split(' ; ');

/** The path from the root to a node, the same for our nodes and for those of jsdom. */
function wayTo(node: Node | TreeNode | Attr): string {
  if (node.nodeType === 2) {
    const { ownerElement, name, value } = node as Attr;
    return `${wayTo(ownerElement!)}@${name}=${value}`;
  }
  const { parentNode } = node as Node;
  if (parentNode === null) return '';
  return `${wayTo(parentNode)}/${[...parentNode.childNodes].indexOf(node as ChildNode)}`;
}

const page = `<!doctype html><html lang=en><head><title>t</title><link rel=NEXT href=/n></head><body class="a B">
  <!-- c --><h1 id=top class="a b">one <em>two</em></h1><p class=a>x<p class="b a" data-n=1>y<a href=/l rel="next nofollow">z</a><p>
  <table><tr><td>1<td class=a>2<tr><td>3<td>4<td></table><ul><li>a<li class=b>b<ul><li>c<li>d</ul><li>e</ul>
  <div id=d><span></span><div><p lang=de-AT>deep<a name=n>no link</a></p><!-- c --></div><input type=TEXT checked disabled></div>
  <svg><linearGradient id=g></linearGradient></svg><pre>end</pre></body></html>`;

describe('a page with every kind of element', () => {
  const { window } = new JSDOM(page);
  const tree = parseTree(page);
  afterAll(() => window.close());

  it.each(
    listed(
      '* ; p ; P ; h1, p ; .a ; .a.b ; #top ; [class] ; [class=a] ; [class~=a] ; [data-n="1"] ; [lang|=de] ; ' +
        '[href^="/"] ; [href$="/l"] ; [href*="/"] ; [class=B i] ; a[rel~=next] ; [rel=next] ; [type=text] ; ' +
        '[href^=""] ; body p ; body > p ; h1 + p ; h1 ~ p ; ul li li ; ul > li > ul > li ; table td + td ; ' +
        'div p a ; li ~ li li ; :root ; :empty ; p:first-child ; li:last-child ; :only-child ; p:first-of-type ; ' +
        'td:last-of-type ; a:only-of-type ; :link ; a:any-link ; li:nth-child(2) ; li:nth-child(odd) ; ' +
        'td:nth-last-child(1) ; td:nth-child(-n+2) ; p:nth-of-type(2n+1) ; p:nth-last-of-type(2) ; ' +
        'td:nth-child(n) ; td:nth-child(0n+3) ; p:not(.a) ; :is(h1, pre) ; p:where(.a, .b) ; p:not(.a, .b) ; ' +
        'ul:has(ul) ; p:has(> a) ; h1:has(+ p) ; p:has(~ table) ; div:has(div p a) ; li:not(:has(li)) ; ' +
        'div:has(> div > p) ; body :is(div > p, td.a)',
    ),
  )('selector %s selects the elements that jsdom selects', (selector) => {
    expect(canSelect(selector)).toBe(true);
    const theirs = [...window.document.querySelectorAll(selector)];
    expect(selectAll(tree, selector).map(wayTo)).toEqual(theirs.map(wayTo));
  });

  it.each(['p:lang(de)', 'input:checked', ':disabled', '#\\74 op', 'li:nth-child(1 of .b)'])(
    'selector %s, which our tree does not support, is evaluated by jsdom',
    async (selector) => {
      expect(canSelect(selector)).toBe(false);
      const extraction = { name: 'x', language: 'css', expression: selector, take: 'html', all: false } as const;
      const asked = { content: Buffer.from(`${page} `), contentType: null, charset: 'utf-8', base: BASE };
      const { values } = await readDocument({ ...asked, extractions: [{ ...extraction, take: '@id' }, extraction] });
      const element = window.document.querySelector<Element>(selector);
      expect(values['x'] ?? '').toBe(
        [element?.id ?? '', element?.innerHTML ?? ''].filter((value) => value !== '').join('\t'),
      );
    },
  );

  it.each(
    listed(
      '//p ; //p/text() ; //* ; //text() ; //comment() ; //@* ; //@class ; //p[1] ; //li[last()] ; //p[a] ; ' +
        '//p[@class] ; //p[@class="a"]/@class ; //*[contains(@class, "a")] ; //ul//li ; //li//li ; /html/body/p ; ' +
        '//td[2] ; //td[position() > 1] ; //tr[td[3]] ; //p | //h1 ; //a/.. ; //a/ancestor::* ; //li[.="c"] ; ' +
        '//h1/following-sibling::p[1] ; //table/preceding::p ; //li[count(ul) = 1] ; //li[count(ul)] ; ' +
        'id("top")/em ; //*[@id="d"]//p[not(@class)] ; //div[.//a] ; //p[true()] ; //p[@data-n + 0] ; ' +
        '//p[string-length(.) > 1] ; //ul/descendant-or-self::li[2] ; //body//*[self::p or self::pre] ; ' +
        '//input/@type ; //P ; .//em',
    ),
  )('XPath %s selects the nodes that jsdom selects', (expression) => {
    const result = window.document.evaluate(expression, window.document, null, 0, null);
    const theirs: string[] = [];
    for (let node = result.iterateNext(); node !== null; node = result.iterateNext()) theirs.push(wayTo(node));
    expect([...pickByXPath(tree, expression)].map((node) => wayTo(node as TreeElement))).toEqual(theirs);
  });

  it.each([
    'count(//p)',
    'string(//h1)',
    'sum(//td[. != ""])',
    'boolean(//q)',
    'normalize-space(//p[2])',
    'concat(//td, "x")',
  ])('XPath %s evaluates to the string that jsdom returns', (expression) => {
    const { window: other } = new JSDOM(page);
    const result = other.document.evaluate(`string(${expression})`, other.document, null, 0, null);
    expect([...pickByXPath(tree, expression)]).toEqual([result.stringValue]);
  });
});

describe('our tree where jsdom deviates from the standard', () => {
  it.each([
    [
      'moves text inside a table before the table (foster parenting)',
      story('<table>lost<tr><td>a<td>b</table>'),
      /^lost\n\n\| a \| b \|/,
    ],
    ['reads names of CSS properties in any letter case', story('<p style="DISPLAY : NONE">unseen<p>seen'), /^seen/],
  ])('%s', async (_what, html, expected) => {
    const asked = { content: Buffer.from(html), contentType: null, charset: 'utf-8', base: BASE, markdown: LIMIT };
    expect((await readDocument(asked)).markdown).toMatch(expected);
  });

  it.each([
    ['<p class="A b" id=C>', ['.a.B', '#c']],
    ['<!doctype html><p class="A b" id=C>', ['.A.b', '#C']],
  ])('matches classes and ids case-insensitively in quirks mode only: %s', (html, selectors) => {
    const tree = parseTree(html);
    for (const selector of selectors) expect(selectAll(tree, selector)).toHaveLength(1);
    expect(selectAll(tree, '.a.b, #c')).toHaveLength(html.startsWith('<!') ? 0 : 1);
  });

  it.each([
    ['(//td)[2]', ['2']],
    ['(//li)[last()]', ['e']],
  ])('XPath %s selects one node', (expression, texts) => {
    expect([...pickByXPath(parseTree(page), expression)].map((node) => (node as TreeElement).textContent)).toEqual(
      texts,
    );
  });
});

/** Sections of XPath 1.0. */
describe('XPath where jsdom deviates from the standard', () => {
  const html = '<p class=a>1<p>2<p class=b>3<p class="">4</p><svg><title>5</title></svg><input name=n>';

  it.each([
    ['//p[@class != "a"]', ['3', '4']],
    ['//p[not(@class != "a")]', ['1', '2']],
    ['//p[@class = ""]', ['4']],
    ['//p[@class and @class != "a" and text() != "4"]', ['3']],
    ['//body[q != 1 or p/@class != 2]/p[1]', ['1']],
    ['//p[. != "1"][1]', ['2']],
    ['//q != "a"', ['false']],
  ])('compares only nodes that there are (3.4): %s', (expression, texts) => {
    const picked = [...pickByXPath(parseTree(html), expression)];
    expect(picked.map((one) => (typeof one === 'string' ? one : one.textContent))).toEqual(texts);
  });

  it.each([
    ['//*[name() = "title"]', ['5']],
    ['//*[name()="svg"]/*[local-name()="title"]', ['5']],
    ['//*[local-name(.) = "p"][1]', ['1']],
    ['name(//@*)', ['class']],
    ['name(//input)', ['input']],
  ])('has the names of elements (4.1): %s', (expression, texts) => {
    const picked = [...pickByXPath(parseTree(html), expression)];
    expect(picked.map((one) => (typeof one === 'string' ? one : one.textContent))).toEqual(texts);
  });
});

describe('hostile selectors and styles', () => {
  const values = (html: string, selector: string) =>
    readDocument({
      content: Buffer.from(html),
      contentType: null,
      charset: 'utf-8',
      base: BASE,
      extractions: [{ name: 'x', language: 'css', expression: selector, take: 'text', all: true }],
    });

  it.each([
    ['a chain of descendants over nested elements', '<i>'.repeat(900), `u ${'i '.repeat(40)}i`],
    ['a chain of siblings over adjacent elements', '<i></i>'.repeat(900), `u ~ ${'i ~ '.repeat(40)}i`],
    [
      'chains of descendants and siblings together',
      '<i><b></b><b></b>'.repeat(400),
      `u > ${'i i > b + b ~ i '.repeat(10)}i`,
    ],
    ['an of-type position among 20,000 element names', names(20_000), 'body > :last-of-type'],
  ])('complete without a match: %s', async (_what, html, selector) => {
    expect((await values(html, selector)).values).toEqual({});
  });

  it('leave the main content readable when comments, quotes and brackets never close', async () => {
    const styles = ['/*', '"', "'", '\\', '(', ';', ':', '!'].map((part) => `display:x${part.repeat(200_000)}`);
    const html = story(styles.map((style) => `<p style='${style.replaceAll("'", '&#39;')}'>x`).join(''));
    const asked = { content: Buffer.from(html), contentType: null, charset: 'utf-8', base: BASE, markdown: LIMIT };
    expect((await readDocument(asked)).markdown).toContain(sentence.trim());
  });
});

/** Elements with distinct names, except that the last has the name of the first. */
function names(n: number): string {
  return `${Array.from({ length: n }, (_, at) => `<x${at % (n - 1)}></x${at % (n - 1)}>`).join('')}<script></script>`;
}

it('a page with a million nested elements is refused', async () => {
  const content = Buffer.from('<div>'.repeat(1_000_000));
  const asked = { content, contentType: null, charset: 'utf-8', base: BASE, markdown: LIMIT };
  await expect(readDocument(asked)).rejects.toThrow('more than 10000 elements are nested');
});
