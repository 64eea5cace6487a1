/** The searched parts of a document: the fields of an IndexDocument, with Nutch's names. */
import { DAY_MS } from '../../day.js';
import type { FieldValue, IndexDocument } from '../../indexing/index-document.js';
import { parseDatetime } from '../../w3c-datetime.js';
import type { SearchField } from '../search-fields.js';
import { startOf } from '../../text-start.js';
import { titleEnd } from '../title-line.js';

export interface SearchedDocument {
  readonly id: string;
  readonly url: string;
  readonly title: string;
  readonly texts: Readonly<Record<SearchField, readonly string[]>>;
  /** ISO 639-1; empty: unknown. */
  readonly language: string;
  /** Media types and their parts, the whole one first if present. */
  readonly types: readonly string[];
  readonly host: string;
  /** Names of its batch: of the segment (1.x), and its id. */
  readonly segments: readonly string[];
  /** Days since 1970-01-01; null: unknown. */
  readonly day: number | null;
  /** When the page was fetched, ms. */
  readonly fetchedAt: number | null;
  readonly boost: number;
  readonly fieldBoosts: ReadonlyMap<SearchField, number>;
}

/** Maximum of UTF-16 units of a displayed title. */
const MAX_TITLE = 300;
/** Maximum of values read per name. */
const MAX_VALUES = 1_000;
const MAX_FILTER = 128;
const MAX_HOST = 253;
/** Maximum of a boost: its products with frequencies and weights are finite in 32 bits, in which boosts and scores are stored. */
const MAX_BOOST = 1e30;

/** Fields whose texts are searched as another field. */
const SAME_AS: Readonly<Record<SearchField, readonly string[]>> = {
  title: ['title'],
  anchor: ['anchor'],
  url: [],
  host: [],
  headings: ['headings', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  content: ['content'],
};

export function searchedDocument(document: IndexDocument): SearchedDocument {
  const { id, url, boost, fieldBoosts } = document;
  const texts = (names: readonly string[]): string[] => names.flatMap((name) => fieldTexts(document, name));
  const host = storableStart(fieldTexts(document, 'host')[0] ?? siteHostOf(url), MAX_HOST);
  const [title = ''] = texts(SAME_AS.title);
  const types = fieldTexts(document, 'type').map(filterValue);
  const time = fieldTime(document.fields.get('tstamp')?.[0]);
  const date = fieldTime((document.fields.get('date') ?? document.fields.get('lastModified'))?.[0]) ?? time;
  return {
    id,
    url,
    title: startOf(title, MAX_TITLE),
    texts: {
      title: texts(SAME_AS.title),
      anchor: texts(SAME_AS.anchor),
      url: [url],
      host: [host],
      headings: texts(SAME_AS.headings),
      content: texts(SAME_AS.content).flatMap((text) => titleAndText(text, title)),
    },
    language: filterValue(fieldTexts(document, 'lang')[0] ?? ''),
    types: [...types.filter((type) => type.includes('/')), ...types.filter((type) => !type.includes('/'))],
    host,
    segments: texts(['segment', 'batchId']).map((segment) => storableStart(segment, MAX_FILTER)),
    day: date === null ? null : Math.floor(date / DAY_MS),
    fetchedAt: time,
    boost: Number.isFinite(boost) && boost > 0 ? Math.min(boost, MAX_BOOST) : 0,
    fieldBoosts: boostsOf(fieldBoosts),
  };
}

export function siteHostOf(url: string): string {
  const [, host = ''] = /^[a-z][a-z\d+.-]*:\/\/(?:[^/?#@]*@)?(\[[^\]]*\]|[^/?#:]*)/i.exec(url) ?? [];
  return host.toLowerCase();
}

/** The first line of a page's text is its title: as a text of its own, so that no phrase matches across its end. */
function titleAndText(text: string, title: string): string[] {
  const end = titleEnd(text, title);
  return end === null ? [text] : [text.slice(0, end), text.slice(end + 1)];
}

/** As a term, which PostgreSQL stores in an index: without NUL, and bounded. Plugins may have set any text. */
const storableStart = (text: string, maxLength: number): string => startOf(text.replaceAll('\0', ''), maxLength);

const filterValue = (text: string): string => storableStart(text, MAX_FILTER).trim().toLowerCase();

const fieldTexts = ({ fields }: IndexDocument, name: string): string[] =>
  (fields.get(name) ?? []).slice(0, MAX_VALUES).map(String);

/** Milliseconds of a time in any of its forms, in UTC without a zone if it is a W3C one; null if it is not a time. */
function fieldTime(value: FieldValue | undefined): number | null {
  if (value === undefined || typeof value === 'boolean') return null;
  const time =
    typeof value === 'object'
      ? value.getTime()
      : typeof value === 'number'
        ? value
        : (parseDatetime(value) ?? Date.parse(value));
  // Beyond the range of dates, too.
  return Number.isNaN(new Date(time).getTime()) ? null : time;
}

function boostsOf(boosts: ReadonlyMap<string, number>): Map<SearchField, number> {
  const fieldBoosts = new Map<SearchField, number>();
  for (const [field, names] of Object.entries(SAME_AS) as [SearchField, readonly string[]][]) {
    const boost = [field, ...names].map((name) => boosts.get(name)).find((value) => value !== undefined);
    if (boost !== undefined && boost !== 1 && Number.isFinite(boost) && boost >= 0)
      fieldBoosts.set(field, Math.min(boost, MAX_BOOST));
  }
  return fieldBoosts;
}
