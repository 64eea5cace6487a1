/** Parsers that run in this process. */
import { FEED_TYPES, readFeedPage } from '../../core/feed/feed-page.js';
import { XML_TYPES, readXmlPage } from '../../core/feed/xml-page.js';
import { JSON_LD_TYPES, readJsonLdPage } from '../../core/json-ld.js';
import { HTML_TYPES, readHtmlPage } from '../../core/page/html-page.js';
import { SCRIPT_TYPES, readScriptPage } from '../../core/page/script-page.js';
import { SITEMAP_TYPES, readSitemapPage } from '../../core/page/sitemap-page.js';
import { TEXT_TYPES, readTextPage } from '../../core/page/text-page.js';
import type { PluginFor } from '../extension-points.js';

export const parsers: readonly PluginFor<'makeParser'>[] = [
  {
    id: 'parse-html',
    className: 'org.apache.nutch.parse.html.HtmlParser',
    description: 'Reads HTML and XHTML: title, text, links, and declared metadata.',
    makeParser: () => ({ types: HTML_TYPES, parse: readHtmlPage }),
  },
  {
    id: 'parse-text',
    className: 'org.apache.nutch.parse.text.TextParser',
    description: 'Reads plain text, Markdown, CSV and TSV: the text, and the URLs in it.',
    makeParser: () => ({ types: TEXT_TYPES, parse: readTextPage }),
  },
  {
    id: 'feed',
    className: 'org.apache.nutch.parse.feed.FeedParser',
    description: 'Reads RSS, RDF and Atom: the text of the entries, their links with titles, and dates.',
    makeParser: () => ({ types: FEED_TYPES, parse: readFeedPage }),
  },
  {
    id: 'parse-sitemap',
    className: 'orbweaver.parse.SitemapParser',
    description: 'Reads sitemaps that are fetched as pages: the URLs they name are links.',
    makeParser: () => ({ types: SITEMAP_TYPES, parse: readSitemapPage }),
  },
  {
    id: 'parse-json',
    className: 'orbweaver.parse.JsonLdParser',
    description: 'Reads JSON-LD documents: their texts and URLs.',
    makeParser: () => ({ types: JSON_LD_TYPES, parse: readJsonLdPage }),
  },
  {
    id: 'parse-xml',
    className: 'orbweaver.parse.XmlParser',
    description: 'Reads XML of any vocabulary: its text, and the URLs in it.',
    makeParser: () => ({ types: XML_TYPES, parse: readXmlPage }),
  },
  {
    // Inactive by default.
    id: 'parse-js',
    className: 'org.apache.nutch.parse.js.JSParseFilter',
    description: 'Reads JavaScript: the URLs in its quoted strings.',
    makeParser: () => ({ types: SCRIPT_TYPES, parse: readScriptPage }),
  },
];
