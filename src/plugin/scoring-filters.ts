/**
 * The scoring filters of a configuration, in the order of `scoring.filter.order`, combined to one function for each
 * extension point. It is null without filters, so that an unused point costs nothing. A result that is not a finite
 * number is ignored.
 */
import type { Conf } from '../core/conf/properties.js';
import {
  type Distribute,
  type OrphanLimits,
  type PageScore,
  type SeedScore,
  type SortedPage,
  finite,
} from '../core/score/scoring-filter.js';
import { isTextbook, opicScoring } from './builtin/scoring-opic.js';
import type { PluginFor, Point } from './extension-points.js';
import { activePlugins, inOrder, pluginsFor } from './registry.js';

export interface Scoring {
  readonly seedScore: SeedScore | null;
  /** The value by which GENERATE sorts; null: the score. */
  readonly sortValue: ((page: SortedPage) => number) | null;
  /** Whether sorting by value equals sorting by score. */
  readonly sortedByScore: boolean;
  readonly pageScore: PageScore | null;
  readonly distribute: Distribute;
  /** Whether a filter uses metadata or the content score, not only cash, distance and numbers of links. */
  readonly readsPages: boolean;
  readonly orphans: OrphanLimits | null;
  /** Whether scores are the importance (mode `textbook`). */
  readonly textbook: boolean;
}

/**
 * Makes the scoring of a configuration.
 * @throws RulesRefused naming the property, the rule, the position and the reason.
 */
export function makeScoring(conf: Conf): Scoring {
  const { active } = activePlugins(conf);
  const chain = <P extends Point>(point: P): PluginFor<P>[] =>
    inOrder(pluginsFor(point), active, conf['scoring.filter.order']);
  const distributors = chain('makeDistribute');
  const limits = chain('makeOrphanLimits').at(-1)?.makeOrphanLimits(conf) ?? null;
  return {
    seedScore: chained(chain('makeSeedScore').map((plugin) => plugin.makeSeedScore(conf))),
    ...sorting(chain('makeSortValue').map((plugin) => plugin.makeSortValue(conf))),
    pageScore: chained(chain('makePageScore').map((plugin) => plugin.makePageScore(conf))),
    distribute: distribution(distributors.map((plugin) => plugin.makeDistribute(conf))),
    readsPages: distributors.some(({ id }) => id !== opicScoring.id) || conf['db.score.count.filtered'],
    orphans: limits,
    textbook: active.has(opicScoring.id) && isTextbook(conf),
  };
}

function chained<T>(filters: readonly ((page: T, score: number) => number)[]) {
  if (filters.length === 0) return null;
  return (page: T, start: number): number =>
    filters.reduce((score, filter) => finite(filter(page, score), score), start);
}

function sorting(filters: readonly { value(page: SortedPage, sort: number): number; followsScore?: boolean }[]) {
  const sortedByScore = filters.every(({ followsScore }) => followsScore === true);
  if (filters.length === 0) return { sortValue: null, sortedByScore };
  const sortValue = (page: SortedPage): number =>
    filters.reduce((sort, filter) => finite(filter.value(page, sort), sort), 1);
  return { sortValue, sortedByScore };
}

function distribution(filters: readonly Distribute[]): Distribute {
  return (page, start) => {
    let shares = start;
    for (const filter of filters) {
      const next = filter(page, shares);
      shares = {
        ...next,
        internalShare: finite(next.internalShare, shares.internalShare),
        externalShare: finite(next.externalShare, shares.externalShare),
        givenBack: finite(next.givenBack, shares.givenBack),
        start: finite(next.start, shares.start),
      };
    }
    return shares;
  };
}
