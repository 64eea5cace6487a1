import { describe, expect, it } from 'vitest';
import { markdownOf } from '../../../src/core/html-document/markdown.js';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

const markdown = (html: string, limit = Infinity): string | null =>
  markdownOf(parseTree(`<!doctype html><body>${html}`).body, limit);

type Case = [rule: string, html: string, markdown: string];

describe('white space in Markdown', () => {
  it.each<Case>([
    ['is one blank for a run', '<p>a \n\t b</p>', 'a b'],
    ['is one blank over the ends of elements', '<p>a <i> b</i></p>', 'a _b_'],
    ['is none at the ends of a block', '<p> a </p> <p> b </p>', 'a\n\nb'],
    ['is none around a line break', '<p>a <br> b</p>', 'a  \nb'],
    ['stays after an image', '<p><img src="http://a.test/i"> a</p>', '![](http://a.test/i) a'],
    ['stays in preformatted text', '<pre>a  b\n\n c</pre>', '```\na  b\n\n c\n```'],
    ['moves before the mark', '<p>a<b> b</b></p>', 'a **b**'],
    ['moves after the mark', '<p><b>a </b>b</p>', '**a** b'],
    ['moves out of nested marks', '<p>a<b><i> b </i></b>c</p>', 'a **_b_** c'],
    ['stays for an element of white space alone', '<p>a<b> </b>b</p>', 'a b'],
    ['of a line break moves too', '<p><b>a<br></b>b<i><br>c</i></p>', '**a**  \nb  \n*c*'],
    ['of a line break alone stays', '<p>a<b><br></b>b</p>', 'a  \nb'],
    ['of a no-break space moves too', '<p>a<b>\u00a0b</b></p>', 'a\u00a0**b**'],
    ['is no blank between blocks', '<div>a</div>\n<div>b</div>', 'a\n\nb'],
  ])('%s', (_rule, html, text) => expect(markdown(html)).toBe(text));
});

/** Numbers of sections of CommonMark 0.31.2. */
describe('an element in Markdown', () => {
  it.each<Case>([
    ['of emphasis is _ (6.2)', '<em>a</em><i>b</i>', '_a__b_'],
    [
      'of emphasis in a word is *, as _ is none there (6.2)',
      '<p>un<em>a</em> <i>b</i>ly (<i>c</i>)</p>',
      'un*a* *b*ly (_c_)',
    ],
    ['of emphasis beside a word is _ (6.2)', '<p>a<em> b </em>c <i>d</i><b>e</b></p>', 'a _b_ c _d_**e**'],
    ['of strong emphasis is ** (6.2)', '<b>a</b> <strong>b</strong>', '**a** **b**'],
    ['without text has no marks', '<b></b><i> </i><b><img></b>a', 'a'],
    ['that is a rule is --- (4.1)', 'a<hr>b', 'a\n\n---\n\nb'],
    ['that is a heading has # by its level (4.2)', '<h1>a</h1><h6>b</h6>', '# a\n\n###### b'],
    ['that quotes has > at each line (5.1)', '<blockquote>a<br>b</blockquote>', '> a  \n> b'],
    [
      'that quotes in a quotation has two (5.1)',
      '<blockquote>a<blockquote>b</blockquote></blockquote>',
      '> a\n> \n> > b',
    ],
    ['of a numbered list begins at its start (5.2)', '<ol start=7><li>a<li>b</ol>', '7.  a\n8.  b'],
    ['of a list is indented below its item (5.2)', '<ol><li>a<ul><li>b</ul></ol>', '1.  a\n    -   b'],
    ['of code has more backticks than it contains (6.1)', '<code>a`b``c</code>', '```a`b``c```'],
    ['of code with a backtick at an end has a blank there (6.1)', '<code>`a</code>', '`` `a ``'],
    ['of code has nothing escaped (6.1)', '<code>a*b_c</code>', '`a*b_c`'],
    [
      'of code has no marks in it (6.1)',
      '<code>f(<var><i>x</i></var>, <a href="http://a.test/"><b>y</b></a><br>z <img src="http://a.test/" alt="w"></code>',
      '`f(x, `[`y`](http://a.test/)` z w`',
    ],
    [
      'of code that is a link is a link of code',
      '<code> <a href="http://a.test/">y</a> </code>',
      '[`y`](http://a.test/)',
    ],
    ['of code with a link of no web page is code alone', '<code>a <a href="ftp://a.test/">y</a></code>', '`a y`'],
    ['of code beside another is apart from it (6.1)', '<code>a</code><code>b</code>`<code>c</code>', '`a` `b`\\``c`'],
    ['of code around preformatted text is that (4.5)', '<code> <pre>a\nb</pre> </code>', '```\na\nb\n```'],
    ['of a numbered list begins at 1 where its start is none (5.2)', '<ol start=x><li>a</ol>', '1.  a'],
    ['of a numbered list begins at 1 where its start is negative (5.2)', '<ol start=-3><li>a</ol>', '1.  a'],
    [
      'of a numbered list continues from the value of an item (5.2)',
      '<ol start=2><li>a<li value=7>b<li>c<li value=3>d<li>e</ol>',
      '2.  a\n7.  b\n8.  c\n3.  d\n4.  e',
    ],
    [
      'of a numbered list ignores a value that Markdown does not have (5.2)',
      '<ol><li value=x>a<li value=-3>b<li value=1234567890>c<li value=" +9a">d</ol><ul><li value=5>e</ul>',
      '1.  a\n2.  b\n3.  c\n9.  d\n\n-   e',
    ],
    ['of a numbered list begins at 0 (5.2)', '<ol start=0><li>a</ol>', '0.  a'],
    [
      'of a list beside its item is indented (5.2)',
      '<ul><li>a</li><ul><li>b</li><ul><li>c</li></ul></ul><li>d</li></ul>',
      '-   a\n    -   b\n        -   c\n-   d',
    ],
    [
      'of a numbered list counts items only (5.2)',
      '<ol><li>a</li><ol><li>b</li></ol><li>c</li></ol>',
      '1.  a\n      1.  b\n2.  c',
    ],
    ['of a heading is one line (4.2)', '<h2>a<br><div>b</div></h2><h3><a name=x></a></h3>', '## a b'],
    ['of emphasis around blocks has no marks (6.2)', '<b><p>a</p><p>b</p></b>', 'a\n\nb'],
    [
      'of a link around blocks is one line (6.3)',
      '<a href="http://a.test/"><h3>a</h3><p>b</p></a>',
      '[a b](http://a.test/)',
    ],
    ['of an anchor around blocks is its content', '<a name=top><h3>a</h3><p>b</p></a>', '### a\n\nb'],
    ['of struck text is ~~', '<del>a</del>', '~~a~~'],
    ['that is not shown is left out', 'a<svg><text>b</text></svg><template>c</template>', 'a'],
    ['of no rule is its content', '<span>a</span><custom-x>b</custom-x>', 'ab'],
  ])('%s', (_rule, html, text) => expect(markdown(html)).toBe(text));
});

