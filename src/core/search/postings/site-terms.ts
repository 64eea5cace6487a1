/** Terms for filters: they stand among the words, which have no colon and no equals sign. */
import { hash } from 'node:crypto';
import type { FilterName } from '../query.js';
import type { SearchedDocument } from './searched-document.js';

/** Digits of a title's hash: 48 bits, by which hardly two titles of an index meet. */
const TITLE_DIGITS = 12;
/** Labels of a host that sites are made of. */
const MAX_LABELS = 16;
const ADDRESS = /^(?:[\d.]+|\[.*\])$/;

export const filterTerm = (name: Exclude<FilterName, 'date'>, value: string): string => `${name}:${value}`;

/** UTF-16 units of a title that is compared. */
const MAX_TITLE = 300;

/** A title as a whole, by its hash: two that differ in a sign, or in the order of their words, are two. null: there is none. */
export function titleTerm(title: string): string | null {
  const text = title.slice(0, MAX_TITLE).normalize('NFKC').toLowerCase().replaceAll(/\s+/gu, ' ').trim();
  return text === '' ? null : `title:${hash('sha256', text).slice(0, TITLE_DIGITS)}`;
}

/** A word as it stands in the text, where its term differs: for prefixes, spelling and ranking. */
export const exactTerm = (word: string): string => `=${word}`;

export function hostOf(url: string): string {
  const [, host = ''] = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(url) ?? [];
  return host.toLowerCase();
}

/** A host and all above it: `www.apache.org`, `apache.org`, `org`. */
export function sitesOf(host: string): string[] {
  if (host === '' || ADDRESS.test(host)) return host === '' ? [] : [host];
  const labels = host.split('.').slice(-MAX_LABELS);
  return labels.map((_, i) => labels.slice(i).join('.'));
}

/** What a document is filtered by, each term once. */
export function filterTerms({ title, host, language, types, segments }: SearchedDocument): Set<string> {
  return new Set([
    ...[titleTerm(title)].filter((term) => term !== null),
    ...sitesOf(host).map((site) => filterTerm('site', site)),
    ...(host === '' ? [] : [filterTerm('host', host)]),
    ...(language === '' ? [] : [filterTerm('lang', language)]),
    ...types.filter((type) => type !== '').map((type) => filterTerm('type', type)),
    ...segments.filter((segment) => segment !== '').map((segment) => filterTerm('segment', segment)),
  ]);
}
