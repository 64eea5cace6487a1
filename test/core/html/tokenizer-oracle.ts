import { Tokenizer, TokenizerMode } from 'parse5';
import { expect } from 'vitest';
import { ForeignContent } from '../../../src/core/html/foreign-content.js';
import { scanHtml } from '../../../src/core/html/html-scanner.js';
import { keptAttributes } from '../../../src/core/html/names.js';

/** The events of the scanner, and those of parse5's tokenizer, which implements the algorithm of the standard. */

type Event = ['open', string, Record<string, string | undefined>] | ['close', string] | ['text', string];

function add(events: Event[], event: Event): void {
  const last = events.at(-1);
  if (event[0] === 'text' && last?.[0] === 'text') last[1] += event[1];
  else if (event[0] !== 'text' || event[1] !== '') events.push(event);
}

export function scanned(html: string): Event[] {
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
export function standard(html: string): Event[] {
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

/** Compares all events; a failure shows the name of the document. */
export function expectSameTokens(name: string, html: string): void {
  const lines = html.replace(/\r\n?/g, '\n');
  expect(name + JSON.stringify(scanned(lines))).toBe(name + JSON.stringify(standard(lines)));
}
