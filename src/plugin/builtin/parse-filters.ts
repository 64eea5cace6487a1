/** Parse filters that store parts of a page as metadata. */
import { indexHeadings } from '../../core/indexing/index-headings.js';
import { keepHeadings, keepMetatags } from '../../core/page/page-metadata.js';
import type { PluginFor } from '../extension-points.js';

export const metadataParseFilters: readonly PluginFor<'makeParseFilter'>[] = [
  {
    id: 'parse-metatags',
    className: 'org.apache.nutch.parse.metatags.MetaTagsParser',
    description: 'Keeps meta elements as metadata of the page.',
    makeParseFilter: () => keepMetatags,
  },
  {
    id: 'headings',
    className: 'org.apache.nutch.parse.headings.HeadingsParseFilter',
    description: 'Keeps the text of headings as metadata of the page, and indexes it.',
    makeParseFilter: () => keepHeadings,
    makeIndexingFilter: (conf) => indexHeadings(conf['headings']),
  },
];
