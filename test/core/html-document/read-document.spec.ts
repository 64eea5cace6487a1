import { describe, expect, it } from 'vitest';
import type { Extraction } from '../../../src/core/extract/extract-rules.js';
import { makeDocumentReader } from '../../../src/core/html-document/read-document.js';

const readDocument = makeDocumentReader();

/** Pages as trees: values selected by rules, main content, Markdown. */

const sentence = 'A reader comes for this sentence, which is long enough, and has commas, to count as content. ';
const story = (body: string) => `<title>t</title><article><p>${sentence.repeat(8)}</p>${body}</article>`;
const read = (html: string | Buffer, wanted: object, more: object = {}) =>
  readDocument({
    content: Buffer.from(html as string),
    contentType: 'text/html; charset=utf-8',
    charset: null,
    base: 'http://site.test/a/',
    ...wanted,
    ...more,
  });
const css = (expression: string, take = 'text', all = false): Extraction => ({
  name: 'x',
  language: 'css',
  expression,
  take,
  all,
});
const xpath = (expression: string, take = 'text', all = false): Extraction => ({
  ...css(expression, take, all),
  language: 'xpath',
});
const markdown = async (body: string) => (await read(`<body>${body}`, { markdown: 100_000 })).markdown;

describe('values selected by extraction rules', () => {
  it.each<[string, Extraction, string | undefined]>([
    ['<p>a</p><p>b</p>', css('p'), 'a'],
    ['<p>a</p><p>b</p>', css('p', 'text', true), 'a\tb'],
    ['<p> a\t<b>b</b>\n c', css('p'), 'a b c'],
    ['<p>a <b class=x>b</b>', css('p', 'html'), 'a <b class="x">b</b>'],
    ['<a href="../x?y#z">', css('a', '@href'), 'http://site.test/x?y#z'],
    ['<a href="/item/1">', css('a[href^="/item/"]', '@href'), 'http://site.test/item/1'],
    ['<a href="/item/1">', css('a[href^="http://site.test/item/"]', '@href'), 'http://site.test/item/1'],
    ['<a href="/no"><a href="1.html">x</a>', css('a[href="1.html"]'), 'x'],
    ['<a href="/item/1">', xpath('//a[starts-with(@href, "/item/")]/@href'), 'http://site.test/item/1'],
    [
      '<a href="/item/1"><img src=i.png></a>',
      xpath('//img[@src="i.png"]/..', 'html'),
      '<img src="http://site.test/a/i.png">',
    ],
    ['<p data-n=7>', css('p', '@data-n'), '7'],
    ['<p>', css('p', '@data-n'), undefined],
    ['<p>EUR 5', css('p', 'number'), '5'],
    ['<p>1&nbsp;234,50 €', css('p', 'number'), '1234.5'],
    ['<p>1&#8239;234&#8239;567', css('p', 'number'), '1234567'],
    ['<p>no number', css('p', 'number'), undefined],
    ['<p a=1><p a=2>', xpath('//p/@a', 'text', true), '1\t2'],
    ['<ul><li>a<li>b</ul><ul><li>c<li>d</ul>', xpath('//li[1]', 'text', true), 'a\tc'],
    ['<ul><li>a<li>b</ul><ul><li>c<li>d</ul>', xpath('//li[last()]', 'text', true), 'b\td'],
    ['<p a=1><p a=2>', xpath('sum(//p/@a)'), '3'],
    ['<p a=1>', xpath('//p/@a = 1'), 'true'],
    ['<p>x<b>y</b>', xpath('//p/text()'), 'x'],
    ['<p>x<b>y</b>', xpath('string(//p)', 'html'), 'xy'],
    ['<p>x', xpath('number("x")'), 'NaN'],
    ['<script>document.write("<p>run")</script><p>x', css('p'), 'x'],
    ['<noscript><p>y</p></noscript><p>x', css('p', 'text', true), 'y\tx'],
    ['<template><p>y</template>', css('p'), undefined],
  ])('of %s by rule %j are %j', async (html, extraction, value) => {
    expect((await read(html, { extractions: [extraction] })).values['x']).toBe(value);
  });

  it('of one name are joined in the order of the rules, then of the page', async () => {
    const { values } = await read('<h1>1</h1><h2>2</h2><h1>3</h1>', {
      extractions: [css('h2'), css('h1', 'text', true)],
    });
    expect(values).toEqual({ x: '2\t1\t3' });
  });

  it('are missing of a rule that cannot be run, and of no other', async () => {
    const wrong = { ...xpath('count("p")'), name: 'wrong' };
    const { values } = await read('<p>a', { extractions: [wrong, css('p')] });
    expect(values).toEqual({ x: 'a' });
  });

  it('are bounded in number, in length and in total length', async () => {
    const many = await read('<p>x'.repeat(1_000), { extractions: [css('p', 'text', true)] });
    expect(many.values['x']).toBe(Array(100).fill('x').join('\t'));
    const long = await read(`<p>${'x'.repeat(20_000)}`, { extractions: [css('p')] });
    expect(long.values['x']).toBe('x'.repeat(10_000));
    const all = await read(`<p>${'x'.repeat(10_000)}`.repeat(20), { extractions: [css('p', 'text', true)] });
    expect(all.values['x']!.split('\t').map(({ length }) => length)).toEqual(Array(6).fill(10_000));
  });

  it('are decoded in the charset that the parser detected', async () => {
    const html = Buffer.from('<p>caf\xe9', 'latin1');
    const extractions = [css('p')];
    const asked = { content: html, contentType: 'text/html', base: 'http://site.test/', extractions };
    expect((await readDocument({ ...asked, charset: 'windows-1252' })).values).toEqual({ x: 'café' });
    expect((await readDocument({ ...asked, base: 'http://other.test/', charset: 'koi8-r' })).values).toEqual({
      x: 'cafИ',
    });
  });
});

