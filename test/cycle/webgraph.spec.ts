import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { unreverseUrl } from '../../src/core/url/row-key.js';
import { LinkRankJob } from '../../src/cycle/webgraph/linkrank.job.js';
import { PageRankJob } from '../../src/cycle/webgraph/pagerank.job.js';
import { ScoreUpdateJob } from '../../src/cycle/webgraph/scoreupdate.job.js';
import type { JobType } from '../../src/core/job/job-types.js';
import { documentsOf } from '../support/conformance.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { eachCase } from '../support/each-case.js';
import { runKilled } from './interrupted.js';
import { linkedCrawl } from './link-graphs.js';

/** WEBGRAPH, LINKRANK, SCOREUPDATE, PAGERANK and HITS: scores of pages from the links of a crawl. */

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

interface Node {
  num_inlinks: number | null;
  num_outlinks: number | null;
  link_rank: number | null;
  page_rank: number | null;
  hub: number | null;
  authority: number | null;
}
const nodesOf = async (crawlId: string): Promise<Record<string, Node>> => {
  const rows = await cycle.db.query<Node & { key: string }>(
    'select n.* from webgraph_node n join crawl c on c.id = n.crawl where c.name = $1 order by key',
    [crawlId],
  );
  return Object.fromEntries(rows.map((row) => [unreverseUrl(row.key), row]));
};
const run = async (
  type: JobType,
  crawlId: string,
  { args = {}, conf = {} }: { args?: Record<string, unknown>; conf?: Record<string, string> } = {},
) => {
  const job = await cycle.run(type, args, { crawlId, conf });
  expect([job.state, job.msg]).toEqual(['FINISHED', 'OK']);
  return job;
};
const scoresOf = async (crawlId: string): Promise<Record<string, number>> => {
  const rows = await cycle.db.query<{ key: string; score: number }>(
    'select w.key, w.score from webpage w join crawl c on c.id = w.crawl where c.name = $1',
    [crawlId],
  );
  return Object.fromEntries(rows.map(({ key, score }) => [unreverseUrl(key), score]));
};

const warningsOf = async (crawlId: string): Promise<string[]> => {
  const rows = await cycle.db.query<{ message: string }>(
    `select e.data ->> 'message' as message from job_event e join job j on j.id = e.job
      where j.crawl_id = $1 and e.kind = 'warning' order by e.id`,
    [crawlId],
  );
  return rows.map(({ message }) => message);
};

interface PageRankCase {
  id: string;
  name: string;
  damping: number;
  nodes: string[];
  edges: [string, string][];
  pagerank: Record<string, number>;
}
const cases = (documentsOf('rank') as { pagerank: PageRankCase[] }[]).flatMap(({ pagerank }) =>
  pagerank.map((one) => ({ ...one, id: `${one.name} ${one.damping}` })),
);

describe('PAGERANK equals networkx (G6)', () => {
  const urlOf = (node: string): string => `http://${node}.test/`;
  eachCase(cases)('$id', async ({ id, damping, nodes, edges, pagerank }) => {
    const crawlId = `rank-${id.replaceAll(' ', '-')}`;
    const links = edges.map(([from, to]) => [urlOf(from), urlOf(to)] as const);
    await linkedCrawl(cycle, crawlId, { urls: nodes.map(urlOf), links });
    await run('PAGERANK', crawlId, { conf: { 'link.pagerank.damping.factor': String(damping) } });
    const found = await nodesOf(crawlId);
    expect(Object.keys(found)).toHaveLength(nodes.length);
    for (const node of nodes)
      expect(Math.abs(found[urlOf(node)]!.page_rank! - pagerank[node]!), node).toBeLessThan(1e-6);
  });
});

