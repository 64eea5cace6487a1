/**
 * Which pages of equal content are kept, and which are duplicates (Nutch 1.x `DeduplicationJob`).
 *
 * The criteria are applied one after another, each to the pages that the one before left: the highest score, the latest
 * fetch time, https before http where two URLs differ in nothing else, the shortest URL. The pages left at the end are
 * kept. Nutch compares page by page in input order; comparing sets makes the result independent of the order, and a
 * second run finds nothing to do.
 */

/** The criteria that `deduplication.compare.order` may name. */
export const COMPARE_ORDER = ['score', 'fetchTime', 'httpsOverHttp', 'urlLength'] as const;
export type CompareBy = (typeof COMPARE_ORDER)[number];

/** Where pages of equal content are duplicates (`deduplication.group.mode`). */
export const GROUP_MODES = ['none', 'host', 'domain'] as const;
export type GroupMode = (typeof GROUP_MODES)[number];

/** A page that may be a duplicate. Time in ms since the epoch. */
export interface ComparedPage {
  readonly url: string;
  readonly score: number;
  /** When it is due (1.x compares the fetch time of the table, which is the next one). */
  readonly fetchTime: number;
}

/**
 * The pages of a group that are kept: at least one of a group that is not empty.
 *
 * Pages that no criterion distinguishes are all kept, as in Nutch, with one exception: where `fetchTime` is a criterion,
 * the order of URLs breaks the tie. Nutch sets the time of each page separately; here the pages of one write share it.
 */
export function keptOf<T extends ComparedPage>(group: readonly T[], order: readonly CompareBy[]): T[] {
  let left = [...group];
  for (const by of order) {
    if (left.length < 2) break;
    left = by === 'httpsOverHttp' ? withoutHttpPages(left) : best(left, VALUES[by]);
  }
  if (left.length < 2 || !order.includes('fetchTime')) return left;
  return [left.reduce((first, page) => (page.url < first.url ? page : first))];
}

const VALUES: Record<Exclude<CompareBy, 'httpsOverHttp'>, (page: ComparedPage) => number> = {
  score: ({ score }) => score,
  fetchTime: ({ fetchTime }) => fetchTime,
  urlLength: ({ url }) => -decoded(url).length,
};

/**
 * Compares two pages of similar content: above 0 the first is kept, below 0 the second, 0 where nothing distinguishes them.
 * The order is transitive, as chains of similar pages need: `httpsOverHttp` prefers https whatever else the URLs differ in.
 */
export function comparePages(a: ComparedPage, b: ComparedPage, order: readonly CompareBy[]): number {
  for (const by of order) {
    const value = by === 'httpsOverHttp' ? isSecure : VALUES[by];
    const difference = value(a) - value(b);
    if (difference !== 0) return difference;
  }
  if (a.url === b.url || !order.includes('fetchTime')) return 0;
  return a.url < b.url ? 1 : -1;
}

const isSecure = ({ url }: ComparedPage): number => (url.startsWith('https://') ? 1 : 0);

function best<T extends ComparedPage>(pages: readonly T[], value: (page: ComparedPage) => number): T[] {
  let highest = -Infinity;
  let kept: T[] = [];
  for (const page of pages) {
    const its = value(page);
    if (its > highest) kept = [];
    if (its >= highest) {
      highest = its;
      kept.push(page);
    }
  }
  return kept;
}

function withoutHttpPages<T extends ComparedPage>(pages: readonly T[]): T[] {
  const secure = new Set(pages.map(({ url }) => url).filter((url) => url.startsWith('https://')));
  return pages.filter(({ url }) => !secure.has(httpsOf(url) ?? ''));
}

/** The https URL that differs from an http URL in nothing else; null for another URL. */
export const httpsOf = (url: string): string | null =>
  url.startsWith('http://') ? `https://${url.slice('http://'.length)}` : null;

/** The URL with its escapes decoded (`%20` counts as one character); unchanged where it cannot be decoded. */
function decoded(url: string): string {
  try {
    return decodeURIComponent(url.replaceAll('+', ' '));
  } catch {
    return url;
  }
}
