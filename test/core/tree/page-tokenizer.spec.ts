import { describe, expect, it } from 'vitest';
import { parseTree } from '../../../src/core/tree/parse-tree.js';

const bodyOf = (html: string): string => parseTree(`<!doctype html><body>${html}`).body!.innerHTML;

/** Numbers of sections of the HTML standard (html.spec.whatwg.org). */
describe('a tag', () => {
  it.each<[rule: string, section: string, html: string, body: string]>([
    ['has a name in lower case', '13.2.5.8', '<B>a</B>', '<b>a</b>'],
    ['begins with a letter', '13.2.5.6', '<1>', '&lt;1&gt;'],
    ['that ends begins with a letter, else it is a comment', '13.2.5.7', 'a</1>', 'a<!--1-->'],
    ['that ends has no attributes', '13.2.6', '<b>a</b class=x>b', '<b>a</b>b'],
    ['has values without quotes', '13.2.5.38', '<b title=a/b>', '<b title="a/b"></b>'],
    ['has values in either quotes', '13.2.5.36', '<b title=\'"\' lang="\'">', '<b title="&quot;" lang="\'"></b>'],
    ['has white space around =', '13.2.5.34', '<b title \n= a>', '<b title="a"></b>'],
    ['has an empty value without =', '13.2.5.33', '<b title lang>', '<b title="" lang=""></b>'],
    ['has an empty value for = alone', '13.2.5.35', '<b title=>', '<b title=""></b>'],
    ['has the first of two attributes of a name', '13.2.5.33', '<b title=a title=b>', '<b title="a"></b>'],
    ['compares names of attributes in lower case', '13.2.5.33', '<b title=a TITLE=b>', '<b title="a"></b>'],
    ['needs no white space after a quote', '13.2.5.39', '<b title="a"lang="b">', '<b title="a" lang="b"></b>'],
    ['has references in its values decoded', '13.2.5.36', '<b title="a&amp;b&lt">', '<b title="a&amp;b&lt;"></b>'],
    ['has NUL in its values replaced', '13.2.5.36', '<b title="a\0">', '<b title="a\uFFFD"></b>'],
    ['has quotes in values without quotes', '13.2.5.38', '<b title=a"b>', '<b title="a&quot;b"></b>'],
    ['has a solidus between attributes', '13.2.5.40', '<b title=""/lang>', '<b title="" lang=""></b>'],
    ['of HTML does not close itself', '13.2.6.4.7', '<b/>a', '<b>a</b>'],
    ['of SVG closes itself', '13.2.6.5', '<svg><g/>a</svg>', '<svg><g></g>a</svg>'],
    ['that the page ends in is dropped', '13.2.5.8', 'a<b title="', 'a'],
  ])('%s (%s)', (_rule, _section, html, body) => expect(bodyOf(html)).toBe(body));

  it('has all of its attributes: more than are read at once', () => {
    const attributes = Array.from({ length: 40 }, (_, at) => `a${at}="${at}"`).join(' ');
    expect(bodyOf(`<b ${attributes}>`)).toBe(`<b ${attributes}></b>`);
  });
});

describe('a text', () => {
  it.each<[rule: string, section: string, html: string, body: string]>([
    ['is one node up to a tag', '13.2.6.1', 'a b\n<', 'a b\n&lt;'],
    ['has references decoded', '13.2.5.72', 'a &amp;&#98;&notit; &x;', 'a &amp;b¬it; &amp;x;'],
    ['has no NUL', '13.2.6.4.7', 'a\0b', 'ab'],
    ['has NUL replaced in SVG', '13.2.6.5', '<svg>a\0</svg>', '<svg>a\uFFFD</svg>'],
    ['has line ends normalized', '13.2.3.5', 'a\r\nb\rc\n', 'a\nb\nc\n'],
    ['in a table comes before it', '13.2.6.4.9', '<table>a <tr> ', 'a <table><tbody><tr> </tr></tbody></table>'],
    ['of white space in a table stays', '13.2.6.4.9', '<table> <tr>', '<table> <tbody><tr></tr></tbody></table>'],
    ['of a textarea has no tags', '13.2.5.2', '<textarea>a<b>&lt;</textarea>', '<textarea>a&lt;b&gt;&lt;</textarea>'],
    ['of a style has no references', '13.2.5.3', '<style>a<b>&lt;</style>', '<style>a<b>&lt;</style>'],
    ['of a script ends at its tag', '13.2.5.4', '<script>"<b>"</script>a', '<script>"<b>"</script>a'],
    ['of pre lacks the first line end', '13.2.6.4.7', '<pre>\n\na</pre>', '<pre>\na</pre>'],
  ])('%s (%s)', (_rule, _section, html, body) => expect(bodyOf(html)).toBe(body));
});
