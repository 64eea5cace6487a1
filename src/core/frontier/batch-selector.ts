/**
 * The reducer of GENERATE: candidates arrive best first, and each is selected or left, by the limits of its partition
 * and of its host (or domain, or IP).
 *
 * A partition takes at most topN / partitions pages (integer division, as in Nutch). If topN is below the number of
 * partitions this would be 0: then only topN applies, so that a batch is empty only when nothing is due. A group (host,
 * domain, IP) has at most `maxCount` pages in each segment. topN counts over all segments, each of which gets an equal
 * quota: a page goes to the first segment below its quota in which its group is below `maxCount`, else to the first one in which
 * its group is below `maxCount`.
 */
import { partitionHash } from '../url/partition.js';

export interface SelectionLimits {
  /** Pages in all; Infinity for no limit. */
  topN: number;
  /** Pages of one group in a segment; Infinity for no limit (`generate.max.count`). */
  maxCount: number;
  /** Number of partitions (`mapreduce.job.reduces`). */
  partitions: number;
  /** Maximum number of segments (batches) to fill (`maxNumSegments`). */
  segments: number;
  /** `partition.url.seed` */
  seed: number;
}

/** The segment of a selected page, and the hash of its partition key. */
export interface Assigned {
  segment: number;
  hash: number;
}

export type Choice = Assigned | { left: 'max-count' | 'top-n' };

export class BatchSelector {
  /** Maximum number of pages of a partition: at least 1, unless topN is 0. */
  readonly perPartition: number;
  private readonly taken: number[];
  private readonly sizes: number[];
  /** Pages of a group in a segment. */
  private readonly counts = new Map<string, number>();
  /** Groups that have reached `maxCount` in every segment. */
  private readonly fullGroups = new Set<string>();
  private readonly hashes = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: SelectionLimits) {
    this.perPartition = Math.floor(limits.topN / limits.partitions) || limits.topN;
    this.taken = Array.from({ length: limits.partitions }, () => 0);
    this.sizes = Array.from({ length: limits.segments }, () => 0);
  }

  get partitions(): number {
    return this.limits.partitions;
  }

  /** Pages taken so far. */
  get size(): number {
    return this.total;
  }

  /** Whether no further page can be taken. */
  get isComplete(): boolean {
    return this.total >= this.limits.topN || this.taken.every((n) => n >= this.perPartition);
  }

  /** Whether a page of the group was left out by `maxCount`, as every further one will be. */
  isGroupFull(group: string): boolean {
    return this.fullGroups.has(group);
  }

  /**
   * @param partitionKey pages with equal keys are in one partition and one fetch queue
   * @param group pages with equal groups count toward one `maxCount`
   * @param maxCount of this group, where it has its own
   */
  take(partitionKey: string, group: string, maxCount = this.limits.maxCount): Choice {
    const hash = this.hashOf(partitionKey);
    const partition = hash % this.limits.partitions;
    if (this.total >= this.limits.topN || this.taken[partition]! >= this.perPartition) return { left: 'top-n' };
    const segment = this.segmentFor(group, maxCount);
    if (segment === null) return { left: 'max-count' };
    this.taken[partition]!++;
    this.count(group, segment, 1);
    return { segment, hash };
  }

  /** Reverts a choice, as another job has the page. */
  giveBack(group: string, { segment, hash }: Assigned): void {
    this.taken[hash % this.limits.partitions]!--;
    this.count(group, segment, -1);
    this.fullGroups.delete(group);
  }

  private count(group: string, segment: number, n: 1 | -1): void {
    this.total += n;
    this.sizes[segment]! += n;
    const key = countKey(group, segment);
    this.counts.set(key, (this.counts.get(key) ?? 0) + n);
  }

  private segmentFor(group: string, maxCount: number): number | null {
    if (this.fullGroups.has(group)) return null;
    const { topN, segments } = this.limits;
    const max = Math.ceil(topN / segments);
    let beyond: number | null = null;
    for (let segment = 0; segment < segments; segment++) {
      if ((this.counts.get(countKey(group, segment)) ?? 0) >= maxCount) continue;
      if (this.sizes[segment]! < max) return segment;
      beyond ??= segment;
    }
    if (beyond === null) this.fullGroups.add(group);
    return beyond;
  }

  private hashOf(key: string): number {
    let hash = this.hashes.get(key);
    if (hash === undefined) this.hashes.set(key, (hash = partitionHash(key, this.limits.seed)));
    return hash;
  }
}

/** In the first segment, the only one of most batches, the group is the key. */
const countKey = (group: string, segment: number): string => (segment === 0 ? group : `${segment} ${group}`);