describe('preformatted text in Markdown', () => {
  it.each<Case>([
    ['has a line break for each of its elements', '<pre>a<br>b<br><br>c</pre>', '```\na\nb\n\nc\n```'],
    [
      'has a line for each element that is one',
      '<pre><code><div>a</div><div>b<br></div><div><span>c</span>\n</div></code></pre>',
      '```\na\nb\nc\n```',
    ],
    ['in a cell is inline code', '<table><tr><td><pre class=lang-js>a\nb</pre></table>', '| `a b` |\n| --- |'],
  ])('%s', (_rule, html, text) => expect(markdown(html)).toBe(text));
});

/** https://github.github.com/gfm/#tables-extension- */
describe('a table in Markdown', () => {
  const rows = (...all: string[]) => `<table>${all.map((row) => `<tr>${row}</tr>`).join('')}</table>`;

  it.each<Case>([
    ['escapes the separator in code', rows('<td><code>a|b</code>'), '| `a\\|b` |\n| --- |'],
    ['escapes it in text once', rows('<td>a|b'), '| a\\|b |\n| --- |'],
    ['escapes it in links', rows('<td><a href="http://a.test/?a|b">c</a>'), '| [c](http://a.test/?a%7Cb) |\n| --- |'],
    ['leaves out rows without cells', rows('', '<td>a', '', '<td>b'), '| a |\n| --- |\n| b |'],
    [
      'has as many columns as its longest row',
      rows('<th>a', '<td>b<td>c<td>d'),
      '| a |  |  |\n| --- | --- | --- |\n| b | c | d |',
    ],
    [
      'has empty cells behind one over several columns',
      rows('<th colspan=2>a<th>b', '<td>c<td>d<td>e', '<td>f<td colspan=" 2x">g'),
      '| a |  | b |\n| --- | --- | --- |\n| c | d | e |\n| f | g |  |',
    ],
    [
      'has empty cells below one over several rows',
      rows('<th rowspan=2>a<th>b', '<td>c', '<td>d<td rowspan=2>e', '<td>f', '<td>g<td>h'),
      '| a | b |\n| --- | --- |\n|  | c |\n| d | e |\n| f |\n| g | h |',
    ],
    [
      'has empty cells below and behind one over rows and columns',
      rows('<td>a<td rowspan=2 colspan=2>b<td>c', '<td>d<td>e'),
      '| a | b |  | c |\n| --- | --- | --- | --- |\n| d |  |  | e |',
    ],
    [
      'has them to the end of the group of rows: a number of 0, or beyond it',
      '<table><tbody><tr><td rowspan=0>a<td>b<tr><td>c</tbody><tbody><tr><td>d<td>e</tbody></table>',
      '| a | b |\n| --- | --- |\n|  | c |\n| d | e |',
    ],
    [
      'has one column for each cell, whatever number of columns and rows they claim together',
      rows(...Array<string>(2_000).fill('<td colspan=4294967294 rowspan=65534>a<td colspan=4000000000 rowspan=9>b')),
      `| a | b |\n| --- | --- |${'\n| a | b |'.repeat(1_999)}`,
    ],
    [
      'that would get more than a hundred columns by cells over rows has one for each cell',
      rows(...Array<string>(101).fill('<td rowspan=999>a')),
      `| a |\n| --- |${'\n| a |'.repeat(100)}`,
    ],
    [
      'has no columns in which no cell begins',
      rows('<th colspan=100>a', '<td>b<td>c', '<td>d<td colspan=9999999999>e'),
      '| a |  |\n| --- | --- |\n| b | c |\n| d | e |',
    ],
    [
      'has one column for a cell over none, or whose number is none',
      rows('<td colspan=0>a<td colspan=-2>b<td colspan=x>c'),
      '| a | b | c |\n| --- | --- | --- |',
    ],
    [
      'of more than a hundred columns has one for each cell',
      rows('<td colspan=100>a<td>b', '<td>c<td colspan=2>d<td>e'),
      '| a | b |  |\n| --- | --- | --- |\n| c | d | e |',
    ],
    [
      'in the caption of another one has columns of its own',
      `<table><caption>${rows('<td colspan=2>a<td>b')}</caption><tr><td colspan=2>c<td>d<tr><td>e<td>f<td>g</table>`,
      '| a |  | b |\n| --- | --- | --- |\n\n| c |  | d |\n| --- | --- | --- |\n| e | f | g |',
    ],
    ['follows its caption', `<table><caption>a</caption><tr><td>b</table>`, 'a\n\n| b |\n| --- |'],
    [
      'has the text of tables in its cells',
      rows(`<td>${rows('<td>a<td>b', '<td>c')}<td>d`),
      '| a b c | d |\n| --- | --- |',
    ],
    ['has the text of headings in its cells', rows('<td><h4>a</h4>'), '| a |\n| --- |'],
  ])('%s', (_rule, html, text) => expect(markdown(html)).toBe(text));
});

