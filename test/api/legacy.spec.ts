import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { type ApiUnderTest, apiInOneProcess, rawRequest } from './api-under-test.js';

/** The readers and services of NutchServer 1.x (feature rows G10, I5): a path is a name within a crawl. */

let cycle: Cycle;
let api: ApiUnderTest;
let site: Site;
let segment: string;
const json = { 'Content-Type': 'application/json' };
/** Links inside a host are stored and counted. */
const conf = {
  'link.ignore.internal.host': 'false',
  'link.ignore.internal.domain': 'false',
  'link.ignore.limit.domain': 'false',
  'link.ignore.limit.page': 'false',
  'db.ignore.internal.links': 'false',
};

beforeAll(async () => {
  cycle = await openCycle();
  api = await apiInOneProcess(cycle.db);
  site = await startSite({
    '/': page('<title>Home</title><p>some words</p><a href="/next">the next</a> <a href="/far">far</a>'),
    '/next': page('<title>Next</title><a href="/">home</a>'),
    '/far': page('<title>Far</title><p>no link'),
  });
  await cycle.inject(
    ['/', '/next', '/far'].map((path) => `${site.url}${path}`),
    {},
    { crawlId: 'k1', conf },
  );
  const made = await cycle.run('GENERATE', {}, { crawlId: 'k1', conf });
  segment = String(made.result!['generate.segment']);
  for (const type of ['FETCH', 'PARSE', 'UPDATEDB', 'INVERTLINKS'] as const)
    await cycle.run(type, { batch: segment }, { crawlId: 'k1', conf });
  await cycle.run('LINKRANK', {}, { crawlId: 'k1', conf });
});
afterAll(async () => {
  await api?.close();
  await site?.close();
  await cycle?.close();
});

async function read(line: string, path: unknown): Promise<{ status: number; headers: Headers; body: string }> {
  const answer = await fetch(`${api.url}/reader/${line}`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ path }),
  });
  return { status: answer.status, headers: answer.headers, body: await answer.text() };
}
async function rowsOf<T = Record<string, string>>(line: string, path: string): Promise<T[]> {
  const answer = await read(line, path);
  expect([answer.status, answer.headers.get('content-type')], answer.body).toEqual([200, 'application/json']);
  return JSON.parse(answer.body) as T[];
}
const urlOf = (path: string): string => `${site.url}${path}`;

describe('POST /reader/node/read', () => {
  it('returns the nodes with link counts and scores as text (G10)', async () => {
    const nodes = await rowsOf('node/read', 'k1/webgraphdb/nodes/current/part-r-00000/data');
    expect(Object.keys(nodes[0]!)).toEqual([
      'key_url',
      'num_inlinks',
      'num_outlinks',
      'inlink_score',
      'outlink_score',
      'metadata',
    ]);
    const home = nodes.find(({ key_url: url }) => url === urlOf('/'))!;
    expect(home).toMatchObject({ num_inlinks: '1', num_outlinks: '2', metadata: '' });
    expect(Number(home['outlink_score'])).toBeCloseTo(Number(home['inlink_score']) / 2, 5);
    const counts = nodes.map((node) => [node['key_url'], node['num_inlinks'], node['num_outlinks']]);
    expect(counts.toSorted()).toEqual([
      [urlOf('/'), '1', '2'],
      [urlOf('/far'), '1', '0'],
      [urlOf('/next'), '1', '1'],
    ]);
  });

  it.each(['k1', 'k1/webgraphdb', '/data/k1/webgraphdb/nodes', './k1/webgraphdb/nodes/'])(
    'accepts the path %s',
    async (path) => {
      expect(await rowsOf('node/read', path)).toHaveLength(3);
    },
  );

  it('returns more than a thousand nodes, and a range by start and end', async () => {
    const [crawl] = await cycle.db.query<{ id: number }>(`insert into crawl (name) values ('many') returning id`);
    await cycle.db.query(
      `insert into webgraph_node (crawl, host, key, num_inlinks)
       select $1, 'test.h' || n % 3, 'test.h' || n % 3 || ':http/' || n, n from generate_series(1, 2500) n`,
      [crawl!.id],
    );
    const all = await rowsOf('node/read', 'many');
    expect(new Set(all.map(({ num_inlinks: n }) => n)).size).toBe(2_500);
    expect(await rowsOf('node/read?start=998&end=1003', 'many')).toEqual(all.slice(998, 1_003));
  });

  it('returns nodes without a host (file:)', async () => {
    const [crawl] = await cycle.db.query<{ id: number }>(`insert into crawl (name) values ('files') returning id`);
    await cycle.db.query(
      `insert into webgraph_node (crawl, host, key, num_inlinks) select $1, '', ':file/' || n, n from generate_series(1, 20) n`,
      [crawl!.id],
    );
    expect(await rowsOf('node/read', 'files')).toHaveLength(20);
  });
});

