import type { Conf } from '../../conf/properties.js';
import { passSimilarity, similarityScore } from '../../core/score/similarity.js';
import type { PluginFor } from '../extension-points.js';

/** The shortest and longest run of words; the property's shape lets nothing else through. */
function ngramsOf(conf: Conf): [number, number] {
  const [shortest = 1, longest = shortest] = conf['scoring.similarity.ngrams'].split(',').map(Number);
  return [Math.min(shortest, longest), Math.max(shortest, longest)];
}

/**
 * `scoring-similarity`: pages near to a text that says what the crawl is about have more (`scoring.similarity.gold.text`), by
 * the one model there is (`scoring.similarity.model`: cosine).
 */
export const similarityScoring: PluginFor<'makePageScore' | 'makeDistribute'> = {
  id: 'scoring-similarity',
  className: 'org.apache.nutch.scoring.similarity.SimilarityScoringFilter',
  description: 'Gives pages near to a gold text a higher score, and those that they link to.',
  makePageScore: (conf) =>
    similarityScore({
      gold: conf['scoring.similarity.gold.text'],
      stopWords: conf['scoring.similarity.stop.words'],
      ngrams: ngramsOf(conf),
    }),
  makeDistribute: () => passSimilarity,
};
