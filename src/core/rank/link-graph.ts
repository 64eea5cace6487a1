/**
 * The link graph of a crawl: pages by number, and whom each links to, as rows of one array (CSR).
 *
 * A link takes 4 bytes, 12 for the moment in which the array grows; a page some 50 with its scores. Links come page by page, in
 * the order of the numbers, so no sorting is needed. A page links to another once, however often it does so.
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
  private readonly offsets: Uint32Array;
  /** For each node the source, and 1, that has linked to it last. */
  private readonly seen: Uint32Array;
  private targets = new Uint32Array(FIRST);
  private edges = 0;
  private next = 0;

  constructor(
    private readonly nodes: number,
    private readonly limits: { filter?: LinkFilter | undefined; maxEdges: number },
  ) {
    this.offsets = new Uint32Array(nodes + 1);
    this.seen = new Uint32Array(nodes);
  }

  /**
   * Adds the links of a page. Each page comes once, behind those of lower numbers; targets that are no nodes (negative) are
   * left out. Throws GraphTooLarge.
   */
  add(source: number, targets: Iterable<number>): void {
    this.closeUntil(source);
    for (const target of targets) {
      if (target < 0 || this.seen[target] === source + 1) continue;
      this.seen[target] = source + 1;
      if (this.limits.filter?.counts(source, target) === false) continue;
      this.push(target);
    }
  }

  finish(): LinkGraph {
    this.closeUntil(this.nodes);
    return { nodes: this.nodes, offsets: this.offsets, targets: this.targets.subarray(0, this.edges) };
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

  /** Links that follow are those of `node`. */
  private closeUntil(node: number): void {
    if (node < this.next) throw new RangeError(`node ${node} comes behind ${this.next - 1}`);
    while (this.next <= node) this.offsets[this.next++] = this.edges;
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
