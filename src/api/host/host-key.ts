/**
 * From a host as people write it to the reversed one by which the crawl knows it. A name outside ASCII stands in the table as the
 * normalizers of the crawl wrote it (`urlnormalizer.basic.host.idn`), in Unicode or in ASCII, whatever form is asked for.
 */
import { domainToASCII, domainToUnicode } from 'node:url';
import { reverseHost, unreverseHost } from '../../core/url/row-key.js';
import { type Sql, rows } from '../../db/sql.js';

/** The reversed form of a host or domain as URLs have it, unless a normalizer writes it in Unicode. */
export function hostKeyOfName(name: string): string {
  const lower = name.toLowerCase();
  return reverseHost(lower.startsWith('[') ? lower : domainToASCII(lower) || lower);
}

/** The reversed forms in which a host or domain may be known, as it is written first. */
export function keysOfName(name: string): string[] {
  const ascii = hostKeyOfName(name);
  const unicode = reverseHost(domainToUnicode(unreverseHost(ascii)));
  return [...new Set([reverseHost(name.toLowerCase()), ascii, unicode || ascii])];
}

/** The reversed host of a host that is written as in URLs, or reversed when the crawl has none of that name. */
export const hostKeyGiven = async (db: Sql, crawl: number, given: string): Promise<string> =>
  (await knownHostKey(db, crawl, given)) ?? hostKeyOfName(given);

/** The same; undefined when the crawl has neither. */
export const knownHostKey = (db: Sql, crawl: number, given: string): Promise<string | undefined> =>
  firstKnown(db, crawl, [...keysOfName(given), given.toLowerCase()]);

/** The reversed host of the host of a URL; undefined when the crawl has none of that name. */
export const knownHostOfUrl = (db: Sql, crawl: number, host: string): Promise<string | undefined> =>
  firstKnown(db, crawl, keysOfName(host));

async function firstKnown(db: Sql, crawl: number, keys: readonly string[]): Promise<string | undefined> {
  const found = await rows<{ host: string }>(db)`
    select host from host where crawl = ${crawl} and host = any (${keys}::text[])`;
  return keys.find((key) => found.some(({ host }) => host === key));
}
