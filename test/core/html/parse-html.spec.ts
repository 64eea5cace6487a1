import fc from 'fast-check';
import { JSDOM } from 'jsdom';
import { describe, expect, it } from 'vitest';
import type { HtmlOptions } from '../../../src/core/html/html-collector.js';
import { HTML_OPTIONS, parseHtml } from '../../../src/core/html/parse-html.js';
import { unicodeText } from '../../support/unicode-text.js';

const URL_OF_PAGE = 'http://site.example/dir/page.html';
const parse = (html: string, options: Partial<HtmlOptions> = {}) =>
  parseHtml(html, URL_OF_PAGE, { ...HTML_OPTIONS, ...options });
const urls = (html: string, options: Partial<HtmlOptions> = {}) => parse(html, options).links.map(({ url }) => url);

const documents: readonly (readonly [name: string, html: string])[] = [
  [
    'an article',
    `<!doctype html><html lang="en"><head><title>An  article &amp; more</title><meta charset=utf-8>
     <link rel=stylesheet href="/s.css"><script src="a.js">var x = "<a href='no'>no</a>"; if (a < b) {}</script>
     <style>p > a { color: red }</style></head><body><h1>Head<em>line</em></h1><p>First <b>par</b>agraph
     with a <a href="one.html">first   link</a>, then<br>a line.<p>Second &mdash; <a href='../two.html?a=1&amp;b=2'>sec<i>ond</i></a>.
     <ul><li>eins<li>zwei <a href=three>drei</a></ul><!-- <a href="no">no</a> --></body></html>`,
  ],
  [
    'tables and images',
    `<body><table><tr><td>one<td>two<tr><td><a href="/x"><img src="p.png" alt="a picture"></a><td>four</table>
     <map><area href="//other.example/y" alt="area"></map><iframe src="frame.html"></iframe><video><source src=v.mp4></video></body>`,
  ],
  [
    'a base element after its links',
    `<head><base target=_blank><base href="http://base.example/b/"><base href="http://no.example/"></head>
     <a href="rel">r</a><a href="/abs">a</a><a href="?q">q</a><a href="">self</a><a href="#frag">f</a>`,
  ],
  [
    'broken markup',
    `<a href=un"quoted>x</a <b>bold</i></b><a href="open>no end</a><p title=">">text</p><a href='a\nb\tc'>split</a>
     <a href=" /spaces ">s</a><a HREF="/CAPS">c</a><a href="/first" href="/second">twice</a>" after <a href="/later">later</a>`,
  ],
  [
    'entities',
    `<p>&lt;tag&gt; &copy; &#8364; &#x41; &nosuch; &ampersand &quot;q&quot;&nbsp;x</p><a href="/?a=1&copy=2&amp;b=&lt;">e &eacute;</a>`,
  ],
  [
    'foreign content',
    `<title>page</title><svg><title>tip</title><a href="/svg">in svg</a><style>not text</style></svg><p>after <math><mi>x</mi></math> end</p>`,
  ],
];

const inline = new Set(
  'a abbr b bdi bdo cite code em font i kbd mark q s samp small span strong sub sup u var math mi'.split(' '),
);

/** The text of a tree: inline elements join their text, any other element separates it, as do links side by side. */
function oracleText(node: Node): string {
  if (node.nodeType === 3) return node.nodeValue ?? '';
  const name = node.nodeName.toLowerCase();
  if (['script', 'style', 'iframe', '#comment'].includes(name)) return ' ';
  const inside = [...node.childNodes].map(oracleText).join('');
  const between = name === 'a' && node.previousSibling?.nodeName === 'A' ? ' ' : '';
  return inline.has(name) ? between + inside : ` ${inside} `;
}

const collapse = (text: string) => text.replace(/[\s\u00a0]+/g, ' ').trim();

