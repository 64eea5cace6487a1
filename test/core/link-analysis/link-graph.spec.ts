import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { HashIndex } from '../../../src/core/link-analysis/hash-index.js';
import { GraphTooLarge, LinkGraphBuilder, inDegrees, nodeRanges } from '../../../src/core/link-analysis/link-graph.js';
import { LinkVotes, type VoteRules } from '../../../src/core/link-analysis/link-votes.js';
import { type Edge, edgesOf, graphOf, resultOf } from './graphs.js';

describe('LinkGraphBuilder', () => {
  it('adds a link once, and none to an unknown node', () => {
    const builder = new LinkGraphBuilder(3, { maxEdges: 10 });
    builder.add(0, [1, 1, -1, 2, 1]);
    builder.add(2, [0, 2]);
    const graph = resultOf(builder.finish());
    expect(edgesOf(graph)).toEqual([
      [0, 1],
      [0, 2],
      [2, 0],
      [2, 2],
    ]);
    expect([...inDegrees(graph)]).toEqual([1, 1, 2]);
  });

  it('accepts pages in any order, and stores their links in the order of the pages', () => {
    const builder = new LinkGraphBuilder(4, { maxEdges: 10 });
    builder.add(3, [2, 0]);
    builder.add(1, []);
    builder.add(0, [3]);
    const graph = resultOf(builder.finish());
    expect([...graph.offsets]).toEqual([0, 1, 1, 1, 3]);
    expect([...graph.targets]).toEqual([3, 2, 0]);
  });

  it('refuses more than maxEdges links', () => {
    const builder = new LinkGraphBuilder(3, { maxEdges: 2 });
    builder.add(0, [1, 2]);
    expect(() => builder.add(1, [0])).toThrow(GraphTooLarge);
  });

  it('grows to 90,000 links', () => {
    const nodes = 300;
    const all = Array.from({ length: nodes }, (_, node) => node);
    const builder = new LinkGraphBuilder(nodes, { maxEdges: 1_000_000 });
    for (const node of all) builder.add(node, all);
    expect(edgesOf(resultOf(builder.finish()))).toHaveLength(nodes * nodes);
  });

  it('builds a graph whose ranges of nodes cover each node once', () => {
    const graph = graphOf(5, [
      [0, 1],
      [0, 2],
      [0, 3],
      [1, 0],
      [4, 0],
    ] as Edge[]);
    expect([...nodeRanges(graph, 4)]).toEqual([
      { from: 0, to: 1 },
      { from: 1, to: 4 },
      { from: 4, to: 5 },
    ]);
  });
});

describe('HashIndex', () => {
  it('numbers hashes in the order of insertion, and finds no others', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.integer(), fc.integer({ min: -3, max: 3 })), { maxLength: 50 }), (hashes) => {
        const index = new HashIndex();
        const known = new Map<string, number>();
        for (const [high, low] of hashes) {
          const name = `${high} ${low}`;
          if (!known.has(name)) known.set(name, known.size);
          expect(index.add(high, low)).toBe(known.get(name));
        }
        for (const [high, low] of hashes) expect(index.find(high, low)).toBe(known.get(`${high} ${low}`));
        expect([index.find(1, 4), index.size]).toEqual([-1, known.size]);
      }),
    ));

  it('grows to 5,000 entries', () => {
    const index = new HashIndex();
    for (let i = 0; i < 5_000; i++) index.add(i, Math.imul(i, 0x9e3779b1));
    expect([index.size, index.find(4_999, Math.imul(4_999, 0x9e3779b1))]).toEqual([5_000, 4_999]);
  });
});

describe('LinkVotes', () => {
  // Nodes 0 and 1 on www.a.test, 2 on shop.a.test, 3 and 4 on b.test: one page with two queries; 5 is another page of b.test.
  const groups = {
    hosts: Uint32Array.of(0, 0, 1, 2, 2, 2),
    domains: Uint32Array.of(0, 0, 1),
    pages: Uint32Array.of(0, 1, 2, 3, 3, 4),
  };
  const all: VoteRules = { ignoreInternalHost: true, ignoreInternalDomain: true, limitPage: true, limitDomain: true };
  const none: VoteRules = {
    ignoreInternalHost: false,
    ignoreInternalDomain: false,
    limitPage: false,
    limitDomain: false,
  };
  const votesOf = (rules: Partial<VoteRules>): number[] => {
    const edges = [1, 2, 3, 4, 5].map((to): Edge => [0, to]);
    return edgesOf(graphOf(6, edges, new LinkVotes({ ...none, ...rules }, groups))).map(([, to]) => to);
  };
  it.each<[string, Partial<VoteRules>, number[]]>([
    ['counts each link without a rule', none, [1, 2, 3, 4, 5]],
    ['counts no link within a host with ignoreInternalHost', { ignoreInternalHost: true }, [2, 3, 4, 5]],
    ['counts no link within a domain with ignoreInternalDomain', { ignoreInternalDomain: true }, [3, 4, 5]],
    ['counts one link per page, ignoring the query, with limitPage', { limitPage: true }, [1, 2, 3, 5]],
    ['counts one link per domain with limitDomain', { limitDomain: true }, [1, 3]],
    ['counts a single link with all rules', all, [3]],
  ])('%s', (_, rules, wanted) => expect(votesOf(rules)).toEqual(wanted));
});