describe('POST /reader/link/read', () => {
  it('returns outlinks by source page (G10)', async () => {
    const links = await rowsOf('link/read', 'k1/webgraphdb/outlinks/current/part-r-00000/data');
    expect(links.map((link) => [link['key_url'], link['url'], link['anchor'], link['linktype']]).toSorted()).toEqual([
      [urlOf('/'), urlOf('/far'), 'far', '2'],
      [urlOf('/'), urlOf('/next'), 'the next', '2'],
      [urlOf('/next'), urlOf('/'), 'home', '2'],
    ]);
    expect(Object.keys(links[0]!)).toEqual(['key_url', 'timestamp', 'score', 'anchor', 'linktype', 'url']);
    expect(Number(links[0]!['timestamp'])).toBeGreaterThan(1.7e12);
  });

  it.each(['k1/webgraphdb/inlinks', 'k1/linkdb/current'])('returns inlinks by target page for %s', async (path) => {
    const links = await rowsOf('link/read', path);
    expect(links.map((link) => [link['key_url'], link['url'], link['linktype']]).toSorted()).toEqual([
      [urlOf('/'), urlOf('/next'), '1'],
      [urlOf('/far'), urlOf('/'), '1'],
      [urlOf('/next'), urlOf('/'), '1'],
    ]);
  });

  it.each([
    ['start=1&end=2', [1, 2]],
    ['start=0&end=99', [0, 3]],
    ['start=2&end=1', [0, 0]],
    ['nrows=2', [0, 2]],
    ['nrows=0', [0, 0]],
    ['nrows=1&start=1&end=3', [1, 3]],
    ['nrows=2&start=1', [0, 2]],
    ['end=1', [0, 3]],
  ] as const)('?%s returns the rows %j', async (query, [from, to]) => {
    const all = await rowsOf('link/read', 'k1');
    expect(await rowsOf(`link/read?${query}`, 'k1')).toEqual(all.slice(from, to));
  });
});

it.each([
  ['link', 'k1/webgraphdb/outlinks', '3'],
  ['link', 'k1/linkdb', '3'],
  ['node', 'k1/webgraphdb', '3'],
])('POST /reader/%s/read?count=true returns the number of rows of %s, as text', async (name, path, number) => {
  const answer = await read(`${name}/read?count=true&nrows=1`, path);
  expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([200, 'text/plain', number]);
});

describe('POST /reader/sequence/read', () => {
  it('returns nrows pages of the CrawlDB with their CrawlDatum (I5)', async () => {
    const rows = await rowsOf<[string, string]>('sequence/read?nrows=2', 'k1/crawldb/current/part-r-00000/data');
    expect(rows.map(([url]) => url)).toEqual([urlOf('/'), urlOf('/far')]);
    for (const [, datum] of rows) expect(datum).toMatch(/^Version: 7\nStatus: 2 \(db_fetched\)\n/);
  });

  it.each([
    ['', 3, /^Version: 7\n/],
    ['/crawl_fetch/part-r-00000/data', 3, /^Version: 7\nStatus: 33 \(fetch_success\)/],
    ['/content', 3, /^Version: -1\nurl: http/],
    ['/crawl_parse', 3, /^Version: 7\nStatus: 67 \(linked\)/],
    ['/parse_text', 3, /./],
  ])('returns the part of a segment%s', async (part, count, value) => {
    const rows = await rowsOf<[string, string]>('sequence/read', `k1/segments/${segment}${part}`);
    expect(rows).toHaveLength(count);
    for (const [, text] of rows) expect(text).toMatch(value);
  });

  it('returns the pages of the LinkDb with their inlinks, as Inlinks.toString() of 1.x', async () => {
    expect(await rowsOf('sequence/read', 'k1/linkdb/current/part-r-00000/data')).toEqual([
      [urlOf('/'), `Inlinks:\n fromUrl: ${urlOf('/next')} anchor: home\n`],
      [urlOf('/far'), `Inlinks:\n fromUrl: ${urlOf('/')} anchor: far\n`],
      [urlOf('/next'), `Inlinks:\n fromUrl: ${urlOf('/')} anchor: the next\n`],
    ]);
  });

  it('collects the inlinks of a page, also more than are read at once', async () => {
    const [crawl] = await cycle.db.query<{ id: number }>(`insert into crawl (name) values ('linked') returning id`);
    await cycle.db.query(
      `insert into inlink (crawl, host, key, source, score)
       select $1, 'test.a', 'test.a:http/' || n % 2, 'test.b:http/' || n, 0 from generate_series(1, 2500) n`,
      [crawl!.id],
    );
    const rows = await rowsOf<[string, string]>('sequence/read', 'linked/linkdb');
    expect(rows.map(([url, links]) => [url, links.split('\n').length - 2])).toEqual([
      ['http://a.test/0', 1_250],
      ['http://a.test/1', 1_250],
    ]);
    expect((await read('sequence/read?count=true', 'linked/linkdb')).body).toBe('2');
  });

  it.each([
    ['k1/crawldb', '3'],
    ['k1/linkdb', '3'],
    [`k1/segments/SEGMENT/parse_data`, '3'],
  ])('with count=true returns the number of rows in %s', async (path, number) => {
    const answer = await read('sequence/read?count=true&nrows=1', path.replace('SEGMENT', segment));
    expect([answer.status, answer.headers.get('content-type'), answer.body]).toEqual([200, 'text/plain', number]);
  });
});

