/**
 * Validates pages of external plugins: missing fields are filled in, fields of the wrong type are rejected, and sizes are
 * limited as in our own parsers.
 */
import { STORED_LENGTHS } from '../core/page/stored-lengths.js';
import { isDeepStrictEqual } from 'node:util';
import type { FoundLink } from '../core/html/link-collector.js';
import { emptyPage } from '../core/page/parse-page.js';
import { PARSE_MAJOR, PARSE_MINOR, type ParseStatus, parseSuccess } from '../core/page/parse-status.js';
import type { ParsedPage, ParserInput, ReadPage } from '../core/page/parser.js';
import type { Unchecked } from './external-call.js';
import { kindOf } from './kind-of.js';

const MAX_LINKS = 100_000;
const MAX_URL_LENGTH = 65_536;
const MAX_METADATA = 1_000;
const MAX_NAME_LENGTH = 256;
const MAX_VALUE_LENGTH = 65_536;

type Field = keyof ReadPage;

interface FieldReader {
  /** What a plugin may return. */
  readonly allowed: string;
  /** Undefined for anything else. */
  readonly read: (given: unknown, input: ParserInput) => unknown;
  /** What a plugin has returned instead; default: its kind. */
  readonly kind?: (given: unknown) => string;
}

const TEXT = 'a text';
const TEXT_OR_NULL = 'a text or null';

const fields: Readonly<Partial<Record<Field, FieldReader>>> = {
  status: {
    read: readStatus,
    allowed: 'an object: major and, if given, minor are integers from 0 to 999, args is an array',
  },
  title: { read: (given, { props }) => readText(given, props['parser.title.limit']), allowed: TEXT },
  text: { read: (given, { props }) => readText(given, props['parser.text.limit']), allowed: TEXT },
  outlinks: { read: readLinks, allowed: 'an array of URLs, or of objects whose url and, if given, anchor are texts' },
  base: { read: (given) => readText(given, MAX_URL_LENGTH), allowed: TEXT },
  robots: { read: readRobots, allowed: 'an object: noindex and nofollow are, if given, true or false' },
  refresh: {
    read: readRefresh,
    allowed: 'null, or an object: url is a text and seconds, if given, a number from 0',
  },
  canonical: {
    read: (given) => (given === null ? null : readText(given, MAX_URL_LENGTH)),
    allowed: TEXT_OR_NULL,
  },
  charset: {
    read: (given) => (given === null ? null : readText(given, MAX_NAME_LENGTH)),
    allowed: TEXT_OR_NULL,
  },
  metadata: {
    read: readMetadata,
    allowed: 'an object whose values are texts, numbers, true, false or arrays of these',
    kind: kindOfMetadata,
  },
};

/**
 * The page of an external parser; its status is success by default.
 * @throws Error naming the invalid field
 */
export function readPageOf(given: unknown, input: ParserInput): ReadPage {
  const start: ReadPage = { ...emptyPage(input.page), status: parseSuccess() };
  const page = changed(start, given, input);
  if (lacksTarget(page)) throw new Error('its refresh is missing');
  return page;
}

/** A copy that a plugin may change in place, so that a failure has no effect on the page. */
export function copyOfPage(page: ParsedPage): ParsedPage {
  const { status, outlinks, robots, refresh, metadata, tried } = page;
  return {
    ...page,
    status: { ...status, args: [...status.args] },
    outlinks: outlinks.map((link) => ({ ...link })),
    robots: { ...robots },
    refresh: refresh && { ...refresh },
    metadata: { ...metadata },
    tried: [...tried],
  };
}

/**
 * The page with the fields that an external parse filter returns. If the filter removes the meta refresh, the status
 * becomes success.
 * @throws Error naming the invalid field
 */
export function changedPage(page: ParsedPage, given: unknown, input: ParserInput): ParsedPage {
  const after = changed(page, given, input);
  return lacksTarget(after) ? { ...after, status: parseSuccess() } : after;
}

const lacksTarget = ({ status, refresh }: ReadPage): boolean =>
  status.major === PARSE_MAJOR.success && status.minor === PARSE_MINOR.redirect && refresh === null;

function changed<P extends ReadPage>(page: P, given: unknown, input: ParserInput): P {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw new Error(`it answered ${kindOf(given)}`);
  }
  const read: Record<string, unknown> = {};
  for (const [field, { read: readField, allowed, kind = kindOf }] of Object.entries(fields) as [Field, FieldReader][]) {
    const value = (given as Unchecked)[field];
    if (value === undefined || isSame(field, value, page)) continue;
    read[field] = readField(value, input);
    if (read[field] === undefined) throw new Error(`its ${field} must be ${allowed} (given: ${kind(value)})`);
  }
  return { ...page, ...read };
}

