import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { onCluster } from '../support/database.js';
import { type Site, page, startSite } from '../support/site.js';
import type { FleetQuery } from './chaos-fleet.js';
import { forget, standing, verdict, watchMoves } from './oracle.js';

/** The oracle of the chaos tests reports nothing for a correct crawl, and each kind of damage made by hand. */

let cycle: Cycle;
let site: Site;
let query: FleetQuery;
let crawl: number;
let undisturbed: number;

beforeAll(async () => {
  cycle = await openCycle();
  query = (text, values) => cycle.db.query(text, values);
  await watchMoves(query);
  const links = Array.from({ length: 5 }, (_, i) => `<a href="/${i}">to ${i}</a>`).join(' ');
  site = await startSite({ '/robots.txt': page('', { 'content-type': 'text/plain' }), '*': page(links) });
  for (const crawlId of ['undisturbed', 'crawl']) {
    await cycle.inject([`${site.url}/`], {}, { crawlId });
    while ((await cycle.round({ crawlId, conf: { 'db.ignore.internal.links': 'false' } })) > 0);
  }
  const crawls = await query<{ id: number; name: string }>('select id, name from crawl');
  const numberOf = (name: string): number => crawls.find((one) => one.name === name)!.id;
  [undisturbed, crawl] = [numberOf('undisturbed'), numberOf('crawl')];
});
afterAll(async () => {
  await site.close();
  await cycle.close();
});

interface Kind {
  inOrder: boolean;
  dedup?: boolean;
}

const complaints = async (ask: FleetQuery, kind: Kind): Promise<string> =>
  [...(await standing(ask, crawl)), ...(await verdict(ask, crawl, { undisturbed, ...kind }))].join('\n');

/** Complaints after this statement on the crawl, which is rolled back. */
async function complaintsAfter(damage: string, kind: Kind = { inOrder: true }): Promise<string> {
  const client = await cycle.db.pool.connect();
  try {
    await client.query('begin');
    await client.query(damage, [crawl]);
    const inside: FleetQuery = async <Row>(text: string, values?: unknown[]) =>
      (await client.query(text, values)).rows as Row[];
    return await complaints(inside, kind);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

/** Its statements compare crawls page by page, on the single node of chaos. */
describe('the oracle', onlyWhere(!onCluster, 'compares the tables of one node'), () => {
  it('reports nothing for two equal crawls', async () => {
    expect([await complaints(query, { inOrder: true }), await complaints(query, { inOrder: false })]).toEqual(['', '']);
    expect(await query('select from webpage where crawl = $1 and status = 2', [crawl])).toHaveLength(6);
  });

  const some = `key = (select max(key) from webpage where crawl = $1)`;
  it.each<[string, string, RegExp]>([
    ['a lost page', `delete from webpage where crawl = $1 and ${some}`, /pages: lost or other/],
    [
      'another status',
      `update webpage set status = 3 where crawl = $1 and ${some}`,
      /pages: [^]*hosts count their pages|hosts count/,
    ],
    ['another score', `update webpage set score = score + 0.00001 where crawl = $1 and ${some}`, /scores: score of/],
    ['missing cash', `update webpage set cash = cash - 0.00001 where crawl = $1 and ${some}`, /cash: cash of/],
    [
      'a mark left open',
      `update webpage set generate_mark = 'x', rank = null where crawl = $1 and ${some}`,
      /a page in a batch is in one that was made[^]*open marks/,
    ],
    ['missing content', `delete from page_content where crawl = $1 and ${some}`, /contents and outlinks: lost/],
    [
      'a missing outlink',
      `update page_content set outlink_keys = outlink_keys[2:] where crawl = $1 and ${some}`,
      /contents and outlinks: lost/,
    ],
    ['a missing inlink', `delete from inlink where crawl = $1 and ${some}`, /inlinks: lost/],
    [
      'wrong counts of a host',
      'update host set n_fetched = n_fetched + 1 where crawl = $1',
      /hosts count their pages[^]*hosts: /,
    ],
    [
      'a duplicate visit',
      `insert into fetch_history (crawl, host, key, time, status, protocol_code)
       select crawl, host, key, now(), status, protocol_code from fetch_history where crawl = $1 and ${some}`,
      /a visit is written once[^]*counters are the rows/,
    ],
    [
      'a wrong counter',
      `update job_task set counters = jsonb_set(counters, '{FetcherStatus,SUCCESS}', '7') where job in (select id from job where crawl = $1 and type = 'FETCH')`,
      /counters are the rows/,
    ],
    [
      'a task that ended twice',
      `insert into job_event (job, crawl, kind, data) select job, crawl, kind, data from job_event where crawl = $1 and data ->> 'state' = 'DONE'`,
      /ended 2 times/,
    ],
    [
      'a token given twice',
      `insert into job_event (job, crawl, kind, data) select job, crawl, kind, data from job_event where crawl = $1 and kind = 'task' and data ->> 'state' = 'RUNNING'`,
      /token 1 given 2 times/,
    ],
    [
      'a task without end',
      `update job_task set state = 'RUNNING', outcome = null, lease_until = now() - interval '1 minute' where job in (select id from job where crawl = $1 and type = 'PARSE')`,
      /overdue since[^]*is RUNNING/,
    ],
    [
      'a job that becomes RUNNING after its end',
      `update job set state = 'RUNNING', ended_at = null where crawl = $1 and type = 'FETCH'`,
      /FINISHED to RUNNING/,
    ],
  ])('reports %s', async (_, damage, found) => expect(await complaintsAfter(damage)).toMatch(found));

  describe('for a crawl that visits its pages in another order', () => {
    const order = `update webpage set distance = distance + 1, score = score + 1 where crawl = $1 and ${some}`;
    it.each<[string, string, RegExp]>([
      ['nothing for single scores and distances', order, /^$/],
      ['cash that was created', `update webpage set cash = cash + 0.01 where crawl = $1 and ${some}`, /^all cash: /],
      [
        'cash that was lost',
        `update webpage set score = cash - 0.01 where crawl = $1 and ${some}`,
        /^a score is the cash that came/,
      ],
    ])('reports %s', async (_, damage, found) =>
      expect(await complaintsAfter(damage, { inOrder: false })).toMatch(found),
    );
  });

  describe('for a crawl with DEDUP', () => {
    // Pages of the site have one content, and DEDUP has not run.
    it.each<[string, string, RegExp]>([
      [
        'copies of which more than one stays',
        'select $1::int',
        /^one of the pages of a signature stays: \w+: 6 of 6$/m,
      ],
      ['contents that DEDUP has not read', 'select $1::int', /^nothing waits for DEDUP: 1 contents$/m],
      [
        'a duplicate in the index',
        `update webpage set status = 7, index_mark = 'x' where crawl = $1 and ${some}`,
        /^duplicates are not in the index: /m,
      ],
    ])('reports %s', async (_, damage, found) =>
      expect(await complaintsAfter(damage, { inOrder: false, dedup: true })).toMatch(found),
    );
  });

  it('deletes a crawl and no other (forget)', async () => {
    await forget(query, crawl);
    expect(await query('select from webpage where crawl = $1', [crawl])).toEqual([]);
    expect((await query('select from webpage where crawl = $1', [undisturbed])).length).toBeGreaterThan(5);
  });
});
