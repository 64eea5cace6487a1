import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { describe, expect, it } from 'vitest';
import type { TreeElement } from '../../../src/core/tree/element.js';
import type { TreeNode } from '../../../src/core/tree/node.js';
import { PageBudget } from '../../../src/core/tree/page-budget.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

/** The tree of a page is that of the HTML standard, as parse5 builds it from its own nodes. */

/** A node with its descendants, one per line, in the format of the html5lib tests. */
function written(line: string, children: readonly string[]): string {
  return [line, ...children.map((child) => child.replaceAll(/^/gm, '  '))].join('\n');
}

const elementLine = (name: string, namespace: string, attributes: string[]) =>
  `<${name} ${namespace}> ${attributes.sort().join(' ')}`;
const text = (value: string) => JSON.stringify(value);

function oursOf(node: TreeNode): string {
  const children = node.childNodes.map(oursOf);
  const { localName, namespaceURI, attributes, content } = node as TreeElement;
  switch (node.nodeType) {
    case 1:
      if (content) children.unshift(oursOf(content));
      return written(
        elementLine(
          localName,
          namespaceURI,
          attributes.map((one) => `${one.namespaceURI ?? ''} ${one.name}=${text(one.value)}`),
        ),
        children,
      );
    case 3:
      return text(node.textContent);
    case 8:
      return `<!--${text(node.textContent)}`;
    case 10: {
      const { name, publicId, systemId } = node as unknown as DocumentType;
      return `<!${name} ${publicId} ${systemId}`;
    }
    default:
      return written(node.nodeName, children);
  }
}

function theirsOf(node: DefaultTreeAdapterTypes.Node): string {
  const children = 'childNodes' in node ? node.childNodes.map(theirsOf) : [];
  if ('content' in node) children.unshift(theirsOf(node.content));
  if ('tagName' in node)
    return written(
      elementLine(
        node.tagName,
        node.namespaceURI,
        node.attrs.map(
          ({ name, value, prefix, namespace }) =>
            `${namespace ?? ''} ${prefix ? `${prefix}:${name}` : name}=${text(value)}`,
        ),
      ),
      children,
    );
  if ('value' in node) return text(node.value);
  if ('data' in node) return `<!--${text(node.data)}`;
  if ('publicId' in node) return `<!${node.name} ${node.publicId} ${node.systemId}`;
  return written(node.nodeName, children);
}

const ours = (html: string) => oursOf(parseTree(html));
const theirs = (html: string) => theirsOf(parse(html, { scriptingEnabled: false }));

/** The same numbers for the same seed. */
function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
}

