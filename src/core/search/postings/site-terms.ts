/** Terms for filters. They cannot collide with words, which contain no colon and no equals sign. */
import { hash } from 'node:crypto';
import type { FilterName } from '../query.js';
import type { SearchedDocument } from './searched-document.js';

/** Hex digits of a title's hash: with 48 bits, collisions within an index are unlikely. */
const TITLE_DIGITS = 12;
/** Maximum of labels of a host from which sites are derived. */
const MAX_LABELS = 16;
const ADDRESS = /^(?:[\d.]+|\[.*\])$/;

export const filterTerm = (name: Exclude<FilterName, 'date'>, value: string): string => `${name}:${value}`;

/** With what the terms of this file begin, in their order. */
const FILTERS = ['host:', 'lang:', 'segment:', 'site:', 'title:', 'type:'];

/** A part of a range of terms, in which no filters are. */
export interface WordBounds {
  readonly from: string;
  /** The first term behind it. */
  readonly to: string;
  /** The filters before and behind it. */
  readonly after?: string | undefined;
  readonly before?: string | undefined;
}

/** A range of terms without the filters in it: there are as many whole titles as documents. */
export function boundsOfWords({ from, to }: Pick<WordBounds, 'from' | 'to'>): WordBounds[] {
  const inside = FILTERS.filter((filter) => from <= filter && filter < to);
  return [undefined, ...inside].map((after, at) => {
    const before = inside[at];
    // The character after the colon.
    return { from: after?.replace(':', ';') ?? from, to: before ?? to, after, before };
  });
}

/** Whether a term of a block that overlaps a part is in it, and no filter. */
export const isWordWithin = ({ after, before }: WordBounds, term: string): boolean =>
  !term.includes(':') && (after === undefined || term > after) && (before === undefined || term < before);

/** Maximum of UTF-16 units of a title that are compared. */
const MAX_TITLE = 300;

/** The term of a whole title, by its hash: punctuation and the order of words are significant. null: the title is empty. */
export function titleTerm(title: string): string | null {
  const text = title.slice(0, MAX_TITLE).normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
  return text === '' ? null : `title:${hash('sha256', text).slice(0, TITLE_DIGITS)}`;
}

/**
 * What separates the title of a page from the name of its site, its chapter or its number: `Page - Site`, `Site: Page`,
 * `9.4. Page`, `Page (version)`, `page(8)`. Spaces are single ones.
 */
const BETWEEN_PARTS =
  / [-–—|·•»«›‹:/]+ |: | ?[：｜] ?|(?<=\d)\. | (?=\([^()]*\)$)|(?<! )(?=\([^()]*\)$)|(?=（[^（）]*）$)/gu;
/** Maximum of separators of a title that count; what follows the last one is one part. */
const MAX_SEPARATORS = 3;

/** The parts of a title by which a page may be called: each one, all from the first one on, and all up to the last one. */
export function titleParts(title: string): string[] {
  const text = title.slice(0, MAX_TITLE).replaceAll(/\s+/gu, ' ').trim();
  const separators = [...text.matchAll(BETWEEN_PARTS)].slice(0, MAX_SEPARATORS);
  const starts = [0, ...separators.map(({ index, 0: between }) => index + between.length)];
  const ends = [...separators.map(({ index }) => index), text.length];
  const isCalled = (first: number, last: number): boolean =>
    first === last || (first < last && (first === 0) !== (last === separators.length));
  const parts = starts.flatMap((start, first) =>
    ends.flatMap((end, last) => (isCalled(first, last) ? text.slice(start, end).trim() : [])),
  );
  return parts.filter((part) => part !== '' && part !== text);
}

/** Their terms, without that of the whole title. */
function titlePartTerms(title: string): Set<string> {
  const terms = new Set(
    titleParts(title)
      .map(titleTerm)
      .filter((term) => term !== null),
  );
  terms.delete(titleTerm(title) ?? '');
  return terms;
}

/** The term of a word as written, used if its stem differs: for prefixes, spelling and ranking. */
export const exactTerm = (word: string): string => `=${word}`;

/** A host and its parent domains: `www.apache.org`, `apache.org`, `org`. */
export function sitesOf(host: string): string[] {
  if (host === '' || ADDRESS.test(host)) return host === '' ? [] : [host];
  const labels = host.split('.').slice(-MAX_LABELS);
  return labels.map((_, i) => labels.slice(i).join('.'));
}

/** The distinct terms by which a document is filtered, and those of the parts of its title. */
export function filterTerms({ title, host, language, types, segments }: SearchedDocument): Set<string> {
  return new Set([
    ...titlePartTerms(title),
    ...sitesOf(host).map((site) => filterTerm('site', site)),
    ...(host === '' ? [] : [filterTerm('host', host)]),
    ...(language === '' ? [] : [filterTerm('lang', language)]),
    ...types.filter((type) => type !== '').map((type) => filterTerm('type', type)),
    ...segments.filter((segment) => segment !== '').map((segment) => filterTerm('segment', segment)),
  ]);
}
