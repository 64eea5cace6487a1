import { carryMetadata } from '../../core/score/carried-metadata.js';
import type { PluginFor } from '../extension-points.js';

/** `urlmeta`: what a seed line says of a seed holds for what is found from it (`urlmeta.tags`). */
export const urlMeta: PluginFor<'makeDistribute'> = {
  id: 'urlmeta',
  className: 'org.apache.nutch.scoring.urlmeta.URLMetaScoringFilter',
  description: 'Hands listed metadata of seeds on to the pages that are found from them.',
  makeDistribute: (conf) => carryMetadata(conf['urlmeta.tags']),
};