describe.each<[string, string[]]>([
  [
    'misnested formatting elements',
    [
      '<p>1<b>2<i>3</b>4</i>5</p>',
      '<a>1<div>2<div>3</a>4</div>5</div>',
      '<b><b><b><b>x</b></b></b></b>y',
      '<p><b><b><b><b><p>x',
      '<a href=1>a<a href=2>b',
      '<a><table><td><a><table></table><a></tr><a></table><b>X</b>C<a>Y',
      '<b>1<i>2<p>3</b>4',
      '<nobr>a<nobr>b',
      '<font><p>hello<b>cruel</font>world',
      '<b><em><foo><foo><foo><aside></b></em>x',
      '<cite><b><cite><i><cite><i><cite><i><div>X</b>TEST',
      '</strong></b></em></i></u></strike>x</p></br>y',
    ],
  ],
  [
    'tables with content that is not allowed in them',
    [
      '<table>a<tr>b<td>c</table>d',
      '<table><a>1<p>2</a>3</p>',
      '<table><td>a<th>b<tr><td>c<tbody><tr><td>d',
      '<table><caption>a<tr><td>b',
      '<table><col><colgroup span=2><col><tr><td>',
      '<table><input type=hidden><input type=text><form><tr><td><input></form>x',
      '<table><style>p{}</style><script>1</script><tr><td>',
      '<table><tr><td><table><tr><td>a</table>b',
      '<table><b><tr><td>aaa</td></tr>bbb</table>ccc',
      '<table>\n <tr>\n <td> x </td> y </tr> </table>',
      '<table><select><option>a</table>b',
      '<tr><td>a',
      '<!doctype html><p><table>',
      '<p><table>',
    ],
  ],
  [
    'elements that close others, and void elements',
    [
      '<p>a<p>b<div>c<p>d</div>e',
      '<ul><li>a<li>b<ul><li>c</ul><li>d</ul>',
      '<dl><dt>a<dd>b<dt>c<dd><p>d<dt>e',
      '<h1>a<h2>b</h3>c',
      '<p>a<hr>b<br/>c</br>d<img src=x>e<wbr>f<embed><area><keygen><image src=y>',
      '<input></input>x<br></br>y<link></link>',
      '<button>a<button>b<p>c</button>d',
      '<option>a<option>b<optgroup>c<option>d',
      '<select><option>a<select><option>b<input>c',
      '<ruby>a<rb>b<rt>c<rtc>d<rp>e</ruby>',
      '<form>a<form>b</form>c</form>',
      '<pre>\n\na</pre><textarea>\n\nb</textarea><listing>\nc',
      '<div/>a<span/>b',
      '</p>a</div>b</foo>',
    ],
  ],
  [
    'head, body and frameset',
    [
      '',
      'x',
      ' \n x',
      '<title>a<b>c</title>d',
      '<head><p>a</head>b',
      '<html a=1><html a=2 b=3><body c=1><body c=2 d=3>x',
      '<body>a</body>b</html>c<!--d-->',
      '<html></html><!--a-->',
      '<!--a--><!doctype html><!--b--><html><!--c--><head><!--d--></head><!--e--><body><!--f-->',
      '<frameset><frame><frameset><frame></frameset></frameset>x<noframes>y',
      '<body><frameset>',
      '<p><frameset>',
      '<noscript><p>a</noscript><p>b<noscript><img></noscript>',
      '<head><noscript><link><p>a</noscript>b',
      '<style>a<!--</style>b--></style><script><!--<script></script>--></script>x',
      '<meta charset=x></head><link><base><title>a</title><p>',
      '<!doctype html public "-//W3C//DTD HTML 3.2//EN" "x"><p><table>',
      '<plaintext>a</plaintext><b>',
      '<xmp><b>a</xmp><noembed><b>c</noembed><iframe><b>d</iframe>',
    ],
  ],
  [
    'templates',
    [
      '<template><p>a<b>c</template>d',
      '<table><template><tr><td>a</template><tr><td>b',
      '<template><tr><td>a</template><template><col></template>',
      '<head><template><title>a</template></head>b',
      '<template><template>a</template>b</template>c',
      '<template>unclosed<div>',
      '</template>a<template></p>b',
    ],
  ],
  [
    'SVG and MathML',
    [
      '<svg viewbox="0 0 1 1"><lineargradient gradientunits=x></lineargradient><foreignobject><p>a<div>b</foreignobject></svg>c',
      '<svg><a xlink:href=x xml:lang=de xmlns:xlink=y>b</a><title>c<p>d</title></svg>',
      '<svg><p>a',
      '<svg><![CDATA[a<b>]]></svg><![CDATA[c]]>',
      '<math><mi>a<mglyph>b<p>c</mi><annotation-xml encoding=text/html><p>d</annotation-xml>',
      '<math definitionurl=x><mtext><svg><desc><b>a',
      '<svg><font>a<font color=x>b',
      '<svg><script>1<2</script><style>a<b></style></svg>',
      '<table><svg><tr><td>a',
      '<svg/>a<math/>b',
      '<SVG><LinearGradient ID=g></SVG>',
    ],
  ],
  [
    'characters, references and attributes',
    [
      '&amp;&lt;&copy;&copyx;&notit;&notin;&#65;&#x41;&#0;&#x80;&#xD800;&#x110000;&unknown;&',
      '<a href="?a=1&copy=2&amp;b&lt" title=\'&quot;"\' x y= z = "&#10;">',
      '<p a=1 A=2 a=3 b=4>',
      '<p "a=1 <b=2 c\'d=3 =e /f>',
      'a\u0000b<p\u0000c d\u0000=e>\u0000</p\u0000>',
      'a\r\nb\rc<p title="d\r\ne">',
      '<!--a--!>b<!-->c<!--->d<!-- -- >e--><!x>f<?y>g</ h>i</>',
      '<a<b>c<1>d< e>f',
      '<p\ttitle\n=\fa>',
      '\ufeff<p>\u{1f600}\ud800x',
      '<div id=unfinished title="x',
      '<p>a</p',
      '<textarea>a</textare>b&amp;<b></textarea>c<title>x&amp;</title>',
    ],
  ],
  [
    'tags and texts that are scanned in one step, and variants of them',
    [
      '<pre>\n\nx</pre><textarea>\n y</textarea><listing>\r\nz</listing><pre>&#10;\n a',
      '<table> a <tr> b c <td> d e </table> f',
      '<select> a <option>b c</select> d',
      '<colgroup> a <col> b',
      ' a <head> b <title> c </title> d </head> e ',
      'x</body> a b </html> c <p> d',
      '<frameset> a <frame> b</frameset> c ',
      '<a\nhref=x/y/>b</a >c</a\t><br/ ><br / ><br\n/>',
      '<p a=b"c d=\'e\'f g="h"i><p a= b><p a=><p a=`b`><p a==b><p =a>',
      '<X-Y z:w=1 data-a_b.c=2>a</X-Y><x_y>b</x_y><\u212a>c',
      `<p ${Array.from({ length: 40 }, (_, at) => `a${at % 30}=${at}`).join(' ')}>`,
      '<p a a=1 b="x\u0000" c="&amp;" d=\'\'>',
      '<script>a && b < c <!-- <script> d </script> --></script> e <style> f &amp; </style>',
      '\u{1f600}&amp;\u{1f600} \u{1f600}<b>\ud800 \udc00</b>\ud800',
      '<noscript> a <p>b</noscript> c<plaintext> d <p> &amp; e',
      '<svg> a <g viewBox="0 0 1 1"> b <![CDATA[ c < d ]]></g></svg> e',
      'a <!-- b --> c <!doctype x> d <?e?> f',
    ],
  ],
])('the tree of %s', (_what, pages) => {
  it.each(pages)('equals that of parse5: %j', (html) => {
    expect(ours(html)).toBe(theirs(html));
  });
});

