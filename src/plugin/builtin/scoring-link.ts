import { sortByScore } from '../../core/score/opic.js';
import type { PluginFor } from '../extension-points.js';

/** `scoring-link`: pages come by the score that is stored with them, which links do not change. */
export const linkScoring: PluginFor<'makeSortValue'> = {
  id: 'scoring-link',
  className: 'org.apache.nutch.scoring.link.LinkAnalysisScoringFilter',
  description: 'Takes the stored score of a page for its place, and changes no score.',
  makeSortValue: () => sortByScore,
};
