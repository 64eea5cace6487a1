import { XML_TYPES, readXmlPage } from '../../core/feed/xml-page.js';
import type { PluginFor } from '../extension-points.js';

/** `parse-xml`: XML of any vocabulary. */
export const xmlParser: PluginFor<'makeParser'> = {
  id: 'parse-xml',
  className: 'orbweaver.parse.XmlParser',
  description: 'Reads XML of any vocabulary: its text, and the URLs in it.',
  makeParser: () => ({ types: XML_TYPES, parse: readXmlPage }),
};
