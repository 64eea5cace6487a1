/**
 * Reads the link graph of a crawl: its pages by number, in the order of `webpage`, and the links between them.
 *
 * Both are read once, a chunk at a time by their primary keys; the next chunk is read while one is processed. Pages with
 * their links come in another order, by key. Links to URLs that are no pages of the crawl are left out. See
 * docs/adr/0023-link-graph-in-memory.md.
 */
import { randomInt } from 'node:crypto';
import { HashIndex } from '../../core/link-analysis/hash-index.js';
import { GraphTooLarge, type LinkGraph, LinkGraphBuilder } from '../../core/link-analysis/link-graph.js';
import { LinkVotes, type NodeGroups, type VoteRules } from '../../core/link-analysis/link-votes.js';
import { domainKeyOf } from '../../core/url/domain.js';
import { type Run, StepError } from '../step.js';
import { timeSliced } from './time-sliced.js';
import { BEFORE_ALL, type HostNodes, type PageAt, type PageLinks, nextLinks, nextNodes } from './webgraph.sql.js';
import type { PageKey } from '../../core/page/page-row.js';

/** Pages that are numbered at once, and pages whose links are read at once. */
const NODES_AT_ONCE = 20_000;
const LINKING_AT_ONCE = 500;
const HASH_BYTES = 8;
/** Half of the range of `randomInt`. */
const MAX_SEED = 2 ** 47;

/** Which links count: by Nutch's rules of votes, or all. */
export interface GraphRules {
  votes?: VoteRules;
  deleteGone?: boolean;
}

/** The graph, and the numbers of its pages. */
export interface CrawlGraph {
  graph: LinkGraph;
  numbers: HashIndex;
  seed: string;
}

export interface Reading {
  signal: AbortSignal;
  /** Reports the progress. */
  note: (line: string) => void;
}

export async function readGraph(run: Run<object>, rules: GraphRules, { signal, note }: Reading): Promise<CrawlGraph> {
  const walk = { crawl: run.job.crawl, seed: String(randomInt(MAX_SEED)) };
  const nodes = new Nodes();
  const withPages = rules.votes?.limitPage === true && !rules.votes.limitDomain;
  const chunks = inChunks(
    (after: PageAt) => nextNodes(run.pool, { ...walk, after, limit: NODES_AT_ONCE }, withPages),
    BEFORE_ALL,
  );
  for await (const hosts of chunks) {
    signal.throwIfAborted();
    for (const host of hosts) nodes.add(host);
    note(`pages: ${nodes.numbers.size}`);
  }
  const { numbers } = nodes;
  const filter = rules.votes && new LinkVotes(rules.votes, nodes.groups());
  const maxEdges = run.conf['link.graph.max.edges'];
  const builder = new LinkGraphBuilder(numbers.size, { filter, maxEdges });
  let linking = 0;
  const links = inChunks(
    (after: PageKey) => nextLinks(run.pool, { ...walk, after, limit: LINKING_AT_ONCE }, rules.deleteGone === true),
    { host: '', key: '' },
  );
  for await (const pages of links) {
    signal.throwIfAborted();
    addLinks(builder, numbers, { pages, maxEdges });
    note(`links of ${(linking += pages.length)} pages`);
  }
  return { graph: await timeSliced(builder.finish(), signal), numbers, seed: walk.seed };
}

/** Chunks of a scan, each begun after the last page of the one before, until one is empty. */
export async function* inChunks<After, T extends After>(
  next: (after: After) => Promise<T[]>,
  from: After,
): AsyncGenerator<T[]> {
  for (let reading = next(from); ;) {
    const chunk = await reading;
    const last = chunk.at(-1);
    if (last === undefined) return;
    reading = next(last);
    // A caller that stops reading does not wait for it.
    reading.catch(() => undefined);
    yield chunk;
  }
}

function addLinks(
  builder: LinkGraphBuilder,
  numbers: HashIndex,
  { pages, maxEdges }: { pages: PageLinks[]; maxEdges: number },
): void {
  try {
    for (const { hashes } of pages) {
      const [source, ...targets] = numbersOf(numbers, hashes);
      // A page that was added meanwhile is no node.
      if (source !== undefined && source >= 0) builder.add(source, targets);
    }
  } catch (error) {
    if (!(error instanceof GraphTooLarge)) throw error;
    throw new StepError(`the crawl has more than ${maxEdges} links (link.graph.max.edges)`, 'GRAPH_TOO_LARGE');
  }
}

/** The numbers of concatenated hashes; -1 for those that are no nodes. */
function numbersOf(numbers: HashIndex, hashes: Buffer): number[] {
  const nodes: number[] = [];
  for (let at = 0; at < hashes.length; at += HASH_BYTES)
    nodes.push(numbers.find(hashes.readInt32BE(at), hashes.readInt32BE(at + 4)));
  return nodes;
}

/** The number of the page with this one hash; -1 where it is no node. */
export const nodeNumber = (numbers: HashIndex, hash: Buffer): number =>
  numbers.find(hash.readInt32BE(0), hash.readInt32BE(4));

/** Numbers by page, with the host of each and the domains of hosts. */
class Nodes {
  readonly numbers = new HashIndex();
  private readonly pageNumbers = new HashIndex();
  private readonly domainNumbers = new Map<string, number>();
  private hosts = new Uint32Array(NODES_AT_ONCE);
  private pages = new Uint32Array(0);
  private readonly domains: number[] = [];
  private host: string | null = null;

  add({ host, hashes, pageHashes }: HostNodes): void {
    this.begin(host);
    for (let at = 0; at < hashes.length; at += HASH_BYTES) {
      const number = this.numbers.size;
      if (this.numbers.add(hashes.readInt32BE(at), hashes.readInt32BE(at + 4)) !== number)
        throw new StepError('two URLs have one hash of 64 bits, by chance; run it again', 'UNEXPECTED');
      this.hosts = fitted(this.hosts, number);
      this.hosts[number] = this.domains.length - 1;
      if (pageHashes === null) continue;
      this.pages = fitted(this.pages, number);
      this.pages[number] = this.pageNumbers.add(pageHashes.readInt32BE(at), pageHashes.readInt32BE(at + 4));
    }
  }

  groups(): NodeGroups {
    const domains = Uint32Array.from(this.domains);
    return { hosts: this.hosts, domains, pages: this.pages.length > 0 ? this.pages : undefined };
  }

  /** Pages come host by host; a chunk may end in the middle of one. */
  private begin(host: string): void {
    if (host === this.host) return;
    this.host = host;
    const domain = domainKeyOf(host);
    const known = this.domainNumbers.get(domain) ?? this.domainNumbers.size;
    this.domainNumbers.set(domain, known);
    this.domains.push(known);
  }
}

/** An array that is long enough for this position: doubled if it is not. */
function fitted(numbers: Uint32Array<ArrayBuffer>, at: number): Uint32Array<ArrayBuffer> {
  if (at < numbers.length) return numbers;
  const larger = new Uint32Array(Math.max(NODES_AT_ONCE, 2 * numbers.length));
  larger.set(numbers);
  return larger;
}
