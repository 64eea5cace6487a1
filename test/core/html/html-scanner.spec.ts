import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanned, standard } from './tokenizer-oracle.js';

/** The scanner reports what parse5's tokenizer reports, which implements the algorithm of the standard. */

const CASES = [
  'a<b>c</b>d',
  '<A HREF=x/y/>z</A>',
  `<a href='a"b' rel="c'd" name=>e`,
  '<a href = x name = "y" name=z>',
  '<a/href=x/>',
  '<a =href href>',
  '<br/><hr /><img src=a/ >',
  'a < b <3 <> </> </ x> <!x> <?php ?> c',
  '</',
  'a</',
  'a<',
  'a<b',
  'a<b href="',
  'a</b',
  '<!--><b><!---><i><!-- a --!>b<!-- -- -->c<!----->d<!--',
  '<!-- a',
  '<!doctype html SYSTEM ">">a',
  '<![CDATA[a]]>b',
  '<svg><![CDATA[a<b&amp;]]>&amp;</svg><![CDATA[c]]>',
  '<svg><title>a<b>c</title></svg><title>a<b>&lt;</title>',
  '<svg/><style>a<b></style>',
  '<svg><style/><b></svg>',
  '<script>a</b></scripts></SCRIPT x="</a>">b',
  '<script><!-- <script> </script> --> </script>c',
  '<script><!-- <script> </script> </script>c',
  '<script><!--> </script>c',
  '<script><!-- </script>c',
  '<script/>a</script>b',
  '<style>a',
  '<style></style',
  '<textarea>a&amp;<b></textarea/>c',
  '<plaintext>a</plaintext><b>',
  '&amp &ampx &notit; &not; &#65;&#x41 &#0; &#128; &unknown; &lt',
  '<a href="?a&lt=b&lt;&ltx&amp&copy">',
  '<h1\n>a</h1\t>',
  '<a\u0011 href=x>',
  '<math><a/></math><a/>',
  '<svg><g><div/><style>a<b></style>',
  '<a><svg><a></a></a><style>a<b></style>',
  '<svg><desc><style>a<b></style></desc><style>a<b></style>',
];

describe('the HTML scanner (HTML §13.2.5, tokenization)', () => {
  it.each(CASES)('tokenizes %j as parse5 does', (html) => {
    expect(scanned(html)).toEqual(standard(html));
  });

  it('tokenizes random sequences of markup as parse5 does', () => {
    const pieces = CASES.flatMap((html) => html.split(/(?=[<&"' ])/)).concat('x', '\n', '>', '--', '=', '/', '&');
    const documents = fc.array(fc.constantFrom(...pieces), { maxLength: 30 }).map((found) => found.join(''));
    fc.assert(
      fc.property(documents, (html) => void expect(scanned(html)).toEqual(standard(html))),
      { numRuns: 3_000 },
    );
  });

  it('tokenizes random characters as parse5 does', () => {
    const characters = fc.string({ unit: fc.constantFrom(...'<>/!-="\' \nab&;#x3[]?svg'), maxLength: 60 });
    fc.assert(
      fc.property(characters, (html) => void expect(scanned(html)).toEqual(standard(html))),
      { numRuns: 5_000 },
    );
  });
});
