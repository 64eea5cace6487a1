/**
 * The parser of robots.txt (RFC 9309 §2.2).
 *
 * A file is a list of groups: the user agents of a group, then its rules. Every byte string is a valid file; invalid lines
 * are skipped and do not affect others. The parser works on bytes (one character per byte), because the standard compares
 * octets and files come in any charset; only the text shown to users is decoded.
 *
 * Beyond the standard it accepts, as Google's parser does, common misspellings, `key value` without a colon and an
 * incomplete byte order mark, and truncates very long lines. Crawl-delay applies to the agents named so far in its group
 * and, like every other record, does not end the list of agents (§2.2.4).
 */
import { linesOf } from '../lines.js';
import { compilePattern, type PathPattern } from './path-pattern.js';

/** A crawler must parse at least 500 KiB (§2.5); the default is 512 KiB. */
export const MAX_ROBOTS_BYTES = 524_288;
/** Longest line, as in Google's parser: eight times the longest URL of old browsers. */
const MAX_LINE_LENGTH = 2083 * 8;
/** A longer Crawl-delay counts as this one, 30 years. */
const MAX_DELAY_S = 999_999_999;

/** A line of the file: its number from 1 and its text, decoded and trimmed. */
export interface RobotsLine {
  readonly number: number;
  readonly text: string;
}

/** An Allow or Disallow line. */
export interface RobotsRule {
  readonly allow: boolean;
  readonly pattern: PathPattern;
  readonly line: RobotsLine;
}

/**
 * The rules and delays of a group. A group is stored once however many agents it names, and a delay with the number of
 * agents named before it: agents times rules could be hundreds of millions in a file of the allowed size.
 */
export interface RobotsGroup {
  readonly rules: RobotsRule[];
  /** Crawl-delay lines: `seconds` applies to the first `agents` agents of the group. */
  readonly delays: { readonly agents: number; readonly seconds: number }[];
}

/** An agent's index in a group. */
export interface Membership {
  readonly group: RobotsGroup;
  /** The number of agents that the group names before this one. */
  readonly index: number;
}

export interface Robots {
  /** Groups by agent name in lower case (§2.2.1: all of them count); `*` for all other agents. */
  readonly agents: ReadonlyMap<string, readonly Membership[]>;
  /** Values of Sitemap lines as written, in order, without duplicates. */
  readonly sitemaps: readonly string[];
  /** Bytes parsed. Patterns are substrings of them, so they stay in memory as long as any pattern. */
  readonly bytes: number;
}

type Key = 'user-agent' | 'allow' | 'disallow' | 'crawl-delay' | 'sitemap';

/** Prefixes of keys, with the misspellings that Google accepts. */
const spellings: readonly (readonly [string, Key])[] = [
  ['user-agent', 'user-agent'],
  ['useragent', 'user-agent'],
  ['user agent', 'user-agent'],
  ['allow', 'allow'],
  ['disallow', 'disallow'],
  ['dissallow', 'disallow'],
  ['dissalow', 'disallow'],
  ['disalow', 'disallow'],
  ['diasllow', 'disallow'],
  ['disallaw', 'disallow'],
  ['crawl-delay', 'crawl-delay'],
  ['crawldelay', 'crawl-delay'],
  ['sitemap', 'sitemap'],
  ['site-map', 'sitemap'],
];

/** Parses the first `maxBytes` bytes of a robots.txt; never throws. A string is encoded as UTF-8. */
export function parseRobots(file: string | Uint8Array, maxBytes = MAX_ROBOTS_BYTES): Robots {
  const bytes = typeof file === 'string' ? Buffer.from(file) : Buffer.from(file.buffer, file.byteOffset, file.length);
  const parse = new RobotsParse();
  byteLines(withoutByteOrderMark(bytes), maxBytes).forEach((line, index) =>
    parse.take(line.slice(0, MAX_LINE_LENGTH), index + 1),
  );
  return { agents: parse.agents, sitemaps: [...parse.sitemaps], bytes: Math.min(bytes.length, maxBytes) };
}

/** The file without its byte order mark, which may be incomplete, or repeated where files were joined. */
function withoutByteOrderMark(bytes: Buffer): Buffer {
  const bom = [0xef, 0xbb, 0xbf];
  for (let rest = bytes; ; rest = rest.subarray(bom.length)) {
    const kept = bom.findIndex((byte, index) => rest[index] !== byte);
    if (kept >= 0) return rest.subarray(kept);
  }
}

/** Lines as byte strings; a line truncated at the limit is dropped, as part of a rule may disallow everything. */
function byteLines(bytes: Buffer, maxBytes: number): string[] {
  const lines = linesOf(bytes.toString('latin1', 0, maxBytes));
  if (bytes.length > maxBytes) lines.pop();
  return lines;
}