describe('text that would be markup', () => {
  it.each<Case>([
    ['anywhere', 'a * b ` c [d] _e_ \\ &amp;lt; | f', 'a \\* b \\` c \\[d\\] \\_e\\_ \\\\ \\&lt; \\| f'],
    [
      'not for _ in a word (6.2)',
      'a_b__c_d é_ü 1_2 _a_ b_ _c a_( )_b',
      'a_b__c_d é_ü 1_2 \\_a\\_ b\\_ \\_c a\\_( )\\_b',
    ],
    ['for _ at the edge of an element', 'a_<b>b</b> <b>a</b>_b', 'a\\_**b** **a**\\_b'],
    ['at the start, of a list', '<p>- a</p><p>+ b</p>', '\\- a\n\n\\+ b'],
    ['at the start, of an empty item (5.2)', '<p>+</p><p>1.</p><p><i></i>2)</p><p>+1</p>', '\\+\n\n1\\.\n\n2\\)\n\n+1'],
    ['at the start, of a numbered list', '<p>1. a</p><p>2) a</p><p>3.4</p>', '1\\. a\n\n2\\) a\n\n3.4'],
    ['at the start, of a heading', '<p># a</p><p>###### b</p><p>####### c</p>', '\\# a\n\n\\###### b\n\n####### c'],
    ['at the start, of an empty heading (4.2)', '<p>#</p><p>#a</p>', '\\#\n\n#a'],
    ['at the start, of a quotation', '<p>&gt; a</p>', '\\> a'],
    ['of struck text, and of a fence', '<p>~~~ a</p><p>~1 b~~c~~</p>', '\\~\\~\\~ a\n\n~1 b\\~\\~c\\~\\~'],
    [
      'before a link, of an image (6.4)',
      '<p>a!<a href="http://a.test/">b</a> c! <span>d!</span><i><a href="http://a.test/">e</a></i><a href=x>f</a></p>',
      'a\\![b](http://a.test/) c! d!_[e](http://a.test/)_f',
    ],
    ['before a link, in an element', '<span>a!</span><a href="http://a.test/">b</a>', 'a\\![b](http://a.test/)'],
    [
      'not in characters beyond the first plane',
      '<p>\u{10000}!\u{10000}<a href="http://a.test/">\u{10000}</a>',
      '\u{10000}!\u{10000}[\u{10000}](http://a.test/)',
    ],
    ['at the start only', '<p>a - b # c 1. d</p>', 'a - b # c 1. d'],
  ])('is escaped: %s', (_rule, html, text) => expect(markdown(html)).toBe(text));
});

it.each([
  [3, '**b'],
  [7, '**bold*'],
  [8, '**bold**'],
])('Markdown of at most %i characters is "%s"', (limit, text) => expect(markdown('<b>bold</b>', limit)).toBe(text));
