/** The steps of a crawl before its first round: the same for strict rounds and for a continuous crawl. */
import type { Child, CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import type { StepType } from './job-types.js';
import { OF_RECORDED } from './index-while-fetching.js';
import { generate } from './next-round.js';

/** More batches than that are indexed as all of the crawl. */
const MAX_NAMED = 100;

/** The steps before the first round. Of batches left open, fetched pages are parsed, and the others are released. */
function beforeRounds(plan: CrawlPlan): { type: StepType; args: Record<string, unknown> }[] {
  const { seedName, sitemaps, leftBatches: left = [], documentsDue = false } = plan;
  const [batch] = left;
  const indexing = firstIndexing(plan);
  return [
    ...(batch === undefined
      ? []
      : [
          { type: 'PARSE' as const, args: { batch: left.length === 1 ? batch : '-all' } },
          {
            type: 'UPDATEDB' as const,
            args: { ...(left.length === 1 ? { batch } : { segment: left }), ...(documentsDue && { documentsDue }) },
          },
        ]),
    ...(indexing ? [{ type: 'INDEX' as const, args: indexing }] : []),
    ...(seedName ? [{ type: 'INJECT' as const, args: { seedName } }] : []),
    ...(sitemaps ? [{ type: 'SITEMAP' as const, args: sitemapArgs(plan) }] : []),
  ];
}

/** The arguments of INDEX, if earlier runs have left something to it: continuous ones recorded pages, strict ones name batches. */
function firstIndexing({
  index = false,
  unindexed = [],
  documentsDue = false,
}: CrawlPlan): Record<string, unknown> | undefined {
  if (!index || (unindexed.length === 0 && !documentsDue)) return undefined;
  if (unindexed.length === 0) return OF_RECORDED;
  return documentsDue || unindexed.length > MAX_NAMED ? { batch: '-all' } : { segment: unindexed };
}

const sitemapArgs = ({ threads }: CrawlPlan): Record<string, unknown> => (threads === null ? {} : { threads });

/** The step after `last`, the newest one before the first round; GENERATE after all of them. */
export function firstStep(crawl: CrawlSoFar, last: Child | undefined): CrawlStep {
  const before = beforeRounds(crawl.plan);
  const next = before[last ? before.findIndex(({ type }) => type === last.type) + 1 : 0];
  return next ? { kind: 'child', round: 0, ...next } : generate(crawl, 1);
}