const isSame = (field: Field, given: unknown, page: ReadPage): boolean =>
  field === 'outlinks' ? areSameLinks(given, page.outlinks) : isDeepStrictEqual(given, page[field]);

/** Eight times as fast as isDeepStrictEqual; a page may have thousands of links. */
function areSameLinks(given: unknown, own: readonly FoundLink[]): boolean {
  if (!Array.isArray(given) || given.length !== own.length) return false;
  return own.every((link, at) => {
    const { url, anchor, nofollow, tag } = (given[at] ?? {}) as Unchecked;
    return url === link.url && anchor === link.anchor && nofollow === link.nofollow && tag === link.tag;
  });
}

const readText = (given: unknown, maxLength: number): string | undefined =>
  typeof given === 'string' ? given.slice(0, maxLength).toWellFormed() : undefined;

function readLinks(given: unknown): FoundLink[] | undefined {
  if (!Array.isArray(given)) return undefined;
  const links = given.slice(0, MAX_LINKS).map((link: unknown) => {
    const { url, anchor = '', nofollow, tag } = (typeof link === 'string' ? { url: link } : (link ?? {})) as Unchecked;
    if (typeof url !== 'string' || typeof anchor !== 'string') return undefined;
    return {
      url: url.slice(0, MAX_URL_LENGTH),
      anchor: anchor.slice(0, MAX_VALUE_LENGTH),
      ...(nofollow === true && { nofollow: true as const }),
      ...(typeof tag === 'string' && { tag: tag.slice(0, MAX_NAME_LENGTH) }),
    };
  });
  return links.every((link) => link !== undefined) ? links : undefined;
}

function readMetadata(given: unknown): Record<string, string> | undefined {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return undefined;
  const entries = Object.entries(given as Unchecked).slice(0, MAX_METADATA);
  const texts = entries.map(([name, value]) => [name.slice(0, MAX_NAME_LENGTH), readValue(value)]);
  return texts.every(([, value]) => value !== undefined)
    ? (Object.fromEntries(texts) as Record<string, string>)
    : undefined;
}

/** Several values are one text with tabs between them, as those of metatags and headings are. */
function readValue(given: unknown): string | undefined {
  const texts = Array.isArray(given) ? given.map((one) => readScalar(one)?.replaceAll('\t', ' ')) : [readScalar(given)];
  return texts.every((text) => text !== undefined) ? readText(texts.join('\t'), MAX_VALUE_LENGTH) : undefined;
}

const readScalar = (given: unknown): string | undefined =>
  typeof given === 'number' || typeof given === 'boolean' ? String(given) : readText(given, MAX_VALUE_LENGTH);

/** Names the first value that is not allowed. */
function kindOfMetadata(given: unknown): string {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return kindOf(given);
  const [name, value] = Object.entries(given as Unchecked).find(([, one]) => readValue(one) === undefined) ?? [];
  const wrong = Array.isArray(value) ? value.find((one) => readScalar(one) === undefined) : value;
  return `${name}: ${Array.isArray(value) ? 'an array with ' : ''}${kindOf(wrong)}`;
}

function readStatus(given: unknown): ParseStatus | undefined {
  const { major, minor = 0, args = [] } = (given ?? {}) as Unchecked;
  const isCode = (code: unknown): code is number => Number.isInteger(code) && Number(code) >= 0 && Number(code) < 1_000;
  if (!isCode(major) || !isCode(minor) || !Array.isArray(args)) return undefined;
  return { major, minor, args: args.slice(0, 10).map((arg) => String(arg).slice(0, STORED_LENGTHS.statusArg)) };
}

function readRobots(given: unknown): ReadPage['robots'] | undefined {
  const { noindex = false, nofollow = false, nocache } = (given ?? {}) as Unchecked;
  if (typeof noindex !== 'boolean' || typeof nofollow !== 'boolean') return undefined;
  return { noindex, nofollow, ...(typeof nocache === 'boolean' && { nocache }) };
}

function readRefresh(given: unknown): ReadPage['refresh'] | undefined {
  if (given === null) return null;
  const { url, seconds = 0 } = (given ?? {}) as Unchecked;
  return typeof url === 'string' && typeof seconds === 'number' && seconds >= 0
    ? { url: url.slice(0, MAX_URL_LENGTH), seconds }
    : undefined;
}
