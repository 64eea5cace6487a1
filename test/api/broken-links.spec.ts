import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureHistoryPartitions } from '../../src/webpage/fetch-history.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';
import { type SeededPage, addPages, newCrawl } from './seeded-pages.js';

/** Links to pages that are gone, with the default configuration: links inside a host are not stored as inlinks. */

const gone = (url: string, protocol_code = 14, http_status: number | null = 404): SeededPage => ({
  url,
  status: 3,
  row: { protocol_code, http_status },
});
const linking = (url: string, links: [key: string, anchor: string | null][], status = 2): SeededPage => ({
  url,
  status,
  content: { outlink_keys: links.map(([key]) => key), outlink_anchors: links.map(([, anchor]) => anchor) },
});

const old = 'test.site:http/old';
const many = Array.from({ length: 1_100 }, (_, i) => `http://large.test/${String(i).padStart(5, '0')}`);
const pages: SeededPage[] = [
  linking('http://site.test/', [
    ['test.site:http/a', 'alive'],
    [old, 'old'],
    ['test.other:http/gone', 'elsewhere'],
    ['test.site:http/never', 'not known'],
  ]),
  linking('http://site.test/a', [[old, null]]),
  linking('http://site.test/moved', [[old, '']], 5),
  // Outlinks of a page that is itself gone.
  linking('http://site.test/old2', [[old, 'from the dead']], 3),
  linking('http://other.test/', [
    [old, 'the neighbour’s'],
    ['test.site:http/denied', 'denied'],
    ['test.site:http/401', 'closed'],
    ['test.site:http/marked', 'marked'],
    ['test.site:http/failing', 'dead host'],
  ]),
  gone('http://site.test/old'),
  gone('http://site.test/401', 17, 401),
  gone('http://site.test/failing', 16, null),
  // Gone in the table, but not broken for a reader: never requested, or the last visit succeeded.
  gone('http://site.test/denied', 18, null),
  { url: 'http://site.test/marked', status: 3, row: { protocol_code: 1, http_status: 200 } },
  { url: 'http://site.test/marked2', status: 3 },
  gone('http://other.test/gone', 11, 410),
  gone('http://large.test/gone'),
  ...many.map((url, i) => linking(url, i % 100 === 99 ? [['test.large:http/gone', String(i)]] : [])),
];

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await ensureHistoryPartitions(api.database.pool);
  const crawl = await newCrawl(api.database, 'k1');
  await addPages(api.database, crawl, pages);
  await api.database.query(
    `insert into inlink (crawl, host, key, source, anchor, score) values ($1, 'test.site', $2, 'test.other:http/', 'the neighbour’s', 0.5)`,
    [crawl, old],
  );
});
afterAll(() => api?.close());

interface List {
  links: { target: string; source: string; anchor: string; [name: string]: unknown }[];
  cursor: string | null;
}
const list = async (query: Record<string, string | number>): Promise<List> => {
  const answer = await request(api.url)
    .get('/v1/broken-links')
    .query({ crawlId: 'k1', ...query });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  return answer.body;
};
/** All answers of a list that is read to its end by cursor. */
async function walk(query: Record<string, string | number>): Promise<List[]> {
  const answers = [await list(query)];
  for (let { cursor } = answers[0]!; cursor !== null; { cursor } = answers.at(-1)!)
    answers.push(await list({ ...query, cursor }));
  return answers;
}
const pairs = (answers: List[]) => answers.flatMap(({ links }) => links.map(({ source, target }) => [source, target]));

const ofSite = [
  ['http://site.test/', 'http://site.test/old'],
  ['http://site.test/', 'http://other.test/gone'],
  ['http://site.test/a', 'http://site.test/old'],
  ['http://site.test/moved', 'http://site.test/old'],
];
const ofOther = ['old', '401', 'failing'].map((path) => ['http://other.test/', `http://site.test/${path}`]);
const ofLarge = many.filter((_, i) => i % 100 === 99).map((url) => [url, 'http://large.test/gone']);

