import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type CrawlLoad,
  YIELD_AFTER_MS,
  type RunningTask,
  taskToYield,
} from '../../../src/core/job/fair-scheduling.js';

const long = YIELD_AFTER_MS.whenFewerRun;
const short = YIELD_AFTER_MS.whenNoneRuns;

describe('taskToYield: a running task is released', () => {
  it.each<
    [string, CrawlLoad[], (Omit<RunningTask, 'mayPause' | 'hostWaitMs'> & Partial<RunningTask>)[], number | undefined]
  >([
    ['not when no task waits', [{ crawl: 1, running: 10, waits: false }], [{ crawl: 1, ms: long }], undefined],
    [
      'after ten seconds for a crawl without a running task',
      [
        { crawl: 1, running: 10, waits: true },
        { crawl: 2, running: 0, waits: true },
      ],
      [
        { crawl: 1, ms: short - 1 },
        { crawl: 1, ms: short },
      ],
      1,
    ],
    [
      'not before ten seconds',
      [
        { crawl: 1, running: 10, waits: true },
        { crawl: 2, running: 0, waits: true },
      ],
      [{ crawl: 1, ms: short - 1 }],
      undefined,
    ],
    [
      'after a minute for a crawl with fewer running tasks',
      [
        { crawl: 1, running: 10, waits: true },
        { crawl: 2, running: 3, waits: true },
      ],
      [
        { crawl: 1, ms: long },
        { crawl: 1, ms: short },
      ],
      0,
    ],
    [
      'not when the two crawls would only swap their counts',
      [
        { crawl: 1, running: 1, waits: false },
        { crawl: 2, running: 0, waits: true },
      ],
      [{ crawl: 1, ms: YIELD_AFTER_MS.inRotation - 1 }],
      undefined,
    ],
    [
      'in rotation when there are more crawls than workers',
      [
        { crawl: 1, running: 1, waits: false },
        { crawl: 2, running: 1, waits: false },
        { crawl: 3, running: 0, waits: true },
      ],
      [
        { crawl: 1, ms: YIELD_AFTER_MS.inRotation },
        { crawl: 2, ms: YIELD_AFTER_MS.inRotation + 1 },
      ],
      1,
    ],
    [
      'after ten seconds without a request because its host is with another task, before one that sends some',
      [
        { crawl: 1, running: 1, waits: false },
        { crawl: 2, running: 1, waits: false },
        { crawl: 3, running: 0, waits: true },
      ],
      [
        { crawl: 1, ms: YIELD_AFTER_MS.inRotation },
        { crawl: 2, ms: short, hostWaitMs: short },
      ],
      1,
    ],
    [
      'not before ten seconds without a request',
      [
        { crawl: 1, running: 1, waits: false },
        { crawl: 2, running: 0, waits: true },
      ],
      [{ crawl: 1, ms: long, hostWaitMs: short - 1 }],
      undefined,
    ],
    [
      'not if it would start from the beginning',
      [
        { crawl: 1, running: 1, waits: false },
        { crawl: 2, running: 0, waits: true },
      ],
      [{ crawl: 1, ms: YIELD_AFTER_MS.inRotation, mayPause: false }],
      undefined,
    ],
    [
      'after ten seconds for a stopping job, even of the same crawl',
      [{ crawl: 1, running: 2, waits: true, ends: true }],
      [
        { crawl: 1, ms: short - 1 },
        { crawl: 1, ms: short },
      ],
      1,
    ],
    [
      'by the usual rule for a stopping job if no running task may pause',
      [
        { crawl: 1, running: 10, waits: false },
        { crawl: 2, running: 0, waits: true, ends: true },
      ],
      [
        { crawl: 1, ms: short - 1, mayPause: false },
        { crawl: 1, ms: short, mayPause: false },
      ],
      1,
    ],
    [
      'not for a crawl that has as many running tasks',
      [
        { crawl: 1, running: 1, waits: false },
        { crawl: 2, running: 1, waits: true },
      ],
      [{ crawl: 1, ms: YIELD_AFTER_MS.inRotation }],
      undefined,
    ],
    [
      'from the crawl with the most running tasks, the longest running first',
      [
        { crawl: 1, running: 4, waits: false },
        { crawl: 2, running: 6, waits: false },
        { crawl: 3, running: 0, waits: true },
      ],
      [
        { crawl: 1, ms: 90_000 },
        { crawl: 2, ms: 20_000 },
        { crawl: 2, ms: 30_000 },
      ],
      2,
    ],
  ])('%s', (_what, shares, given, index) => {
    const mine = given.map((turn) => ({ mayPause: true, hostWaitMs: 0, ...turn }));
    expect(taskToYield(shares, mine)).toBe(index === undefined ? undefined : mine[index]);
  });

  it('until no crawl has over one running task more than any waiting crawl', () => {
    const crawls = fc.array(fc.record({ running: fc.nat(20), waiting: fc.nat(60) }), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(crawls, (given) => {
        const now = given.map((crawl) => ({ ...crawl }));
        for (let exchanges = 0; ; exchanges++) {
          expect(exchanges).toBeLessThan(200);
          const shares = now.map(({ running, waiting }, crawl) => ({ crawl, running, waits: waiting > 0 }));
          const mine = now.flatMap(({ running }, crawl) =>
            Array.from({ length: running }, () => ({ crawl, ms: long, mayPause: true, hostWaitMs: 0 })),
          );
          const out = taskToYield(shares, mine);
          if (out === undefined) {
            const most = Math.max(...now.map(({ running }) => running));
            for (const { running, waiting } of now) if (waiting > 0) expect(most - running).toBeLessThanOrEqual(1);
            return;
          }
          // The slot goes to the crawl with the fewest running tasks, as claims do.
          const next = now.filter(({ waiting }) => waiting > 0).sort((a, b) => a.running - b.running)[0]!;
          now[out.crawl]!.running--;
          now[out.crawl]!.waiting++;
          next.running++;
          next.waiting--;
        }
      }),
    );
  });
});
