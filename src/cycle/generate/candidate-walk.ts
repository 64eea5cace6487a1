/**
 * Candidates in chunks, best first.
 *
 * The walk follows the index of selectable pages by rank, which tells scores apart; where it comes to ranks that may lag behind
 * their scores, it ends with `RanksLag`. A chunk reads somewhat beyond what is wanted while the rank is the same, and is put in
 * the order of scores, then keys: of very many pages of one score those come that lie first in the table.
 *
 * The best million ranks may belong to hosts that give no further page: full by `generate.max.count`, drained, blocked. When
 * half of a chunk was theirs, the walk goes on behind its cursor without them: the server passes over their rows, which costs
 * far less than sending them here to be refused. Rows that are passed over are in no counter.
 */
import type { Sql } from '../../db/sql.js';
import { rankBelow } from '../../webpage/rank.js';
import {
  type Candidate,
  type CandidateQuery,
  closeCandidates,
  fetchCandidates,
  openCandidates,
} from './generate.sql.js';
import { RanksLag } from './refresh-ranks.js';

/** Rows read at once at most. */
const CHUNK = 50_000;
/** Rows read beyond those wanted: at least so many, at most this share. */
const MIN_EXTRA = 2_000;
const EXTRA_FRACTION = 20;
/** Candidates asked for at once at least: small reads cost as much as this. */
const MIN_CHUNK = 1_000;
/** Hosts named to the server at most. */
const MAX_HOSTS = 50_000;
/** Keys of one rank remembered at most; a larger group is read to its end. */
const MAX_KEYS = 200_000;

export interface WalkOptions {
  /** Seconds that FETCH waits for a host (`fetcher.backoff.max.wait`). */
  maxWait: number;
  /** Seconds of the longest back-off (`fetcher.backoff.max`). */
  maxBackOff?: number;
  /** Ranks from here on are those of their scores (`settledFrom`). Default: the walk goes by ranks as they are. */
  settledFrom?: number;
  /** What scoring filters sort by, where that is not the score alone. */
  sortBy?: (page: Candidate) => number;
}

/** Pages of a chunk that were refused because their host gives no further page. */
export interface Refused {
  /** Hosts that `generate.max.count` has filled. Those that are drained or blocked the server knows itself. */
  full: Set<string>;
  /** How many pages, of full hosts and of others. */
  lost: number;
}

export class CandidateWalk {
  private readonly full = new Set<string>();
  /** Keys that were read at the lowest rank so far: begun again, the walk meets them once more. */
  private atLowest = new Set<string>();
  private lowest = Infinity;

  constructor(
    private readonly tx: Sql,
    private readonly query: CandidateQuery,
    private readonly options: WalkOptions,
  ) {}

  /** Begins, in the present transaction (it needs a cursor). */
  open(): Promise<void> {
    return openCandidates(this.tx, this.query);
  }

  /** The next chunk; empty at the end. */
  async next(wanted: number): Promise<Candidate[]> {
    const { sortBy } = this.options;
    const first = Math.min(Math.max(wanted, MIN_CHUNK), CHUNK);
    if (this.query.byKey) return fetchCandidates(this.tx, first);
    if (sortBy !== undefined) return inOrderOf(await this.read(CHUNK), sortBy);
    const found = await this.read(first);
    const last = found.at(-1)?.rank ?? null;
    let extra = Math.max(first / EXTRA_FRACTION, MIN_EXTRA);
    while (found.length >= first && extra > 0 && last !== null && found.at(-1)!.rank === last) {
      const more = await this.read(Math.min(extra, 5_000));
      if (more.length === 0) break;
      for (const page of more) found.push(page);
      extra -= more.length;
    }
    return inOrderOf(found, ({ score }) => score);
  }

  /** Throws RanksLag for a page that may come too early: others of better scores may still lie behind it. */
  check({ score }: Candidate): void {
    const { settledFrom, sortBy } = this.options;
    if (settledFrom === undefined || sortBy !== undefined || this.query.ahead || this.query.byKey) return;
    const rank = rankBelow(score);
    if (rank < settledFrom) throw new RanksLag(rank);
  }

  /** Hears how a chunk went, and begins again at its end without the hosts that give no more when half of it was theirs. */
  async passOver(chunk: number, { full, lost }: Refused): Promise<void> {
    const { query } = this;
    if (chunk < MIN_CHUNK || lost < chunk / 2 || query.ahead || query.byKey) return;
    if (this.full.size + full.size > MAX_HOSTS || this.atLowest.size > MAX_KEYS) return;
    for (const host of full) this.full.add(host);
    const passOver = {
      rank: this.lowest,
      hosts: [...this.full],
      maxWait: this.options.maxWait,
      maxBackOff: this.options.maxBackOff,
    };
    await closeCandidates(this.tx);
    await openCandidates(this.tx, { ...query, passOver });
  }

  private async read(n: number): Promise<Candidate[]> {
    for (;;) {
      const found = await fetchCandidates(this.tx, n);
      const fresh = found.filter(({ key }) => !this.atLowest.has(key));
      const last = found.at(-1)?.rank ?? null;
      if (last !== null && last < this.lowest) {
        this.lowest = last;
        this.atLowest = new Set();
      }
      for (const { rank, key } of fresh) if (rank === this.lowest) this.atLowest.add(key);
      if (fresh.length > 0 || found.length === 0) return fresh;
    }
  }
}

/** Best first, ties by key. */
function inOrderOf(pages: Candidate[], valueOf: (page: Candidate) => number): Candidate[] {
  const valued = pages.map((page) => ({ page, value: valueOf(page) }));
  valued.sort((a, b) => b.value - a.value || (a.page.key < b.page.key ? -1 : 1));
  return valued.map(({ page }) => page);
}
