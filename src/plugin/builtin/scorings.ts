/** Scoring by what stands with a page already. */
import { carryMetadata } from '../../core/score/carried-metadata.js';
import { sortByScore } from '../../core/score/opic.js';
import type { PluginFor } from '../extension-points.js';

export const linkScoring: PluginFor<'makeSortValue'> = {
  id: 'scoring-link',
  className: 'org.apache.nutch.scoring.link.LinkAnalysisScoringFilter',
  description: 'Takes the stored score of a page for its place, and changes no score.',
  makeSortValue: () => sortByScore,
};

export const metadataScoring: PluginFor<'makeDistribute'> = {
  id: 'scoring-metadata',
  className: 'org.apache.nutch.scoring.metadata.MetadataScoringFilter',
  description: 'Hands listed metadata of a page, or headers of its answer, to the pages that it links to.',
  makeDistribute: (conf) => carryMetadata(conf['scoring.parse.md'], conf['scoring.content.md']),
};

export const urlMeta: PluginFor<'makeDistribute'> = {
  id: 'urlmeta',
  className: 'org.apache.nutch.scoring.urlmeta.URLMetaScoringFilter',
  description: 'Hands listed metadata of seeds on to the pages that are found from them.',
  makeDistribute: (conf) => carryMetadata(conf['urlmeta.tags']),
};

export const orphanScoring: PluginFor<'makeOrphanLimits'> = {
  id: 'scoring-orphan',
  className: 'org.apache.nutch.scoring.orphan.OrphanScoringFilter',
  description: 'Marks pages that no page has linked to for long as gone, and later as orphans.',
  makeOrphanLimits: (conf) => ({
    goneAfter: conf['scoring.orphan.mark.gone.after'],
    orphanAfter: conf['scoring.orphan.mark.orphan.after'],
  }),
};
