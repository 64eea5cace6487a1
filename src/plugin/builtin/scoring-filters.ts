/** Scoring by stored values of a page. */
import { carryMetadata } from '../../core/score/carried-metadata.js';
import { boostIsScore } from '../../core/score/index-boost.js';
import { sortByScore } from '../../core/score/opic.js';
import type { PluginFor } from '../extension-points.js';

export const linkScoring: PluginFor<'makeSortValue' | 'makeIndexBoost'> = {
  id: 'scoring-link',
  className: 'org.apache.nutch.scoring.link.LinkAnalysisScoringFilter',
  description: 'Sorts pages and boosts documents by the stored score of pages, and changes no score.',
  makeSortValue: () => sortByScore,
  makeIndexBoost: () => boostIsScore,
};

export const metadataScoring: PluginFor<'makeDistribute'> = {
  id: 'scoring-metadata',
  className: 'org.apache.nutch.scoring.metadata.MetadataScoringFilter',
  description: 'Passes listed metadata of a page, or response headers, to the pages that it links to.',
  makeDistribute: (conf) => carryMetadata(conf['scoring.parse.md'], conf['scoring.content.md']),
};

export const urlMeta: PluginFor<'makeDistribute'> = {
  id: 'urlmeta',
  className: 'org.apache.nutch.scoring.urlmeta.URLMetaScoringFilter',
  description: 'Passes listed metadata of seeds to the pages found from them.',
  makeDistribute: (conf) => carryMetadata(conf['urlmeta.tags']),
};

export const orphanScoring: PluginFor<'makeOrphanLimits'> = {
  id: 'scoring-orphan',
  className: 'org.apache.nutch.scoring.orphan.OrphanScoringFilter',
  description: 'Marks pages without inlinks for a long time as gone, and later as orphans.',
  makeOrphanLimits: (conf) => ({
    goneAfter: conf['scoring.orphan.mark.gone.after'],
    orphanAfter: conf['scoring.orphan.mark.orphan.after'],
  }),
};
