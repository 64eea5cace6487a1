/**
 * Paths of stores as clients of Nutch 1.x send them: `k1/crawldb`, `/data/k1/linkdb`, `k1/segments/20251121093000`.
 * The folder of a store corresponds to a crawl.
 */
const STORES = ['crawldb', 'linkdb', 'hostdb', 'webgraphdb', 'segments', 'segment'];

const namesIn = (path: string): string[] => path.split('/').filter((name) => name !== '' && name !== '.');

/** The crawl that a path names: the folder before the first store (`crawldb`, `linkdb`, …); null when there is none. */
export function crawlOfPath(path: string): string | null {
  const names = namesIn(path);
  const store = names.findIndex((name) => STORES.includes(name));
  return store > 0 ? names[store - 1]! : null;
}

/** A parsed path: the crawl, the store, and the names after it. */
export interface StorePath {
  crawl: string;
  store: string;
  names: string[];
}

/**
 * The store that a path names, if it is one of `stores`, with the crawl before it: `k1/webgraphdb/nodes` is `nodes` of k1,
 * and nothing to a reader of links.
 * A bare name is a crawl, and means the first of `stores`. Null for any other path.
 */
export function storeOfPath(path: string, stores: readonly [string, ...string[]]): StorePath | null {
  const names = namesIn(path);
  const first = names.findIndex((name) => STORES.includes(name) || stores.includes(name));
  if (first < 0)
    return names.length === 1 && !path.startsWith('/') ? { crawl: names[0]!, store: stores[0], names: [] } : null;
  const crawl = names[first - 1] ?? '';
  const isGraph = names[first] === 'webgraphdb' && first + 1 < names.length;
  const at = isGraph ? first + 1 : first;
  return stores.includes(names[at]!) ? { crawl, store: names[at]!, names: names.slice(at + 1) } : null;
}

/** Whether a path ends with a store, and so does not name a segment. */
export const isStore = (path: string): boolean => STORES.includes(namesIn(path).at(-1) ?? '');
