/**
 * Determines the media type of a document.
 *
 * The header is often wrong: images sent as text/html, plain text sent as Word. So the signature of a binary format
 * overrides any header. Otherwise the header is trusted, with three exceptions: a document format or an unknown type
 * whose bytes are plain text, text/html whose bytes are a feed, and XML whose root element is that of XHTML. A document
 * that header or name declares as PDF may have other bytes before its signature. Without a header the bytes decide, then
 * the file extension (modelled on WHATWG MIME Sniffing §7); text in a file named as HTML is HTML.
 */
import { byteOrderMark } from '../byte-order-mark.js';
import { HTML_NAMESPACE } from '../tree/element.js';
import { rootOf } from '../xml/xml-name.js';
import { essence, parseMimeType } from './mime.js';

const SNIFFED_BYTES = 1445;
const PDF = 'application/pdf';
/** A PDF header may follow a byte order mark or an empty line, within this length (PDF 1.7, implementation note 13). */
const PDF_HEADER_BYTES = 1024;

/** Signatures: hexadecimal, `..` stands for any byte. */
const SIGNATURES: readonly (readonly [pattern: string, type: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['474946383761', 'image/gif'],
  ['474946383961', 'image/gif'],
  ['ffd8ff', 'image/jpeg'],
  ['52494646........57454250', 'image/webp'],
  ['52494646........57415645', 'audio/wav'],
  ['52494646........41564920', 'video/x-msvideo'],
  ['00000100', 'image/x-icon'],
  ['49492a00', 'image/tiff'],
  ['4d4d002a', 'image/tiff'],
  ['255044462d', PDF],
  ['504b0304', 'application/zip'],
  ['1f8b08', 'application/gzip'],
  ['526172211a07', 'application/x-rar-compressed'],
  ['377abcaf271c', 'application/x-7z-compressed'],
  ['28b52ffd', 'application/zstd'],
  ['425a68..314159265359', 'application/x-bzip2'],
  ['fd377a585a00', 'application/x-xz'],
  ['d0cf11e0a1b11ae1', 'application/x-tika-msoffice'],
  // A first box of less than 64 KiB.
  ['0000....66747970', 'video/mp4'],
  ['1a45dfa3', 'video/webm'],
  ['4f67675300', 'application/ogg'],
  ['49443302', 'audio/mpeg'],
  ['49443303', 'audio/mpeg'],
  ['49443304', 'audio/mpeg'],
  ['664c6143', 'audio/flac'],
  ['774f4646', 'font/woff'],
  ['774f4632', 'font/woff2'],
  ['7f454c46', 'application/x-executable'],
  ['0061736d', 'application/wasm'],
];

const COMPILED = SIGNATURES.map(([pattern, type]) => ({
  type,
  bytes: (pattern.match(/../g) ?? []).map((hex) => (hex === '..' ? -1 : Number.parseInt(hex, 16))),
}));

/** Types by file extension, for documents without a header. */
const BY_ENDING: ReadonlyMap<string, string> = new Map([
  ['html', 'text/html'],
  ['htm', 'text/html'],
  ['xhtml', 'application/xhtml+xml'],
  ['txt', 'text/plain'],
  ['xml', 'application/xml'],
  ['rss', 'application/rss+xml'],
  ['atom', 'application/atom+xml'],
  ['css', 'text/css'],
  ['js', 'text/javascript'],
  ['json', 'application/json'],
  ['csv', 'text/csv'],
  ['pdf', PDF],
  ['doc', 'application/msword'],
  ['xls', 'application/vnd.ms-excel'],
  ['ppt', 'application/vnd.ms-powerpoint'],
  ['docx', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
  ['xlsx', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet'],
  ['pptx', 'application/vnd.openxmlformats-officedocument.presentationml.presentation'],
  ['odt', 'application/vnd.oasis.opendocument.text'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['jpg', 'image/jpeg'],
  ['jpeg', 'image/jpeg'],
  ['svg', 'image/svg+xml'],
  ['zip', 'application/zip'],
  ['gz', 'application/gzip'],
]);

const UNKNOWN_TYPES: ReadonlySet<string> = new Set(['unknown/unknown', 'application/unknown', '*/*']);

export interface TypedDocument {
  /** The `Content-Type` header as received; null without one. */
  readonly contentType: string | null;
  /** URL or file name; only its extension is used. */
  readonly name: string;
  /** At least the first bytes; null where the content must not be sniffed (`mime.type.magic` false). */
  readonly content: Uint8Array | null;
}

/** The type of a document, `type/subtype` in lower case; `application/octet-stream` when nothing determines it. */
export function typeOfDocument(document: TypedDocument): string {
  const declared = declaredType(document.contentType);
  const { content } = document;
  if (content === null || content.length === 0) return declared ?? typeOfName(document.name) ?? OCTETS;
  const binary = binaryType(content);
  if (binary !== null) return moreExact(binary, declared, document.name);
  if (isPdfWithin(content, declared, document.name)) return PDF;
  if (declared === 'text/html') return feedType(startOf(content)) ?? declared;
  if (declared !== null && XML.test(declared)) return isXhtml(startOf(content)) ? XHTML : declared;
  if (declared !== null && !OFTEN_WRONG.test(declared)) return declared;
  const sniffed = textualType(content);
  if (sniffed === 'text/plain' && declared === null && HTML_NAME.test(typeOfName(document.name) ?? ''))
    return 'text/html';
  // The header names a document format or octet-stream, but the bytes are plain text: the header is wrong.
  return sniffed ?? declared ?? typeOfName(document.name) ?? OCTETS;
}

const OCTETS = 'application/octet-stream';
const XHTML = 'application/xhtml+xml';
const XML = /^(?:application|text)\/xml$/;
const HTML_NAME = /^(?:text\/html|application\/xhtml\+xml)$/;

/** Declared types that servers also send for plain text. */
const OFTEN_WRONG =
  /^application\/(?:octet-stream|x-download|force-download|msword|pdf|zip|vnd\.ms-|vnd\.openxmlformats-|vnd\.oasis\.)/;

function declaredType(header: string | null): string | null {
  const mime = header === null ? null : parseMimeType(header);
  const type = mime === null ? null : essence(mime);
  return type === null || UNKNOWN_TYPES.has(type) ? null : type;
}

function isTextual(type: string): boolean {
  return type.startsWith('text/') || type.endsWith('+xml') || type.endsWith('/xml') || TEXTUAL.has(type);
}

const TEXTUAL: ReadonlySet<string> = new Set(['application/json', 'application/javascript', 'application/ld+json']);

/** The type by signature; null for none. Reads at most 12 bytes. */
function binaryType(content: Uint8Array): string | null {
  const format = COMPILED.find(({ bytes }) => bytes.every((byte, at) => byte === -1 || byte === content[at]));
  return format?.type ?? null;
}

/** Whether a declared PDF begins after some other bytes; an HTML page may mention `%PDF-` in its text. */
function isPdfWithin(content: Uint8Array, declared: string | null, name: string): boolean {
  if (declared !== PDF && typeOfName(name) !== PDF) return false;
  return latin1(content.subarray(0, PDF_HEADER_BYTES)).includes('%PDF-') && !HTML_START.test(startOf(content));
}

/** A zip may be an office document, a compound file a Word document: header or name are more specific than the bytes. */
function moreExact(binary: string, declared: string | null, name: string): string {
  if (binary !== 'application/zip' && binary !== 'application/x-tika-msoffice') return binary;
  const named = declared !== null && declared !== OCTETS && !isTextual(declared) ? declared : typeOfName(name);
  return named !== null && named !== OCTETS && !isTextual(named) ? named : binary;
}

const HTML_START =
  /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|meta)[\s>]|^<!--/i;

/** The type of textual content: HTML, a feed, XML or plain text; null for binary content. */
function textualType(content: Uint8Array): string | null {
  const head = content.subarray(0, SNIFFED_BYTES);
  const hasBom = byteOrderMark(head) !== null;
  if (!hasBom && head.some(isBinaryByte)) return null;
  const start = startOf(content);
  const feed = feedType(start);
  if (feed !== null) return feed;
  if (start.startsWith('<?xml')) return rootOf(start) === 'html' ? XHTML : 'application/xml';
  return HTML_START.test(start) ? 'text/html' : 'text/plain';
}

const isXhtml = (start: string): boolean => rootOf(start) === 'html' && start.includes(HTML_NAMESPACE);

/** The first bytes as Latin-1 text, without byte order marks (scripts that include files repeat them) and leading white space. */
function startOf(content: Uint8Array): string {
  const text = latin1(content.subarray(0, SNIFFED_BYTES)).replaceAll('\0', '');
  return text.replace(/^(?:\u00ef\u00bb\u00bf|\u00fe\u00ff|\u00ff\u00fe)+/, '').trimStart();
}

const latin1 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');

const MAY_BE_FEED = /^<(?:\?xml|!--|!doctype\s+(?:rss|rdf)|rss|feed|rdf:rdf)/i;
const RSS_NAMESPACE = /http:\/\/(?:purl\.org\/rss\/1\.0\/|my\.netscape\.com\/rdf\/simple\/0\.9\/)/;

/** Feeds sent under another type, mostly text/html (WHATWG MIME Sniffing, "sniffing a mislabeled feed"). */
function feedType(start: string): string | null {
  if (!MAY_BE_FEED.test(start)) return null;
  const root = rootOf(start);
  if (root === 'rss') return 'application/rss+xml';
  if (root === 'feed') return 'application/atom+xml';
  return root === 'rdf:rdf' && RSS_NAMESPACE.test(start) ? 'application/rss+xml' : null;
}

/** Binary data byte, MIME Sniffing §3. */
function isBinaryByte(byte: number): boolean {
  return byte <= 0x08 || byte === 0x0b || (byte >= 0x0e && byte <= 0x1a) || (byte >= 0x1c && byte <= 0x1f);
}

function typeOfName(name: string): string | null {
  const path = name.split(/[?#]/, 1)[0] ?? '';
  const file = path.slice(path.lastIndexOf('/') + 1);
  const dot = file.lastIndexOf('.');
  return dot < 0 ? null : (BY_ENDING.get(file.slice(dot + 1).toLowerCase()) ?? null);
}
