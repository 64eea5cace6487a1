/** The steps of a crawl before its first round: the same for strict rounds and for a continuous crawl. */
import type { Child, CrawlPlan, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import type { StepType } from './job-types.js';
import { OF_RECORDED } from './follow-ups.js';
import { generate } from './next-round.js';

/** The steps before the first round. Of batches left open, fetched pages are parsed, and the others are released. */
function beforeRounds(plan: CrawlPlan): { type: StepType; args: Record<string, unknown> }[] {
  const { seedName, sitemaps, leftBatches: left = [], documentsDue = false, index = false } = plan;
  const [batch] = left;
  return [
    ...(batch === undefined
      ? []
      : [
          { type: 'PARSE' as const, args: { batch: left.length === 1 ? batch : '-all' } },
          {
            type: 'UPDATEDB' as const,
            args: { ...(left.length === 1 ? { batch } : { ofCrawl: 'left' }), ...(documentsDue && { documentsDue }) },
          },
        ]),
    ...(index && documentsDue ? [{ type: 'INDEX' as const, args: OF_RECORDED }] : []),
    ...(seedName ? [{ type: 'INJECT' as const, args: { seedName } }] : []),
    ...(sitemaps ? [{ type: 'SITEMAP' as const, args: sitemapArgs(plan) }] : []),
  ];
}

const sitemapArgs = ({ threads }: CrawlPlan): Record<string, unknown> => (threads === null ? {} : { threads });

/** The step after `last`, the newest one before the first round; GENERATE after all of them. */
export function firstStep(crawl: CrawlSoFar, last: Child | undefined): CrawlStep {
  const before = beforeRounds(crawl.plan);
  const next = before[last ? before.findIndex(({ type }) => type === last.type) + 1 : 0];
  return next ? { kind: 'child', round: 0, ...next } : generate(crawl, 1);
}
