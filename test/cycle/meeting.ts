/**
 * Partitions of a job whose first transactions overlap: each commits when all have run their statements, and sees no rows of the
 * others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { defaults } from '../../src/core/conf/properties.js';
import type { Run, Step } from '../../src/cycle/step.js';
import { transaction } from '../../src/db/sql.js';
import { onCluster } from '../support/database.js';

export async function runMeeting<A extends object>(
  makeStep: () => Step<A>,
  what: {
    pool: Pool;
    crawl: number;
    args: A;
    plan: { parts: number } & Record<string, unknown>;
    conf?: Record<string, unknown>;
  },
): Promise<void> {
  const { parts } = what.plan;
  const met = Promise.withResolvers<void>();
  let here = 0;
  const runOf = (part: number): Run<A> => {
    let first = true;
    const write: Run['write'] = (work) =>
      transaction(what.pool, async (tx) => {
        const result = await work(tx, () => undefined);
        if (first) {
          first = false;
          if (++here === parts) met.resolve();
          // On several nodes the statements of the partitions wait for each other, so the transactions cannot overlap.
          await (onCluster ? Promise.race([met.promise, sleep(2_000)]) : met.promise);
        }
        return result;
      });
    return {
      job: { id: 'j', type: 'UPDATEDB', crawl: what.crawl, crawlId: 'k', startedAt: new Date() },
      task: `task ${part}`,
      part,
      args: what.args,
      conf: { ...defaults, ...what.conf },
      pool: what.pool,
      workers: parts,
      ownPorts: [],
      progress: null,
      stopping: new AbortController().signal,
      aborted: new AbortController().signal,
      plan: () => Promise.resolve(what.plan),
      lock: () => Promise.resolve(true),
      report: () => Promise.resolve(),
      waitsFor: () => Promise.resolve(),
      warn: () => Promise.resolve(),
      pause: () => Promise.resolve(),
      write,
    } as unknown as Run<A>;
  };
  await Promise.all(Array.from({ length: parts }, (_, part) => makeStep().run(runOf(part))));
}
