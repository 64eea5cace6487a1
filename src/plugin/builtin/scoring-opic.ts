import type { Conf } from '../../core/conf/properties.js';
import { boostByScore } from '../../core/score/index-boost.js';
import { distributeCash, sortByScore } from '../../core/score/opic.js';
import type { PluginFor } from '../extension-points.js';

/** Whether `scoring.opic.mode` is textbook: scores are the importance of pages, with the sum 1 over all pages. */
export const isTextbook = (conf: Conf): boolean => conf['scoring.opic.mode'] === 'textbook';

/** `scoring-opic`: pages distribute their cash to the pages that they link to. */
export const opicScoring: PluginFor<'makeDistribute' | 'makeSortValue' | 'makeIndexBoost'> = {
  id: 'scoring-opic',
  className: 'org.apache.nutch.scoring.opic.OPICScoringFilter',
  description: 'Pages distribute their score to the pages that they link to.',
  makeDistribute: (conf) =>
    distributeCash({
      internalFactor: isTextbook(conf) ? 1 : conf['db.score.link.internal'],
      externalFactor: isTextbook(conf) ? 1 : conf['db.score.link.external'],
      countFiltered: conf['db.score.count.filtered'] && !isTextbook(conf),
    }),
  makeSortValue: () => sortByScore,
  makeIndexBoost: (conf) => boostByScore(conf['indexer.score.power']),
};
