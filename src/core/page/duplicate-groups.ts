/**
 * Pages of equal content, grouped as they are read. Of each group only those that may still stay are kept in memory; those
 * that lose are returned at once. So memory holds about one page a group, however many pages have the same content.
 *
 * The result is that of all pages compared at once, however they are divided: an https page that has lost still excludes the
 * http page that differs in nothing else, since that one is read directly after it (`eachEqualPage`).
 */
import { type CompareBy, type GroupMode, comparePages, httpsOf, keptOf } from './duplicates.js';
import { domainKeyOf } from '../url/domain.js';
import { unreverseUrl } from '../url/row-key.js';

/** A page as DEDUP reads it. */
export interface EqualPage {
  host: string;
  key: string;
  signature: string;
  score: number;
  fetchTime: Date;
  /** In a batch: it may win, but its own row must not be changed. */
  busy: boolean;
}

/** Maximum number of pages of one group kept in memory if no criterion decides; the others stay as they are. */
const MAX_TIED = 10_000;

interface Candidate {
  page: EqualPage;
  url: string;
  score: number;
  fetchTime: number;
}

export class DuplicateGroups {
  private readonly groups = new Map<string, Candidate[]>();
  /** The page that was added last. */
  private last: Candidate | undefined;

  constructor(
    private readonly mode: GroupMode,
    private readonly order: readonly CompareBy[],
  ) {}

  /** The name of the group to which a content on a host belongs. */
  nameOf(host: string, signature: string): string {
    if (this.mode === 'none') return signature;
    return `${signature} ${this.mode === 'host' ? host : domainKeyOf(host)}`;
  }

  has(name: string): boolean {
    return this.groups.has(name);
  }

  /**
   * Adds pages; returns the pages that have lost, new or added before.
   * @param pages in the order of `eachEqualPage`, over all calls
   */
  add(pages: readonly EqualPage[]): EqualPage[] {
    const added = pages.map(candidateOf);
    const [first] = added;
    const excluded = first !== undefined && this.isExcluded(first) ? [first] : [];
    this.last = added.at(-1) ?? this.last;
    const fresh = Map.groupBy(added.slice(excluded.length), ({ page }) => this.nameOf(page.host, page.signature));
    const lost = [...fresh].flatMap(([name, candidates]) => this.compete(name, candidates));
    return [...excluded.map(({ page }) => page), ...lost];
  }

  /** Whether the page added before it is the same page by https, which may have lost itself, and excludes it. */
  private isExcluded(candidate: Candidate): boolean {
    const { last } = this;
    if (last === undefined || last.url !== httpsOf(candidate.url)) return false;
    return (
      last.page.signature === candidate.page.signature && !keptOf([last, candidate], this.order).includes(candidate)
    );
  }

  /** The pages of a group that stay, best first: https before http of pages that no criterion distinguishes otherwise. */
  staying(name: string): readonly EqualPage[] {
    const best = (this.groups.get(name) ?? []).toSorted((a, b) => comparePages(b, a, this.order));
    return best.map(({ page }) => page);
  }

  winners(): EqualPage[] {
    return [...this.groups.values()].map(([first]) => first!.page);
  }

  private compete(name: string, candidates: Candidate[]): EqualPage[] {
    const all = [...(this.groups.get(name) ?? []), ...candidates];
    const kept = keptOf(all, this.order);
    this.groups.set(name, kept.slice(0, MAX_TIED));
    if (kept.length === all.length) return [];
    const staying = new Set(kept);
    return all.filter((candidate) => !staying.has(candidate)).map(({ page }) => page);
  }
}

const candidateOf = (page: EqualPage): Candidate => ({
  page,
  url: unreverseUrl(page.key),
  score: page.score,
  fetchTime: page.fetchTime.getTime(),
});
