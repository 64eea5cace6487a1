/** Built-in indexing filters and their properties. */
import type { Conf } from '../../core/conf/properties.js';
import { indexAnchor } from '../../core/indexing/index-anchor.js';
import { indexBasic } from '../../core/indexing/index-basic.js';
import { ExpressionError } from '../../core/frontier/expression-tokens.js';
import { indexJexl } from '../../core/indexing/index-jexl.js';
import { indexLinks } from '../../core/indexing/index-links.js';
import { indexMetadata } from '../../core/indexing/index-metadata.js';
import { indexMore, readTypeNames } from '../../core/indexing/index-more.js';
import { indexReplace } from '../../core/indexing/index-replace.js';
import { type StaticOptions, indexStatic } from '../../core/indexing/index-static.js';
import { mimetypeFilter } from '../../core/indexing/mimetype-filter.js';
import { indexSubcollections, readSubcollections } from '../../core/indexing/subcollection.js';
import type { IndexingFilter } from '../../core/indexing/indexing-filter.js';
import { RuleError } from '../../core/url/linear-regex.js';
import { type PluginFor, withRules } from '../extension-points.js';

export const indexingFilters: readonly PluginFor<'makeIndexingFilter'>[] = [
  {
    id: 'index-basic',
    className: 'org.apache.nutch.indexer.basic.BasicIndexingFilter',
    description: 'Adds host, URL, text, title, time and caching of a page.',
    makeIndexingFilter: (conf) =>
      indexBasic({
        addDomain: conf['indexer.add.domain'],
        maxTitleLength: conf['indexer.max.title.length'],
        maxContentLength: conf['indexer.max.content.length'],
      }),
  },
  {
    id: 'index-anchor',
    className: 'org.apache.nutch.indexer.anchor.AnchorIndexingFilter',
    description: 'Adds the texts of links to a page.',
    makeIndexingFilter: (conf) => indexAnchor(conf['anchorIndexingFilter.deduplicate']),
  },
  {
    id: 'index-more',
    className: 'org.apache.nutch.indexer.more.MoreIndexingFilter',
    description:
      'Adds modification time, length and type of a page, and the file name of a download without a title as its title.',
    makeIndexingFilter: moreFilter,
  },
  {
    id: 'index-metadata',
    className: 'org.apache.nutch.indexer.metadata.MetadataIndexer',
    description: 'Adds listed metadata, headers and meta elements of a page.',
    makeIndexingFilter: (conf) =>
      indexMetadata({
        db: conf['index.db.md'],
        parse: conf['index.parse.md'],
        content: conf['index.content.md'],
        meta: conf['index.metadata'],
        separator: conf['index.metadata.separator'],
      }),
  },
  {
    id: 'index-static',
    className: 'org.apache.nutch.indexer.staticfield.StaticFieldIndexer',
    description: 'Adds constant fields.',
    makeIndexingFilter: (conf) => indexStatic(staticOptions(conf)),
  },
  {
    id: 'index-links',
    className: 'org.apache.nutch.indexer.links.LinksIndexingFilter',
    description: 'Adds the links out of a page and those into it.',
    readsOutlinks: true,
    makeIndexingFilter: (conf) =>
      indexLinks({
        hostsOnly: conf['index.links.hosts.only'],
        ignoreInlinkHost: conf['index.links.inlinks.host.ignore'],
        ignoreOutlinkHost: conf['index.links.outlinks.host.ignore'],
      }),
  },
  {
    id: 'index-replace',
    className: 'org.apache.nutch.indexer.replace.ReplaceIndexer',
    description: 'Rewrites fields by expressions.',
    makeIndexingFilter: (conf) => withRules('index.replace.regexp', conf['index.replace.regexp'], indexReplace),
  },
  {
    id: 'index-jexl-filter',
    className: 'org.apache.nutch.indexer.jexl.JexlIndexingFilter',
    description: 'Drops documents for which an expression is false.',
    makeIndexingFilter: (conf) => jexlFilter(conf['index.jexl.filter']),
  },
  {
    id: 'mimetype-filter',
    className: 'org.apache.nutch.indexer.filter.MimeTypeIndexingFilter',
    description: 'Indexes pages of listed content types only.',
    makeIndexingFilter: (conf) => withRules('mimetype.filter.rules', conf['mimetype.filter.rules'], mimetypeFilter),
  },
  {
    id: 'subcollection',
    className: 'org.apache.nutch.indexer.subcollection.SubcollectionIndexingFilter',
    description: 'Adds the names of the subcollections that contain a page.',
    makeIndexingFilter: (conf) =>
      indexSubcollections(withRules('subcollections.rules', conf['subcollections.rules'], readSubcollections), {
        field: conf['subcollection.default.fieldname'],
        ignoreCase: conf['subcollection.case.insensitive'],
      }),
  },
];

export const staticOptions = (conf: Conf): StaticOptions => ({
  fields: conf['index.static'],
  fieldSeparator: conf['index.static.fieldsep'],
  keySeparator: conf['index.static.keysep'],
  valueSeparator: conf['index.static.valuesep'],
});

const jexlFilter = (expression: string): IndexingFilter =>
  withRules('index.jexl.filter', expression, (text) => {
    try {
      return indexJexl(text);
    } catch (error) {
      if (error instanceof ExpressionError) throw new RuleError({ number: 1, text }, error.position, error.reason);
      throw error;
    }
  });

function moreFilter(conf: Conf): IndexingFilter {
  const property = 'moreIndexingFilter.mapMimeTypes.rules';
  // Read in any case, so that a file of them is checked when it is stored.
  const names = withRules(property, conf[property], readTypeNames);
  return indexMore({
    parts: conf['moreIndexingFilter.indexMimeTypeParts'],
    names: conf['moreIndexingFilter.mapMimeTypes'] ? names : null,
    nameField: conf['moreIndexingFilter.mapMimeTypes.field'],
  });
}
