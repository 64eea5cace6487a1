import { carryMetadata } from '../../core/score/carried-metadata.js';
import type { PluginFor } from '../extension-points.js';

/** `scoring-metadata`: listed metadata of a page go to the pages it links to (`scoring.parse.md`, `scoring.content.md`). */
export const metadataScoring: PluginFor<'makeDistribute'> = {
  id: 'scoring-metadata',
  className: 'org.apache.nutch.scoring.metadata.MetadataScoringFilter',
  description: 'Hands listed metadata of a page, or headers of its answer, to the pages that it links to.',
  makeDistribute: (conf) => carryMetadata(conf['scoring.parse.md'], conf['scoring.content.md']),
};
