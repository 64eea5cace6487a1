import { describe, expect, it } from 'vitest';
import { decode } from '../../src/core/html/charset.js';
import { decoderOf, withWindows1252 } from '../../src/core/decoder.js';
import { decodeDocument } from '../../src/core/sitemap/document-text.js';
import { encodeQuery } from '../../src/core/url/query-charset.js';

/** index-windows-1252 of the WHATWG Encoding Standard, from 0x80 to 0x9F; the rest is that of Latin-1. */
const UPPER = [
  0x20ac, 0x0081, 0x201a, 0x0192, 0x201e, 0x2026, 0x2020, 0x2021, 0x02c6, 0x2030, 0x0160, 0x2039, 0x0152, 0x008d,
  0x017d, 0x008f, 0x0090, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x02dc, 0x2122, 0x0161, 0x203a,
  0x0153, 0x009d, 0x017e, 0x0178,
];
const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
const text = String.fromCharCode(...Array.from(bytes, (byte) => UPPER[byte - 0x80] ?? byte));

describe('windows-1252 on any version of Node', () => {
  it.each([
    ['a page', decode(bytes, 'text/html; charset=iso-8859-1').text],
    ['a sitemap', decodeDocument(bytes, 'text/xml; charset=windows-1252')],
    ['the label latin1', decoderOf('latin1').decode(bytes)],
    ['a text that Node decoded as Latin-1', withWindows1252(Buffer.from(bytes).toString('latin1'))],
  ])('decodes all 256 bytes as the WHATWG Encoding Standard does: %s', (_, read) => {
    expect(read).toBe(text);
  });

  it('encodes the characters in a URL query as the same bytes', () => {
    const escaped = Array.from(bytes.subarray(0x80), (byte) => `%${byte.toString(16).toUpperCase()}`).join('');
    expect(encodeQuery(text.slice(0x80), 'windows-1252')).toBe(escaped);
  });
});

describe('encodings of East Asia on any version of Node (WHATWG Encoding Standard)', () => {
  it.each([
    ['euc-kr', 'b8af 8c63 b9e6 b0a2 c7cf', '릭똠방각하', 'the syllables of windows-949'],
    ['big5', 'b3de 8bde fba6 9d62', '喂𦍋姉嚋', 'the characters of Hong Kong'],
    ['big5', 'a440 c6e7', '一ぁ', 'kana'],
    ['big5', '8862', 'Ê̄', 'a sequence of two code points'],
    ['shift_jis', '8740 fbfc 1a 1c 7f', '①髙\x1a\x1c\x7f', 'the characters of vendors, and control characters'],
    ['euc-jp', 'ade2 8fb0a1 8eb1', '№丂ｱ', 'two and three bytes'],
    ['ks_c_5601-1987', '8c63', '똠', 'another label'],
    ['Big5-HKSCS', '8bde', '𦍋', 'another label'],
    ['shift_jis', '81fd 3c 61 3e', '�<a>', 'a tag behind no character'],
    ['euc-kr', '81 3c 61 3e', '�<a>', 'a tag behind half a character'],
    ['euc-jp', '8f b0 3c 61 3e', '�<a>', 'a tag behind a part of a character'],
  ])('%s: %s is %j (%s)', (label, hex, read) => {
    expect(decoderOf(label).decode(Buffer.from(hex.replaceAll(' ', ''), 'hex'))).toBe(read);
  });

  it('encodes their characters in a URL query as the same bytes', () => {
    expect(encodeQuery('똠', 'euc-kr')).toBe('%8Cc');
    expect(encodeQuery('①髙', 'shift_jis')).toBe('%87@%FB%FC');
    // Characters of Hong Kong are only decoded.
    expect(encodeQuery('一啱', 'big5')).toBe('%A4@%26%2321873%3B');
  });
});
