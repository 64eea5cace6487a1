import { HTML_TYPES, readHtmlPage } from '../../core/page/html-page.js';
import type { PluginFor } from '../extension-points.js';

/** `parse-html`: HTML and XHTML. */
export const htmlParser: PluginFor<'makeParser'> = {
  id: 'parse-html',
  className: 'org.apache.nutch.parse.html.HtmlParser',
  description: 'Reads HTML and XHTML: title, text, links, and what a page says about itself.',
  makeParser: () => ({ types: HTML_TYPES, parse: readHtmlPage }),
};
