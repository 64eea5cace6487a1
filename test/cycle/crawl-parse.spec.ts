import { expect, it } from 'vitest';
import { WITHOUT_LIMITS } from '../core/job/plans.js';
import { page } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';

/** A CRAWL in strict rounds: its pages are parsed by FETCH or by PARSE (`crawl.parse.while.fetching`), with the same result. */

useCrawler();

it.each([
  [false, ['GENERATE', 'FETCH', 'PARSE', 'UPDATEDB'], { FETCH: 0, PARSE: 1 }],
  [true, ['GENERATE', 'FETCH', 'UPDATEDB'], { FETCH: 1 }],
])('whose FETCH parses: %s', async (parsesWhileFetching, steps, parsed) => {
  const crawlId = `parse-${parsesWhileFetching}`;
  const site = await crawler.site({ '/': links('/a'), '/a': page('<title>A</title>a') });
  const { confId, confHash } = await crawler.inject(crawlId, [`${site.url}/`]);
  const plan = { ...WITHOUT_LIMITS, seedName: null, rounds: 2, parsesWhileFetching };
  const { id } = await cycle.jobs.create({ type: 'CRAWL', crawlId, confId, confHash, args: {}, plan });
  // Running any job runs all waiting ones.
  await cycle.run('READDB', {}, { crawlId });
  expect(await cycle.jobs.find(id)).toMatchObject({ state: 'FINISHED', result: { reason: 'rounds' } });
  const children = await cycle.db.query<{ type: string; round: number; pages: number }>(
    `select type, round, coalesce((result -> 'counters' -> 'ParserStatus' ->> 'success')::int, 0) as pages
       from job where parent = $1 order by number`,
    [id],
  );
  expect(children.map(({ round, type }) => `${round} ${type}`)).toEqual(
    [1, 2].flatMap((round) => steps.map((type) => `${round} ${type}`)),
  );
  expect(children.filter(({ type }) => type in parsed).map(({ type, pages }) => ({ [type]: pages }))).toEqual(
    [1, 2].flatMap(() => Object.entries(parsed).map(([type, pages]) => ({ [type]: pages }))),
  );
  const rows = await cycle.db.query<{ title: string; status: number }>(
    `select coalesce(title, '') as title, status from webpage w join crawl c on c.id = w.crawl where c.name = $1 order by key`,
    [crawlId],
  );
  expect(rows).toEqual([
    { title: '', status: 2 },
    { title: 'A', status: 2 },
  ]);
});
