/** The fields of documents under a configuration: those of its indexing filters, and those that properties name. */
import type { Conf } from '../core/conf/properties.js';
import {
  COMMON_FIELDS,
  type DocumentField,
  FILTER_FIELDS,
  many,
  mergedFields,
} from '../core/indexing/document-fields.js';
import { replaceTargets } from '../core/indexing/index-replace.js';
import { staticNames } from '../core/indexing/index-static.js';
import { readSubcollections } from '../core/indexing/subcollection.js';
import { staticOptions } from './builtin/indexing-filters.js';
import { withRules } from './extension-points.js';
import { activePlugins, inOrder, pluginsFor } from './registry.js';

/** Fields that properties name, by plugin id; `known`: the fields of the filters before. */
const NAMED: Readonly<Record<string, (conf: Conf, known: readonly DocumentField[]) => readonly DocumentField[]>> = {
  'index-more': (conf) => {
    const field = conf['moreIndexingFilter.mapMimeTypes.field'];
    return conf['moreIndexingFilter.mapMimeTypes'] && field !== '' ? many('keyword', [field]) : [];
  },
  'index-metadata': (conf) => [
    ...many('text', [...conf['index.db.md'], ...conf['index.parse.md'], ...conf['index.content.md']]),
    ...many(
      'text',
      conf['index.metadata'].map((name) => `meta_${name}`),
    ),
  ],
  'index-static': (conf) => many('text', staticNames(staticOptions(conf))),
  'index-replace': replacedFields,
  subcollection: (conf) => {
    const collections = withRules('subcollections.rules', conf['subcollections.rules'], readSubcollections);
    return many(
      'keyword',
      collections.map(({ key }) => key || conf['subcollection.default.fieldname']),
    );
  },
};

/** Fields that replacements write; their sources may be written by other replacements. */
function replacedFields(conf: Conf, known: readonly DocumentField[]): readonly DocumentField[] {
  const property = 'index.replace.regexp';
  const written: DocumentField[] = [];
  for (const [source, target] of withRules(property, conf[property], replaceTargets)) {
    if (source === target) continue;
    const field = [...known, ...written].find(({ name }) => name === source);
    if (field) written.push({ ...field, name: target });
  }
  return written;
}

/** @throws RulesRefused naming the property, the rule, the position and the reason. */
export function documentFields(conf: Conf): DocumentField[] {
  const filters = inOrder(pluginsFor('makeIndexingFilter'), activePlugins(conf).active, conf['indexingfilter.order']);
  const fields: DocumentField[] = [...COMMON_FIELDS];
  for (const { id } of filters) fields.push(...(FILTER_FIELDS[id] ?? []), ...(NAMED[id]?.(conf, fields) ?? []));
  return mergedFields(fields);
}
