/**
 * Determines the encoding of a document and decodes it.
 *
 * In this order: the byte order mark, the guess (only if `encodingdetector.charset.min.confidence` allows one), the header, the
 * document's meta element, its XML declaration (in XML before the meta element), the default. The encodings are those of the
 * WHATWG Encoding Standard, as in browsers; an unknown label counts as absent.
 */
import { TextDecoder } from 'node:util';
import { isAscii, isUtf8 } from 'node:buffer';
import htmlEncodingSniffer from 'html-encoding-sniffer';
import { byteOrderMark } from '../byte-order-mark.js';
import { decoderOf } from '../decoder.js';
import { parseMimeType } from '../page/mime.js';
import { lateMetaCharset } from './late-meta-charset.js';

/** What determined the encoding. */
export type CharsetSource = 'bom' | 'guess' | 'header' | 'meta' | 'xml' | 'default';

export interface DecodedText {
  readonly text: string;
  /** WHATWG name in lower case. */
  readonly charset: string;
  readonly source: CharsetSource;
}

export const DEFAULT_CHARSET = 'windows-1252';

/** Confidence that bytes beyond ASCII which are valid UTF-8 are UTF-8; text in other encodings hardly ever is valid. */
const UTF8_CONFIDENCE = 100;

interface Clue {
  readonly charset: string;
  readonly source: CharsetSource;
}

/**
 * Decodes a document. Never throws; invalid bytes become U+FFFD; the byte order mark is removed. `minConfidence` is Nutch's
 * `encodingdetector.charset.min.confidence`: with 0 to 100 a guess takes precedence over header and meta, -1 disables it.
 */
export function decode(
  bytes: Uint8Array,
  contentTypeHeader: string | null,
  defaultCharset: string = DEFAULT_CHARSET,
  minConfidence = -1,
): DecodedText {
  const { charset, source } = charsetOf(bytes, contentTypeHeader, defaultCharset, minConfidence);
  return { text: decoderOf(charset).decode(bytes), charset, source };
}

/**
 * Decodes XML other than XHTML: by the byte order mark, the header, UTF-16 recognized by its first character, the XML
 * declaration, else as UTF-8 (XML 1.0 §4.3.3 and appendix F). Never throws.
 */
export function decodeXml(bytes: Uint8Array, contentTypeHeader: string | null): DecodedText {
  const { charset, source } = xmlCharset(bytes, contentTypeHeader);
  return { text: decoderOf(charset).decode(bytes), charset, source };
}

function xmlCharset(bytes: Uint8Array, contentTypeHeader: string | null): Clue {
  const byBom = byteOrderMark(bytes);
  if (byBom !== null) return { charset: byBom, source: 'bom' };
  const header = contentTypeHeader === null ? null : parseMimeType(contentTypeHeader)?.parameters.get('charset');
  const named = encodingOfLabel(header ?? '');
  if (named !== null) return { charset: named, source: 'header' };
  if (bytes[0] === 0 && bytes[1] === LESS_THAN) return { charset: 'utf-16be', source: 'xml' };
  if (bytes[0] === LESS_THAN && bytes[1] === 0) return { charset: 'utf-16le', source: 'xml' };
  return { charset: declaredInXml(bytes) ?? 'utf-8', source: 'xml' };
}

const LESS_THAN = 0x3c;
const GREATER_THAN = 0x3e;
const QUESTION_MARK = 0x3f;

/** Determines the encoding only. */
export function charsetOf(
  bytes: Uint8Array,
  contentTypeHeader: string | null,
  defaultCharset: string,
  minConfidence: number,
): Clue {
  const byBom = byteOrderMark(bytes);
  if (byBom !== null) return { charset: byBom, source: 'bom' };
  if (minConfidence >= 0 && minConfidence <= UTF8_CONFIDENCE && looksLikeUtf8(bytes)) {
    return { charset: 'utf-8', source: 'guess' };
  }
  const mime = contentTypeHeader === null ? null : parseMimeType(contentTypeHeader);
  const header = encodingOfLabel(mime?.parameters.get('charset') ?? '');
  if (header !== null) return { charset: header, source: 'header' };
  const isXml = mime !== null && (mime.subtype === 'xml' || mime.subtype.endsWith('+xml'));
  return (
    declaredInside(bytes, isXml) ?? { charset: encodingOfLabel(defaultCharset) ?? DEFAULT_CHARSET, source: 'default' }
  );
}

/** The WHATWG name of a label (`latin1` is windows-1252), null if there is no decoder for it. */
export function encodingOfLabel(label: string): string | null {
  if (label === '' || label.length > MAX_LABEL_LENGTH) return null;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    // TextDecoder reports unknown labels and the "replacement" encoding this way.
    return null;
  }
}

const MAX_LABEL_LENGTH = 64;

/** Valid UTF-8 with at least one character beyond ASCII. A truncated character at the end is accepted. */
function looksLikeUtf8(bytes: Uint8Array): boolean {
  if (isAscii(bytes)) return false;
  if (isUtf8(bytes)) return true;
  let end = bytes.length - 1;
  while (end > bytes.length - 4 && end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  const whole = bytes.subarray(0, end);
  return (bytes[end] ?? 0) >= 0xc2 && isUtf8(whole) && !isAscii(whole);
}

function declaredInside(bytes: Uint8Array, isXml: boolean): Clue | null {
  const inXml = isXml ? declaredInXml(bytes) : null;
  if (inXml !== null) return { charset: inXml, source: 'xml' };
  const sniffed = sniffedCharset(bytes);
  if (sniffed !== null) return { charset: sniffed, source: sniffed.startsWith('utf-16') ? 'xml' : 'meta' };
  // HTML §13.2.3.2, "get an XML encoding". XML 1.0 §4.3.3: without any declaration XML is UTF-8.
  const last = isXml ? 'utf-8' : declaredInXml(bytes);
  return last === null ? null : { charset: last, source: 'xml' };
}

/** XML 1.0 §2.8. A declaration that can be read byte by byte is not in UTF-16, even if it declares it. */
export function declaredInXml(bytes: Uint8Array): string | null {
  const head = String.fromCharCode(...bytes.subarray(0, 200));
  const label = /^\s{0,50}<\?xml[^>]{0,150}?\bencoding\s{0,9}=\s{0,9}["']([A-Za-z0-9._:-]{1,40})["']/.exec(head)?.[1];
  const encoding = encodingOfLabel(label ?? '');
  return encoding?.startsWith('utf-16') ? 'utf-8' : encoding;
}

/**
 * Scans the first 1,024 bytes as the prescan of the standard does, then the elements after them. An XML declaration is skipped:
 * meta elements have precedence, the later ones, too. UTF-16 is recognized by its first characters; no element can name it.
 */
function sniffedCharset(bytes: Uint8Array): string | null {
  const isDeclared = bytes[0] === LESS_THAN && bytes[1] === QUESTION_MARK;
  const page = isDeclared ? bytes.subarray(bytes.indexOf(GREATER_THAN) + 1) : bytes;
  return encodingOfLabel(htmlEncodingSniffer(page, { defaultEncoding: '' })) ?? lateMetaCharset(bytes, encodingOfLabel);
}
