import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  FOUND_PAGE,
  distributeCash,
  frozen,
  importance,
  injectedPage,
  received,
  settledPage,
  sortByScore,
  type PageCash,
} from '../../../src/core/score/opic.js';
import { keepingAll } from '../../../src/core/score/scoring.js';

interface Reference {
  graphs: { nodes: string[]; edges: [string, string][]; rounds: number; start: number; cash: Record<string, number> }[];
}
const reference = JSON.parse(readFileSync(new URL('./opic-reference.json', import.meta.url), 'utf8')) as Reference;

const distribute = (payer: { spend: number; outlinkCount: number; internalFactor: number; externalFactor: number }) => {
  const { spend, outlinkCount: outlinks } = payer;
  const page = { url: '', spend, outlinks, links: outlinks, distance: 0, contentScore: 0, metadata: {}, headers: {} };
  return distributeCash({ ...payer, countFiltered: false })(page, keepingAll(spend));
};

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
    expect(shares).toMatchObject({ internalShare: 0.125, externalShare: 0.5, givenBack: 0 });
  });

  it('gives the spend back where there is nobody to pay', () => {
    const page = frozen({ score: 3, cash: 1.5, spend: 0 });
    expect(page).toEqual({ score: 3, cash: 0, spend: 1.5 });
    const { internalShare, externalShare, givenBack } = distribute({ spend: page.spend, outlinkCount: 0, ...factors });
    expect([internalShare, externalShare]).toEqual([0, 0]);
    expect(settledPage(page, givenBack)).toEqual({ score: 3, cash: 1.5, spend: 0 });
  });

  it('orders pages by score', () => {
    const page = { url: '', score: 0.3, distance: 0, status: 1, metadata: {} };
    expect(sortByScore.value(page, 1)).toBe(0.3);
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

  it('gives links that were filtered out their contribution, which is lost, where they count', () => {
    const page = { url: '', spend: 1, outlinks: 2, links: 8, distance: 0, contentScore: 0, metadata: {}, headers: {} };
    const props = { internalFactor: 1, externalFactor: 1 };
    const counted = distributeCash({ ...props, countFiltered: true })(page, keepingAll(1));
    expect(counted).toMatchObject({ internalShare: 0.125, externalShare: 0.125, givenBack: 0 });
    expect(distributeCash({ ...props, countFiltered: false })(page, keepingAll(1)).externalShare).toBe(0.5);
  });
});

describe('OPIC of the textbook (seed 001, figure 3)', () => {
  interface Book {
    cash: Map<string, number>;
    history: Map<string, number>;
    visited: number;
  }
  /** On a visit: H += C, each child C += C / out, G += C, C = 0. */
  function visit({ cash, history }: Book, page: string, children: readonly string[]): void {
    const spend = cash.get(page) ?? 0;
    history.set(page, (history.get(page) ?? 0) + spend);
    cash.set(page, 0);
    for (const child of children) cash.set(child, (cash.get(child) ?? 0) + spend / children.length);
  }
  const sum = (values: Map<string, number>) => [...values.values()].reduce((a, b) => a + b, 0);
  const importances = ({ cash, history }: Book) => {
    const all = { cash: sum(cash), history: sum(history) };
    return [...cash.keys()].map((page) => importance({ cash: cash.get(page)!, history: history.get(page) ?? 0 }, all));
  };

  it('is (C + H) / (G + 1), by hand on three pages', () => {
    const third = 1 / 3;
    const book = { cash: new Map(['a', 'b', 'c'].map((page) => [page, third])), history: new Map(), visited: 0 };
    visit(book, 'a', ['b', 'c']);
    visit(book, 'b', ['c']);
    // C: a 0, b 0, c 1. H: a 1/3, b 1/2. G: 5/6.
    expect(importances(book)).toEqual([third, 1 / 2, 1].map((value) => expect.closeTo(value / (5 / 6 + 1), 12)));
  });

  it.each(reference.graphs)(
    'has the sum 1 after any number of visits, whatever the graph ($rounds rounds)',
    (graph) => {
      const n = graph.nodes.length;
      const book = { cash: new Map(graph.nodes.map((node) => [node, 1 / n])), history: new Map(), visited: 0 };
      for (let i = 0; i < graph.rounds; i++)
        for (const node of graph.nodes) {
          visit(
            book,
            node,
            graph.edges.filter(([from]) => from === node).map(([, to]) => to),
          );
          expect(importances(book).reduce((a, b) => a + b, 0)).toBeCloseTo(1, 9);
          expect(sum(book.cash)).toBeCloseTo(1, 9);
        }
    },
  );

  it('is nothing where there is no cash', () => {
    expect(importance({ cash: 0, history: 0 }, { cash: 0, history: 0 })).toBe(0);
  });
});
