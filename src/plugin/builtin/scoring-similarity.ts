import type { Conf } from '../../core/conf/properties.js';
import { passSimilarity, similarityScore } from '../../core/score/similarity.js';
import type { PluginFor } from '../extension-points.js';

/** Smallest and largest n of the n-grams; the property is validated before. */
function ngramsOf(conf: Conf): [number, number] {
  const [shortest = 1, longest = shortest] = conf['scoring.similarity.ngrams'].split(',').map(Number);
  return [Math.min(shortest, longest), Math.max(shortest, longest)];
}

/**
 * `scoring-similarity`: pages similar to a text on the topic of the crawl get a higher score
 * (`scoring.similarity.gold.text`), by the only model (`scoring.similarity.model`: cosine).
 */
export const similarityScoring: PluginFor<'makePageScore' | 'makeDistribute'> = {
  id: 'scoring-similarity',
  className: 'org.apache.nutch.scoring.similarity.SimilarityScoringFilter',
  description: 'Gives pages similar to a gold text, and the pages that they link to, a higher score.',
  makePageScore: (conf) =>
    similarityScore({
      gold: conf['scoring.similarity.gold.text'],
      stopWords: conf['scoring.similarity.stop.words'],
      ngrams: ngramsOf(conf),
    }),
  makeDistribute: () => passSimilarity,
};
