import { keepHeadings } from '../../core/page/page-metadata.js';
import type { PluginFor } from '../extension-points.js';

/** `headings`: the text of headings as metadata (`headings`, `headings.multivalued`). */
export const headingsParseFilter: PluginFor<'makeParseFilter'> = {
  id: 'headings',
  className: 'org.apache.nutch.parse.headings.HeadingsParseFilter',
  description: 'Keeps the text of headings as metadata of the page.',
  makeParseFilter: () => keepHeadings,
};
