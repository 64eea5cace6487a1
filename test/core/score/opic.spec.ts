import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FOUND_PAGE,
  distribute,
  frozen,
  generatorSortValue,
  injectedPage,
  received,
  settledPage,
  type PageCash,
} from '../../../src/core/score/opic.js';

interface Reference {
  graphs: { nodes: string[]; edges: [string, string][]; rounds: number; start: number; cash: Record<string, number> }[];
}
const reference = JSON.parse(readFileSync(new URL('./opic-reference.json', import.meta.url), 'utf8')) as Reference;

type Graph = ReadonlyMap<string, readonly string[]>;
const factors = { internalFactor: 1, externalFactor: 1 };

/** One round over the pages known: all are selected, then updated in the given order. */
function round(pages: Map<string, PageCash>, graph: Graph, order: (names: string[]) => string[]): void {
  const batch = order([...pages.keys()]);
  for (const name of batch) pages.set(name, frozen(pages.get(name) ?? FOUND_PAGE));
  for (const name of batch) {
    const page = pages.get(name) ?? FOUND_PAGE;
    const links = graph.get(name) ?? [];
    const { externalShare, givenBack } = distribute({ spend: page.spend, outlinkCount: links.length, ...factors });
    pages.set(name, settledPage(page, givenBack));
    for (const target of links) pages.set(target, received(pages.get(target) ?? FOUND_PAGE, externalShare));
  }
}

const forwards = (names: string[]) => names;
const backwards = (names: string[]) => names.toReversed();

describe('OPIC', () => {
  it('starts a seed with its score as cash, a found page with nothing', () => {
    expect(injectedPage(2.5)).toEqual({ score: 2.5, cash: 2.5, spend: 0 });
    expect(FOUND_PAGE).toEqual({ score: 0, cash: 0, spend: 0 });
  });

  it('hands out equal parts, weighed by the kind of link', () => {
    const shares = distribute({ spend: 1, outlinkCount: 4, internalFactor: 0.5, externalFactor: 2 });
    expect(shares).toEqual({ internalShare: 0.125, externalShare: 0.5, givenBack: 0 });
  });

  it('gives the spend back where there is nobody to pay', () => {
    const page = frozen({ score: 3, cash: 1.5, spend: 0 });
    expect(page).toEqual({ score: 3, cash: 0, spend: 1.5 });
    const { internalShare, externalShare, givenBack } = distribute({ spend: page.spend, outlinkCount: 0, ...factors });
    expect([internalShare, externalShare]).toEqual([0, 0]);
    expect(settledPage(page, givenBack)).toEqual({ score: 3, cash: 1.5, spend: 0 });
  });

  it('orders pages by score', () => {
    expect(generatorSortValue({ score: 0.3 })).toBe(0.3);
  });

  it.each(reference.graphs.flatMap((graph) => [forwards, backwards].map((order) => ({ graph, order }))))(
    'meets the reference after $graph.rounds rounds, whatever the order of update',
    ({ graph, order }) => {
      const links = new Map(
        graph.nodes.map((node) => [node, graph.edges.filter(([from]) => from === node).map(([, to]) => to)]),
      );
      const pages = new Map(graph.nodes.map((node) => [node, injectedPage(graph.start)]));
      for (let i = 0; i < graph.rounds; i++) round(pages, links, order);
      for (const node of graph.nodes) expect(pages.get(node)?.cash).toBeCloseTo(graph.cash[node] ?? NaN, 6);
    },
  );

  it('neither makes nor loses money', () => {
    const node = fc.nat(7).map(String);
    fc.assert(
      fc.property(fc.array(fc.tuple(node, node), { maxLength: 30 }), (edges) => {
        const links = new Map<string, string[]>();
        for (const [from, to] of edges) links.set(from, [...(links.get(from) ?? []), to]);
        const pages = new Map([['0', injectedPage(1)]]);
        for (let i = 0; i < 5; i++) round(pages, links, forwards);
        const total = [...pages.values()].reduce((sum, page) => sum + page.cash + page.spend, 0);
        expect(total).toBeCloseTo(1, 9);
      }),
    );
  });
});
