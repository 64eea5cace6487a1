import { DAY_MS } from '../day.js';
import { flag, int } from './property.js';

/** Properties of a CRAWL as a whole, and of the batch that a crawl holds (`crawl.*`). */
export const crawlProperties = {
  'crawl.gen.delay': int(
    7 * DAY_MS,
    'With generate.update.crawldb: how long a page of a batch that is not fetched stays excluded.',
    {
      max: 365 * DAY_MS,
      unit: 'ms',
    },
  ),
  'crawl.parse.while.fetching': flag(
    true,
    'A CRAWL parses each page as it is fetched, as fetcher.parse says for FETCH. False: a PARSE job in each round.',
  ),
  'crawl.rounds.strict': flag(
    false,
    'True: a CRAWL runs its rounds one after another. False: one FETCH continues while UPDATEDB and GENERATE add pages to it, so that no host waits for the slowest host of a round. Rounds are strict in any case if their number is given (rounds), if PARSE is a separate job, or if UPDATEDB reads the whole table at its end.',
  ),
};
