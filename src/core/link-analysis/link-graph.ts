/**
 * The link graph of a crawl: pages by number, with their link targets as rows of one array (CSR).
 *
 * A link takes 4 bytes, 12 while the array grows or is sorted; a page some 60 with its scores. Links are added page by
 * page, in any order of pages. Repeated links from one page to another count once.
 */
export interface LinkGraph {
  readonly nodes: number;
  /** Links of node `n`: `targets` from `offsets[n]` to `offsets[n + 1]`. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** Selects the links that count. Called for each distinct link of a page, in page order. */
export interface LinkFilter {
  counts(source: number, target: number): boolean;
}

/** Thrown when the graph exceeds the limit of links. */
export class GraphTooLarge extends Error {}

const FIRST = 65_536;

export class LinkGraphBuilder {
  /** Offset of each node's links, in order of insertion, and their number. */
  private readonly begins: Uint32Array;
  private readonly counts: Uint32Array;
  /** For each node, the source plus 1 of the last link to it. */
  private readonly seen: Uint32Array;
  private targets = new Uint32Array(FIRST);
  private edges = 0;

  constructor(
    private readonly nodes: number,
    private readonly limits: { filter?: LinkFilter | undefined; maxEdges: number },
  ) {
    this.begins = new Uint32Array(nodes);
    this.counts = new Uint32Array(nodes);
    this.seen = new Uint32Array(nodes);
  }

  /**
   * Adds the links of a page. Each page is added once; negative targets are not nodes and are skipped. Throws GraphTooLarge.
   */
  add(source: number, targets: Iterable<number>): void {
    this.begins[source] = this.edges;
    for (const target of targets) {
      if (target < 0 || this.seen[target] === source + 1) continue;
      this.seen[target] = source + 1;
      if (this.limits.filter?.counts(source, target) === false) continue;
      this.push(target);
    }
    this.counts[source] = this.edges - this.begins[source]!;
  }

  /** The graph, with links in the order of their source pages. */
  *finish(): Generator<void, LinkGraph> {
    const { nodes, begins, counts } = this;
    const offsets = new Uint32Array(nodes + 1);
    for (let node = 0; node < nodes; node++) offsets[node + 1] = offsets[node]! + counts[node]!;
    const graph = { nodes, offsets, targets: new Uint32Array(this.edges) };
    for (const { from, to } of nodeRanges(graph)) {
      for (let node = from; node < to; node++) {
        const links = this.targets.subarray(begins[node], begins[node]! + counts[node]!);
        if (links.length > 0) graph.targets.set(links, offsets[node]);
      }
      yield;
    }
    return graph;
  }

  private push(target: number): void {
    if (this.edges === this.limits.maxEdges) throw new GraphTooLarge();
    if (this.edges === this.targets.length) {
      const larger = new Uint32Array(2 * this.targets.length);
      larger.set(this.targets);
      this.targets = larger;
    }
    this.targets[this.edges++] = target;
  }
}

/** The number of pages that link to each node. */
export function inDegrees({ nodes, targets }: LinkGraph): Uint32Array {
  const degrees = new Uint32Array(nodes);
  for (const target of targets) degrees[target]!++;
  return degrees;
}

export const outDegree = ({ offsets }: LinkGraph, node: number): number => offsets[node + 1]! - offsets[node]!;

/** Links and nodes between two steps of a computation: some ten milliseconds. */
const RANGE_SIZE = 1_048_576;

/** Divides the nodes into ranges of bounded work. */
export function* nodeRanges({ nodes, offsets }: LinkGraph, size = RANGE_SIZE): Generator<{ from: number; to: number }> {
  for (let from = 0; from < nodes;) {
    let to = from + 1;
    while (to < nodes && to - from + offsets[to + 1]! - offsets[from]! <= size) to++;
    yield { from, to };
    from = to;
  }
}