describe('the trees of random pages', () => {
  const pieces = (
    'a| |\n|\r\n|\u0000|&amp;|&lt|&#10;|\u{1f600}|b c|<|>|"|=|/|<p>|</p>|<b>|</b>|<a href=x>|<a title="y &amp; z" id=q>|</a>|<div class="a b">|</div>|<P ID=\'r\'>|' +
    '<br/>|<pre>|</pre>|<table>|<tr>|<td>|</td>|</table>|<select>|<option>|</select>|<svg>|<g/>|</svg>|<math>|<mi>|</math>|<script>|</script>|<textarea>|' +
    '</textarea>|<template>|</template>|<!-- c -->|<li>|<ul>|</ul>|<h1>|</h1>|<form>|</form>|<input x y=1>|<body z=1>|</body>|</html>|<caption>|<col>|<nobr>'
  ).split('|');

  it.each(Array.from({ length: 20 }, (_, at) => at * 100))('equal those of parse5 from seed %i', (first) => {
    for (let seed = first; seed < first + 100; seed++) {
      const next = numbersFrom(seed + 1);
      const html = Array.from({ length: 3 + (next() % 40) }, () => pieces[next() % pieces.length]!).join('');
      expect(ours(html), JSON.stringify(html)).toBe(theirs(html));
    }
  });
});

describe('the depth of a tree', () => {
  it('is at most 1,000 elements with a budget, and 10,000 open ones without; a deeper page is refused', () => {
    const deep = (n: number, budget?: PageBudget) => parseTree(`${'<div>'.repeat(n)}x`, budget);
    for (const [n, budget] of [[998, new PageBudget(Infinity)], [9_998]] as const) {
      expect(deep(n, budget).getElementsByTagName('div')).toHaveLength(n);
      expect(() => deep(n + 1, budget)).toThrow(`more than ${n + 2} elements are nested`);
    }
  });

  it.each([
    ['misnested formatting', '<p><b><i>x</b>y</i></p>'],
    ['formatting reopened in each paragraph', '<p><b>x</p></b>'],
    ['nested links', '<div><a>x<a>y</div>'],
    ['tables with misplaced content', '<table><a><b>x<tr><td>y</table></a></b>'],
    ['templates', '<template><tr><td><b></template>'],
    ['SVG in HTML', '<svg><g><path></svg><math><mrow></math>'],
    ['selects', '<select><option><optgroup><option></select>'],
  ])('does not count closed elements: a page of %s', (_what, part) => {
    expect(() => parseTree(part.repeat(3_000))).not.toThrow();
  });
});

