/**
 * Finds a meta charset after the 1,024 bytes of the prescan.
 *
 * Browsers restart when their parser finds one (HTML §13.2.3.4 "changing the encoding while parsing"); we look ahead
 * instead, and only if nothing else declares the encoding and the word occurs at all.
 */
import { scanHtml, type Attributes } from './html-scanner.js';

const MAX_BYTES = 65_536;

/** The encoding of the first meta element that declares a known one; null if there is none in the first 64 KiB. */
export function lateMetaCharset(bytes: Uint8Array, encodingOfLabel: (label: string) => string | null): string | null {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_BYTES));
  const text = head.toString('latin1');
  if (!/charset/i.test(text)) return null;
  let encoding: string | null = null;
  scanHtml(text, {
    wants: (tag) => encoding === null && tag === 'meta',
    open: (tag, attributes) => {
      if (tag === 'meta') encoding ??= encodingOfLabel(declaredLabel(attributes));
    },
    close: () => {},
    text: () => {},
  });
  // A document whose meta element can be read byte by byte is not UTF-16 (HTML §13.2.3.2, step 15).
  return encoding === 'utf-16le' || encoding === 'utf-16be' ? 'utf-8' : encoding;
}

function declaredLabel(attributes: Attributes): string {
  if (attributes['charset'] !== undefined) return attributes['charset'].trim();
  if (attributes['http-equiv']?.toLowerCase() !== 'content-type') return '';
  return charsetInContent(attributes['content'] ?? '');
}

const CHARSET = /charset[\t\n\f\r ]*=[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^"'\t\n\f\r ;][^\t\n\f\r ;]*))/i;

/** HTML standard, "extracting a character encoding from a meta element". */
function charsetInContent(content: string): string {
  const match = CHARSET.exec(content.slice(0, 1024));
  return match?.[1] ?? match?.[2] ?? match?.[3] ?? '';
}
