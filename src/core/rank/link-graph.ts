/**
 * The link graph of a crawl: pages by number, and whom each links to, as rows of one array (CSR).
 *
 * A link takes 4 bytes, 12 for the moment in which the array grows or is put in order; a page some 60 with its scores. Links come
 * page by page, in any order of the pages. A page links to another once, however often it does so.
 */
export interface LinkGraph {
  readonly nodes: number;
  /** Links of node `n`: `targets` from `offsets[n]` to `offsets[n + 1]`. */
  readonly offsets: Uint32Array;
  readonly targets: Uint32Array;
}

/** Which links of a page count. It is asked for each distinct link, in page order. */
export interface LinkFilter {
  counts(source: number, target: number): boolean;
}

/** More links than the limit let in. */
export class GraphTooLarge extends Error {}

const FIRST = 65_536;

export class LinkGraphBuilder {
  /** Where the links of each node begin as they came, and how many they are. */
  private readonly begins: Uint32Array;
  private readonly counts: Uint32Array;
  /** For each node the source, and 1, that has linked to it last. */
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
   * Adds the links of a page. Each page comes once; targets that are no nodes (negative) are left out. Throws GraphTooLarge.
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

  /** The graph: links in the order of the pages that have them. */
  *finish(): Generator<void, LinkGraph> {
    const { nodes, begins, counts } = this;
    const offsets = new Uint32Array(nodes + 1);
    for (let node = 0; node < nodes; node++) offsets[node + 1] = offsets[node]! + counts[node]!;
    const graph = { nodes, offsets, targets: new Uint32Array(this.edges) };
    for (const { from, to } of slices(graph)) {
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

/** How many pages link to each node. */
export function inDegrees({ nodes, targets }: LinkGraph): Uint32Array {
  const degrees = new Uint32Array(nodes);
  for (const target of targets) degrees[target]!++;
  return degrees;
}

export const outDegree = ({ offsets }: LinkGraph, node: number): number => offsets[node + 1]! - offsets[node]!;

/** Links and nodes between two pauses of who computes: some ten milliseconds. */
const SLICE = 1_048_576;

/** The nodes in pieces of bounded work. */
export function* slices({ nodes, offsets }: LinkGraph, size = SLICE): Generator<{ from: number; to: number }> {
  for (let from = 0; from < nodes;) {
    let to = from + 1;
    while (to < nodes && to - from + offsets[to + 1]! - offsets[from]! <= size) to++;
    yield { from, to };
    from = to;
  }
}
