/** The header section of an answer as a plain record. */
import { isAscii, isUtf8 } from 'node:buffer';

/** Fields with a single value by definition: the first one counts, as joined values would be invalid. */
const SINGLE = new Set(
  'age content-length content-location content-type date etag expires last-modified location refresh retry-after server'.split(
    ' ',
  ),
);

/** Fields whose values are joined by LF. */
const OF_LINES = new Set(['set-cookie', 'x-robots-tag']);

/**
 * Converts raw name/value pairs to a record without prototype: names in lower case, values trimmed. Repeated fields are joined
 * by ", " (RFC 9110 §5.3), set-cookie and x-robots-tag by LF, since their values contain commas. Bytes beyond ASCII are read
 * as UTF-8 if valid (Location often is), else as Latin-1. Values of challenges keep one character per byte, as parts of them
 * are sent back (`textOfBytes` decodes them). The HTTP parser limits the size (16 KiB); the work here is linear in it.
 */
export function headerRecord(raw: readonly (Buffer | string)[]): Record<string, string> {
  const record: Record<string, string> = Object.create(null) as Record<string, string>;
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = utf8OrLatin1(raw[i]).toLowerCase();
    const value = (name === 'www-authenticate' ? latin1Of(raw[i + 1]) : utf8OrLatin1(raw[i + 1])).trim();
    const before = record[name];
    if (before === undefined) record[name] = value;
    else if (!SINGLE.has(name)) record[name] = `${before}${OF_LINES.has(name) ? '\n' : ', '}${value}`;
  }
  return record;
}

/** Decodes bytes that are stored one per character. */
export const textOfBytes = (bytes: string): string => utf8OrLatin1(Buffer.from(bytes, 'latin1'));

function latin1Of(bytes: Buffer | string | undefined): string {
  return typeof bytes === 'object' ? bytes.toString('latin1') : (bytes ?? '');
}

function utf8OrLatin1(bytes: Buffer | string | undefined): string {
  if (typeof bytes !== 'object') return bytes ?? '';
  return bytes.toString(!isAscii(bytes) && isUtf8(bytes) ? 'utf8' : 'latin1');
}