describe('a page parsed in one pass', () => {
  it.each(documents)('has the links, title, text and base that jsdom finds: %s', (_, html) => {
    const page = parse(html);
    const { document } = new JSDOM(html, { url: URL_OF_PAGE }).window;
    const expected = [
      ...document.querySelectorAll(
        'a[href],area[href],frame[src],iframe[src],script[src],link[href],img[src],source[src]',
      ),
    ].map((element) => {
      const reference = element.getAttribute('href') ?? element.getAttribute('src') ?? '';
      const alt = element.matches('img')
        ? element.getAttribute('alt')
        : element.querySelector('img')?.getAttribute('alt');
      return {
        url: URL.parse(reference, document.baseURI)?.href,
        anchor: (element.matches('a') ? collapse(oracleText(element)) : '') || (alt ?? ''),
      };
    });
    expect(page.links).toEqual(expected);
    expect(page.title).toBe(collapse(document.title));
    expect(collapse(page.text)).toBe(collapse(oracleText(document.documentElement)));
    expect(page.base).toBe(document.baseURI);
  });
});

describe('the text of a page', () => {
  it('joins words across inline markup and separates them across blocks and cells', () => {
    const html =
      '<p>H<sub>2</sub>O is <b>w</b>ater.</p><div>next</div>line<table><tr><td>a<td>b<tr><td>c</table><br>end';
    expect(parse(html).text).toBe('H2O is water.\nnext\nline\na b\nc\nend');
  });

  it.each([
    ['<a href=1>Home</a><a href=2>News</a><a href=3 rel=nofollow>Login</a>', 'Home News Login'],
    ['<a href=1>Home<a href=2>News', 'Home News'],
    ['<a href=1>wo</a>rd, wo<a href=2>rd</a>', 'word, word'],
    ['wo<a name=n></a>rd, <a href=1>wo</a><a id=i></a>rd, wo<a href=1></a><a href=2>rd</a>', 'word, word, word'],
  ])('separates links side by side, and joins a link to the text beside it (E7): %s', (html, text) => {
    expect(parse(html).text).toBe(text);
  });

  it('begins with the title on a line of its own', () => {
    expect(parse('<title> T </title><body>b').text).toBe('T\nb');
  });

  it('leaves out scripts, styles, noframes, iframes and comments', () => {
    const html = '<script>s</script><style>s</style><noframes>n</noframes><iframe>i</iframe><!-- c --><![CDATA[d]]>t';
    expect(parse(html).text).toBe('t');
  });

  it.each([
    ['<template>t<template>t</template>t</template>x', 'x'],
    ['<template><script>s</script>t</template>x', 'x'],
    ['<template/>t</template>x', 'x'],
    ['</template><template>t</template>x', 'x'],
    ['<template><title>t</title></template><title>x</title>', 'x'],
  ])('leaves out template elements: %s', (html, text) => {
    expect(parse(html).text).toBe(text);
  });

  it('includes the text and links of noscript', () => {
    expect(parse('<noscript><a href="/n">plain</a></noscript>')).toMatchObject({
      text: 'plain',
      links: [{ url: 'http://site.example/n', anchor: 'plain' }],
    });
  });

  it('replaces control characters and Unicode spaces by a space, lone surrogates by U+FFFD', () => {
    expect(parse('a\0b\u00a0c\u2003d\u0007e &#0; &#xD800; \ud800x').text).toBe('a b c d e \ufffd \ufffd \ufffdx');
  });

  it.each(['</script<a href=x', '</p <b', 'a</', 'a<', '<a href="x'])(
    'is complete when the document ends inside %s',
    (html) => {
      expect(parse(`begin ${html}`).text).toMatch(/^begin( a<\/?)?$/);
    },
  );

  it('is cut at its limit, never inside a character', () => {
    expect(parse('abcdef ghi', { maxText: 8 }).text).toBe('abcdef g');
    expect(parse('abcdef ghi', { maxText: 7 }).text).toBe('abcdef');
    expect(parse('abc😀', { maxText: 4 }).text).toBe('abc');
  });

  it('takes the first title outside SVG, even unclosed, cut at 1000 characters', () => {
    expect(parse('<svg><title>tip</title></svg><title>one</title><title>two</title>').title).toBe('one');
    expect(parse('<title>never closed').title).toBe('never closed');
    expect(parse(`<title>${'t'.repeat(2000)}</title>`).title).toHaveLength(1000);
  });
});

