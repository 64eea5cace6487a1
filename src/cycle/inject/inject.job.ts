/**
 * INJECT: seeds become pages of the crawl, due now.
 *
 * The lines of the seed list are read in chunks. Each line is read, normalized and filtered in scope `inject`; what
 * remains is merged with the pages that exist already: kept, replaced (`overwrite`) or updated (`update`).
 * The position in the list is stored with each write, so a later attempt continues after the last chunk of the same list.
 */
import type { WantedSitemap } from '../../core/sitemap/sitemap-rules.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import { Injectable } from '@nestjs/common';
import { BLANK_FOR_TAB, IGNORED_VALUE, hasBlankForTab, parseSeedLine } from '../../core/page/seed-line.js';
import { ruleName } from '../../core/url/linear-regex.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { makeScoring } from '../../plugin/scoring-filters.js';
import { lackingFor, schemeOf } from '../../plugin/protocols.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { wantSitemaps } from '../../webpage/sitemap.store.js';
import { SeedLines, type SeedCursor } from '../seed-lines.js';
import { type Run, type Step, StepError } from '../step.js';
import type { InjectArgs } from './inject.args.js';
import { INJECTED, type Injected, type MergeMode, mergeSeeds } from './inject.sql.js';
import { type FilteredSeed, admittedSeeds } from './read-seeds.js';

/** Lines read and written at once. */
const CHUNK = 5_000;

/** Faulty lines that a warning names, and the length of the quotation of each. */
const MAX_NAMED = 10;
const MAX_NAMED_LENGTH = 300;

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
    for (;;) {
      if (run.stopping.aborted) return { reason: 'stopped' };
      const lines = await seeds.next(run.pool, CHUNK);
      if (lines.length === 0) return { reason: 'done' };
      let refused: FilteredSeed[] = [];
      await run.write(async (tx, count) => {
        refused = [];
        const filtered = (seed: FilteredSeed) => refused.push(seed);
        const pages = admittedSeeds(lines, { rules, scores, ...switches, count, filtered });
        count('injector_status', INJECTED, pages.length);
        await mergeSeeds(tx, run.job.crawl, pages, { mode, defaults: run.conf, count, trace: run.trace });
        await wantSitemaps(tx, run.job.crawl, null, pages.filter(({ mark }) => mark === 's').map(asSitemap));
      }, seeds.cursor);
      await warnOfDoubts(run, lines);
      await warnOfProtocols(run, lines, rules);
      await warnOfFiltered(run, refused);
    }
  }
}

/** Warns of lines whose columns are separated by a blank, so that their URLs are not the intended ones, and of ignored values. */
async function warnOfDoubts(run: Run, lines: string[]): Promise<void> {
  const seeds = lines.map((line) => ({ line, seed: parseSeedLine(line) }));
  await warnOfLines(
    run,
    BLANK_FOR_TAB,
    seeds.filter(({ seed }) => seed && hasBlankForTab(seed.url)),
  );
  const ignoring = seeds.filter(({ seed }) => seed?.ignored);
  const values = ignoring[0]?.seed?.ignored ?? [];
  await warnOfLines(run, `${IGNORED_VALUE}: ${values.join(', ')}`, ignoring);
}

/** Warns of lines that are refused because the plugin of their protocol is off, or cannot fetch anything. */
async function warnOfProtocols(run: Run, lines: string[], { schemes }: UrlRules): Promise<void> {
  const seeds = lines.flatMap((line) => {
    if (line.startsWith('http')) return [];
    const scheme = schemeOf(parseSeedLine(line)?.url ?? '');
    const lacking = schemes.has(scheme) ? null : lackingFor(scheme, run.conf);
    return lacking === null ? [] : [{ line, lacking }];
  });
  for (const [lacking, odd] of Map.groupBy(seeds, (seed) => seed.lacking))
    await warnOfLines(run, `has a protocol that is not found: ${lacking}`, odd);
}

/** Warns of seeds that URL filters refuse, with the rule that refuses the first. A blank for a TAB has its own warning. */
async function warnOfFiltered(run: Run, refused: FilteredSeed[]): Promise<void> {
  const [first, ...others] = refused.filter(({ url }) => !hasBlankForTab(url));
  if (first === undefined) return;
  const more = others.length > 0 ? `; URL filters refuse ${others.length} more` : '';
  const shown = (text: string) => text.slice(0, MAX_NAMED_LENGTH);
  const rule = first.rule ? `, ${ruleName({ ...first.rule, text: shown(first.rule.text) })}` : '';
  await run.warn(`seed "${shown(first.url)}" is refused by ${first.plugin ?? 'a URL filter'}${rule}${more}`, {
    urls: [first, ...others].slice(0, MAX_NAMED).map(({ url }) => shown(url)),
  });
}

async function warnOfLines(run: Run, why: string, odd: { line: string }[]): Promise<void> {
  const named = odd.slice(0, MAX_NAMED).map(({ line }) => line.slice(0, MAX_NAMED_LENGTH));
  if (named.length === 0) return;
  const more = odd.length > 1 ? `, and so have ${odd.length - 1} more` : '';
  await run.warn(`seed line "${named[0]}" ${why}${more}`, { lines: named });
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
