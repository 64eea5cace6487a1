import type { PluginFor } from '../extension-points.js';

/** `scoring-orphan`: pages that no page links to any more count as gone, later as orphans. */
export const orphanScoring: PluginFor<'makeOrphanLimits'> = {
  id: 'scoring-orphan',
  className: 'org.apache.nutch.scoring.orphan.OrphanScoringFilter',
  description: 'Marks pages that no page has linked to for long as gone, and later as orphans.',
  makeOrphanLimits: (conf) => ({
    goneAfter: conf['scoring.orphan.mark.gone.after'],
    orphanAfter: conf['scoring.orphan.mark.orphan.after'],
  }),
};