describe('the path of a reader', () => {
  const paths = [
    '/etc/passwd',
    '../../etc/passwd',
    'k1/../../etc/crawldb',
    '../crawldb',
    'file:///etc/webgraphdb/nodes',
    '/',
    'k9',
    'k9/webgraphdb/nodes',
    'k1/webgraphdb/loops',
    `k1'; drop table webpage --/crawldb`,
    'k1/segments/none/content',
    'k1/dump/commoncrawl-20259999999999',
  ];
  it.each(['sequence/read', 'link/read', 'node/read'])(
    'that does not exist in a crawl returns 400 FILE_NOT_FOUND from %s',
    async (line) => {
      for (const path of paths) {
        const answer = await read(line, path);
        expect([answer.status, (JSON.parse(answer.body) as { code: string }).code], path).toEqual([
          400,
          'FILE_NOT_FOUND',
        ]);
        expect(answer.body).toContain('File not found');
      }
    },
  );

  it.each([
    ['k1/loops', 'a path is <crawl>/<store>, with a store of crawldb, linkdb, segments, segment, dump.'],
    ['k9/crawldb', 'this server has no crawl of that name; a path is <crawl>/<store>.'],
    [
      'k1/segments',
      'a path of a segment is <crawl>/segments/<segment> or <crawl>/segments/<segment>/<part>, with a segment of this crawl and a part of ',
    ],
    [
      'k1/segments/SEGMENT/links',
      'a part of crawl_generate, crawl_fetch, content, crawl_parse, parse_data, parse_text',
    ],
    ['k1/dump/all', 'as POST /services/commoncrawldump returns it.'],
  ])('that is refused says what is wrong with it: %s', async (path, reason) => {
    const answer = await read('sequence/read', path.replace('SEGMENT', segment));
    expect([answer.status, answer.body]).toEqual([400, expect.stringContaining(reason)]);
  });

  it('that is refused is shown without the user and password of a URL', async () => {
    const answer = await read('sequence/read', 'http://user:pass@site.test/crawldb');
    expect(answer.body).toContain('site.test/crawldb');
    expect(answer.body).not.toMatch(/user|pass/);
  });

  it.each([
    ['link/read', 'k1/webgraphdb/nodes'],
    ['node/read', 'k1/webgraphdb/outlinks'],
    ['node/read', 'k1/webgraphdb/inlinks/current'],
  ])('that names rows of another reader returns 400: %s of %s', async (line, path) => {
    const answer = await read(line, path);
    expect([answer.status, (JSON.parse(answer.body) as { code: string }).code]).toEqual([400, 'FILE_NOT_FOUND']);
  });

  it.each(['', 7, null, 'x'.repeat(5_000)])('that is invalid returns 400: %j', async (path) => {
    const answer = await read('node/read', path);
    expect([answer.status, (JSON.parse(answer.body) as { code: string }).code]).toEqual([400, 'FIELDS_INVALID']);
  });

  it('must be sent: without it, or with another argument, the request is refused', async () => {
    const answer = await rawRequest(api.port, 'POST /reader/link/read', json, '');
    expect([answer.status, (JSON.parse(answer.body) as { code: string }).code]).toEqual([400, 'BODY_REFUSED']);
    expect((await read('link/read?nrows=x', 'k1')).status).toBe(400);
  });
});

