/**
 * The reducer of GENERATE: candidates come in best first, and each is taken or left, by the limits of its partition and
 * of its host (or domain, or IP).
 *
 * A partition may take topN / partitions pages (integer division, as in Nutch). Where topN is below the number of partitions
 * that would be none: then topN alone limits, so that a batch is empty only when nothing is due. A group (host, domain, IP) may have `maxCount` pages in each segment; what is over goes to the next
 * segment as long as there is one. topN counts over all segments.
 */
import { partitionHash } from '../url/partition.js';

export interface Limits {
  /** Pages in all; Infinity for no limit. */
  topN: number;
  /** Pages of one group in a segment; Infinity for no limit (`generate.max.count`). */
  maxCount: number;
  /** Number of partitions (`mapreduce.job.reduces`). */
  partitions: number;
  /** Segments (batches) to fill at most (`maxNumSegments`). */
  segments: number;
  /** `partition.url.seed` */
  seed: number;
}

export type Choice = { segment: number; hash: number } | { left: 'max-count' | 'top-n' };

export class BatchSelector {
  /** Pages that one partition may take: 1 at least, unless topN is 0. */
  readonly perPartition: number;
  private readonly taken: number[];
  private readonly groups = new Map<string, number>();
  private readonly hashes = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: Limits) {
    this.perPartition = Math.floor(limits.topN / limits.partitions) || limits.topN;
    this.taken = Array.from({ length: limits.partitions }, () => 0);
  }

  get partitions(): number {
    return this.limits.partitions;
  }

  /** Pages taken so far. */
  get size(): number {
    return this.total;
  }

  /** Whether no further page can be taken. */
  get full(): boolean {
    return this.total >= this.limits.topN || this.taken.every((n) => n >= this.perPartition);
  }

  /**
   * @param partitionKey what keeps pages in one partition and one fetch queue
   * @param group what `maxCount` counts by
   * @param maxCount of this group, where it has a number of its own
   */
  take(partitionKey: string, group: string, maxCount = this.limits.maxCount): Choice {
    const hash = this.hashOf(partitionKey);
    const partition = hash % this.limits.partitions;
    if (this.total >= this.limits.topN || this.taken[partition]! >= this.perPartition) return { left: 'top-n' };
    const inGroup = this.groups.get(group) ?? 0;
    const segment = maxCount === Infinity ? 0 : Math.floor(inGroup / maxCount);
    if (segment >= this.limits.segments) return { left: 'max-count' };
    this.groups.set(group, inGroup + 1);
    this.taken[partition]!++;
    this.total++;
    return { segment: maxCount === Infinity ? this.spread() : segment, hash };
  }

  /** Without a count per group, segments are filled one after another with equal shares of topN. */
  private spread(): number {
    const share = Math.ceil(this.limits.topN / this.limits.segments);
    return Math.min(this.limits.segments - 1, Math.floor((this.total - 1) / share));
  }

  private hashOf(key: string): number {
    let hash = this.hashes.get(key);
    if (hash === undefined) this.hashes.set(key, (hash = partitionHash(key, this.limits.seed)));
    return hash;
  }
}
