/**
 * A batch made directly of a list of URLs (freegen of 1.x): the first fetch list of an empty table, or pages that a user
 * wants now. Unknown URLs become pages as INJECT makes them; known ones stay as they are and need not be due.
 * Of the limits of GENERATE only the argument topN applies (freegen has no limit).
 */
import { unlessNegated } from '../../core/conf/negated-flag.js';
import { partitionHash } from '../../core/url/partition.js';
import type { Sql } from '../../db/sql.js';
import { makeScoring } from '../../plugin/scoring-filters.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { mergeSeeds } from '../inject/inject.sql.js';
import { type RefusedSeed, admittedSeeds } from '../inject/read-seeds.js';
import { type SeedWarning, seedWarnings } from '../inject/seed-warnings.js';
import { atPage } from '../page-error.js';
import { SeedLines } from '../seed-lines.js';
import type { Count, Run } from '../step.js';
import type { GenerateArgs } from './generate.args.js';
import { type Selected, keysInNoBatch, markBatch } from './generate.sql.js';
import { GroupKeys } from './group-keys.js';
import { PartitionKeys } from './partition-keys.js';

/** Lines read and marked at once. */
const CHUNK = 5_000;

/**
 * Marks the pages of the job's seed list in the current transaction. @returns how many (those in another batch stay there), and
 * what to warn of in the list
 */
export async function markSeeds(
  run: Run<GenerateArgs>,
  tx: Sql,
  count: Count,
  batch: string,
): Promise<{ marked: number; warnings: SeedWarning[] }> {
  const { args, conf, job } = run;
  const rules = makeUrlRules(conf);
  const refused: RefusedSeed[] = [];
  const reading = {
    rules,
    refused: (seed: RefusedSeed) => refused.push(seed),
    normalize: args.normalize ?? unlessNegated(args.noNorm, conf['generate.normalise']),
    filter: args.filter ?? unlessNegated(args.noFilter, conf['generate.filter']),
    count,
    scores: { seedScore: makeScoring(conf).seedScore, injected: conf['db.score.injected'] },
  };
  const groups = new GroupKeys({ partition: conf['partition.url.mode'], count: 'host' }, conf['partition.hosts']);
  const partitions = new PartitionKeys(groups, rules, conf);
  const max = args.topN === undefined || args.topN < 0 ? Infinity : args.topN;
  const seeds = new SeedLines(args.freegen!);
  const warnings: SeedWarning[] = [];
  let marked = 0;
  while (marked < max) {
    run.aborted.throwIfAborted();
    const lines = await seeds.next(tx, CHUNK);
    if (lines.length === 0) break;
    const pages = admittedSeeds(lines, reading);
    warnings.push(...seedWarnings(lines, refused.splice(0), { conf, rules }));
    await mergeSeeds(tx, job.crawl, pages, { mode: 'keep', defaults: conf, count });
    await groups.resolve(tx, pages, () => run.aborted.aborted);
    const free = await keysInNoBatch(tx, job.crawl, pages);
    const toMark = pages.filter(({ key }) => free.has(key)).slice(0, max - marked);
    const selected = toMark.map(({ host, key }): Selected => {
      const partition = atPage(key, () => partitions.keyOf({ host, key }));
      return { host, key, hash: partitionHash(partition, conf['partition.url.seed']) };
    });
    marked += await markBatch(tx, job.crawl, { batch, trace: run.trace }, selected);
  }
  count('Generator', 'GENERATE_MARK', marked);
  count('Generator', 'PARTITION_NORMALIZED', partitions.normalized);
  if (groups.lookedUp > 0) count('Generator', 'NAMES_LOOKED_UP', groups.lookedUp);
  return { marked, warnings };
}