describe('the main content', () => {
  it('leaves out navigation, footers, scripts, styles and hidden elements', async () => {
    const html = `<nav>${'<a href=/x>elsewhere</a> '.repeat(20)}</nav>${story(`<p>the end <span style="display:none">unseen</span><span hidden>hidden</span></p>
      <script>script</script><style>p{}</style><ul><li>one<li>two</ul>`)}<footer>Imprint</footer>`;
    const { readable } = await read(html, { readable: 10_000 });
    expect(readable).toContain('the end\none\ntwo');
    expect(readable).not.toMatch(/elsewhere|Imprint|unseen|hidden|script|p\{/);
  });

  it.each(['', '<title>t</title>', '<p>', '<frameset><frame src=x>'])('is null for %j', async (html) => {
    expect((await read(html, { readable: 100 })).readable).toBeNull();
  });
});

it('reads CDATA of XHTML as text, and skips the declarations of its DOCTYPE', async () => {
  const page =
    '<!DOCTYPE html [<!ENTITY a "]>b">]><html><head><title>t</title></head><body><pre><![CDATA[<a> &b;]]></pre></body></html>';
  expect((await read(page, { markdown: 100 }, { xhtml: true })).markdown).toBe('```\n<a> &b;\n```');
});

it('of XHTML has elements that close themselves', async () => {
  const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="x"/><title/></head><body><a id="top"/><p>a<br/>c</p><div/><p>b</p></body></html>`;
  const asked = { markdown: 100, extractions: [css('body > *', 'html', true)] };
  expect(await read(page, asked, { xhtml: true })).toMatchObject({
    markdown: 'a  \nc\n\nb',
    values: { x: 'a<br>c\tb' },
  });
  expect(await read(page, asked, { base: 'http://site.test/b/' })).toMatchObject({ markdown: null, values: {} });
});

describe('an image that a script would load', () => {
  it.each([
    ['a relative source', '<img class=lazy data-src="b.png">'],
    ['an empty source beside it', '<img src="" data-src="/a/b.png">'],
  ])('is in the Markdown of the main content, with %s', async (_what, image) => {
    expect((await read(story(image), { markdown: 100_000 })).markdown).toContain('![](http://site.test/a/b.png)');
  });

  it('without a source is not the page itself', async () => {
    expect(await markdown('a<img src="">')).toBe('a');
  });
});

describe('Markdown', () => {
  it.each([
    ['<h2>a <i>b</i></h2><p>c<br>d</p>', '## a _b_\n\nc  \nd'],
    ['<ul><li>a<li>b<ul><li>c</ul></ul>', '-   a\n-   b\n    -   c'],
    ['<ol><li>a<li>b</ol>', '1.  a\n2.  b'],
    ['<a href="x y">a <b>b</b></a>', '[a **b**](http://site.test/a/x%20y)'],
    ['<img src=i.png alt="a b">', '![a b](http://site.test/a/i.png)'],
    ['<pre>a\n  <b>b</b></pre>', '```\na\n  b\n```'],
    ['<pre><code class="hl language-js">a</code></pre>', '```js\na\n```'],
    ['<code>a</code> <s>b</s>', '`a` ~~b~~'],
    ['<table><tr><th>a<th>b<tr><td>1<td>2<br>3</table>', '| a | b |\n| --- | --- |\n| 1 | 2 3 |'],
    ['<blockquote>a</blockquote>', '> a'],
    ['<p>a</p><script>b</script><style>c</style><iframe>d</iframe>', 'a'],
  ])('of %s is %j', async (html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });

  it.each([
    ['text in the form of a tag', '&lt;script&gt;x&lt;/script&gt;', '\\<script>x\\</script>'],
    ['text in the form of a character reference', '&amp;lt;b&amp;gt;', '\\&lt;b\\&gt;'],
    ['text in the form of a link', '[a](javascript:x)', '\\[a\\](javascript:x)'],
    ['links with a javascript: URL', '<a href="javascript:alert(1)">a</a>', 'a'],
    ['images with a data: URL', '<img src="data:image/png;base64,AAAA" alt="p">', 'p'],
    ['a link target with brackets', '<a href="/x)(y>">a</a>', '[a](http://site.test/x%29%28y%3E)'],
    ['a link title that contains markup', '<a href="/x" title=\'"><script>\'>a</a>', '[a](http://site.test/x)'],
    ['alt text that closes the image', '<img src=/i alt="](x) <b>">', '![\\](x) \\<b>](http://site.test/i)'],
    ['code that contains a fence', '<pre>```\n&lt;b&gt;</pre>', '````\n```\n<b>\n````'],
    ['a code language that contains a backtick', '<pre><code class="language-`x">a</code></pre>', '```\na\n```'],
    ['a table cell that contains a separator', '<table><tr><td>a|b<td>c</table>', '| a\\|b | c |\n| --- | --- |'],
  ])('neutralizes %s', async (_, html, expected) => {
    expect(await markdown(html)).toBe(expected);
  });

  it('is null for a page without text', async () => {
    expect(await markdown('<script>x</script>')).toBeNull();
  });
});
