import { keepMetatags } from '../../core/page/page-metadata.js';
import type { PluginFor } from '../extension-points.js';

/** `parse-metatags`: meta elements as metadata (`metatags.names`). */
export const metatagsParseFilter: PluginFor<'makeParseFilter'> = {
  id: 'parse-metatags',
  className: 'org.apache.nutch.parse.metatags.MetaTagsParser',
  description: 'Keeps meta elements as metadata of the page.',
  makeParseFilter: () => keepMetatags,
};
