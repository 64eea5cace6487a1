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
    'True: a CRAWL makes its rounds one after another. False: one FETCH goes on while UPDATEDB and GENERATE bring it further pages, so that no host waits for the slowest of its round. Rounds stay strict where their number, invertLinks, dedup or index is asked for, where PARSE is a job of its own, and where UPDATEDB reads the whole table at its end.',
  ),
};
