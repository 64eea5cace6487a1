/** Problems of searches. */
import { problem, retriable } from '../problem.js';

export const searchesTooMany = retriable(
  1,
  problem(
    429,
    'TOO_MANY_SEARCHES',
    'Too many searches at once',
    (searches: number, whose = '') => `${searches} searches${whose} are running or waiting already.`,
  ),
);
export const crawlNotNamed = problem(400, 'CRAWL_NOT_NAMED', 'No crawl was named', (crawls: string) =>
  crawls === ''
    ? 'No crawl has an index yet: run INDEX first (a job of type INDEX, `orbweaver index`), or a crawl with `index`.'
    : `Several crawls have an index, such as ${crawls}: name one with \`crawlId\` (\`--crawl-id\` of a command).`,
);