describe('changes of a tree', () => {
  const texts = (node: TreeNode) => node.childNodes.map(({ textContent }) => textContent);
  const [a, b, c] = ['a', 'b', 'c'];
  const list = () => {
    const ul = parseTree('<ul><li>a<li>b<li>c').querySelector('ul')!;
    return { ul, li: [...ul.children] as [TreeElement, TreeElement, TreeElement] };
  };

  it.each<[string, string[], (at: ReturnType<typeof list>) => unknown]>([
    ['appended', [b, c, a], ({ ul, li }) => ul.appendChild(li[0])],
    ['inserted before another', [c, a, b], ({ ul, li }) => ul.insertBefore(li[2], li[0])],
    ['inserted before itself', [a, b, c], ({ ul, li }) => ul.insertBefore(li[1], li[1])],
    ['inserted where it is', [a, b, c], ({ ul, li }) => ul.insertBefore(li[0], li[1])],
    ['removed', [a, c], ({ ul, li }) => ul.removeChild(li[1])],
    ['replaced by the next one', [a, c], ({ ul, li }) => ul.replaceChild(li[2], li[1])],
    ['replaced by itself', [a, b, c], ({ ul, li }) => ul.replaceChild(li[1], li[1])],
    ['copied', [a, b, c, b], ({ ul, li }) => ul.appendChild(li[1].cloneNode(true))],
    ['rewritten by innerHTML', [a, 'x', c], ({ li }) => (li[1].innerHTML = '<b>x')],
    ['emptied by textContent', [a, '', c], ({ li }) => (li[1].textContent = '')],
  ])('a child %s leaves %j', (_what, expected, change) => {
    const at = list();
    expect(at.ul.textContent).toBe('abc');
    change(at);
    expect(texts(at.ul)).toEqual(expected);
    expect(at.ul.textContent).toBe(expected.join(''));
    expect(at.ul.lastChild!.nextSibling).toBeNull();
    expect(at.ul.children.map(({ previousElementSibling: before }) => before?.textContent ?? null)).toEqual([
      null,
      ...expected.slice(0, -1),
    ]);
  });
});

it('two elements that are made of one tag have attributes of their own (HTML §13.2.6.4.7, adoption agency)', () => {
  const [first, second] = parseTree('<p><b class=x>a<p>b').querySelectorAll('b');
  first!.setAttribute('class', 'y');
  expect([first, second].map((element) => element!.getAttribute('class'))).toEqual(['y', 'x']);
  expect([first, second].map((element) => element!.getAttributeNode('class')!.ownerElement)).toEqual([first, second]);
});

describe('elements that are nested deeper than 1,000', () => {
  const deep = (inner: string) => parseTree('<div>'.repeat(3_000) + inner);
  const depthOf = (node: TreeNode): number => (node.parentNode ? 1 + depthOf(node.parentNode) : 0);
  const depths = (tree: ReturnType<typeof parseTree>) => [
    ...new Set(tree.querySelectorAll('*').map((element) => depthOf(element))),
  ];

  it('become siblings, as in browsers', () => {
    const tree = deep('<p>text<a href=/x>link');
    expect(Math.max(...depths(tree))).toBeLessThanOrEqual(1_001);
    expect(tree.querySelectorAll('div')).toHaveLength(3_000);
    expect(tree.querySelector('a')!.getAttribute('href')).toBe('/x');
  });

  it.each([
    ['before, in and after elements', 'a<b>b<i>c</i>d</b>e<p>f</p>g', 'abcdefg'],
    ['after their end tags', 'a</div>b</div>c<div>d', 'abcd'],
    ['in tables, where it may be put before them', '<table>a<tr><td>b<td>c</table>d', 'abcd'],
  ])('keep text in order: %s', (_what, inner, expected) => {
    expect(deep(inner).documentElement!.textContent).toBe(expected);
  });

  it('keep the content of scripts, styles and templates in them', () => {
    const tree = deep('a<script>1 < 2</script>b<style>c{}</style><template><p>t</template>d<textarea>e</textarea>');
    const texts = ['script', 'style', 'textarea'].map((name) => tree.querySelector(name)!.textContent);
    expect(texts).toEqual(['1 < 2', 'c{}', 'e']);
    expect(tree.querySelector('template')!.content!.textContent).toBe('t');
  });

  it('are no deeper with formatting elements that are closed in another order (adoption agency, HTML §13.2.6.4.7)', () => {
    expect(Math.max(...depths(deep('<b><p>'.repeat(1_000) + '</b>'.repeat(1_000))))).toBeLessThan(1_100);
    expect(Math.max(...depths(deep('<a><div></a><i><p></i>'.repeat(1_000))))).toBeLessThan(1_100);
  });
});
