/**
 * The statistics of a crawl, in the form of `readdb -stats`.
 *
 * Counts by status are exact: they are updated with every write. Values that need a scan of all pages (scores, fetch times,
 * retries) are a snapshot stored with the crawl: computed by each call while a crawl is small. For a large one the stored
 * snapshot is returned, and computed again afterwards if it is older than ten minutes; before there is any, a sample of the
 * pages is used. The result states when it was taken, and of how many pages if not of all.
 */
import type { Pool } from 'pg';
import { javaDouble } from '../core/java-float.js';
import { statusName } from '../core/page/page-status.js';
import { unreverseHost } from '../core/url/row-key.js';
import {
  type RetriesGroup,
  countCutPages,
  groupsByRetries,
  scoresAt,
  storeSnapshot,
  storedSnapshot,
} from './crawl-stats.sql.js';
import { hostCounts } from './host-counts.store.js';
import { keptCounts, recountStatuses } from './status-count.store.js';

/** Up to this many pages a scan of all takes well under a second. */
const SMALL_CRAWL = 200_000;
const FRESH_FOR_MS = 600_000;

interface Snapshot {
  minScore: number;
  maxScore: number;
  avgScore: number;
  /** Fetch times: minimum, maximum and sum, in minutes since the epoch as CrawlDbReader counts them; intervals, in seconds. */
  ftn: number;
  ftx: number;
  ftt: number;
  fin: number;
  fix: number;
  fit: number;
  retries: Record<string, number>;
  /** Number of sampled pages, if it is a sample. */
  sampled?: number;
}

export interface StatusStats {
  statusValue: string;
  count: string;
  hostValues?: Record<string, string>;
}

export interface CrawlStats {
  totalUrls: string;
  status: Record<string, StatusStats>;
  [name: string]: string | Record<string, StatusStats>;
}

/**
 * What `sort` adds: counts by host under each status, for the first hosts in the order of their keys, and quantiles of the
 * score.
 */
export interface SortedStats {
  hosts: number;
  quantiles: readonly number[];
}

/** The numbers of `db.stats.score.quantiles`. */
export const quantilesOf = (listed: string): number[] =>
  listed
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')
    .map(Number);

/** Statistics of a crawl; undefined `crawl` is one without any row. */
export async function crawlStats(
  pool: Pool,
  crawl: number | undefined,
  sorted: SortedStats | null,
): Promise<CrawlStats> {
  const { counts, stale } = crawl === undefined ? { counts: {}, stale: false } : await keptCounts(pool, crawl);
  const total = Object.values(counts).reduce((sum, n) => sum + n, 0);
  const stats: CrawlStats = { totalUrls: String(total), status: {} };
  for (const [code, n] of Object.entries(counts))
    stats.status[code] = { statusValue: statusName(Number(code)), count: String(n) };
  if (crawl === undefined || total === 0) return stats;
  if (stale) await recountStatuses(pool, crawl);
  Object.assign(stats, await ofCutPages(pool, crawl), await ofAllPages(pool, crawl, total));
  if (sorted === null) return stats;
  await addHosts(pool, { crawl, max: sorted.hosts }, stats.status);
  return { ...stats, ...(await scoreQuantiles(pool, { crawl, total, quantiles: sorted.quantiles })) };
}

/** The number of pages of whose content only a part was kept; left out if there is none. Reads an index of these alone. */
async function ofCutPages(pool: Pool, crawl: number): Promise<Record<string, string>> {
  const n = await countCutPages(pool, crawl);
  return n === '0' ? {} : { truncated: n };
}

/** Statistics that read all pages: of a large crawl as last taken. */
async function ofAllPages(pool: Pool, crawl: number, total: number): Promise<Record<string, string>> {
  if (total <= SMALL_CRAWL) return snapshotTexts(await takeSnapshot(pool, crawl), new Date());
  const kept = await storedSnapshot<Snapshot>(pool, crawl);
  const age = Date.now() - (kept?.time?.getTime() ?? 0);
  if (age >= FRESH_FOR_MS) saveSnapshot(pool, crawl);
  if (kept?.stats && kept.time) return snapshotTexts(kept.stats, kept.time);
  return snapshotTexts(await takeSnapshot(pool, crawl, total), new Date());
}

