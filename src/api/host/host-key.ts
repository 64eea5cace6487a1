/**
 * Converts a host as people write it into the reversed host that the crawl stores. A name outside ASCII is stored as the
 * normalizers of the crawl wrote it (`urlnormalizer.basic.host.idn`), in Unicode or in ASCII, whichever form is given.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { reverseHost, unreverseHost } from '../../core/url/row-key.js';
import type { Sql } from '../../db/sql.js';
import { knownHosts } from '../../webpage/host-pages.sql.js';

/** The reversed form of a host or domain as URLs have it, unless a normalizer writes it in Unicode. */
export function hostKeyOfName(name: string): string {
  const lower = name.toLowerCase();
  return reverseHost(lower.startsWith('[') ? lower : domainToASCII(lower) || lower);
}

/** The reversed forms in which a host or domain may be stored, the form as written first. */
export function keysOfName(name: string): string[] {
  const ascii = hostKeyOfName(name);
  const unicode = reverseHost(domainToUnicode(unreverseHost(ascii)));
  return [...new Set([reverseHost(name.toLowerCase()), ascii, unicode || ascii])];
}

/** The reversed host of a host as in URLs, or of one that is already reversed if the crawl has none with that name. */
export const hostKeyGiven = async (db: Sql, crawl: number, name: string): Promise<string> =>
  (await knownHostKey(db, crawl, name)) ?? hostKeyOfName(name);

/** The reversed host of a host as in URLs, or already reversed, that the crawl has; undefined if it has neither. */
export const knownHostKey = (db: Sql, crawl: number, name: string): Promise<string | undefined> =>
  firstKnown(db, crawl, [...keysOfName(name), name.toLowerCase()]);

/** The reversed host of the host of a URL; undefined if the crawl has no host with that name. */
export const knownHostOfUrl = (db: Sql, crawl: number, host: string): Promise<string | undefined> =>
  firstKnown(db, crawl, keysOfName(host));

/** The first of these hosts that the crawl has. */
async function firstKnown(db: Sql, crawl: number, keys: readonly string[]): Promise<string | undefined> {
  const known = await knownHosts(db, crawl, keys);
  return keys.find((key) => known.has(key));
}
