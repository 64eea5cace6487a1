import type { IndexBoost } from '../indexing/indexing-filter.js';

/** The boost of a document is its page's score, whatever it was so far (Nutch `LinkAnalysisScoringFilter.indexerScore`). */
export const boostIsScore: IndexBoost = (_document, { score }) => Math.max(score, 0);

/** The boost of a document by its page's score: score^power, times the boost so far (Nutch `indexerScore`). */
export const boostByScore =
  (power: number): IndexBoost =>
  (_document, { score }, boost) =>
    boost * Math.max(score, 0) ** power;
