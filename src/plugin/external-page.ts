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
  readonly read: (value: unknown, input: ParserInput) => unknown;
  /** What a plugin has returned instead; default: its kind. */
  readonly kind?: (value: unknown) => string;
}

const TEXT = 'a text';
const TEXT_OR_NULL = 'a text or null';

const fields: Readonly<Partial<Record<Field, FieldReader>>> = {
  status: {
    read: readStatus,
    allowed: 'an object: major and, if given, minor are integers from 0 to 999, args is an array',
  },
  title: { read: (value, { props }) => readText(value, props['parser.title.limit']), allowed: TEXT },
  text: { read: (value, { props }) => readText(value, props['parser.text.limit']), allowed: TEXT },
  outlinks: { read: readLinks, allowed: 'an array of URLs, or of objects whose url and, if given, anchor are texts' },
  base: { read: (value) => readText(value, MAX_URL_LENGTH), allowed: TEXT },
  robots: { read: readRobots, allowed: 'an object: noindex and nofollow are, if given, true or false' },
  refresh: {
    read: readRefresh,
    allowed: 'null, or an object: url is a text and seconds, if given, a number from 0',
  },
  canonical: {
    read: (value) => (value === null ? null : readText(value, MAX_URL_LENGTH)),
    allowed: TEXT_OR_NULL,
  },
  charset: {
    read: (value) => (value === null ? null : readText(value, MAX_NAME_LENGTH)),
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
export function readPageOf(returned: unknown, input: ParserInput): ReadPage {
  const start: ReadPage = { ...emptyPage(input.page), status: parseSuccess() };
  const page = changed(start, returned, input);
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
export function changedPage(page: ParsedPage, returned: unknown, input: ParserInput): ParsedPage {
  const after = changed(page, returned, input);
  return lacksTarget(after) ? { ...after, status: parseSuccess() } : after;
}

const lacksTarget = ({ status, refresh }: ReadPage): boolean =>
  status.major === PARSE_MAJOR.success && status.minor === PARSE_MINOR.redirect && refresh === null;

function changed<P extends ReadPage>(page: P, returned: unknown, input: ParserInput): P {
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) {
    throw new Error(`it answered ${kindOf(returned)}`);
  }
  const read: Record<string, unknown> = {};
  for (const [field, { read: readField, allowed, kind = kindOf }] of Object.entries(fields) as [Field, FieldReader][]) {
    const value = (returned as Unchecked)[field];
    if (value === undefined || isSame(field, value, page)) continue;
    read[field] = readField(value, input);
    if (read[field] === undefined) throw new Error(`its ${field} must be ${allowed} (given: ${kind(value)})`);
  }
  return { ...page, ...read };
}

const isSame = (field: Field, value: unknown, page: ReadPage): boolean =>
  field === 'outlinks' ? areSameLinks(value, page.outlinks) : isDeepStrictEqual(value, page[field]);

/** Eight times as fast as isDeepStrictEqual; a page may have thousands of links. */
function areSameLinks(value: unknown, links: readonly FoundLink[]): boolean {
  if (!Array.isArray(value) || value.length !== links.length) return false;
  return links.every((link, at) => {
    const { url, anchor, nofollow, tag } = (value[at] ?? {}) as Unchecked;
    return url === link.url && anchor === link.anchor && nofollow === link.nofollow && tag === link.tag;
  });
}

const readText = (value: unknown, maxLength: number): string | undefined =>
  typeof value === 'string' ? value.slice(0, maxLength).toWellFormed() : undefined;

function readLinks(value: unknown): FoundLink[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const links = value.slice(0, MAX_LINKS).map((link: unknown) => {
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

function readMetadata(metadata: unknown): Record<string, string> | undefined {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return undefined;
  const entries = Object.entries(metadata as Unchecked).slice(0, MAX_METADATA);
  const texts = entries.map(([name, value]) => [name.slice(0, MAX_NAME_LENGTH), readValue(value)]);
  return texts.every(([, value]) => value !== undefined)
    ? (Object.fromEntries(texts) as Record<string, string>)
    : undefined;
}

/** Several values are one text with tabs between them, as those of metatags and headings are. */
function readValue(value: unknown): string | undefined {
  const texts = Array.isArray(value)
    ? value.map((item) => readScalar(item)?.replaceAll('\t', ' '))
    : [readScalar(value)];
  return texts.every((text) => text !== undefined) ? readText(texts.join('\t'), MAX_VALUE_LENGTH) : undefined;
}

const readScalar = (value: unknown): string | undefined =>
  typeof value === 'number' || typeof value === 'boolean' ? String(value) : readText(value, MAX_VALUE_LENGTH);

/** Names the first value that is not allowed. */
function kindOfMetadata(metadata: unknown): string {
  if (typeof metadata !== 'object' || metadata === null || Array.isArray(metadata)) return kindOf(metadata);
  const [name, value] = Object.entries(metadata as Unchecked).find(([, item]) => readValue(item) === undefined) ?? [];
  const wrong = Array.isArray(value) ? value.find((item) => readScalar(item) === undefined) : value;
  return `${name}: ${Array.isArray(value) ? 'an array with ' : ''}${kindOf(wrong)}`;
}

function readStatus(value: unknown): ParseStatus | undefined {
  const { major, minor = 0, args = [] } = (value ?? {}) as Unchecked;
  const isCode = (code: unknown): code is number => Number.isInteger(code) && Number(code) >= 0 && Number(code) < 1_000;
  if (!isCode(major) || !isCode(minor) || !Array.isArray(args)) return undefined;
  return { major, minor, args: args.slice(0, 10).map((arg) => String(arg).slice(0, STORED_LENGTHS.statusArg)) };
}

function readRobots(robots: unknown): ReadPage['robots'] | undefined {
  const { noindex = false, nofollow = false, nocache } = (robots ?? {}) as Unchecked;
  if (typeof noindex !== 'boolean' || typeof nofollow !== 'boolean') return undefined;
  return { noindex, nofollow, ...(typeof nocache === 'boolean' && { nocache }) };
}

function readRefresh(refresh: unknown): ReadPage['refresh'] | undefined {
  if (refresh === null) return null;
  const { url, seconds = 0 } = (refresh ?? {}) as Unchecked;
  return typeof url === 'string' && typeof seconds === 'number' && seconds >= 0
    ? { url: url.slice(0, MAX_URL_LENGTH), seconds }
    : undefined;
}