/** Three sites: a.test links inside and out, b.test has two pages that a.test links to, c.test links back. */
const small = {
  urls: [
    'http://a.test/',
    'http://a.test/x',
    'http://b.test/',
    'http://b.test/y?q=1',
    'http://c.test/',
    'http://d.test/',
  ],
  links: [
    ['http://a.test/', 'http://a.test/x'],
    ['http://a.test/', 'http://b.test/'],
    ['http://a.test/', 'http://b.test/y?q=1'],
    ['http://a.test/', 'http://c.test/'],
    ['http://a.test/', 'http://gone.test/'],
    ['http://c.test/', 'http://a.test/'],
    ['http://b.test/', 'http://b.test/y?q=1'],
  ],
} as const;
const everyLink = {
  'link.ignore.internal.domain': 'false',
  'link.ignore.internal.host': 'false',
  'link.ignore.limit.domain': 'false',
  'link.ignore.limit.page': 'false',
};
const countsOf = async (crawlId: string): Promise<Record<string, [number | null, number | null]>> =>
  Object.fromEntries(
    Object.entries(await nodesOf(crawlId)).map(([url, node]) => [url, [node.num_inlinks, node.num_outlinks]]),
  );

describe('WEBGRAPH counts inlinks and outlinks', () => {
  it('between sites of the crawl, one for each domain, by default (G8)', async () => {
    await linkedCrawl(cycle, 'votes', small);
    const { result } = await run('WEBGRAPH', 'votes');
    expect(result).toMatchObject({ reason: 'done', counters: { WebGraph: { nodes: 3 } } });
    expect(await countsOf('votes')).toEqual({
      'http://a.test/': [1, 2],
      'http://a.test/x': [null, null],
      'http://b.test/': [1, 0],
      'http://b.test/y?q=1': [null, null],
      'http://c.test/': [1, 1],
      'http://d.test/': [null, null],
    });
  });

  it('of every kind with link.ignore.* false', async () => {
    await linkedCrawl(cycle, 'all', small);
    await run('WEBGRAPH', 'all', { conf: everyLink });
    expect(await countsOf('all')).toMatchObject({
      'http://a.test/': [1, 4],
      'http://a.test/x': [1, 0],
      'http://b.test/y?q=1': [2, 0],
    });
  });

  it('to one page whatever its query', async () => {
    const urls = ['http://a.test/', 'http://b.test/y?q=1', 'http://b.test/y?q=2'];
    const links = urls.slice(1).map((to) => ['http://a.test/', to] as const);
    await linkedCrawl(cycle, 'pages', { urls, links });
    await run('WEBGRAPH', 'pages', { conf: { 'link.ignore.limit.domain': 'false' } });
    expect((await nodesOf('pages'))['http://a.test/']).toMatchObject({ num_outlinks: 1 });
  });

  it('without reciprocal links with link.ignore.reciprocal (G8)', async () => {
    await linkedCrawl(cycle, 'back', small);
    await run('WEBGRAPH', 'back', { conf: { ...everyLink, 'link.ignore.reciprocal': 'true' } });
    expect(await countsOf('back')).toMatchObject({ 'http://a.test/': [0, 3], 'http://c.test/': [null, null] });
  });

  it('without links of gone pages with link.delete.gone', async () => {
    const crawl = await linkedCrawl(cycle, 'gone', small);
    await cycle.db.query(`update webpage set status = 3 where crawl = $1 and key = 'test.c:http/'`, [crawl]);
    await run('WEBGRAPH', 'gone', { conf: { 'link.delete.gone': 'true' } });
    expect(await countsOf('gone')).toMatchObject({ 'http://a.test/': [0, 2], 'http://c.test/': [1, 0] });
  });

  it('and fails above link.graph.max.edges', async () => {
    await linkedCrawl(cycle, 'large', small);
    const conf = { ...everyLink, 'link.graph.max.edges': '2' };
    const { state, msg } = await cycle.run('WEBGRAPH', {}, { crawlId: 'large', conf });
    expect(state).toBe('FAILED');
    expect(msg).toContain('more than 2 links (link.graph.max.edges)');
  });
});

