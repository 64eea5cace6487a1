import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type BacklogFigures, FurtherBatches } from '../../src/cycle/fetch/further-batches.js';
import type { OpenBatches } from '../../src/job/crawl-batches.sql.js';

/** How often the FETCH of a continuous crawl asks for further batches, by a clock that the test moves. */

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type Figures = Pick<BacklogFigures, 'queued' | 'queues' | 'longQueues'>;

/** A crawl in which each report of a FETCH that is not idle yields a batch of `pages`, by a round of `ms`. */
function crawlOf({ pages, ms, ...more }: { pages: number; ms: number; emptied?: () => number } & Partial<Figures>) {
  let number = 0;
  let written = 0;
  const reports: { at: number; backlog: string }[] = [];
  const advances: number[] = [];
  const waiting: OpenBatches['batches'] = [];
  const made: string[] = [];
  const began = performance.now();
  const batches = {
    open: () => {
      const fresh = waiting.splice(0);
      made.push(...fresh.map(({ id }) => id));
      return Promise.resolve({ batches: fresh, closed: false, deletedPages: 0 });
    },
    among: () => Promise.resolve(new Set<string>()),
    report: (backlog: string) => {
      reports.push({ at: performance.now() - began, backlog });
      number++;
      if (backlog !== 'enough' && pages > 0) waiting.push({ id: `b${number}`, pages, number, ms });
      return Promise.resolve();
    },
    advance: () => {
      advances.push(Math.round((performance.now() - began) / 1000));
      return Promise.resolve();
    },
  };
  // Each look finds a page that was fetched since.
  const figures = (): BacklogFigures => ({
    written: state.isSlow ? written : ++written,
    queued: 1,
    queues: 1,
    longQueues: 0,
    ...more,
    emptied: more.emptied?.() ?? 0,
  });
  const added: string[] = [];
  const state = { isIdle: false, isSlow: false, isThrough: true, emptied: new Set<string>() };
  const further = new FurtherBatches(batches, {
    add: (batch) => void added.push(batch),
    withPages: () => Promise.resolve(made.filter((id) => !state.emptied.has(id))),
    isIdle: () => state.isIdle,
    flush: () => Promise.resolve(),
    figures,
    isThrough: () => state.isThrough,
    failed: (error) => {
      throw error;
    },
    wake: () => undefined,
  });
  const runFor = async (total: number): Promise<void> => {
    for (let at = 0; at < total; at += 10) {
      further.lookSoon();
      await vi.advanceTimersByTimeAsync(10);
    }
  };
  const pauses = (): number[] => reports.slice(1).map(({ at }, i) => Math.round((at - reports[i]!.at) / 1000));
  return { further, runFor, pauses, reports, advances, added, state, waiting };
}

describe('pauses between reports', () => {
  it('of rounds that take no time grow to 1 s while they yield few pages', async () => {
    const { runFor, pauses } = crawlOf({ pages: 1, ms: 50 });
    await runFor(30_000);
    expect(pauses().slice(-3)).toEqual([1, 1, 1]);
  });

  it('grow to ten times the duration of a round', async () => {
    const { runFor, pauses } = crawlOf({ pages: 1, ms: 300 });
    await runFor(60_000);
    expect(pauses().slice(-3)).toEqual([3, 3, 3]);
  });

  it('grow to 16 s at most', async () => {
    const { runFor, pauses } = crawlOf({ pages: 1, ms: 60_000 });
    await runFor(120_000);
    expect(pauses().slice(-3)).toEqual([16, 16, 16]);
  });

  it('stay short while the rounds yield pages', async () => {
    const { runFor, reports } = crawlOf({ pages: 20, ms: 60_000 });
    await runFor(30_000);
    expect(reports.length).toBeGreaterThan(30);
  });
});

