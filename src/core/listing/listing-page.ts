/**
 * The page that stands for a directory (ftp, file): HTML with a link to each entry and to the parent, of the same form as
 * Nutch's `list2html`, so that PARSE finds the entries as outlinks.
 */
import { formatHttpDate } from '../http/http-date.js';
import { shownBytes, urlSegment } from './byte-path.js';

export interface ListedEntry {
  /** Bytes, one character each. */
  readonly name: string;
  readonly isDirectory: boolean;
  /** Bytes of a file; null if unknown. */
  readonly size: number | null;
  /** ms since 1970; null if unknown. */
  readonly modified: number | null;
}

export interface Listing {
  /** Bytes of the path, with a slash at its end. */
  readonly path: string;
  readonly entries: readonly ListedEntry[];
  /** Whether there are entries besides those. */
  readonly more: boolean;
  /** Whether the page links to the parent. */
  readonly parent: boolean;
}

/** Names that lead out of the directory, or nowhere. */
const isEntry = ({ name }: ListedEntry): boolean => name !== '' && name !== '.' && name !== '..' && !name.includes('/');

/** The page, as UTF-8. A name that is not an entry is left out. */
export function listingPage({ path, entries, more, parent }: Listing): Buffer {
  const title = `Index of ${inHtml(shownBytes(path))}`;
  const lines = entries.filter(isEntry).map(entryLine);
  return Buffer.from(
    [
      `<html><head><meta charset="utf-8"><title>${title}</title></head>`,
      `<body><h1>${title}</h1><pre>`,
      ...(parent ? ["<a href='../'>../</a>\t-\t-\t-"] : []),
      ...lines,
      ...(more ? ['The directory has more entries.'] : []),
      '</pre></body></html>',
      '',
    ].join('\n'),
  );
}

function entryLine({ name, isDirectory, size, modified }: ListedEntry): string {
  const slash = isDirectory ? '/' : '';
  const link = `<a href='${urlSegment(name)}${slash}'>${inHtml(shownBytes(name))}${slash}</a>`;
  return `${link}\t${modified === null ? '-' : formatHttpDate(modified)}\t${isDirectory || size === null ? '-' : size}`;
}

const REFERENCES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', "'": '&#39;' };

const inHtml = (text: string): string => text.replace(/[&<>']/g, (letter) => REFERENCES[letter] ?? '');