describe('LINKRANK', () => {
  it('computes (1 - d) + d (1 / N + sum of inlinks) in the given number of iterations (G7, G20)', async () => {
    await linkedCrawl(cycle, 'linkrank', small);
    const { result } = await run('LINKRANK', 'linkrank', { args: { iterations: '2' } });
    expect(result).toMatchObject({ counters: { LinkRank: { nodes: 3 } } });
    // a links to b and c, c to a: one iteration from 1 is a = .15 + .85 (1/3 + 1), b = c = .15 + .85 (1/3 + 1/2).
    const [first, half] = [0.15 + 0.85 * (4 / 3), 0.15 + 0.85 * (1 / 3 + 1 / 2)];
    const of = (inlinks: number): number => 0.15 + 0.85 * (1 / 3 + inlinks);
    const found = await nodesOf('linkrank');
    expect(found['http://a.test/']!.link_rank).toBeCloseTo(of(half), 9);
    expect(found['http://b.test/']!.link_rank).toBeCloseTo(of(first / 2), 9);
    expect(found['http://d.test/']!.link_rank).toBeNull();
  });

  it('begins with link.analyze.initial.score for each page', async () => {
    await linkedCrawl(cycle, 'initial', small);
    await run('LINKRANK', 'initial', { args: { iterations: '1' }, conf: { 'link.analyze.initial.score': '4' } });
    const found = await nodesOf('initial');
    expect(found['http://a.test/']!.link_rank).toBeCloseTo(0.15 + 0.85 * (1 / 3 + 4), 9);
    expect(found['http://b.test/']!.link_rank).toBeCloseTo(0.15 + 0.85 * (1 / 3 + 4 / 2), 9);
  });

  it('warns of a crawl in which no link counts, and names the properties that ignore them', async () => {
    const inside = {
      urls: ['http://a.test/', 'http://a.test/x'],
      links: [['http://a.test/', 'http://a.test/x']],
    } as const;
    await linkedCrawl(cycle, 'inside', inside);
    const { result } = await run('LINKRANK', 'inside');
    expect(result!.counters['LinkRank']).toMatchObject({ nodes: 0 });
    expect(await warningsOf('inside')).toEqual([
      'No page gets a link rank: links inside of a host or domain do not count (link.ignore.internal.host, link.ignore.internal.domain), and there are no others.',
    ]);
    await run('LINKRANK', 'inside', { conf: everyLink });
    await linkedCrawl(cycle, 'linkless', { urls: ['http://a.test/'], links: [] });
    await run('LINKRANK', 'linkless', { conf: everyLink });
    expect([await warningsOf('inside'), await warningsOf('linkless')]).toEqual([
      [expect.any(String)],
      ['No page gets a link rank: no page links to another one.'],
    ]);
  });

  it('starts anew each time: a second run changes no row (G9)', async () => {
    await linkedCrawl(cycle, 'again', small);
    await run('LINKRANK', 'again');
    const before = await nodesOf('again');
    const { result } = await run('LINKRANK', 'again');
    expect(result!.counters['LinkRank']).toEqual({ nodes: 3, changed: 0 });
    expect(await nodesOf('again')).toEqual(before);
  });

  it('keeps the columns of other jobs and deletes rows of pages that have left the table', async () => {
    const crawl = await linkedCrawl(cycle, 'left', small);
    await run('HITS', 'left');
    // One between others, and the last ones.
    const gone = ['test.a:http/x', 'test.c:http/', 'test.d:http/'];
    await cycle.db.query('delete from webpage where crawl = $1 and key = any ($2)', [crawl, gone]);
    await run('LINKRANK', 'left');
    const found = await nodesOf('left');
    expect(Object.keys(found)).toEqual(['http://a.test/', 'http://b.test/', 'http://b.test/y?q=1']);
    expect(found['http://a.test/']).toMatchObject({ num_inlinks: 0, num_outlinks: 1, hub: expect.any(Number) });
  });
});

