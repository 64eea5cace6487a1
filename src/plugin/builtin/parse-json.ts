import { JSON_LD_TYPES, readJsonLdPage } from '../../core/json-ld.js';
import type { PluginFor } from '../extension-points.js';

/** `parse-json`: JSON-LD documents. */
export const jsonLdParser: PluginFor<'makeParser'> = {
  id: 'parse-json',
  className: 'orbweaver.parse.JsonLdParser',
  description: 'Reads JSON-LD documents: their texts and URLs.',
  makeParser: () => ({ types: JSON_LD_TYPES, parse: readJsonLdPage }),
};
