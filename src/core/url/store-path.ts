/**
 * Paths of stores as clients of Nutch 1.x send them: `k1/crawldb`, `/data/k1/linkdb`, `k1/segments/20251121093000`.
 * The folder of a store corresponds to a crawl.
 */
const STORES = ['crawldb', 'linkdb', 'hostdb', 'webgraphdb', 'segments', 'segment'];

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** The crawl that a path names: the part before the first store (`crawldb`, `linkdb`, …); null when there is none. */
export function crawlOfPath(path: string): string | null {
  const parts = partsOf(path);
  const store = parts.findIndex((part) => STORES.includes(part));
  return store > 0 ? parts[store - 1]! : null;
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
  const parts = partsOf(path);
  const first = parts.findIndex((part) => STORES.includes(part) || stores.includes(part));
  if (first < 0)
    return parts.length === 1 && !path.startsWith('/') ? { crawl: parts[0]!, store: stores[0], names: [] } : null;
  const crawl = parts[first - 1] ?? '';
  const isPart = parts[first] === 'webgraphdb' && first + 1 < parts.length;
  const at = isPart ? first + 1 : first;
  return stores.includes(parts[at]!) ? { crawl, store: parts[at]!, names: parts.slice(at + 1) } : null;
}

/** Whether a path ends with a store, and so does not name a segment. */
export const isStore = (path: string): boolean => STORES.includes(partsOf(path).at(-1) ?? '');