it('HITS finds the page that links to all others, and the authority of those (G15)', async () => {
  const urls = ['hub', 'x', 'y', 'z'].map((name) => `http://${name}.test/`);
  await linkedCrawl(cycle, 'hits', { urls, links: urls.slice(1).map((to) => [urls[0]!, to] as const) });
  await run('HITS', 'hits');
  const found = await nodesOf('hits');
  expect(found['http://hub.test/']).toMatchObject({ hub: 1, authority: 0 });
  expect(found['http://x.test/']!.authority).toBeCloseTo(1 / 3, 9);
});

describe('the iterations of a rank job', () => {
  // What a job computes in a number of iterations is what it computes when a property ends it after them.
  const limits: [JobType, string, Record<string, string>, number][] = [
    ['PAGERANK', 'link.pagerank.max.iterations', { 'link.pagerank.tolerance': '0' }, 3],
    ['HITS', 'link.hits.max.iterations', { 'link.hits.tolerance': '0' }, 3],
    ['LINKRANK', 'link.analyze.num.iterations', {}, 3],
  ];
  const ranksAfter = async (
    type: JobType,
    crawlId: string,
    { args = {}, conf = {} }: { args?: Record<string, unknown>; conf?: Record<string, string> },
  ) => {
    await run(type, crawlId, { args, conf: { ...everyLink, ...conf } });
    return Object.values(await nodesOf(crawlId)).map(({ link_rank, page_rank, hub, authority }) => [
      link_rank,
      page_rank,
      hub,
      authority,
    ]);
  };

  it.each(limits)('%s ends after %s of them', async (type, property, conf, iterations) => {
    const crawlId = `limit-${type}`;
    await linkedCrawl(cycle, crawlId, small);
    const [one, several] = [
      await ranksAfter(type, crawlId, { args: { iterations: 1 }, conf }),
      await ranksAfter(type, crawlId, { args: { iterations }, conf }),
    ];
    expect(one).not.toEqual(several);
    expect(await ranksAfter(type, crawlId, { conf: { ...conf, [property]: '1' } })).toEqual(one);
    expect(await ranksAfter(type, crawlId, { conf: { ...conf, [property]: String(iterations) } })).toEqual(several);
  });

  it.each<[JobType, string, string]>([
    ['PAGERANK', 'link.pagerank.tolerance', 'link.pagerank.max.iterations'],
    ['HITS', 'link.hits.tolerance', 'link.hits.max.iterations'],
  ])('%s ends with the first iteration that changes no more than %s, before %s', async (type, tolerance, max) => {
    const crawlId = `tolerance-${type}`;
    await linkedCrawl(cycle, crawlId, small);
    const ranks: string[] = [];
    for (let iterations = 1; iterations <= 7; iterations++)
      ranks.push(JSON.stringify(await ranksAfter(type, crawlId, { args: { iterations }, conf: { [tolerance]: '0' } })));
    const endsAfter = async (value: number) => {
      const conf = { [tolerance]: String(value), [max]: '1000' };
      return ranks.indexOf(JSON.stringify(await ranksAfter(type, crawlId, { conf }))) + 1;
    };
    const [coarse, finer] = [await endsAfter(0.5), await endsAfter(0.2)];
    expect(coarse).toBeGreaterThan(0);
    expect(finer).toBeGreaterThan(coarse);
  });

  it.each([
    ['PAGERANK', 'link.pagerank.damping.factor', 'page_rank', 1 / 6],
    ['LINKRANK', 'link.analyze.damping.factor', 'link_rank', 1],
  ] as const)('%s with %s 0 gives links no weight', async (type, property, column, rank) => {
    const crawlId = `damping-${type}`;
    await linkedCrawl(cycle, crawlId, small);
    await run(type, crawlId, { conf: { ...everyLink, [property]: '0' } });
    const ranks = Object.values(await nodesOf(crawlId)).flatMap((node) => node[column] ?? []);
    expect(ranks.length).toBeGreaterThan(0);
    for (const one of ranks) expect(one).toBeCloseTo(rank, 12);
  });
});

