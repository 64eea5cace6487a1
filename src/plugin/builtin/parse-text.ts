import { TEXT_TYPES, readTextPage } from '../../core/page/text-page.js';
import type { PluginFor } from '../extension-points.js';

/** `parse-text`: plain text. */
export const textParser: PluginFor<'makeParser'> = {
  id: 'parse-text',
  className: 'org.apache.nutch.parse.text.TextParser',
  description: 'Reads plain text, Markdown, CSV and TSV: the text, and the URLs in it.',
  makeParser: () => ({ types: TEXT_TYPES, parse: readTextPage }),
};
