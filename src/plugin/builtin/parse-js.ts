import { SCRIPT_TYPES, readScriptPage } from '../../core/page/script-page.js';
import type { PluginFor } from '../extension-points.js';

/** `parse-js`: programs; off as shipped. */
export const jsParser: PluginFor<'makeParser'> = {
  id: 'parse-js',
  className: 'org.apache.nutch.parse.js.JSParseFilter',
  description: 'Reads JavaScript: the URLs in its quoted strings.',
  makeParser: () => ({ types: SCRIPT_TYPES, parse: readScriptPage }),
};