describe('the links of a page', () => {
  it('leave out references that are invalid or not fetchable', () => {
    const html = [
      'javascript:void(0)',
      ' JavaScript:x',
      'mailto:a@b',
      'data:text/html,x',
      'tel:1',
      'http://[bad',
      'http://h:x/',
    ]
      .map((href) => `<a href="${href}">x</a>`)
      .join('');
    expect(urls(html)).toEqual([]);
  });

  it.each([
    ['nofollow', []],
    ['NoFollow', []],
    ['external nofollow noopener', []],
    ['nofollowed', ['http://site.example/x']],
    ['', ['http://site.example/x']],
  ])('with rel="%s" are %j', (rel, found) => {
    expect(urls(`<a rel="${rel}" href="/x">x</a>`)).toEqual(found);
  });

  it.each([
    [['img'], ['http://site.example/a']],
    [['a'], ['http://site.example/i.png']],
    [['a', 'img'], []],
  ])('leave out those of ignored elements %j', (ignored, expected) => {
    expect(urls('<a href=/a><img src=/i.png></a>', { ignoredTags: new Set(ignored) })).toEqual(expected);
  });

  it.each([
    ['', true, ['http://site.example/f']],
    ['method=get', true, ['http://site.example/f']],
    ['method=POST', true, []],
    ['', false, []],
  ])('of form "%s" with use_action %s are %j', (method, formActions, found) => {
    expect(urls(`<form action="/f" ${method}>text</form>`, { formActions })).toEqual(found);
  });

  it('end an anchor where the next begins, and use alt as the anchor of an image', () => {
    const html =
      '<a href=1>one<a href=2>two</a> rest <a href=3><img src=p alt=" a  picture "></a><a href=4><img alt=x>text</a>';
    expect(parse(html).links.map(({ anchor }) => anchor)).toEqual(['one', 'two', 'a picture', 'a picture', 'text']);
  });

  it('have anchors of one line, whatever blocks are inside', () => {
    const html =
      '<a href=1><h3>Head</h3> <p>text</p></a><a href=2>a<br>b</a><a href=3> two\n words </a><a href=4><div>';
    expect(parse(html).links.map(({ anchor }) => anchor)).toEqual(['Head text', 'a b', 'two words', '']);
  });

  it('have anchors of at most 100 characters', () => {
    expect(parse(`<a href=/x>${'ab '.repeat(100)}</a>`).links[0]?.anchor).toBe(
      'ab '.repeat(34).slice(0, 100).trimEnd(),
    );
  });

  it('are at most maxLinks', () => {
    const all = Array.from({ length: 50 }, (_, n) => `<a href=/${n}>x</a>`).join('');
    expect(urls(all, { maxLinks: 7 })).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => `http://site.example/${n}`));
  });

  it('are not resolved against a base that is opaque, too long or inside noscript', () => {
    expect(parse('<base href="data:text/html,x">').base).toBe(URL_OF_PAGE);
    expect(parse('<base href="javascript:1">').base).toBe(URL_OF_PAGE);
    expect(parse(`<base href="/${'가'.repeat(2_000)}/">`).base).toBe(URL_OF_PAGE);
    expect(parse('<noscript><base href="/n/"></noscript><base href="/b/">').base).toBe('http://site.example/b/');
  });
});

