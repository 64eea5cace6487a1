import { JSDOM } from 'jsdom';
import { describe, expect, it } from 'vitest';
import { readSelector } from '../../../src/core/extract/css-selector.js';
import { compileExtractRules } from '../../../src/core/extract/extract-rules.js';
import { checkXPath } from '../../../src/core/extract/xpath.js';

/** Extraction rules: what is accepted, and what is refused with rule, position and reason. */

describe('an extraction rule', () => {
  it('applies to the URLs in which its expression matches', () => {
    const extractionsFor = compileExtractRules(
      '# a comment\n\na\t/shop/\tcss\th1\nb\t\\.html$\txpath\t//a/@href\ttext\tall\r\n',
    );
    const a = { name: 'a', language: 'css', expression: 'h1', take: 'text', all: false };
    const b = { name: 'b', language: 'xpath', expression: '//a/@href', take: 'text', all: true };
    expect(extractionsFor('http://site.test/shop/x.html')).toEqual([a, b]);
    expect(extractionsFor('http://site.test/shop/')).toEqual([a]);
    expect(extractionsFor('http://site.test/')).toEqual([]);
  });

  it.each([
    ['a', 'rule 1, position 1: columns separated by tabs are missing: url, language, expression'],
    ['# x\na\t.\tcss', 'rule 1, position 5: columns separated by tabs are missing: expression'],
    ['1a\t.\tcss\th1', 'rule 1, position 1: a name begins with a letter or _ and has'],
    ['a\t(\tcss\th1', 'rule 1: missing closing )'],
    ['a\t(?=x)\tcss\th1', 'rule 1, position '],
    ['a\t.\tjson\th1', 'rule 1, position 5: the language is css or xpath'],
    ['ok\t.\tcss\th1\na\t.\tcss\th1..x', 'rule 2, position 12: the name of a class is missing'],
    ['a\t.\txpath\t//a[', 'rule 1, position 15: the name of an element or attribute is missing'],
    ['a\t.\tcss\th1\tvalue', 'rule 1, position 12: what is taken is text'],
    ['a\t.\tcss\th1\ttext\tsome', 'rule 1, position 17: the last column is all'],
    ['a\t.\tcss\th1\ttext\tall\tx', 'rule 1, position 21: more columns'],
    [`a\t.\tcss\t${'a'.repeat(1_001)}`, 'rule 1, position 9: longer than 1000 characters'],
    [Array.from({ length: 1_001 }, () => 'a\t.\tcss\ta').join('\n'), 'rule 1001: more than 1000 rules'],
  ])('is refused with a message that names the rule: %j', (rules, message) => {
    expect(() => compileExtractRules(rules)).toThrow(message);
  });
});

