/**
 * Paths of the stores of Nutch 1.x, as its clients write them: `k1/crawldb`, `/data/k1/linkdb`, `k1/segments/20251121093000`.
 * The folder around a store is what a crawl is here.
 */
const STORES = ['crawldb', 'linkdb', 'hostdb', 'webgraphdb', 'segments', 'segment'];

const partsOf = (path: string): string[] => path.split('/').filter((part) => part !== '' && part !== '.');

/** The crawl that a path names: the part before `crawldb`, `linkdb`, `hostdb`, `webgraphdb` or `segments`; null when there is none. */
export function crawlOfPath(path: string): string | null {
  const parts = partsOf(path);
  const store = parts.findIndex((part) => STORES.includes(part));
  return store > 0 ? parts[store - 1]! : null;
}

/** Whether a path ends with a store, and so names no segment. */
export const isStore = (path: string): boolean => STORES.includes(partsOf(path).at(-1) ?? '');
