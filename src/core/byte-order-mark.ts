/** The encoding that a byte order mark at the start names (WHATWG Encoding, "BOM sniff"); null without one. */
export function byteOrderMark(bytes: Uint8Array): 'utf-8' | 'utf-16be' | 'utf-16le' | null {
  const [a, b, c] = bytes;
  if (a === 0xef && b === 0xbb && c === 0xbf) return 'utf-8';
  if (a === 0xfe && b === 0xff) return 'utf-16be';
  return a === 0xff && b === 0xfe ? 'utf-16le' : null;
}
