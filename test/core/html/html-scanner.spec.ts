import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Tokenizer, TokenizerMode } from 'parse5';
import { describe, expect, it } from 'vitest';
import { makeDocTrees } from '../../../bench/doc-tree/trees.mjs';
import { ForeignContent } from '../../../src/core/html/foreign-content.js';
import { scanHtml } from '../../../src/core/html/html-scanner.js';
import { keptAttributes } from '../../../src/core/html/names.js';
import { decode } from '../../../src/core/html/charset.js';

/** The scanner reports what parse5's tokenizer reports, which implements the algorithm of the standard. */

type Event = ['open', string, Record<string, string | undefined>] | ['close', string] | ['text', string];

function add(events: Event[], event: Event): void {
  const last = events.at(-1);
  if (event[0] === 'text' && last?.[0] === 'text') last[1] += event[1];
  else if (event[0] !== 'text' || event[1] !== '') events.push(event);
}

function scanned(html: string): Event[] {
  const events: Event[] = [];
  scanHtml(html, {
    wants: () => true,
    open: (tag, attributes) => events.push(['open', tag, { ...attributes }]),
    close: (tag) => events.push(['close', tag]),
    text: (source, from, to) => add(events, ['text', source.slice(from, to)]),
  });
  return events;
}

const MODES: Record<string, number> = {
  iframe: TokenizerMode.RAWTEXT,
  noembed: TokenizerMode.RAWTEXT,
  noframes: TokenizerMode.RAWTEXT,
  plaintext: TokenizerMode.PLAINTEXT,
  script: TokenizerMode.SCRIPT_DATA,
  style: TokenizerMode.RAWTEXT,
  textarea: TokenizerMode.RCDATA,
  title: TokenizerMode.RCDATA,
  xmp: TokenizerMode.RAWTEXT,
};

/** The same from parse5; the few decisions of its tree builder are made here. */
function standard(html: string): Event[] {
  const events: Event[] = [];
  const foreign = new ForeignContent((root) => events.push(['close', root]));
  const text = ({ chars }: { chars: string }) => add(events, ['text', chars]);
  const tokenizer: Tokenizer = new Tokenizer(
    { sourceCodeLocationInfo: false },
    {
      onComment: () => undefined,
      onDoctype: () => undefined,
      onEof: () => undefined,
      onCharacter: text,
      onNullCharacter: text,
      onWhitespaceCharacter: text,
      onStartTag: ({ tagName, attrs, selfClosing }) => {
        const isForeign = foreign.takes(tagName);
        const kept = attrs.filter(({ name }) => keptAttributes.find(name, 0, name.length) !== null);
        events.push(['open', tagName, Object.fromEntries(kept.map(({ name, value }) => [name, value]))]);
        if (isForeign && selfClosing) events.push(['close', tagName]);
        else if (isForeign) foreign.open(tagName);
        tokenizer.inForeignNode = foreign.isInside;
        if (!isForeign && MODES[tagName] !== undefined) tokenizer.state = MODES[tagName] as never;
      },
      onEndTag: ({ tagName }) => {
        foreign.end(tagName);
        tokenizer.inForeignNode = foreign.isInside;
        events.push(['close', tagName]);
      },
    },
  );
  tokenizer.write(html, true);
  return events;
}

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

  /** Compares all events; a failure shows the name of the document. */
  function compare(name: string, html: string): void {
    const lines = html.replace(/\r\n?/g, '\n');
    expect(name + JSON.stringify(scanned(lines))).toBe(name + JSON.stringify(standard(lines)));
  }

  it('decodes documentation pages correctly and tokenizes them as parse5 does', () => {
    // Pages of one tree begin with the same long menu: some of them suffice.
    const pages = [...makeDocTrees().values()].filter(({ path }, n) => !path.startsWith('/classes/') || n % 24 === 0);
    expect(pages.length).toBeGreaterThan(1_000);
    for (const { path, html, bytes, type } of pages) {
      const { text } = decode(bytes, type);
      expect(path + text).toBe(path + html);
      compare(path, text);
    }
  });

  it('tokenizes HTML files of installed packages as parse5 does', () => {
    const pages = ['@mixmark-io/domino', 'playwright-core', 'pino', 'swagger-ui-dist', 'tinyld', 'tslib'].flatMap(
      (name) =>
        readdirSync(join('node_modules', name), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.html'))
          .map((file) => join('node_modules', name, file)),
    );
    expect(pages.length).toBeGreaterThan(50);
    for (const page of pages.sort()) compare(page, decode(readFileSync(page), 'text/html').text);
  });
});
