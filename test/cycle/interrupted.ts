/** A step that is killed after some of its writes and continued by another attempt with its progress. */
import type { Pool } from 'pg';
import { defaults } from '../../src/core/conf/properties.js';
import type { Progress, Run, Step } from '../../src/cycle/step.js';
import { transaction } from '../../src/db/sql.js';

class Killed extends Error {}

/**
 * Runs a step whose every attempt ends after `writes` transactions, until one completes. With `stopping` its first attempt may
 * be asked to stop; another attempt continues it, too.
 * `wrote` is called for each transaction that was committed, with its attempt and the counts so far.
 * Returns the number of attempts and the counts of all committed transactions.
 */
export async function runKilled<A extends object>(
  step: Step<A>,
  what: {
    pool: Pool;
    crawl: number;
    args: A;
    writes: number;
    conf?: Record<string, unknown>;
    stopping?: AbortSignal;
    /** Where index writers write. */
    indexDir?: string;
    /** A partition of the job, and its plan. */
    part?: number;
    plan?: { parts: number } & Record<string, unknown>;
    wrote?: (attempt: number, counted: Readonly<Record<string, number>>) => void;
  },
): Promise<{ attempts: number; counted: Record<string, number> }> {
  const counted: Record<string, number> = {};
  let progress: Progress | null = null;
  let plan: unknown = what.plan ?? null;
  for (let attempts = 1; ; attempts++) {
    let left = what.writes;
    const write: Run['write'] = async (work, next) => {
      if (left-- === 0) throw new Killed();
      const noted: [string, number][] = [];
      const result = await transaction(what.pool, (tx) => work(tx, (_, name, n = 1) => void noted.push([name, n])));
      for (const [name, n] of noted) counted[name] = (counted[name] ?? 0) + n;
      progress = typeof next === 'function' ? next(result) : (next ?? progress);
      what.wrote?.(attempts, counted);
      return result;
    };
    const run = {
      job: { id: 'j', type: 'DEDUP', crawl: what.crawl, crawlId: 'k', startedAt: new Date() },
      task: 'task 1',
      part: what.part ?? 0,
      args: what.args,
      conf: { ...defaults, ...what.conf },
      pool: what.pool,
      workers: 1,
      ownPorts: [],
      get progress() {
        return progress;
      },
      stopping: (attempts === 1 && what.stopping) || new AbortController().signal,
      aborted: new AbortController().signal,
      plan: async (make: () => Promise<unknown>) => (plan ??= await make()),
      lock: () => Promise.resolve(true),
      report: () => Promise.resolve(),
      waitsFor: () => Promise.resolve(),
      warn: () => Promise.resolve(),
      pause: () => Promise.resolve(),
      indexDir: what.indexDir,
      write,
    } as unknown as Run<A>;
    try {
      const { reason } = await step.run(run);
      if (reason !== 'stopped') return { attempts, counted };
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
  }
}