describe('while all queues have work for a while', () => {
  const enough = { queued: 1_000_000, queues: 1, longQueues: 1 };

  it('a FETCH reports every 10 s', async () => {
    const { runFor, pauses } = crawlOf({ pages: 1, ms: 50, ...enough });
    await runFor(60_000);
    expect(pauses().slice(-3)).toEqual([10, 10, 10]);
  });

  it('and others have run out of pages, as those of their hosts are found one at a time, it reports sooner', async () => {
    // Each batch brings a page of such a host, which is fetched at once.
    let emptied = 0;
    const { runFor, pauses } = crawlOf({ pages: 1, ms: 50, ...enough, emptied: () => ++emptied });
    await runFor(60_000);
    expect(pauses().slice(-3)).toEqual([1, 1, 1]);
  });
});

it('while a batch is not read to its end, a FETCH reports every 10 s, however few pages are in its queues', async () => {
  let emptied = 0;
  const { runFor, pauses, state } = crawlOf({ pages: 50, ms: 50, emptied: () => ++emptied });
  state.isThrough = false;
  await runFor(60_000);
  expect(pauses()).toEqual([10, 10, 10, 10]);
});

it('while a batch is not read to its end, a FETCH does not report sooner than a round takes', async () => {
  const { runFor, pauses, state } = crawlOf({ pages: 50, ms: 25_000 });
  state.isThrough = false;
  await runFor(120_000);
  expect(pauses()).toEqual([25, 25, 25, 25]);
});

it('while no page is fetched, a FETCH advances its crawl every 10 s and reports nothing', async () => {
  const { runFor, reports, advances, state } = crawlOf({ pages: 1, ms: 50 });
  await runFor(2_000);
  const before = reports.length;
  state.isSlow = true;
  await runFor(40_000);
  expect(reports.length).toBeLessThanOrEqual(before + 1);
  expect(advances.slice(1).map((at, i) => at - advances[i]!)).toEqual([10, 10]);
});

describe('a FETCH without pages', () => {
  it('reports that, looks every 20 ms, and reports that it has enough when a batch comes', async () => {
    const { further, runFor, reports, added, state } = crawlOf({ pages: 1, ms: 50 });
    state.isIdle = true;
    await runFor(60);
    expect(reports).toEqual([
      { at: 0, backlog: 'none' },
      { at: 20, backlog: 'enough' },
      { at: 40, backlog: 'none' },
    ]);
    expect(added).toEqual(['b1']);
    expect(further.selected).toBe(1);
  });

  it('withdraws that when it has pages of a host whose block is over', async () => {
    const { further, runFor, reports, state } = crawlOf({ pages: 0, ms: 50 });
    state.isIdle = true;
    await runFor(10);
    expect([reports.map(({ backlog }) => backlog), further.isDry]).toEqual([['none'], true]);
    state.isIdle = false;
    await runFor(50);
    expect([reports.map(({ backlog }) => backlog), further.isDry]).toEqual([['none', 'enough'], false]);
  });
});

describe('a task that begins late', () => {
  const batchOf = (number: number) => ({ id: `old${number}`, pages: 10, number, ms: 50 });

  it('takes those batches that UPDATEDB has not emptied, and then all that are made', async () => {
    const { further, runFor, reports, added, state, waiting } = crawlOf({ pages: 0, ms: 50 });
    waiting.push(batchOf(1), batchOf(2), batchOf(3));
    state.emptied = new Set(['old1', 'old3']);
    await runFor(10);
    expect([added, further.selected]).toEqual([['old2'], 30]);
    waiting.push(batchOf(4));
    state.emptied.add('old4');
    await runFor(300);
    expect(added).toEqual(['old2', 'old4']);
    expect(reports).toEqual([]);
  });

  it('and finds all of them empty reports that at its first look', async () => {
    const { runFor, reports, added, state, waiting } = crawlOf({ pages: 0, ms: 50 });
    waiting.push(batchOf(1));
    state.emptied.add('old1');
    state.isIdle = true;
    await runFor(10);
    expect([added, reports]).toEqual([[], [{ at: 0, backlog: 'none' }]]);
  });
});
