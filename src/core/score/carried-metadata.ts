/**
 * Metadata that a page passes to the pages it links to (Nutch 1.x `urlmeta`, `scoring-metadata`).
 *
 * Only a page that is new in the table receives it; a known page keeps its own. It is bounded, as it is copied with every
 * link and from page to page: 50 keys, 8,192 characters in total.
 */
import type { Distribute } from './scoring-filter.js';

const MAX_KEYS = 50;
const MAX_CHARS = 8_192;

/**
 * Passes on the metadata with these names; where the page has none, the header of the name, if in `headers`.
 */
export function carryMetadata(names: readonly string[], headers: readonly string[] = []): Distribute {
  const fromHeaders = new Set(headers.map((name) => name.toLowerCase()));
  return (page, shares) => {
    const carried: Record<string, string> = { ...shares.carried };
    let chars = Object.entries(carried).reduce((sum, [name, value]) => sum + name.length + value.length, 0);
    for (const name of names) {
      const own = Object.hasOwn(page.metadata, name) ? page.metadata[name] : undefined;
      const value = own ?? (fromHeaders.has(name.toLowerCase()) ? page.headers[name.toLowerCase()] : undefined);
      if (value === undefined || Object.hasOwn(carried, name)) continue;
      chars += name.length + value.length;
      if (chars > MAX_CHARS || Object.keys(carried).length >= MAX_KEYS) break;
      carried[name] = value;
    }
    return { ...shares, carried };
  };
}
