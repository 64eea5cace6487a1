import { describe, expect } from 'vitest';
import { charsetOf, decode } from '../../src/core/html/charset.js';
import { groupOf, suiteOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';

interface CharsetCase {
  id: string;
  base64: string;
  encoding: string | null;
  decodesAs?: string;
}

const bytesOf = ({ base64 }: CharsetCase) => new Uint8Array(Buffer.from(base64, 'base64'));

describe('html5lib-tests: encoding of a document (HTML §13.2.3)', () => {
  eachCase(suiteOf<CharsetCase>('charset', 'html5lib-encoding'))('$id is $encoding', (one) => {
    expect(decode(bytesOf(one), null).charset).toBe(one.encoding);
  });
});

describe('html-encoding-sniffer fixtures', () => {
  eachCase(suiteOf<CharsetCase>('charset', 'encoding-sniffer-fixtures'))('$id is decoded as $decodesAs', (one) => {
    const { charset, source } = decode(bytesOf(one), null);
    expect(charset).toBe(one.decodesAs);
    expect(source === 'default').toBe(one.encoding === null);
  });
});

interface ClueCase {
  n: number;
  content_type?: string | null;
  /** The charset that the document itself declares. */
  sniffed?: string;
  min_confidence: number;
  out: string;
}

/** WHATWG reads the label "utf-16" as little endian; Nutch keeps the label. */
const ownNames: Readonly<Record<string, string>> = { 'utf-16': 'utf-16le' };

describe('Nutch EncodingDetector: which clue wins', () => {
  eachCase(groupOf<ClueCase>('encoding').cases)('case $n is decoded as $out', (one) => {
    const declared = one.sniffed === undefined ? '' : `<meta charset="${one.sniffed}">`;
    const bytes = new TextEncoder().encode(`${declared}çñôöøДЛжҶ`);
    const { charset } = charsetOf(bytes, one.content_type ?? null, 'windows-1252', one.min_confidence);
    expect(charset).toBe(ownNames[one.out] ?? one.out);
  });
});
