import type { Conf } from '../../core/conf/properties.js';
import type { CrawlPlan } from '../../core/job/crawl-plan.js';
import type { CrawlArgs } from '../../cycle/crawl/crawl.args.js';
import { hasClosing } from '../../cycle/updatedb/after-update.js';
import { makeScoring } from '../../plugin/scoring-filters.js';

/** The settings on which the steps of a crawl depend, fixed at its creation. */
export function planOf(read: CrawlArgs, { seedName }: { seedName?: unknown }, conf: Conf): CrawlPlan {
  const defaultTopN = conf['generate.topN'];
  const parsesWhileFetching = conf['crawl.parse.while.fetching'] || conf['fetcher.parse'];
  return {
    seedName: typeof seedName === 'string' ? seedName : null,
    rounds: read.rounds ?? null,
    topN: read.topN ?? (defaultTopN < 0 ? null : defaultTopN),
    limit: read.limit ?? null,
    adddays: read.adddays ?? 0,
    threads: read.threads ?? null,
    sitemaps: read.sitemaps ?? false,
    invertLinks: read.invertLinks ?? false,
    dedup: read.dedup ?? false,
    ranks: read.ranks ?? false,
    index: read.index ?? false,
    parsesWhileFetching,
    continuous: parsesWhileFetching && !hasStrictRounds(read, conf),
  };
}

/** Counted rounds, and an UPDATEDB that reads the whole table at its end, require strict rounds. */
const hasStrictRounds = ({ rounds }: CrawlArgs, conf: Conf): boolean =>
  conf['crawl.rounds.strict'] || rounds !== undefined || hasClosing(conf, makeScoring(conf));
