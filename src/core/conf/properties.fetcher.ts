import { DAY_S } from '../day.js';
import { MAX_DELAY_S, MAX_THREADS_PER_QUEUE } from '../politeness/pace.js';
import { MAX_BACK_OFF_S } from '../politeness/back-off.js';
import { choice, flag, float, int } from './property.js';

const seconds = { unit: 's' };
const milliseconds = { unit: 'ms' };
const FOLLOWS_DELAY = '${fetcher.server.delay}';

/** Properties of FETCH: queues, politeness, limits (Nutch `fetcher.*`). */
export const fetcherProperties = {
  'fetcher.backoff.max': int(
    3_600,
    'Longest back-off of a host that answers 429 or 5xx, or does not answer. Retry-After is limited to it, too.',
    { max: MAX_BACK_OFF_S, ...seconds },
  ),
  'fetcher.backoff.max.wait': int(
    60,
    'How long FETCH waits for such a host; a longer block leaves its pages in the batch, and GENERATE leaves the host out.',
    { max: DAY_S, ...seconds },
  ),
  'fetcher.bandwidth.target': int(
    -1,
    'Wanted speed of a FETCH, over all its tasks: threads are added, up to fetcher.maxNum.threads, or left idle. -1, 0: as fetcher.threads.fetch says.',
    { min: -1, max: 1_000_000_000, unit: 'kbit/s' },
  ),
  'fetcher.bandwidth.target.check.everyNSecs': int(30, 'How often the speed is set against fetcher.bandwidth.target.', {
    min: 1,
    max: 3_600,
    ...seconds,
  }),
  'fetcher.exceptions.per.queue.clear.after': int(1_800, "Time after which a queue's failures are forgotten.", {
    max: DAY_S,
    ...seconds,
  }),
  'fetcher.exceptions.per.queue.delay': float(5, 'Extra delay after a failure; it doubles with each further one.', {
    max: DAY_S,
    as: FOLLOWS_DELAY,
    ...seconds,
  }),
  'fetcher.filter.urls': flag(false, 'Filter the URLs of a batch again before they are fetched.'),
  'fetcher.max.crawl.delay': int(
    30,
    'Longest Crawl-delay obeyed; pages of a host that asks for more are skipped. -1: any.',
    {
      min: -1,
      max: DAY_S,
      ...seconds,
    },
  ),
  'fetcher.max.exceptions.per.queue': int(
    5,
    "Failures in a row until the rest of a host's queue is dropped. -1: never.",
    {
      min: -1,
      max: 1_000_000,
    },
  ),
  'fetcher.maxNum.threads': int(25, 'Most threads that fetcher.bandwidth.target may lead to.', { min: 1, max: 1_000 }),
  'fetcher.min.crawl.delay': float(5, 'Crawl-delays of robots.txt below this are raised to it.', {
    max: DAY_S,
    as: FOLLOWS_DELAY,
    ...seconds,
  }),
  'fetcher.normalize.urls': flag(false, 'Normalize the URLs of a batch again before they are fetched.'),
  'fetcher.parse': flag(false, 'Parse each page as it is fetched, without a PARSE job.'),
  'fetcher.queue.depth.multiplier': int(
    50,
    'Pages read ahead for each fetcher thread. One queue has half of all of them at most, and pages for a minute where its delay is longer; idle threads read on.',
    { min: 1, max: 10_000 },
  ),
  'fetcher.queue.mode': choice('byHost', 'What one queue holds: the pages of a host, a domain or an IP address.', [
    'byHost',
    'byDomain',
    'byIP',
  ]),
  'fetcher.queue.use.host.settings': flag(
    false,
    'Read threads and delays from the metadata of hosts (q_mt, q_cd, q_mcd), unless an operator set them for the host.',
  ),
  'fetcher.redirect.dedupcache.seconds': int(-1, 'How long redirect targets are remembered. -1, 0: not at all.', {
    min: -1,
    max: DAY_S,
    ...seconds,
  }),
  'fetcher.redirect.dedupcache.size': int(1_000, 'Redirect targets remembered.', { max: 1_000_000 }),
  'fetcher.server.delay': float(5, 'Delay between two requests to a server, counted from the end of the first.', {
    max: MAX_DELAY_S,
    ...seconds,
  }),
  'fetcher.server.min.delay': float(0, 'Delay between two requests to a server when its queue has several threads.', {
    max: MAX_DELAY_S,
    ...seconds,
  }),
  'fetcher.signature': flag(false, 'Compute the signature of a page even if FETCH does not parse it.'),
  'fetcher.store.content': flag(
    true,
    'Keep the raw content of pages. False: only FETCH can parse them, as it fetches them (fetcher.parse).',
  ),
  'fetcher.threads.fetch': int(
    10,
    'Requests that one FETCH job has open at the same time for each server with workers, over all tasks.',
    {
      min: 1,
      max: 1_000,
    },
  ),
  'fetcher.threads.per.queue': int(1, 'Requests open at the same time in one queue.', {
    min: 1,
    max: MAX_THREADS_PER_QUEUE,
  }),
  'fetcher.threads.slow': int(
    100,
    'Slow requests (fetcher.threads.slow.after) that a task of FETCH does not count as threads, so that servers that trickle do not hold up the others. 0: all count, as with the argument threads.',
    { max: 1_000 },
  ),
  'fetcher.threads.slow.after': int(
    5_000,
    'Time after which a request under way is a slow one: nearly all pages take less.',
    {
      max: 600_000,
      ...milliseconds,
    },
  ),
  'fetcher.threads.start.delay': int(10, 'Time between the starts of two threads.', { max: 60_000, ...milliseconds }),
  'fetcher.throughput.threshold.check.after': int(5, 'Time before the speed is checked.', { max: 1_440, unit: 'min' }),
  'fetcher.throughput.threshold.pages': int(-1, 'Speed below which fetching stops. -1: never.', {
    min: -1,
    max: 1_000_000,
    unit: 'pages/s',
  }),
  'fetcher.throughput.threshold.retries': int(5, 'Checks in a row that may be too slow.', { max: 1_000 }),
  'fetcher.timelimit.mins': int(-1, 'FETCH stops after this time. -1: never.', { min: -1, max: 525_600, unit: 'min' }),
};
