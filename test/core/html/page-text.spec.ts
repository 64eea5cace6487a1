import { describe, expect, it } from 'vitest';
import { PageText, type TextSpan } from '../../../src/core/html/page-text.js';
import { CollapsedText, collect } from '../../../src/core/html/collapsed-text.js';

const textOf = (limit: number, work: (text: PageText) => void): string => {
  const text = new PageText(limit);
  work(text);
  text.finish();
  return text.toString();
};
const write = (text: PageText, words: string) => text.write(words, 0, words.length);

describe('the text of a page', () => {
  it.each<[string, string, (text: PageText) => void]>([
    ['has one space between words', 'one two', (text) => write(text, '  one \t\n  two ')],
    [
      'starts a new line between blocks',
      'one\ntwo',
      (text) => (write(text, 'one '), text.line(), text.space(), write(text, ' two')),
    ],
    ['joins the parts of a word that markup splits', 'word', (text) => (write(text, 'wo'), write(text, 'rd'))],
    ['begins and ends with a word', 'one', (text) => (text.line(), write(text, ' one '), text.line())],
    ['keeps characters of all Unicode planes', 'é€𝄞', (text) => write(text, 'é€𝄞')],
    ['keeps the lines of preformatted text', 'a b\nc', (text) => text.writeLines('a  b\n\n c\n', 0, 9)],
    ['is empty when nothing was written', '', () => undefined],
  ])('%s', (_, expected, work) => {
    expect(textOf(100, work)).toBe(expected);
  });

  it('ends at its limit, never inside a character', () => {
    expect(textOf(4, (text) => write(text, 'ab 𝄞 cd'))).toBe('ab');
    expect(textOf(5, (text) => write(text, 'ab 𝄞 cd'))).toBe('ab 𝄞');
  });

  it('cuts a text of 16 million characters at its limit', () => {
    const endless = 'x'.repeat(1 << 24);
    expect(textOf(3, (text) => write(text, endless))).toBe('xxx');
    // More than its buffer has.
    expect(textOf(3, (text) => (text.begin(70_000), write(text, endless)))).toBe('xxx');
  });

  it('is correct for successive pages, including one larger than its buffer', () => {
    const long = 'long '.repeat(50_000).trimEnd();
    for (const one of ['short', long, 'ünï', 'short again'])
      expect(textOf(1_000_000, (text) => write(text, one))).toBe(one);
  });

  it('keeps two pages apart that are written at the same time', () => {
    const [a, b] = [new PageText(10), new PageText(10)];
    write(a, 'first');
    write(b, 'other');
    a.finish();
    b.finish();
    expect([String(a), String(b)]).toEqual(['first', 'other']);
  });
});

describe('parts of a page text', () => {
  it('are available beyond the limit of the text and while they are open', () => {
    const text = new PageText(3);
    write(text, 'one two');
    text.line();
    const [closed, open] = [text.begin(20), text.begin(5)];
    write(text, ' three ');
    text.end(closed);
    write(text, 'four five six');
    text.finish();
    expect([String(text), text.textOf(closed), text.textOf(open)]).toEqual(['one', 'three', 'three']);
  });

  it('equal what a separate collector receives', () => {
    let state = 7;
    const random = (n: number): number => (state = (state * 48_271) % 2_147_483_647) % n;
    for (let round = 0; round < 3_000; round++) {
      const limit = random(40);
      const [text, body] = [new PageText(limit), new CollapsedText(limit)];
      const parts: { part: TextSpan; alone: CollapsedText; open: boolean }[] = [];
      const collectors = () => [body, ...parts.filter(({ open }) => open).map(({ alone }) => alone)];
      for (let step = random(25); step > 0; step--) {
        const what = random(6);
        if (what === 0) {
          text.line();
          for (const each of collectors()) each.line();
        } else if (what === 1) {
          text.space();
          for (const each of collectors()) each.space();
        } else if (what === 2) {
          const most = random(12);
          parts.push({ part: text.begin(most), alone: new CollapsedText(most), open: true });
        } else if (what === 3 && parts.length > 0) {
          const one = parts[random(parts.length)]!;
          if (one.open) text.end(one.part);
          one.open = false;
        } else {
          const piece = [' a', 'b ', 'cd ef', '\n', '𝄞', 'ü\u00a0x', 'longer words here'][random(7)]!;
          write(text, piece);
          collect(piece, collectors());
        }
      }
      text.finish();
      expect([String(text), ...parts.map(({ part }) => text.textOf(part))]).toEqual(
        [body, ...parts.map(({ alone }) => alone)].map(String),
      );
    }
  });
});
