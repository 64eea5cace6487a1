/**
 * HITS (Kleinberg 1999): good hubs link to good authorities, and good authorities are linked to by good hubs. Both are
 * scaled to the sum 1 in each iteration, if there is any link.
 */
import { type LinkGraph, nodeRanges } from './link-graph.js';
import { type IterationProgress, type Until, flow } from './power-iteration.js';

export interface HubsAndAuthorities {
  hubs: Float64Array;
  authorities: Float64Array;
}

export function* hits(
  graph: LinkGraph,
  { iterations, tolerance }: Until,
): Generator<IterationProgress, HubsAndAuthorities> {
  const { nodes } = graph;
  const hubs = new Float64Array(nodes).fill(1 / nodes);
  const authorities = new Float64Array(nodes);
  const before = new Float64Array(nodes);
  let change = Infinity;
  for (let iteration = 0; iteration < iterations && change > tolerance; iteration++) {
    for (const _ of flow(graph, { scores: hubs, into: authorities, divided: false })) yield { iteration, change };
    scale(authorities);
    before.set(hubs);
    for (const _ of collect(graph, authorities, hubs)) yield { iteration, change };
    scale(hubs);
    change = 0;
    for (let node = 0; node < nodes; node++) change += Math.abs(hubs[node]! - before[node]!);
  }
  return { hubs, authorities };
}

/** Sets the score of each node to the sum of the scores of its link targets. */
function* collect(graph: LinkGraph, scores: Float64Array, into: Float64Array): Generator<void> {
  const { offsets, targets } = graph;
  for (const { from, to } of nodeRanges(graph)) {
    for (let node = from; node < to; node++) {
      let sum = 0;
      for (let at = offsets[node]!; at < offsets[node + 1]!; at++) sum += scores[targets[at]!]!;
      into[node] = sum;
    }
    yield;
  }
}

function scale(scores: Float64Array): void {
  let sum = 0;
  for (const score of scores) sum += score;
  if (sum > 0) for (let node = 0; node < scores.length; node++) scores[node]! /= sum;
}
