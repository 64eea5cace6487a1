import { Injectable } from '@nestjs/common';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { isStopping } from '../halt.js';
import type { Run, Step } from '../step.js';
import { planAlone } from './analyze-links.js';
import { hasLinkRanks, updateScores } from './scoreupdate.sql.js';
import type { ScoreUpdateArgs } from './webgraph.args.js';
import { BEFORE_ALL, type PageAt } from './webgraph.sql.js';

/** Pages of one transaction. */
const CHUNK = 1_000;

/** SCOREUPDATE: the link rank of each page becomes its score, by which GENERATE selects (Nutch 1.x `ScoreUpdater`). */
@Injectable()
export class ScoreUpdateJob implements Step<ScoreUpdateArgs> {
  async run(run: Run<ScoreUpdateArgs>): Promise<TaskOutcome> {
    const plan = await planAlone(run);
    if (plan === null) return { reason: 'stopped' };
    const { crawl } = run.job;
    // Without any link rank all pages would lose their scores.
    if (!(await hasLinkRanks(run.pool, crawl))) return { reason: 'no-ranks' };
    const clearScore = run.conf['link.score.updater.clear.score'];
    let after: PageAt = { ...BEFORE_ALL, ...(run.progress as Partial<PageAt> | null) };
    for (;;) {
      if (isStopping(run)) return { reason: 'stopped' };
      const from = after;
      const updated = await run.write(
        async (tx, count) => {
          const done = await updateScores(tx, crawl, { after: from, limit: CHUNK, clearScore });
          if (done) count('ScoreUpdater', 'updated', done.changed);
          if (done && done.cleared > 0) count('ScoreUpdater', 'cleared', done.cleared);
          return done;
        },
        (done) => (done ? { host: done.host, keyHash: done.keyHash } : { ...from }),
      );
      if (updated === undefined) return { reason: 'done' };
      after = { host: updated.host, keyHash: updated.keyHash };
    }
  }
}
