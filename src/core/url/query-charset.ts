/**
 * Encodes queries in the charset of the page (WHATWG URL Standard §1.3, "percent-encode after encoding").
 *
 * Queries of links in a Shift_JIS page are encoded in Shift_JIS: a browser requests `%93%FA`, and a crawler that requests
 * UTF-8 gets another page or none. A character without a code in the charset is sent as `&#8224;`, escaped. The table of
 * a charset is built on first use, by decoding every sequence once with the decoder for pages.
 */
import { decoderOf } from '../decoder.js';
import { isUnicodeCharset, type MultiByte, multiByteOf } from './legacy-charsets.js';

/** The bytes of one character, or null where the charset has none. */
type Encode = (char: string) => readonly number[] | null;

/** Sequences of a charset by character; built once for each charset in use. */
const tables = new Map<string, ReadonlyMap<string, readonly number[]>>();

/** Bytes that are not escaped in a query; `'` is escaped in http and https. */
const PLAIN_BYTE = /^[!$-&(-;=?-~]$/;

/**
 * `query`, without its `?` and `#`, as a browser sends it from a page of this charset.
 * @param charset a label of the WHATWG Encoding Standard, in lower case; an unknown one counts as UTF-8
 */
export function encodeQuery(query: string, charset: string): string {
  if (isUnicodeCharset(charset)) return escapeBytes(new TextEncoder().encode(query));
  if (charset === 'iso-2022-jp') return encodeStateful(query);
  const table = tableOf(charset);
  return Array.from(query.toWellFormed(), (char) => encodeChar(char, (text) => codeOf(text, charset, table))).join('');
}

function encodeChar(char: string, encode: Encode): string {
  const bytes = encode(char);
  return bytes === null ? `%26%23${char.codePointAt(0)}%3B` : escapeBytes(bytes);
}

function escapeBytes(bytes: Iterable<number>): string {
  let text = '';
  for (const byte of bytes) {
    const char = String.fromCharCode(byte);
    text += PLAIN_BYTE.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return text;
}

function codeOf(
  char: string,
  charset: string,
  table: ReadonlyMap<string, readonly number[]>,
): readonly number[] | null {
  const code = char.codePointAt(0) ?? 0;
  if (code < 0x80) return [code];
  const known = table.get(char);
  if (known !== undefined) return known;
  return charset === 'gb18030' && code > 0xffff ? fourBytes(189_000 + code - 0x1_0000) : null;
}

/** Sequence number `pointer` of the four-byte part of gb18030. */
const fourBytes = (pointer: number): number[] => [
  0x81 + Math.floor(pointer / 12_600),
  0x30 + (Math.floor(pointer / 1_260) % 10),
  0x81 + (Math.floor(pointer / 10) % 126),
  0x30 + (pointer % 10),
];

function tableOf(charset: string): ReadonlyMap<string, readonly number[]> {
  const known = tables.get(charset);
  if (known !== undefined) return known;
  const table = readTable(charset, multiByteOf(charset));
  tables.set(charset, table);
  return table;
}

function readTable(charset: string, multi: MultiByte | undefined): Map<string, readonly number[]> {
  const decoder = decoderOf(charset);
  const table = new Map<string, readonly number[]>(Object.entries(multi?.fixed ?? {}));
  const note = (...bytes: number[]) => {
    const char = decoder.decode(Uint8Array.from(bytes));
    const isOne = char.length === 1 || (char.length === 2 && (char.codePointAt(0) ?? 0) > 0xffff);
    const isNew = !table.has(char) || multi?.lastCounts?.includes(char) === true;
    if (isOne && char !== '\ufffd' && char >= '\x80' && isNew) table.set(char, bytes);
  };
  for (let byte = 0x80; byte <= 0xff; byte++) note(byte);
  for (let lead = multi?.firstLead ?? 0x100; lead <= 0xfe; lead++) {
    if (multi?.skippedLeads?.includes(lead)) continue;
    for (let trail = 0x40; trail <= 0xfe; trail++) note(lead, trail);
  }
  if (charset === 'gb18030') for (let pointer = 0; pointer < 39_420; pointer++) note(...fourBytes(pointer));
  for (const char of multi?.without ?? '') table.delete(char);
  for (const [char, like] of Object.entries(multi?.likeOthers ?? {})) table.set(char, table.get(like) ?? []);
  return table;
}

const ESCAPE_BYTE = 0x1b;
/** Escape sequences of the three sets of ISO-2022-JP. */
const switches = {
  ascii: [ESCAPE_BYTE, 0x28, 0x42],
  roman: [ESCAPE_BYTE, 0x28, 0x4a],
  kanji: [ESCAPE_BYTE, 0x24, 0x42],
};
type Set2022 = keyof typeof switches;

/** Characters whose bytes would be read as control bytes of the encoding. */
const switchesSets = (char: string): boolean => ['\x0e', '\x0f', '\x1b'].includes(char);

/** ISO-2022-JP is stateful: a set stays active until an escape sequence; text begins and ends in ASCII. */
function encodeStateful(query: string): string {
  let text = '';
  let set: Set2022 = 'ascii';
  for (const char of query.toWellFormed()) {
    const [nextSet, bytes] = code2022(char, set);
    if (nextSet !== set) text += escapeBytes(switches[nextSet]);
    text += bytes === null ? encodeChar(switchesSets(char) ? '\ufffd' : char, () => null) : escapeBytes(bytes);
    set = nextSet;
  }
  return set === 'ascii' ? text : text + escapeBytes(switches.ascii);
}

function code2022(char: string, set: Set2022): [Set2022, readonly number[] | null] {
  const code = char.codePointAt(0) ?? 0;
  const single = set === 'kanji' ? 'ascii' : set;
  if (switchesSets(char)) return [single, null];
  if (code < 0x80) return [set === 'roman' && code !== 0x5c && code !== 0x7e ? 'roman' : 'ascii', [code]];
  if (code === 0xa5) return ['roman', [0x5c]];
  if (code === 0x203e) return ['roman', [0x7e]];
  const pair = tableOf('euc-jp').get(fullWidth(char));
  return pair?.length === 2 && pair[0] !== 0x8e ? ['kanji', pair.map((byte) => byte - 0x80)] : [single, null];
}

/** ISO-2022-JP has half-width katakana in no set that an encoder uses: they are written in full width. */
function fullWidth(char: string): string {
  if (char < '\uff61' || char > '\uff9f') return char;
  // Compatibility forms of the sound marks are combining characters, which the encoding does not have.
  return { ﾞ: '゛', ﾟ: '゜' }[char] ?? char.normalize('NFKC');
}
