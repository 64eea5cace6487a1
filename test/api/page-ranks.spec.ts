import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

/** Pages show the ranks that LINKRANK, PAGERANK and HITS computed. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
  await api.database.query(`insert into crawl (name) values ('k1')`);
  await api.database.query(
    `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, retries_since_fetch, score, cash, distance, source_kind)
     select c.id, 'test.a', 'test.a:http/' || path, 1, now(), 1, 0, 1, 0, 0, 'seed' from crawl c, unnest(array['x', 'y']) path
      where c.name = 'k1'`,
  );
  await api.database.query(
    `insert into host (crawl, host, domain, n_unfetched) select id, 'test.a', 'test.a', 2 from crawl where name = 'k1'`,
  );
  await api.database.query(
    `insert into webgraph_node (crawl, host, key, link_rank, num_inlinks, num_outlinks)
     select id, 'test.a', 'test.a:http/x', 1.5, 3, 0 from crawl where name = 'k1'`,
  );
});
afterAll(() => api?.close());

const ranks = { linkRank: 1.5, pageRank: null, hub: null, authority: null, inlinks: 3, outlinks: 0 };

it('/v1/pages returns ranks in JSON, NDJSON and for one page, and omits them for unranked pages', async () => {
  const { body } = await request(api.url).get('/v1/pages?crawlId=k1');
  const shown = body.pages as { url: string; ranks?: unknown }[];
  expect(shown.map((page) => [page.url, page.ranks])).toEqual([
    ['http://a.test/x', ranks],
    ['http://a.test/y', undefined],
  ]);
  const lines = await request(api.url).get('/v1/pages?crawlId=k1').set('Accept', 'application/x-ndjson').buffer(true);
  expect(lines.text.match(/"linkRank":1.5/g)).toHaveLength(1);
  const alone = await request(api.url).get(`/v1/pages/${encodeURIComponent('http://a.test/x')}?crawlId=k1`);
  expect(alone.body.ranks).toEqual(ranks);
});
