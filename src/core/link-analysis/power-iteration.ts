/** The common part of PageRank, LinkRank and HITS: iterations that pass scores along links. */
import { type LinkGraph, nodeRanges } from './link-graph.js';

/** Progress of a computation. The generator yields it regularly, so that the process can do other work. */
export interface IterationProgress {
  /** Completed iterations. */
  iteration: number;
  /** The sum of changes in the last one. */
  change: number;
}

export interface Until {
  /** Maximum number of iterations. */
  iterations: number;
  /** The computation ends early when the sum of changes is not above this. */
  tolerance: number;
}

/** Adds the score of each node to its link targets: an equal part to each (`divided`), or the whole to each. */
export function* flow(
  graph: LinkGraph,
  { scores, into, divided }: { scores: Float64Array; into: Float64Array; divided: boolean },
): Generator<void> {
  const { offsets, targets } = graph;
  into.fill(0);
  for (const { from, to } of nodeRanges(graph)) {
    for (let node = from; node < to; node++) {
      const end = offsets[node + 1]!;
      const begin = offsets[node]!;
      const contribution = divided ? scores[node]! / (end - begin) : scores[node]!;
      for (let at = begin; at < end; at++) into[targets[at]!]! += contribution;
    }
    yield;
  }
}
