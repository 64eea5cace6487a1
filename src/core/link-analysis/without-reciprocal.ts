/** Removes reciprocal links: those of two pages that link to each other, and of a page to itself. */
import { type LinkGraph, nodeRanges } from './link-graph.js';

/** Added to a target as a flag; node numbers are below this. */
const FLAG = 0x8000_0000;

/** The graph without reciprocal links. It reuses the arrays of the given graph; the links of each node are sorted. */
export function* withoutReciprocal(graph: LinkGraph): Generator<void, LinkGraph> {
  const { nodes, offsets, targets } = graph;
  for (const { from, to } of nodeRanges(graph)) {
    for (let node = from; node < to; node++) targets.subarray(offsets[node], offsets[node + 1]).sort();
    yield;
  }
  for (const { from, to } of nodeRanges(graph)) {
    for (let node = from; node < to; node++) flagReciprocal(graph, node);
    yield;
  }
  let kept = 0;
  for (let node = 0, begin = 0; node < nodes; node++) {
    const end = offsets[node + 1]!;
    for (let at = begin; at < end; at++) if (targets[at]! < FLAG) targets[kept++] = targets[at]!;
    offsets[node + 1] = kept;
    begin = end;
  }
  return { nodes, offsets, targets: targets.subarray(0, kept) };
}

function flagReciprocal(graph: LinkGraph, node: number): void {
  const { offsets, targets } = graph;
  for (let at = offsets[node]!; at < offsets[node + 1]!; at++) {
    const target = targets[at]! % FLAG;
    if (links(graph, target, node)) targets[at] = target + FLAG;
  }
}

/** Whether a node links to another, by a flagged link or another: the links are sorted apart from the flags. */
function links({ offsets, targets }: LinkGraph, from: number, to: number): boolean {
  let [low, high] = [offsets[from]!, offsets[from + 1]!];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (targets[middle]! % FLAG < to) low = middle + 1;
    else high = middle;
  }
  return low < offsets[from + 1]! && targets[low]! % FLAG === to;
}
