/**
 * Media types: parses the `Content-Type` header as the WHATWG MIME Sniffing standard does (§4.4).
 */

/** Type and subtype in lower case; parameters in order, names in lower case, the first of a name wins. */
export interface MimeType {
  readonly type: string;
  readonly subtype: string;
  readonly parameters: ReadonlyMap<string, string>;
}

const MAX_HEADER_LENGTH = 8192;
const HTTP_TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
// HTTP quoted-string token code points: tab, the printable ASCII range and Latin-1 beyond it.
const QUOTABLE = /^[\t\u0020-\u007e\u0080-\u00ff]*$/;

function isHttpSpace(code: number): boolean {
  return code === 0x20 || code === 0x09 || code === 0x0a || code === 0x0d;
}

/** Trims HTTP whitespace only: a form feed or vertical tab makes a header invalid and must not be removed. */
function trimmed(text: string): string {
  return trimmedEnd(text.slice(spaceEnd(text, 0)));
}

function trimmedEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isHttpSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

function spaceEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length && isHttpSpace(text.charCodeAt(at))) at++;
  return at;
}

function until(text: string, from: number, stops: string): number {
  let at = from;
  while (at < text.length && !stops.includes(text.charAt(at))) at++;
  return at;
}

/** A quoted string from the quote at `from`: its value without quotes and escapes, and where it ends. */
function readQuoted(text: string, from: number): { value: string; end: number } {
  let value = '';
  let at = from + 1;
  for (; at < text.length && text.charAt(at) !== '"'; at++) {
    const escaped = text.charAt(at) === '\\' && at + 1 < text.length;
    if (escaped) at++;
    value += text.charAt(at);
  }
  return { value, end: at };
}

function readParameters(input: string, from: number): Map<string, string> {
  const parameters = new Map<string, string>();
  let at = from;
  while (at < input.length) {
    const start = spaceEnd(input, at + 1);
    const nameEnd = until(input, start, ';=');
    const name = input.slice(start, nameEnd).toLowerCase();
    at = nameEnd;
    if (input.charAt(at) !== '=') continue;
    let value: string;
    if (input.charAt(at + 1) === '"') {
      const string = readQuoted(input, at + 1);
      value = string.value;
      at = until(input, string.end, ';');
    } else {
      const end = until(input, at + 1, ';');
      value = trimmedEnd(input.slice(at + 1, end));
      at = end;
      if (value === '') continue;
    }
    if (HTTP_TOKEN.test(name) && QUOTABLE.test(value) && !parameters.has(name)) parameters.set(name, value);
  }
  return parameters;
}

/** Parses a media type (§4.4 "parse a MIME type"); null for an invalid one and for a header over 8 KiB. */
export function parseMimeType(header: string): MimeType | null {
  if (header.length > MAX_HEADER_LENGTH) return null;
  const input = trimmed(header);
  const slash = until(input, 0, '/');
  const type = input.slice(0, slash);
  if (!HTTP_TOKEN.test(type) || slash >= input.length) return null;
  const end = until(input, slash + 1, ';');
  const subtype = trimmedEnd(input.slice(slash + 1, end));
  if (!HTTP_TOKEN.test(subtype)) return null;
  return { type: type.toLowerCase(), subtype: subtype.toLowerCase(), parameters: readParameters(input, end) };
}

/** Type and subtype alone: `text/html`. */
export function essence(mime: MimeType): string {
  return `${mime.type}/${mime.subtype}`;
}
