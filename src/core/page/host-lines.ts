/**
 * Lines of metadata for hosts, as the host injector of Nutch 2.x reads them: `host TAB key=value TAB key=value …`. A host may
 * also be written as a URL. Blank lines and those that begin with `#` are skipped, pairs without `=` too.
 */
import { domainToASCII } from 'node:url';
import { byBytes } from '../byte-order.js';
import { MAX_HOST_LENGTH } from '../url/host-patterns.js';
import { reverseHost } from '../url/row-key.js';
import { withoutNul } from './without-nul.js';

export interface HostLine {
  /** Reversed. */
  host: string;
  metadata: Record<string, string>;
}

const MAX_KEYS = 100;
const MAX_KEY_LENGTH = 256;
const MAX_VALUE_LENGTH = 4_096;

/**
 * The hosts of some lines, each once, in key order; of two values of a key the last one counts. `refused` counts lines
 * without a host, `leftOut` metadata that are too many or too long.
 */
export function readHostLines(text: string): { hosts: HostLine[]; refused: number; leftOut: number } {
  const metadataByHost = new Map<string, Record<string, string>>();
  let refused = 0;
  let leftOut = 0;
  for (const [line] of text.matchAll(/[^\r\n]+/g)) {
    const [first = '', ...pairs] = line.trim().split('\t');
    if (first === '' || first.startsWith('#')) continue;
    const host = hostOf(first.trim());
    if (host === null) {
      refused++;
      continue;
    }
    const parsed = lineMetadata(pairs);
    leftOut += parsed.leftOut;
    metadataByHost.set(host, Object.assign(metadataByHost.get(host) ?? {}, parsed.metadata));
  }
  const hosts = [...metadataByHost].map(([host, metadata]) => ({ host, metadata }));
  return { hosts: hosts.sort((a, b) => byBytes(a.host, b.host)), refused, leftOut };
}

function hostOf(word: string): string | null {
  const name = /^https?:\/\//i.test(word) ? (URL.parse(word)?.hostname ?? '') : word.toLowerCase();
  // Anything after a slash or colon would be cut off silently.
  const host = name.startsWith('[') ? name : /[\s/\\:?#@]/.test(name) ? '' : domainToASCII(name);
  const usable = host !== '' && host.length <= MAX_HOST_LENGTH && URL.parse(`http://${host}/`)?.hostname === host;
  return usable ? reverseHost(host) : null;
}

function lineMetadata(pairs: readonly string[]): { metadata: Record<string, string>; leftOut: number } {
  const metadata: Record<string, string> = {};
  let leftOut = Math.max(0, pairs.length - MAX_KEYS);
  for (const pair of pairs.slice(0, MAX_KEYS)) {
    const equals = pair.indexOf('=');
    const key = pair.slice(0, Math.max(0, equals)).trim();
    const value = pair.slice(equals + 1).trim();
    if (key === '') continue;
    if (key.length > MAX_KEY_LENGTH || value.length > MAX_VALUE_LENGTH) leftOut++;
    else metadata[withoutNul(key)] = withoutNul(value);
  }
  return { metadata, leftOut };
}
