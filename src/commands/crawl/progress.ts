/** The progress of a crawl, in numbers and in one line. Pure: the clock is a parameter. */
import { type FetchFigures, fetchFigures, figuresText } from '../../core/job/fetch-figures.js';
import { finalStates } from '../../core/job/job-states.js';
import { waitText } from '../../core/job/task-wait.js';
import type { CrawlProgress } from '../../../clients/typescript/src/generated/schemas.js';

export interface Figures extends FetchFigures {
  readonly round: number;
  /** The running step: `FETCH`; between two, the `msg` of the crawl. */
  readonly step: string;
  /** Pages known and not fetched yet. */
  readonly waiting: number;
  /** What the running step waits for, in words. */
  readonly wait: string | null;
}

/**
 * The progress of a crawl.
 * @param waiting from the statistics of its table
 * @param nowMs epoch ms
 */
export function figuresOf(crawl: CrawlProgress, waiting: number, nowMs: number): Figures {
  const children = crawl.children ?? [];
  // UPDATEDB and GENERATE run beside a FETCH that stays open.
  const current =
    children.findLast(({ type, state }) => type === 'FETCH' && !finalStates.includes(state)) ?? children.at(-1);
  const wait = crawl.waitsFor.find(({ job }) => job === current?.id);
  return {
    round: children.at(-1)?.round ?? 0,
    step: crawl.paused ? 'paused' : (current?.type ?? crawl.state),
    ...fetchFigures(crawl.counters),
    waiting,
    wait: wait === undefined ? null : waitText(wait, nowMs),
  };
}

/** Pages a second over the last seconds. */
export class Speed {
  private readonly seen: { atMs: number; pages: number }[] = [];

  constructor(private readonly windowMs = 10_000) {}

  add(atMs: number, pages: number): void {
    this.seen.push({ atMs, pages });
    while (this.seen.length > 2 && (this.seen[0]?.atMs ?? 0) < atMs - this.windowMs) this.seen.shift();
  }

  get perSecond(): number {
    const [first, last] = [this.seen[0], this.seen.at(-1)];
    if (!first || !last || last.atMs <= first.atMs) return 0;
    return ((last.pages - first.pages) * 1000) / (last.atMs - first.atMs);
  }
}

const BAR = 16;

/** The progress as one line of at most `width` characters, with a bar if it fits. */
export function progressLine(figures: Figures, perSecond: number, width: number): string {
  const { round, step, fetched, failed, redirected, denied, waiting, wait } = figures;
  const visited = fetched + failed + redirected + denied;
  const known = visited + waiting;
  const full = known === 0 ? 0 : Math.round((visited / known) * BAR);
  const bar = `${'█'.repeat(full)}${'░'.repeat(BAR - full)}`;
  const words = `round ${round} ${step}: ${figuresText(figures, waiting)}, ${perSecond.toFixed(1)} pages/s${wait === null ? '' : `; ${wait}`}`;
  const line = words.length + BAR + 1 <= width ? `${bar} ${words}` : words;
  return line.slice(0, Math.max(0, width));
}

/** `0:07`, `12:30`, `1:02:03` */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = `${String(seconds % 60).padStart(2, '0')}`;
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, '0')}:${tail}` : `${minutes}:${tail}`;
}