describe('SCOREUPDATE', () => {
  it('sets the score of a page to its link rank, and link.score.updater.clear.score for pages without (G11)', async () => {
    const crawl = await linkedCrawl(cycle, 'scores', small);
    await run('LINKRANK', 'scores');
    const { result } = await run('SCOREUPDATE', 'scores', { conf: { 'link.score.updater.clear.score': '0.25' } });
    expect(result).toMatchObject({ reason: 'done', counters: { ScoreUpdater: { updated: 3, cleared: 3 } } });
    const [nodes, scores] = [await nodesOf('scores'), await scoresOf('scores')];
    for (const url of small.urls) expect(scores[url], url).toBe(nodes[url]!.link_rank ?? 0.25);
    // Selectable pages are ordered by score.
    const ordered = await cycle.db.query<{ key: string }>(
      'select key from webpage where crawl = $1 order by rank desc, key desc limit 1',
      [crawl],
    );
    expect(ordered).toEqual([{ key: 'test.a:http/' }]);
    expect(
      (await run('SCOREUPDATE', 'scores', { conf: { 'link.score.updater.clear.score': '0.25' } })).result,
    ).toMatchObject({
      counters: { ScoreUpdater: { updated: 0 } },
    });
  });

  it('changes nothing when there are no link ranks', async () => {
    await linkedCrawl(cycle, 'unranked', small);
    await run('PAGERANK', 'unranked');
    expect((await run('SCOREUPDATE', 'unranked')).result).toMatchObject({ reason: 'no-ranks' });
    expect(new Set(Object.values(await scoresOf('unranked')))).toEqual(new Set([1]));
  });
});

describe('a rank job that is interrupted', () => {
  /** A crawl of more pages than one transaction writes. */
  const many = async (crawlId: string): Promise<number> => {
    const crawl = await linkedCrawl(cycle, crawlId, small);
    await cycle.db.query(
      `insert into webpage (crawl, host, key, status, fetch_time, fetch_interval, retries_since_fetch, score, cash, distance, source_kind)
       select $1, 'test.e', 'test.e:http/' || n, 1, now(), 1, 0, 1, 0, 1, 'link' from generate_series(1, 12000) n`,
      [crawl],
    );
    await cycle.db.query(
      `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
       select $1, 'test.e', 'test.e:http/' || n, array['test.a:http/', 'test.e:http/' || n / 2], array['', '']
         from generate_series(1, 12000) n`,
      [crawl],
    );
    return crawl;
  };
  it('gives the same ranks and scores when it is killed after each write', async () => {
    const [killed, undisturbed] = [await many('killed'), await many('undisturbed')];
    const steps = [new LinkRankJob(), new PageRankJob(), new ScoreUpdateJob()];
    for (const step of steps) {
      const what = { pool: cycle.pool, args: {}, conf: { 'link.ignore.internal.host': false } };
      const once = await runKilled(step, { ...what, crawl: undisturbed, writes: 100 });
      const often = await runKilled(step, { ...what, crawl: killed, writes: 1 });
      expect(once.attempts).toBe(1);
      expect(often.attempts).toBeGreaterThan(2);
      expect(often.counted).toEqual(once.counted);
    }
    expect(await nodesOf('killed')).toEqual(await differing('undisturbed', killed));
    expect(await scoresOf('killed')).toEqual(await scoresOf('undisturbed'));
  });
  /** The nodes of a crawl, with the number of another crawl. */
  const differing = async (crawlId: string, crawl: number): Promise<Record<string, Node>> =>
    Object.fromEntries(Object.entries(await nodesOf(crawlId)).map(([url, node]) => [url, { ...node, crawl }]));

  it('ends as stopped and is continued by the next attempt', async () => {
    const crawl = await linkedCrawl(cycle, 'stopped', small);
    const { attempts } = await runKilled(new LinkRankJob(), {
      pool: cycle.pool,
      crawl,
      args: {},
      writes: 100,
      stopping: AbortSignal.abort(),
    });
    expect(attempts).toBe(2);
    expect((await nodesOf('stopped'))['http://a.test/']!.link_rank).toBeGreaterThan(0);
  });
});
