import type { BatchCursor } from '../../src/core/frontier/batch-cursor.js';
import { parseConf } from '../../src/core/conf/properties.js';
import { FetchQueues } from '../../src/core/politeness/fetch-queues.js';
import { hostKeyOf, reverseUrl } from '../../src/core/url/row-key.js';
import { ChunkFeeder, type FetchItem } from '../../src/cycle/fetch/chunk-feeder.js';
import type { ChunkOf, Waiting } from '../../src/cycle/fetch/fetch.sql.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';
import { QueueIds } from '../../src/politeness/queue-ids.js';
import { rules } from '../core/politeness/queues-under-test.js';

/** A feeder of FETCH over batches in memory, with the real queues. */

const { conf } = parseConf({ 'urlfilter.regex.rules': '-\\.gif$\n+.', 'fetcher.filter.urls': 'true' });

/** The same random numbers for the same seed, from 0 to `n` - 1. */
export function randomOf(seed: number): (n: number) => number {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}

/** A page whose place in the batch is its hash. */
export function pageOf(url: string, mark: string, hash: number): Waiting {
  const key = reverseUrl(url);
  const rest = {
    status: 1,
    score: 1,
    etag: null,
    lastModified: null,
    signature: null,
    unparsed: true,
    robotsTag: null,
    representative: null,
  };
  return { host: hostKeyOf(key), key, mark, hash, ...rest };
}

/** A feeder over batches in memory, in their order. */
export function feederOf(pages: Waiting[], maxPages: number) {
  const queues = new FetchQueues<FetchItem>({ ...rules, delayMs: 0, maxPages });
  const left = new Set(pages);
  const read = ({ batch, limit, only, without = [] }: ChunkOf, after: BatchCursor | undefined): Promise<Waiting[]> => {
    const isAfter = ({ hash, key }: Waiting) =>
      after === undefined || hash > after.hash || (hash === after.hash && key > after.key);
    const found = [...left]
      .filter((page) => page.mark === batch && isAfter(page))
      .filter(({ host }) => (only?.includes(host) ?? true) && !without.includes(host))
      .toSorted((a, b) => a.hash - b.hash || (a.key < b.key ? -1 : 1));
    return Promise.resolve(found.slice(0, limit));
  };
  const batches = [...new Set(pages.map(({ mark }) => mark))];
  const parts = { read, query: { batches }, rules: makeUrlRules(conf), lengths: queues };
  return { feeder: new ChunkFeeder(parts, conf, new QueueIds('byHost')), queues, left };
}

export const enqueue = (queues: FetchQueues<FetchItem>, items: readonly FetchItem[]) =>
  items.forEach((item) => queues.add(item.queueId, item));

/** Up to 300 pages of three batches. Skewed: half of them are of one host. Few hashes, so that several pages have the same. */
export const randomBatches = (random: (n: number) => number): Waiting[] => {
  const hosts = 1 + random(12);
  return Array.from({ length: random(300) }, (_, i) => {
    const host = random(2) === 0 ? 0 : random(hosts);
    const type = random(10) === 0 ? 'gif' : 'html';
    return pageOf(`http://h${host}.test/${i}.${type}`, `b${random(3)}`, random(80) - 40);
  });
};
