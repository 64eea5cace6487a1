import { fragment } from '../db/sql.js';

/**
 * A crawl as a column of rows that are joined with a table of the web, `n` times: `w.crawl = page.crawl`.
 *
 * Compared with a constant the planner would ask its statistics how many rows that crawl has. They know nothing of a crawl that
 * is newer than they are, which it then takes for one row: it walks the whole crawl, and compares each of its rows with each of
 * ours (20 million pairs for 500 pages of 100,000). A column can be used for one thing only, to look rows up by their key.
 */
export const crawlColumn = (crawl: number, n: number): ReturnType<typeof fragment> =>
  fragment`array_fill(${crawl}::int, array[${n}::int])`;