describe('metadata that a page declares', () => {
  it.each([
    ['noindex', true, false],
    ['none', true, true],
    ['NOINDEX,NOFOLLOW', true, true],
    ['noindex nofollow', true, true],
    ['index, follow', false, false],
    ['max-image-preview:none', false, false],
    ['nofollow', false, true],
  ])('with robots "%s" has noindex %s and nofollow %s', (content, noindex, nofollow) => {
    const page = parse(`<meta name=robots content="${content}"><title>t</title><a href=/x>x</a>`);
    expect(page.robots).toMatchObject({ noindex, nofollow });
    expect([page.title, page.text]).toEqual(noindex ? ['', ''] : ['t', 't\nx']);
    expect(page.links).toHaveLength(nofollow ? 0 : 1);
  });

  it('is ignored inside a template, as are links', () => {
    const inside = `<html lang=t><base href="/t/"><title>t</title><meta name=robots content=none><link rel=canonical href="/t">
      <link rel=alternate hreflang=t href="/t"><meta http-equiv=refresh content="0;url=/t">`;
    const outside = '<base href="/x/"><title>x</title><link rel=canonical href="/x">';
    const options = { facts: new Set(['hreflang'] as const) };
    const page = parse(`<template><template></template>${inside}<a href=y></a></template>${outside}`, options);
    expect(page).toMatchObject({
      base: 'http://site.example/x/',
      canonical: 'http://site.example/x',
      title: 'x',
      language: null,
      refresh: null,
      robots: { noindex: false, nofollow: false },
    });
    expect(page.facts).toMatchObject({ alternates: [], metatags: new Map() });
    expect(page.links.map(({ url }) => url)).toEqual(['http://site.example/x']);
  });

  it('does not let a template end or replace the link around it', () => {
    const page = parse('<a href=/out>a<template><a href=/in>b</a><img src=/i><form action=/f></form></template>c</a>');
    expect(page.links).toMatchObject([{ url: 'http://site.example/out', anchor: 'ac' }]);
  });

  it('combines several robots meta elements', () => {
    expect(parse('<meta name=robots content=noindex><meta name=robots content=nofollow>').robots).toMatchObject({
      noindex: true,
      nofollow: true,
    });
  });

  it.each([
    ['0;url=/x', 0, '/x'],
    ["5; URL='/x y' junk", 5, '/x%20y'],
    ['3,url="/x', 3, '/x'],
    ['2 /x', 2, '/x'],
    ['7;/x', 7, '/x'],
    ['.5; url = /x', 0.5, '/x'],
  ])('contains the refresh "%s": after %d s to %s', (content, seconds, path) => {
    const html = `<meta http-equiv=refresh content="${content.replaceAll('"', '&quot;')}">`;
    expect(parse(html).refresh).toEqual({ seconds, url: `http://site.example${path}` });
  });

  it.each(['5', '', 'url=/x', '5url=/x', '0;url=javascript:1', '0;url=', '-1;url=/x'])(
    'ignores refresh "%s"',
    (content) => {
      expect(parse(`<meta http-equiv=refresh content="${content}">`).refresh).toBeNull();
    },
  );

  it('includes canonical URL, language and meta elements of any name', () => {
    const page = parse(
      '<html lang=" it-IT "><link rel="alternate canonical" href="/c"><meta name=Description content=" a  b ">' +
        '<meta property=og:title content=x><meta property=og:title content=y>',
    );
    expect(page.canonical).toBe('http://site.example/c');
    expect(page.language).toBe('it-IT');
    expect(Object.fromEntries(page.facts.metatags)).toEqual({ description: ['a b'], 'og:title': ['x', 'y'] });
  });

  it('includes the text of requested headings by element, bounded in number', () => {
    const html =
      '<h1>One <a href=/x>two</a></h1><h2> </h2><h3>no</h3><h1>Three<h2>four</h2>text</h1>' + '<h2>x</h2>'.repeat(200);
    const { headings } = parse(html, { headings: new Set(['h1', 'h2']) }).facts;
    expect(headings.get('h1')).toEqual(['One two', 'Three']);
    expect(headings.get('h2')?.slice(0, 2)).toEqual(['four', 'x']);
    expect(headings.get('h2')).toHaveLength(99);
    expect(parse(html).facts.headings.size).toBe(0);
  });

  it('bounds meta elements in names, values per name and length of a value', () => {
    const many = Array.from({ length: 500 }, (_, i) => `<meta name=n${i} content="${'v'.repeat(3000)}">`).join('');
    const { metatags } = parse(many + '<meta name=n0 content=x>'.repeat(100)).facts;
    expect(metatags.size).toBe(100);
    expect(metatags.get('n0')).toHaveLength(20);
    expect(metatags.get('n1')?.[0]).toHaveLength(1000);
  });
});