const { document } = new JSDOM('<p>').window;
const good = {
  css: [
    'a',
    'a b',
    'a>b',
    'a > b',
    'a+b ~ c',
    '*',
    '#x',
    '.x',
    '[a]',
    '[a=b]',
    '[a="b c" i]',
    "[a^='x']",
    'a,b',
    ' a , b ',

    'a:not(.b)',
    'a:is(b,c)',
    'a:has(> b)',
    'a:has(b c, + d)',
    'a:first-child',
    'p:lang(en)',
    'a:where(.x, .y) > z',
    'li:nth-child(2n+1)',
    'li:nth-child(odd)',
    'li:nth-child( 3 )',
    'li:nth-child(2 of .x)',
    'a:nth-child(-n+3)',
    'h1.x#y[z]',
    'a\\:b',
    '.\\31 x',
    '#\\31 23 > b',
    'ü',
    '[data-x="é"]',
    '[a|=b]',
    '--a',
    'a[href*="x"][rel~=y]',
    'a:empty',
  ],
  xpath: [
    '//a',
    '/html/body',
    '//a/@href',
    './/b',
    '..',
    '.',
    '/',
    '//a[1]',
    '//a[@x="y"]',
    '//*',
    '//@*',
    'a|b',
    'text()',
    '//a[contains(@class, "x")]/text()',
    'count(//a)',
    'string(//a)',
    '1+2',
    '- -1',
    'a or b and c',
    '.5',
    '"x"',
    '(//a)[1]/b',
    'id("x")/a',
    'child::a',
    'descendant::*[position()<3]',
    'div div div',
    '* * *',
    '//div[last()]',

    'normalize-space(//h1)',
    'concat("a","b")',
    'a <= b',
    'a//b',
    'not(a)',
    'and and and',
    "//a[.='x']",
    '/ | a',
    '/..',

    '//a[position() mod 2 = 1]',
    'sum(//a/@n) div count(//a)',
    'a/node()',
    'processing-instruction("x")',
    '//p[1]//q',
  ],
};
const NO_PART = 'an element, an id, a class, an attribute or a pseudo-class is missing';
const NO_NAME = 'the name of an element or attribute is missing';
/** With the reason. */
const bad: Record<'css' | 'xpath', [text: string, reason: string][]> = {
  css: [
    ['', NO_PART],
    ['a,', NO_PART],
    ['>a', NO_PART],
    ['a>', NO_PART],
    ['a>>b', NO_PART],
    ['[a=]', 'a value is missing: a name, or text in quotes'],
    ['[=b]', 'the name of an attribute is missing'],
    ['a..b', 'the name of a class is missing'],
    ['.1', 'the name of a class is missing'],
    ['#', 'an id is missing'],
    ['a)', 'a selector ends here'],
    ['a|b', 'prefixes of namespaces mean nothing in a page of HTML'],
    ['a:nth-child(x)', 'a position is missing, such as 2, odd or 2n+1'],
    ['a / b', NO_PART],
    ['a{', 'a selector ends here'],
    ['@x', NO_PART],
    ['"x"', NO_PART],
  ],
  xpath: [
    ['', NO_NAME],
    ['//', NO_NAME],
    ['//a[', NO_NAME],
    ['//a]', 'the expression ends before this'],
    ['a b', 'the expression ends before this'],
    ['foo()', 'there is no function foo() in XPath 1.0'],
    ['//p[lang("de")]', 'lang() cannot be run here: use @lang'],
    ['count()', 'count() takes 1 argument'],
    ['//a/', NO_NAME],
    ['"x', 'this is no word of XPath'],
    ['(a', 'a bracket is not closed by )'],
    ['@', NO_NAME],
    ['a@b', 'the expression ends before this'],
    ['a///b', NO_NAME],
    ['foo::a', 'there is no axis foo::'],
    ['a and', NO_NAME],
    ['a/(b)', NO_NAME],
    ['a[ ]', NO_NAME],
  ],
};

describe.each([
  ['css', readSelector, (text: string) => document.querySelector(text)],
  ['xpath', checkXPath, (text: string) => document.evaluate(text, document, null, 0, null)],
] as const)('the syntax check of %s', (language, check, run) => {
  it.each(good[language])('accepts what jsdom can evaluate: %s', (text) => {
    expect(() => run(text)).not.toThrow();
    expect(() => check(text)).not.toThrow();
  });

  it.each(bad[language])('refuses what jsdom cannot evaluate: %j, as %s', (text, reason) => {
    expect(() => run(text)).toThrow();
    expect(() => check(text)).toThrow(expect.objectContaining({ message: reason }));
  });
});

it.each([
  ['pseudo-elements', 'a::before', 'pseudo-elements are no elements of a page'],
  ['states of a live page (:hover)', 'a:hover', 'there is no pseudo-class :hover that could pick something'],
  ['unknown pseudo-classes', 'a:contains(x)', 'there is no pseudo-class :contains that could pick something'],
  ['unterminated selectors', 'a:not(b', ':not is not closed by )'],
  ['selectors nested too deeply', ':not('.repeat(12), 'too many selectors inside selectors'],
])('the syntax check of css refuses %s', (_, selector, reason) => {
  expect(() => readSelector(selector)).toThrow(expect.objectContaining({ message: reason }));
});

it.each([
  ['variables', '$x', 'variables have no value here'],
  ['namespace prefixes', 'x:a', 'prefixes of namespaces mean nothing in a page of HTML'],
  ['one argument more', 'count(a, b)', 'count() takes 1 argument'],
  ['an argument where there is none', 'true(1)', 'true() takes 0 arguments'],
  ['one argument of two', 'starts-with("a")', 'starts-with() takes 2 arguments'],
  ['too many optional arguments', 'substring("a", 1, 2, 3)', 'substring() takes 2 to 3 arguments'],
  ['too few arguments of many', 'concat("a")', 'concat() takes 2 to 100 arguments'],
  ['expressions nested too deeply', '('.repeat(40), 'too many expressions inside expressions'],
])('the syntax check of xpath refuses %s', (_, expression, reason) => {
  expect(() => checkXPath(expression)).toThrow(expect.objectContaining({ message: reason }));
});
