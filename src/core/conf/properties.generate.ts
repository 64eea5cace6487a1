import { MAX_INT32 } from '../int32.js';
import { PAGE_STATUS, PAGE_STATUS_CODES, statusName } from '../page/page-status.js';
import { choice, flag, float, int, list, text } from './property.js';

/** Statuses of pages outside of batches. */
const GENERATED_STATUSES = PAGE_STATUS_CODES.filter((code) => code !== PAGE_STATUS.retry).map(statusName);

/** Properties of GENERATE and of the partitions (Nutch `generate.*`, `partition.*`). */
export const generateProperties = {
  'generate.count.mode': choice('host', 'What generate.max.count counts by.', ['host', 'domain', 'ip']),
  'generate.fetch.delay.expr': text(
    '',
    'An expression over a host whose value is its delay, ms, instead of fetcher.server.delay. Empty: none.',
  ),
  'generate.filter': flag(true, 'Filter URLs while generating.'),
  'generate.max.count': int(-1, 'Pages of one host (or domain, or IP) in a batch. -1, 0: no limit.', { min: -1 }),
  'generate.max.count.expr': text(
    '',
    'An expression over a host, such as `dnsFailures > 0 ? 1 : fetched + 100`, whose value replaces generate.max.count; not above 0: no limit. Empty: none.',
  ),
  'generate.max.distance': int(-1, 'Largest number of links between a seed and a page. -1: no limit.', { min: -1 }),
  'generate.min.interval': int(-1, 'Pages with a longer fetch interval are left out. -1: no limit.', {
    min: -1,
    unit: 's',
  }),
  'generate.min.score': float(0, 'Pages with a lower score are left out.', { min: -1e12 }),
  'generate.normalise': flag(true, 'Normalize URLs while generating.'),
  'generate.restrict.status': text(
    '',
    'Take only pages of this status, such as db_unfetched; empty: any.',
    new RegExp(`^(?:${GENERATED_STATUSES.join('|')})?$`, 'i'),
    `one of ${GENERATED_STATUSES.join(', ')} in any letter case, or nothing`,
  ),
  'generate.topN': int(-1, 'Most pages selected by one GENERATE. -1: no limit.', { min: -1, max: 1_000_000_000_000 }),
  'generate.topN.per.segment': flag(
    false,
    'With maxNumSegments, each segment takes topN pages, as in the code of 1.x. False: all segments together.',
  ),
  'generate.update.crawldb': flag(
    false,
    'GENERATE may select pages again whose batch is older than crawl.gen.delay and was not fetched (1.x). False: a batch keeps them until UPDATEDB.',
  ),
  'mapreduce.job.reduces': int(1, 'Partitions of GENERATE: each selects at most topN / partitions pages.', {
    min: 1,
    max: 1_000,
  }),
  'partition.hosts': list([], 'Hosts whose pages form one partition, whatever the mode; empty: none.'),
  'partition.url.mode': choice('byHost', 'What keeps pages in one partition: host, domain or IP address.', [
    'byHost',
    'byDomain',
    'byIP',
  ]),
  'partition.url.normalise': flag(true, 'Normalize URLs (scope partition) before they are partitioned.'),
  'partition.url.seed': int(0, 'Mixed into the partition hash, so that hosts can be distributed again.', {
    min: -MAX_INT32 - 1,
  }),
};
