/**
 * INJECT: seeds become pages of the crawl, due now.
 *
 * The lines of the seed list are read in chunks. Each line is read, normalized and filtered in scope `inject`; what
 * remains is merged with the pages that exist already: kept, replaced (`overwrite`) or updated (`update`).
 * The position in the list is stored with each write, so a later attempt continues after the last chunk of the same list.
 */
import type { WantedSitemap } from '../../core/sitemap/sitemap-rules.js';
import { Injectable } from '@nestjs/common';
import { parseSeedLine } from '../../core/page/seed-line.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { makeScoring } from '../../plugin/scoring-filters.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { wantSitemaps } from '../../webpage/sitemap.store.js';
import { SeedLines, type SeedCursor } from '../seed-lines.js';
import { type Run, type Step, StepError } from '../step.js';
import type { InjectArgs } from './inject.args.js';
import { INJECTED, type Injected, type MergeMode, mergeSeeds } from './inject.sql.js';
import { type RefusedSeed, admittedSeeds } from './read-seeds.js';
import { seedWarnings } from './seed-warnings.js';

/** Lines read and written at once. */
const CHUNK = 5_000;

@Injectable()
export class InjectJob implements Step<InjectArgs> {
  async run(run: Run<InjectArgs>): Promise<TaskOutcome> {
    const name = run.args.seedName;
    if (!name) throw new StepError('no seed list: seedName, url_dir, seedDir or seed names one', 'SEEDS_MISSING');
    const seeds = new SeedLines(name, run.progress as SeedCursor | null);
    const rules = makeUrlRules(run.conf);
    const scoring = makeScoring(run.conf);
    const scores = { seedScore: scoring.seedScore, injected: run.conf['db.score.injected'] };
    const mode = mergeMode(run);
    const switches = { normalize: !run.args.noNormalize, filter: !run.args.noFilter };
    let hasUrl = run.progress !== null;
    for (;;) {
      if (run.stopping.aborted) return { reason: 'stopped' };
      const lines = await seeds.next(run.pool, CHUNK);
      if (lines.length === 0) {
        if (!hasUrl) await run.warn(`seed list "${name}" has no URL`, { list: name });
        return { reason: 'done' };
      }
      hasUrl ||= lines.some((line) => parseSeedLine(line) !== null);
      let refused: RefusedSeed[] = [];
      await run.write(async (tx, count) => {
        refused = [];
        const noted = (seed: RefusedSeed) => refused.push(seed);
        const pages = admittedSeeds(lines, { rules, scores, ...switches, count, refused: noted });
        count('injector_status', INJECTED, pages.length);
        await mergeSeeds(tx, run.job.crawl, pages, { mode, defaults: run.conf, count, trace: run.trace });
        await wantSitemaps(tx, run.job.crawl, null, pages.filter(({ mark }) => mark === 's').map(asSitemap));
      }, seeds.cursor);
      for (const { message, data } of seedWarnings(lines, refused, { conf: run.conf, rules }))
        await run.warn(message, data);
    }
  }
}

/** A seed that is a sitemap is also read by the next SITEMAP. */
const asSitemap = ({ host, key }: Injected): WantedSitemap => ({
  host,
  url: unreverseUrl(key),
  source: 'seed',
  foundIn: null,
  vouchedBy: null,
  depth: 0,
});

function mergeMode({ args, conf }: Run<InjectArgs>): MergeMode {
  if (args.overwrite ?? conf['db.injector.overwrite']) return 'overwrite';
  return (args.update ?? conf['db.injector.update']) ? 'update' : 'keep';
}