describe('GET /v1/broken-links', () => {
  it('returns target, its status and the linking page for the links of one host', async () => {
    const { links, cursor } = await list({ host: 'site.test' });
    expect(cursor).toBeNull();
    expect(links.slice(0, 2)).toEqual([
      {
        target: 'http://site.test/old',
        status: 'db_gone',
        protocol: 'NOTFOUND',
        httpStatus: 404,
        source: 'http://site.test/',
        anchor: 'old',
      },
      {
        target: 'http://other.test/gone',
        status: 'db_gone',
        protocol: 'GONE',
        httpStatus: 410,
        source: 'http://site.test/',
        anchor: 'elsewhere',
      },
    ]);
    expect(pairs([{ links, cursor }])).toEqual(ofSite);
  });

  it('counts pages without an answer as broken, not those that robots.txt or the crawl itself excludes', async () => {
    expect(pairs([await list({ host: 'test.other' })])).toEqual(ofOther);
  });

  it('lists all hosts in the order of the linking pages, with a bound on the pages read per answer', async () => {
    const answers = await walk({ limit: 1_000 });
    expect(pairs(answers)).toEqual([...ofLarge, ...ofOther, ...ofSite]);
    expect(answers.length).toBe(2);
    expect(answers[0]!.links).toHaveLength(10);
  });

  it.each([1, 2, 3, 7, 100])('returns every link once when read with limit %i', async (limit) => {
    const answers = await walk({ limit });
    expect(pairs(answers)).toEqual([...ofLarge, ...ofOther, ...ofSite]);
    for (const { links } of answers) expect(links.length).toBeLessThanOrEqual(limit);
  });

  it('lists the links to one target, from its own host unless host is given', async () => {
    expect(pairs(await walk({ target: 'http://site.test/old', limit: 2 }))).toEqual(
      ofSite.filter(([, target]) => target === 'http://site.test/old'),
    );
    expect(pairs([await list({ target: 'HTTP://site.test/old', host: 'other.test' })])).toEqual([ofOther[0]]);
    expect(await list({ target: 'http://large.test/gone' })).toMatchObject({ links: { length: 11 }, cursor: null });
    expect(await list({ target: 'http://site.test/a' })).toEqual({ links: [], cursor: null });
  });

  it.each<[string, Record<string, string>, number, string]>([
    ['an unknown crawl', { crawlId: 'k9' }, 404, 'CRAWL_UNKNOWN'],
    ['a target that the crawl does not know', { target: 'http://site.test/none' }, 404, 'PAGE_UNKNOWN'],
    ['a target without a scheme', { target: 'site.test' }, 400, 'QUERY_INVALID'],
    ['an unknown configuration', { target: 'http://site.test/', confId: 'c9' }, 400, 'CONFIG_ID_UNKNOWN'],
    ['a cursor of another list', { cursor: 'test.site:http/' }, 400, 'FIELDS_INVALID'],
    ['a malformed cursor', { cursor: '0:test.site:http/' }, 400, 'FIELDS_INVALID'],
    ['NUL in a cursor', { cursor: '1:test.site:http/\0' }, 400, 'FIELDS_INVALID'],
    ['a limit above the maximum', { limit: '1001' }, 400, 'FIELDS_INVALID'],
  ])('refuses %s', async (_, query, status, code) => {
    const answer = await request(api.url)
      .get('/v1/broken-links')
      .query({ crawlId: 'k1', ...query });
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it.each(['host', 'target'])('does not fail (5xx) on NUL in %s', async (field) => {
    const answer = await request(api.url)
      .get('/v1/broken-links')
      .query({ crawlId: 'k1', [field]: 'http://x.test/\0' });
    expect(answer.status).toBeLessThan(500);
  });
});

describe('GET /v1/pages/{url} of a page that is gone', () => {
  const read = async (url: string) => {
    const { body } = await request(api.url).get(`/v1/pages/${encodeURIComponent(url)}?crawlId=k1`);
    return body as { inlinks: { url: string; anchor: string; score: number | null }[]; inlinksCursor: string | null };
  };

  it('lists the links from its own host after the stored inlinks', async () => {
    expect(await read('http://site.test/old')).toMatchObject({
      inlinks: [
        { url: 'http://other.test/', anchor: 'the neighbour’s', score: 0.5 },
        { url: 'http://site.test/', anchor: 'old', score: null },
        { url: 'http://site.test/a', anchor: '', score: null },
        { url: 'http://site.test/moved', anchor: '', score: null },
      ],
      inlinksCursor: null,
    });
  });

  it('lists no links from the own host for pages that are not gone or that robots.txt forbids', async () => {
    for (const url of ['http://site.test/a', 'http://site.test/denied'])
      expect(await read(url)).toMatchObject({ inlinks: [], inlinksCursor: null });
  });

  it('returns inlinksCursor from the first link that does not fit behind the stored inlinks', async () => {
    const crawl = await newCrawl(api.database, 'both');
    const own = Array.from({ length: 110 }, (_, n) => `http://both.test/${String(n).padStart(3, '0')}`);
    await addPages(api.database, crawl, [
      gone('http://both.test/gone'),
      ...own.map((url) => linking(url, [['test.both:http/gone', '']])),
    ]);
    await api.database.query(
      `insert into inlink (crawl, host, key, source, anchor, score)
       select $1, 'test.both', 'test.both:http/gone', 'test.other:http/' || n, '', 1 from generate_series(1, 10) n`,
      [crawl],
    );
    const { body } = await request(api.url).get('/v1/pages/http%3A%2F%2Fboth.test%2Fgone?crawlId=both');
    const rest = await list({ crawlId: 'both', target: 'http://both.test/gone', cursor: body.inlinksCursor });
    const listed = [...body.inlinks, ...rest.links].map(({ url, source }) => url ?? source);
    expect([body.inlinks.length, listed.filter((url) => own.includes(url))]).toEqual([100, own]);
  });

  it('returns inlinksCursor when the host has more pages than one answer reads', async () => {
    const crawl = await newCrawl(api.database, 'wide');
    await addPages(api.database, crawl, [gone('http://wide.test/gone')]);
    await api.database.query(
      `with made as (insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, score, cash, source_kind)
         select $1, 'test.wide', 'test.wide:http/' || lpad(i::text, 6, '0'), 2, now(), 1, 1, 1, 'link' from generate_series(1, 5500) i
         returning crawl, host, key)
       insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
         select crawl, host, key, array['test.wide:http/gone'], array['x'] from made where right(key, 3) = '500'`,
      [crawl],
    );
    await api.database.query(
      `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
         select crawl, host, key, '{}', '{}' from webpage where crawl = $1 and status = 2 on conflict do nothing`,
      [crawl],
    );
    const { body } = await request(api.url).get(
      `/v1/pages/${encodeURIComponent('http://wide.test/gone')}?crawlId=wide`,
    );
    expect(body.inlinks).toHaveLength(5);
    expect(body.inlinksCursor).toBe('1:test.wide:http/005001');
    const rest = await list({ crawlId: 'wide', target: 'http://wide.test/gone', cursor: body.inlinksCursor });
    expect(rest).toMatchObject({ links: [{ source: 'http://wide.test/005500' }], cursor: null });
  });
});
