/**
 * INJECT: seeds become pages of the crawl, due now.
 *
 * The lines of the seed list are read in windows. Each line is read, normalized and filtered in scope `inject`; what
 * remains is merged with the pages that are known already: kept, replaced (`overwrite`) or updated (`update`).
 * The place in the list is kept with each write, so a later attempt goes on behind the last window.
 */
import { Injectable } from '@nestjs/common';
import { SeedListStore } from '../../conf/seed-list.store.js';
import { type SeedLine, parseSeedLine } from '../../core/page/seed-line.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import type { TaskOutcome } from '../../job/job-row.js';
import { type UrlRules, makeUrlRules } from '../../plugin/url-rules.js';
import { type Count, type Run, type Step, StepError } from '../step.js';
import type { InjectArgs } from './inject.args.js';
import { type Injected, type MergeMode, mergeSeeds } from './inject.sql.js';

/** Lines read and written at once. */
const WINDOW = 5_000;

/** What Nutch shows a seed as until it is merged with the table. Here that is one transaction, so no row ever has it. */
const INJECTED = '66 (injected)';

@Injectable()
export class InjectJob implements Step<InjectArgs> {
  async run(run: Run<InjectArgs>): Promise<TaskOutcome> {
    const name = run.args.seedName;
    if (!name) throw new StepError('INJECT needs a seed list: seedName, url_dir, seedDir or seed');
    const seeds = new SeedListStore(run.pool);
    const rules = makeUrlRules(run.conf);
    const mode = mergeMode(run);
    for (let from = Number(run.progress?.['position'] ?? 0); ;) {
      if (run.stopping.aborted) return { reason: 'stopped' };
      const lines = await seeds.lines(name, from, WINDOW);
      if (lines.length === 0) return { reason: 'done' };
      from += lines.length;
      await run.write(
        async (tx, count) => {
          const pages = readSeeds(lines, run, rules, count);
          count('injector_status', INJECTED, pages.length);
          await mergeSeeds(tx, run.job.crawl, pages, { mode, defaults: run.conf, count });
        },
        { position: from },
      );
    }
  }
}

function mergeMode({ args, conf }: Run<InjectArgs>): MergeMode {
  if (args.overwrite ?? conf['db.injector.overwrite']) return 'overwrite';
  return (args.update ?? conf['db.injector.update']) ? 'update' : 'keep';
}

/** The pages that a window of lines asks for, each once: of two lines with the same URL the first one counts. */
function readSeeds(lines: string[], run: Run<InjectArgs>, rules: UrlRules, count: Count): Injected[] {
  const pages = new Map<string, Injected>();
  for (const seed of lines.flatMap(seedsOf)) {
    const admitted = rules.admit(seed.url, 'inject', { normalize: !run.args.noNormalize, filter: !run.args.noFilter });
    if ('rejected' in admitted) {
      count('injector', 'urls_filtered');
      count('injector_rejected', admitted.rejected);
      continue;
    }
    if (pages.has(admitted.key)) {
      count('injector', 'urls_duplicate');
      continue;
    }
    pages.set(admitted.key, {
      host: hostKeyOf(admitted.key),
      key: admitted.key,
      score: seed.score ?? null,
      fetchInterval: seed.fetchInterval ?? null,
      status: seed.status ?? null,
      metadata: seed.metadata,
      mark: seed.sitemap ? 's' : 'y',
    });
    count('injector', 'urls_injected');
  }
  return [...pages.values()];
}

/** The seed of a line and, behind it, the sitemaps it names: those have nothing but their URL (2.x). */
function seedsOf(line: string): SeedLine[] {
  const seed = parseSeedLine(line);
  if (!seed) return [];
  return [seed, ...seed.sitemaps.map((url) => ({ url, metadata: {}, sitemap: true, sitemaps: [] }))];
}