describe('a hostile page', () => {
  it.each([
    ['nested blocks', '<div>'.repeat(400_000)],
    ['nested blocks closed in the wrong order', '<div><b>'.repeat(100_000) + '</i></div>'.repeat(100_000)],
    ['an unterminated tag', `<a ${'x=1 '.repeat(200_000)}`],
    ['attributes in one tag', `<a href=/x ${'y=1 '.repeat(200_000)}>t</a>`],
    ['entities', '&amp;'.repeat(200_000)],
    ['ampersands', '&'.repeat(500_000)],
    ['less-than signs', '<'.repeat(500_000)],
    ['open comments', '<!--'.repeat(200_000)],
    ['start tags of script', '<script><'.repeat(100_000)],
    ['unclosed anchors', '<a href=/x>a'.repeat(100_000)],
    ['spaces', ' \n'.repeat(500_000)],
    ['tables', '<table><tr><td>'.repeat(100_000)],
    ['SVG', '<svg>'.repeat(100_000) + '<title>'.repeat(50_000)],
    ['a refresh full of spaces', `<meta http-equiv=refresh content="1${' '.repeat(300_000)}">`],
    ['a reference of a million characters', `<a href="${'a'.repeat(1_000_000)}">x</a>`],
    ['forms', '<form action=/x>f'.repeat(100_000)],
  ])('stays within the limits of text and links: %s', (_, html) => {
    const page = parse(html, { formActions: true });
    expect(page.text.length).toBeLessThanOrEqual(HTML_OPTIONS.maxText);
    expect(page.links.length).toBeLessThanOrEqual(HTML_OPTIONS.maxLinks);
  });

  it('has well-formed, trimmed texts without NUL and valid URLs for any markup', () => {
    const piece = fc.oneof(
      unicodeText({ maxLength: 6 }),
      fc.constantFrom(
        '<a href=',
        '"',
        "'",
        '>',
        '<',
        '</a>',
        '<title>',
        '</title>',
        '<svg>',
        '<base href=/b>',
        '&#',
        '&amp',
        ';',
      ),
      fc.constantFrom(
        '<meta name=robots content=none>',
        '<!--',
        '-->',
        '<script>',
        '</script',
        '<img alt=',
        '<form action=x>',
        '/>',
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const page = parse(pieces.join(''), { formActions: true });
        for (const text of [page.title, page.text, ...page.links.flatMap(({ url, anchor }) => [url, anchor])]) {
          expect(text.isWellFormed()).toBe(true);
          expect(text.includes('\0')).toBe(false);
          expect(text).toBe(text.trim());
        }
        for (const { url } of page.links) expect(URL.canParse(url)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

it('the URLs of a page are bounded in total length, however long its base is', () => {
  const links = Array.from({ length: 5_000 }, (_, n) => `<a href=${n}>`).join('');
  const found = parse(`<base href="/${'b'.repeat(15_000)}/">${links}`).links;
  // The first 1,116 are 16,777,216 characters together, but for less than a URL.
  expect(found.map(({ url }) => Number(url.slice(url.lastIndexOf('/') + 1)))).toEqual(
    Array.from({ length: 1_116 }, (_, n) => n),
  );
});
