/**
 * PageRank: r(i) = d · Σ r(j) / out(j) + (1 − d) / N. The score of pages without links is distributed evenly over all pages,
 * so the sum stays 1 (Page, Brin, Motwani, Winograd 1999; Langville and Meyer, Deeper Inside PageRank, 3.1).
 */
import type { LinkGraph } from './link-graph.js';
import { type IterationProgress, type Until, flow } from './power-iteration.js';

export function* pageRank(
  graph: LinkGraph,
  { damping, iterations, tolerance }: Until & { damping: number },
): Generator<IterationProgress, Float64Array> {
  const { nodes } = graph;
  const scores = new Float64Array(nodes).fill(1 / nodes);
  const received = new Float64Array(nodes);
  let change = Infinity;
  for (let iteration = 0; iteration < iterations && change > tolerance; iteration++) {
    for (const _ of flow(graph, { scores, into: received, divided: true })) yield { iteration, change };
    change = writeScores(graph, damping, { scores, received });
  }
  return scores;
}

/** Ends an iteration and writes the new scores to `scores`. @returns the sum of changes */
function writeScores(
  { nodes, offsets }: LinkGraph,
  damping: number,
  { scores, received }: { scores: Float64Array; received: Float64Array },
): number {
  let dangling = 0;
  for (let node = 0; node < nodes; node++) if (offsets[node] === offsets[node + 1]) dangling += scores[node]!;
  const base = (1 - damping + damping * dangling) / nodes;
  let change = 0;
  for (let node = 0; node < nodes; node++) {
    const score = base + damping * received[node]!;
    change += Math.abs(score - scores[node]!);
    scores[node] = score;
  }
  return change;
}