class RobotsParse {
  readonly agents = new Map<string, Membership[]>();
  readonly sitemaps = new Set<string>();
  private group: RobotsGroup = { rules: [], delays: [] };
  /** Rules of the group, to skip duplicates: the first of equal rules decides. */
  private readonly ruled = new Set<string>();
  /** Number of agents that the group has named so far. */
  private named = 0;
  /** A rule, even an empty one, ends the list of agents: the next user-agent line begins a new group. */
  private hasRules = false;

  take(bytes: string, number: number): void {
    const record = readRecord(bytes);
    if (record === null) return;
    const { key, value } = record;
    if (key === 'user-agent') this.nameAgent(value);
    else if (key === 'sitemap') this.addSitemap(value);
    else if (key === 'crawl-delay') this.setDelay(value);
    else this.addRule(key === 'allow', value, { number, text: asUtf8(bytes).trim() });
  }

  private nameAgent(value: string): void {
    if (this.hasRules) {
      this.group = { rules: [], delays: [] };
      this.ruled.clear();
      this.named = 0;
      this.hasRules = false;
    }
    for (const name of agentNames(value)) {
      const memberships = this.agents.get(name) ?? [];
      if (memberships.at(-1)?.group !== this.group) memberships.push({ group: this.group, index: this.named });
      this.agents.set(name, memberships);
    }
    this.named++;
  }

  private addRule(allow: boolean, value: string, line: RobotsLine): void {
    if (this.named === 0) return;
    this.hasRules = true;
    if (value === '') return;
    for (const path of allow ? [value, ...folderOfIndex(value)] : [value]) {
      const rule = `${allow ? 'allow' : 'disallow'} ${path}`;
      if (this.ruled.has(rule)) continue;
      this.ruled.add(rule);
      this.group.rules.push({ allow, pattern: compilePattern(path), line });
    }
  }

  private setDelay(value: string): void {
    const seconds = /^\d*(?:\.\d*)?$/.test(value) ? Number.parseFloat(value) : Number.NaN;
    if (!Number.isNaN(seconds)) this.group.delays.push({ agents: this.named, seconds: Math.min(seconds, MAX_DELAY_S) });
  }

  private addSitemap(value: string): void {
    if (value !== '') this.sitemaps.add(asUtf8(value));
  }
}

/** Key and value of a line, null for comments and unknown keys. */
function readRecord(bytes: string): { key: Key; value: string } | null {
  const hash = bytes.indexOf('#');
  const line = trimBlanks(hash < 0 ? bytes : bytes.slice(0, hash));
  const split = splitRecord(line);
  if (split === null) return null;
  const [written, value] = split;
  const lower = written.toLowerCase();
  const known = spellings.find(([spelling]) => lower.startsWith(spelling));
  return known ? { key: known[1], value } : null;
}

function splitRecord(line: string): [string, string] | null {
  const colon = line.indexOf(':');
  if (colon >= 0) return [trimBlanks(line.slice(0, colon)), trimBlanks(line.slice(colon + 1))];
  const words = line.split(/[ \t]+/, 3);
  return words.length === 2 ? [words[0] ?? '', words[1] ?? ''] : null;
}

/** Trims ASCII blanks; `trim` would remove the byte A0, which may be part of a character. */
function trimBlanks(text: string): string {
  let start = 0;
  let end = text.length;
  const isBlank = (at: number) => text.charCodeAt(at) <= 0x20;
  while (start < end && isBlank(start)) start++;
  while (end > start && isBlank(end - 1)) end--;
  return text.slice(start, end);
}

const asUtf8 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('utf8');

/**
 * The names by which a user-agent line is found, in lower case: `*`; or the whole value, its product token with digits
 * (agents such as `mj12bot`), and its product token as the standard defines it (letters, `-`, `_`).
 */
function agentNames(value: string): Set<string> {
  if (/^\*(?:\s|$)/.test(value)) return new Set(['*']);
  const lower = asUtf8(value).toLowerCase();
  const tokens = [lower, /^[a-z0-9_-]*/.exec(lower)?.[0] ?? '', /^[a-z_-]*/.exec(lower)?.[0] ?? ''];
  return new Set(tokens.filter((token) => token !== '' && token !== '*'));
}

/** Google's extension: allowing `/folder/index.html` allows `/folder/` itself. */
function folderOfIndex(value: string): string[] {
  const slash = value.lastIndexOf('/');
  return slash >= 0 && value.startsWith('index.htm', slash + 1) ? [`${value.slice(0, slash + 1)}$`] : [];
}