/** Crawls of which a snapshot is being taken. */
const inProgress = new Set<number>();

/** Takes a snapshot of all pages after the result was returned; if that fails, the next call begins it again. */
function saveSnapshot(pool: Pool, crawl: number): void {
  if (inProgress.has(crawl)) return;
  inProgress.add(crawl);
  takeSnapshot(pool, crawl)
    .then((taken) => storeSnapshot(pool, crawl, taken))
    .catch(() => undefined)
    .finally(() => inProgress.delete(crawl));
}

/** Approximate number of pages sampled for quantiles of a larger crawl. */
const SAMPLED = 100_000;
/** Approximate number of pages sampled for the first snapshot of a large crawl. */
const FIRST_SAMPLE = 10_000;

/** Quantiles of the score (`db.stats.score.quantiles`), exact in a small crawl, else of a sample of the table. */
async function scoreQuantiles(
  pool: Pool,
  { crawl, total, quantiles }: { crawl: number; total: number; quantiles: readonly number[] },
): Promise<Record<string, string>> {
  if (quantiles.length === 0) return {};
  const percent = total > SMALL_CRAWL ? Math.min(100, (100 * SAMPLED) / total) : null;
  const scores = await scoresAt(pool, crawl, { quantiles, percent });
  return Object.fromEntries(scores.map((score, i) => [`score quantile ${quantiles[i]}`, javaDouble(score)]));
}

function snapshotTexts(snapshot: Snapshot, time: Date): Record<string, string> {
  const { minScore, maxScore, avgScore, ftn, ftx, ftt, fin, fix, fit, retries, sampled: looked } = snapshot;
  const texts: Record<string, string> = {
    minScore: javaDouble(minScore),
    maxScore: javaDouble(maxScore),
    avgScore: javaDouble(avgScore),
  };
  for (const [name, value] of Object.entries({ ftn, ftx, ftt, fin, fix, fit })) texts[name] = String(value);
  for (const [times, n] of Object.entries(retries)) texts[`retry ${times}`] = String(n);
  if (looked !== undefined) texts['snapshotPages'] = String(looked);
  return { ...texts, snapshotTime: time.toISOString() };
}

/** Reads every page of a crawl once; if their number is given, only a sample, from which retries and sums are estimated. */
async function takeSnapshot(pool: Pool, crawl: number, total?: number): Promise<Snapshot> {
  const percent = total === undefined ? null : Math.min(100, (100 * FIRST_SAMPLE) / total);
  const groups = await groupsByRetries(pool, crawl, percent);
  // The sample may miss a crawl that is a small part of the table.
  if (groups.length === 0 && total !== undefined) return takeSnapshot(pool, crawl);
  const column = (name: keyof RetriesGroup) => groups.map((group) => group[name]);
  const sum = (numbers: number[]) => numbers.reduce((total, n) => total + n, 0);
  const looked = sum(column('n'));
  const each = total === undefined ? 1 : total / Math.max(1, looked);
  return {
    ...(total === undefined ? {} : { sampled: looked }),
    minScore: Math.min(...column('low')),
    maxScore: Math.max(...column('high')),
    avgScore: sum(column('sum')) / Math.max(1, looked),
    ftn: Math.min(...column('ftn')),
    ftx: Math.max(...column('ftx')),
    ftt: Math.round(sum(column('ftt')) * each),
    fin: Math.min(...column('fin')),
    fix: Math.max(...column('fix')),
    fit: Math.round(sum(column('fit')) * each),
    retries: Object.fromEntries(groups.map((group) => [group.retries, Math.round(group.n * each)])),
  };
}

/** Counts by host under each status, for the first hosts of the crawl. */
async function addHosts(
  pool: Pool,
  { crawl, max }: { crawl: number; max: number },
  status: Record<string, StatusStats>,
): Promise<void> {
  for (const { host, counts } of await hostCounts(pool, crawl, '', max)) {
    for (const [code, n] of Object.entries(counts)) {
      const entry = status[code];
      if (entry && n > 0)
        (entry.hostValues ??= Object.create(null) as Record<string, string>)[unreverseHost(host)] = String(n);
    }
  }
}
