import { describe, expect, it } from 'vitest';
import { PAGE_STATUS } from '../../src/core/page/page-status.js';
import { setOrphans } from '../../src/cycle/updatedb/orphan-pages.sql.js';
import { sql, transaction } from '../../src/db/sql.js';
import { crawler, cycle, links, useCrawler } from '../cycle/crawler.js';
import { byPath, pages, passDays } from '../cycle/table.js';
import { documentsOf, groupOf } from '../support/conformance.js';
import { onCluster } from '../support/database.js';
import { eachCase } from '../support/each-case.js';
import { onlyWhere } from '../support/left-out.js';
import { page } from '../support/site.js';

/** Scores and statuses that GENERATE and UPDATEDB write, compared with values computed by others. */

interface Graph {
  nodes: string[];
  edges: [string, string][];
  rounds: number;
  /** Cash of every page before the first round. */
  start: number;
  /** Cash of every page after the rounds. */
  cash: Record<string, number>;
}
const { opic: graphs } = { opic: [], ...(documentsOf('rank')[0] as { opic: Graph[] } | undefined) };
const targets = ({ edges }: Pick<Graph, 'edges'>, node: string) =>
  edges.filter(([from]) => from === node).map(([, to]) => to);
/** Paths of nodes. UPDATEDB takes pages in the order of their keys. */
const forwards = ({ nodes }: Pick<Graph, 'nodes'>) => new Map(nodes.map((node, n) => [node, `/${100 + n}`]));
const backwards = ({ nodes }: Pick<Graph, 'nodes'>) => new Map(nodes.map((node, n) => [node, `/${999 - n}`]));
const INTERVAL_DAYS = 31;

useCrawler({ uncounted: true });

/** Crawls a graph: its seeds have a score of 1, and all pages known are due in each round. */
async function crawl(
  id: string,
  graph: Pick<Graph, 'nodes' | 'edges' | 'rounds'>,
  paths: Map<string, string>,
  seeds = graph.nodes,
) {
  const pathsOf = (nodes: string[]) => nodes.map((node) => paths.get(node)!);
  const linksOf = (node: string) => pathsOf(targets(graph, node));
  const site = await crawler.site(
    Object.fromEntries(
      graph.nodes.map((node) => [paths.get(node)!, linksOf(node)[0] ? links(...linksOf(node)) : page('nothing')]),
    ),
  );
  await crawler.inject(
    id,
    pathsOf(seeds).map((path) => `${site.url}${path}\tnutch.score=1`),
  );
  for (let round = 0; round < graph.rounds; round++) {
    await passDays(cycle, INTERVAL_DAYS, id);
    expect(await crawler.round(id)).toBe(round === 0 ? seeds.length : graph.nodes.length);
  }
}

describe('OPIC (Abiteboul, Preda, Cobena 2003 §3), where each page distributes all its cash in each round', () => {
  eachCase(
    graphs.flatMap((graph) =>
      [forwards, backwards].map((order) => ({ graph, order, rounds: graph.rounds, name: order.name })),
    ),
  )(
    'gives the cash of a graph after $rounds rounds, with its pages updated $name',
    async ({ graph, order, rounds, name }) => {
      const paths = order(graph);
      await crawl(`${name}-${rounds}`, graph, paths);
      expect(await byPath(cycle, ({ cash }) => cash, `${name}-${rounds}`)).toEqual(
        Object.fromEntries(graph.nodes.map((node) => [paths.get(node), expect.closeTo(graph.cash[node]!, 6)])),
      );
    },
  );

  it('keeps the total of cash, also for pages that have no links or link to themselves', async () => {
    const graph = {
      nodes: ['a', 'b', 'c', 'd', 'e', 'f'],
      edges: [
        ['a', 'b'],
        ['a', 'c'],
        ['b', 'c'],
        ['c', 'a'],
        ['c', 'd'],
        ['c', 'e'],
        ['e', 'e'],
        ['f', 'a'],
      ] as [string, string][],
      rounds: 4,
    };
    await crawl('total', graph, forwards(graph));
    const total = (await pages(cycle, 'total')).reduce((sum, { cash, spend }) => sum + cash + (spend ?? 0), 0);
    expect(total).toBeCloseTo(graph.nodes.length, 9);
  });
});

describe('Nutch 2.x OPIC over four pages', () => {
  const { graph, cases } = groupOf<{ round: number; scores: Record<string, number> }>('scoring.opic.2x.graph');
  const outlinks = Object.entries((graph ?? {}) as Record<string, string[]>);
  const nameOf = (url: string) => new URL(url).hostname[0]!;

  eachCase(cases)('gives the scores after round $round, where d is found in the first', async ({ round, scores }) => {
    const nodes = outlinks.map(([url]) => nameOf(url));
    const edges = outlinks.flatMap(([from, to]) => to.map((url): [string, string] => [nameOf(from), nameOf(url)]));
    const paths = new Map(nodes.map((node) => [node, `/${node}`]));
    await crawl(`four-${round}`, { nodes, edges, rounds: round }, paths, ['a', 'b', 'c']);
    expect(await byPath(cycle, ({ score }) => score, `four-${round}`)).toEqual(
      Object.fromEntries(Object.entries(scores).map(([node, score]) => [`/${node}`, expect.closeTo(score, 3)])),
    );
  });
});

const oneClock = onlyWhere(!onCluster, 'now() is that of a node, and not the same on all');

describe(
  'Nutch 1.x OrphanScoringFilter, with pages gone after 5 s without a link and orphans after 10',
  oneClock,
  () => {
    interface OrphanCase {
      n: number;
      elapsed: number;
      status: string;
      /** No page has ever linked to it. */
      never_seen?: boolean;
    }
    const statuses: Record<string, number> = {
      unchanged: PAGE_STATUS.unfetched,
      db_gone: PAGE_STATUS.gone,
      db_orphan: PAGE_STATUS.orphan,
    };
    const limits = { goneAfter: 5, orphanAfter: 10 };

    eachCase(groupOf<OrphanCase>('scoring.orphan').cases)(
      'case $n: after $elapsed s, $status',
      async ({ n, elapsed, status, never_seen }) => {
        const id = `orphan-${n}`;
        await crawler.inject(id, ['http://orphan.test/']);
        const [{ crawl } = { crawl: 0 }] = await cycle.db.query<{ crawl: number }>(
          'select id as crawl from crawl where name = $1',
          [id],
        );
        const since = never_seen ? null : elapsed;
        // In one transaction, where now() is constant.
        await transaction(cycle.db.pool, async (tx) => {
          await tx.query(
            sql`update webpage set last_inlink = now() - make_interval(secs => ${since}) where crawl = ${crawl}`,
          );
          for (const to of ['orphan', 'gone'] as const) await setOrphans(tx, crawl, limits, { to, limit: 10 });
        });
        expect((await pages(cycle, id)).map((row) => row.status)).toEqual([statuses[status]]);
      },
    );
  },
);
