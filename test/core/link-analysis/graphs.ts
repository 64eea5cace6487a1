/** Link graphs for the specs of ranks, and what they are computed with. */
import { type LinkFilter, type LinkGraph, LinkGraphBuilder } from '../../../src/core/link-analysis/link-graph.js';

export type Edge = readonly [from: number, to: number];

export function graphOf(nodes: number, edges: readonly Edge[], filter?: LinkFilter): LinkGraph {
  const builder = new LinkGraphBuilder(nodes, { filter, maxEdges: 1_000_000 });
  for (let node = 0; node < nodes; node++)
    builder.add(
      node,
      edges.filter(([from]) => from === node).map(([, to]) => to),
    );
  return resultOf(builder.finish());
}

/** The links of a graph, in order. */
export const edgesOf = ({ nodes, offsets, targets }: LinkGraph): Edge[] =>
  Array.from({ length: nodes }, (_, from) =>
    [...targets.subarray(offsets[from], offsets[from + 1])].map((to): Edge => [from, to]),
  ).flat();

/** What a computation returns, whatever its pauses. */
export function resultOf<T>(work: Generator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
