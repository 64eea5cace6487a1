/** What PageRank, LinkRank and HITS have in common: scores that flow along links, round by round. */
import { type LinkGraph, slices } from './link-graph.js';

/** How far a computation is. It pauses with each, so that a process can do other work between. */
export interface RankStep {
  /** Rounds that are done. */
  iteration: number;
  /** What the last of them changed, all nodes together. */
  change: number;
}

export interface Until {
  /** Rounds at most. */
  iterations: number;
  /** The sum of changes at which it ends before. */
  tolerance: number;
}

/** Each node gives `of` its score to all that it links to: a part to each (`divided`), or the whole to each. */
export function* flow(
  graph: LinkGraph,
  { of, into, divided }: { of: Float64Array; into: Float64Array; divided: boolean },
): Generator<void> {
  const { offsets, targets } = graph;
  into.fill(0);
  for (const { from, to } of slices(graph)) {
    for (let node = from; node < to; node++) {
      const end = offsets[node + 1]!;
      const begin = offsets[node]!;
      const part = divided ? of[node]! / (end - begin) : of[node]!;
      for (let at = begin; at < end; at++) into[targets[at]!]! += part;
    }
    yield;
  }
}
