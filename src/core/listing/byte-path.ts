/**
 * Paths as bytes, for protocols whose names have no charset (ftp, file): a text with one character for each byte, U+0000 to
 * U+00FF. What a URL escapes is sent and listed exactly as it is, whatever charset the server uses.
 */

/** Breaks a command of FTP, or ends a name early. 255 begins a command of Telnet, over which FTP is spoken. */
const UNSAFE = /[\0\r\n\u00ff]/;

/**
 * The bytes of the path of a parsed URL, without its escapes; null if they contain NUL, CR, LF or 255, or a segment `.` or `..`
 * (the URL parser resolves those that are written as such, not those behind an escaped slash).
 */
export function bytePath(pathname: string): string | null {
  const bytes = Buffer.from(pathname)
    .toString('latin1')
    .replace(/%([0-9a-f]{2})/gi, unescaped);
  if (UNSAFE.test(bytes) || !bytes.startsWith('/')) return null;
  return bytes.split('/').some((segment) => segment === '.' || segment === '..') ? null : bytes;
}

const unescaped = (_whole: string, hex: string): string => String.fromCharCode(parseInt(hex, 16));

/**
 * Bytes as a segment of a relative URL. What is unescaped is what URLs usually leave unescaped; a colon is not, so that no name
 * is read as a scheme.
 */
export const urlSegment = (bytes: string): string =>
  bytes.replace(
    /[^A-Za-z0-9\-._~!$()*+,;=@]/g,
    (byte) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

/** A path of bytes as the path of a URL. */
export const urlPath = (bytes: string): string => bytes.split('/').map(urlSegment).join('/');

/** Bytes as text for people: UTF-8 where they are, with U+FFFD for others. */
export const shownBytes = (bytes: string): string => Buffer.from(bytes, 'latin1').toString();