describe('CommonCrawl dumps', () => {
  const call = (line: string, body = '') => rawRequest(api.port, line, json, body);
  it('have a name that reads the pages fetched up to its time', async () => {
    const made = await call('POST /services/commoncrawldump', '{"crawlId":"k1","confId":"default","args":{}}');
    expect([made.status, made.headers.get('content-type')]).toEqual([200, 'text/plain']);
    expect(made.body).toMatch(/^k1\/dump\/commoncrawl-\d{14}$/);
    const rows = await rowsOf<[string, string]>('sequence/read', made.body);
    expect(rows.map(([url]) => url).toSorted()).toEqual(['/', '/far', '/next'].map(urlOf));
    const home = JSON.parse(rows.find(([url]) => url === urlOf('/'))![1]) as Record<string, unknown>;
    expect(home).toMatchObject({
      url: urlOf('/'),
      response: { status: 200, body: expect.stringContaining('some words') },
    });
    expect(await rowsOf('sequence/read', 'k1/dump/commoncrawl-20010101000000')).toEqual([]);
  });

  it('have pages that were fetched before they were due, and the time of their visit', async () => {
    const options = { crawlId: 'early', conf: { ...conf, 'db.update.additions.allowed': 'false' } };
    await cycle.inject([urlOf('/next')], {}, options);
    for (const args of [{}, { adddays: 60 }]) {
      const { result } = await cycle.run('GENERATE', args, options);
      expect(result!['generate.count']).toBe(1);
      for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const)
        await cycle.run(type, { batch: String(result!['generate.batch.id']) }, options);
    }
    const [visit] = await cycle.db.query<{ ms: number }>(
      `select (extract(epoch from max(time)) * 1000)::bigint::float8 as ms from fetch_history
        where crawl = (select id from crawl where name = 'early')`,
    );
    const { body: name } = await call('POST /services/commoncrawldump/early');
    const [row] = await rowsOf<[string, string]>('sequence/read', name);
    expect((JSON.parse(row![1]) as { timestamp: number }).timestamp - visit!.ms).toBeCloseTo(0, -1);
    const [link] = await rowsOf('link/read', 'early/webgraphdb/outlinks');
    expect(Number(link!['timestamp']) - visit!.ms).toBeCloseTo(0, -1);
  });

  it('are listed for the last FETCH of the crawl', async () => {
    const listed = await call('GET /services/commoncrawldump/k1/');
    const { dumpPaths } = JSON.parse(listed.body) as { dumpPaths: string[] };
    expect(dumpPaths).toEqual([expect.stringMatching(/^k1\/dump\/commoncrawl-\d{14}$/)]);
    expect(await rowsOf('sequence/read', dumpPaths[0]!)).toHaveLength(3);
  });

  it('are an empty list for a crawl without FETCH', async () => {
    const answer = await call('GET /services/commoncrawldump');
    expect([answer.status, answer.body]).toEqual([200, '{"dumpPaths":[]}']);
  });

  it('of an unknown crawl return 404', async () => {
    expect((await call('GET /services/commoncrawldump/k9')).status).toBe(404);
    expect((await call('POST /services/commoncrawldump/k9')).status).toBe(404);
    expect((await call('POST /services/commoncrawldump', '{"crawlId":"k9"}')).status).toBe(404);
  });
});

it.each([
  ['GET /reader/sequence/read', 405],
  ['PUT /reader/link', 405],
  ['GET /reader/none', 404],
  ['POST /services/none', 404],
])('%s returns %i', async (line, status) => {
  expect((await rawRequest(api.port, line)).status).toBe(status);
});

describe('the fields of the webgraph readers', () => {
  it.each([
    ['/reader/link', ['key_url', 'timestamp', 'score', 'anchor', 'linktype', 'url']],
    ['/reader/node', ['key_url', 'num_inlinks', 'num_outlinks', 'inlink_score', 'outlink_score', 'metadata']],
  ])('are returned by GET %s', async (path, fields) => {
    const answer = await rawRequest(api.port, `GET ${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(Object.keys(JSON.parse(answer.body) as object)).toEqual(fields);
  });
});
