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
    ['1a\t.\tcss\th1', 'rule 1, position 1: a name begins with a letter'],
    ['a\t(\tcss\th1', 'rule 1, position '],
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
const bad = {
  css: [
    '',
    'a,',
    '>a',
    'a>',
    'a>>b',
    '[a=]',
    '[=b]',
    'a..b',
    '.1',
    '#',
    'a)',
    'a|b',
    'a:nth-child(x)',
    'a / b',
    'a{',
    '@x',
    '"x"',
  ],
  xpath: [
    '',
    '//',
    '//a[',
    '//a]',
    'a b',
    'foo()',
    'count()',
    '//a/',
    '"x',
    '(a',
    '@',
    'a@b',
    'a///b',
    'foo::a',
    'a and',
    'a/(b)',
    'a[ ]',
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

  it.each(bad[language])('refuses what jsdom cannot evaluate: %j', (text) => {
    expect(() => run(text)).toThrow();
    expect(() => check(text)).toThrow();
  });
});

it.each([
  ['pseudo-elements', 'a::before'],
  ['states of a live page (:hover)', 'a:hover'],
  ['unknown pseudo-classes', 'a:contains(x)'],
  ['unterminated selectors', 'a:not(b'],
  ['selectors nested too deeply', ':not('.repeat(12)],
])('the syntax check of css refuses %s', (_, selector) => {
  expect(() => readSelector(selector)).toThrow();
});

it.each([
  ['variables', '$x'],
  ['namespace prefixes', 'x:a'],
  ['a wrong number of arguments', 'count(a, b)'],
  ['expressions nested too deeply', '('.repeat(40)],
])('the syntax check of xpath refuses %s', (_, expression) => {
  expect(() => checkXPath(expression)).toThrow();
});
