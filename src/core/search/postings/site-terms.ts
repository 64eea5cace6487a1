/** Terms for filters: they stand among the words, which have no colon and no equals sign. */
import type { FilterName } from '../query.js';
import type { SearchedDocument } from './searched-document.js';

/** Labels of a host that sites are made of. */
const MAX_LABELS = 16;
const ADDRESS = /^(?:[\d.]+|\[.*\])$/;

export const filterTerm = (name: Exclude<FilterName, 'date'>, value: string): string => `${name}:${value}`;

/** A word as it stands in the text, where its term differs: for prefixes and spelling. */
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
export function filterTerms({ host, language, types, segments }: SearchedDocument): Set<string> {
  return new Set([
    ...sitesOf(host).map((site) => filterTerm('site', site)),
    ...(host === '' ? [] : [filterTerm('host', host)]),
    ...(language === '' ? [] : [filterTerm('lang', language)]),
    ...types.filter((type) => type !== '').map((type) => filterTerm('type', type)),
    ...segments.filter((segment) => segment !== '').map((segment) => filterTerm('segment', segment)),
  ]);
}
