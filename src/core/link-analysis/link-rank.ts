/**
 * LinkRank of Nutch 1.x (org.apache.nutch.scoring.webgraph.LinkRank): r(i) = (1 − d) + d · (1 / N + Σ r(j) / out(j)).
 *
 * N counts the pages that link or are linked to. The first term is not divided by N, so scores are around 1 whatever the
 * size of the graph. Each run starts from the same initial score; earlier results are not used.
 */
import { type LinkGraph, inDegrees, outDegree } from './link-graph.js';
import { type IterationProgress, flow } from './power-iteration.js';

export interface LinkRankOptions {
  damping: number;
  initialScore: number;
  iterations: number;
}

/** @returns scores; those of pages without any link are meaningless */
export function* linkRank(
  graph: LinkGraph,
  { damping, initialScore, iterations }: LinkRankOptions,
): Generator<IterationProgress, Float64Array> {
  const rankOne = 1 / linkedNodes(graph);
  const scores = new Float64Array(graph.nodes).fill(initialScore);
  const received = new Float64Array(graph.nodes);
  let change = Infinity;
  for (let iteration = 0; iteration < iterations; iteration++) {
    for (const _ of flow(graph, { scores, into: received, divided: true })) yield { iteration, change };
    change = 0;
    for (let node = 0; node < graph.nodes; node++) {
      const score = 1 - damping + damping * (rankOne + received[node]!);
      change += Math.abs(score - scores[node]!);
      scores[node] = score;
    }
  }
  return scores;
}

function linkedNodes(graph: LinkGraph): number {
  let linked = 0;
  inDegrees(graph).forEach((degree, node) => (linked += degree + outDegree(graph, node) > 0 ? 1 : 0));
  return linked;
}
