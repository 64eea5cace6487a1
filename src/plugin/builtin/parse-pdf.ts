import type { Conf } from '../../core/conf/properties.js';
import { linksInText } from '../../core/html/parse-text.js';
import { emptyPage } from '../../core/page/parse-page.js';
import { parseSuccess } from '../../core/page/parse-status.js';
import type { Parser } from '../../core/page/parser.js';
import type { PluginFor } from '../extension-points.js';
import { capsOf, cappedPool } from '../capped/capped-pool.js';

/** `parse-pdf`: parses PDF by PDF.js, in the capped process. Replaces the PDF part of Nutch's parse-tika. */
export const pdfParser: PluginFor<'makeParser'> = {
  id: 'parse-pdf',
  className: 'org.apache.nutch.parse.tika.TikaParser',
  description: 'Reads PDF: text, title, links, author, dates, number of pages; in a process that can be killed.',
  makeParser: (conf) => ({ types: ['application/pdf', 'application/x-pdf'], parse: readerOf(conf) }),
};

function readerOf(conf: Conf): Parser {
  const caps = capsOf(conf);
  const maxLinks = conf['db.max.outlinks.per.page.cap'];
  const bounds = { maxPages: conf['parser.pdf.pages'], maxText: conf['parser.text.limit'], maxLinks };
  return async ({ content, page, props }) => {
    const read = await cappedPool.run('pdf', { content, url: page.url, ...bounds }, caps);
    // Nutch's parse-tika looks for URLs in the text when a document has no links.
    const written = read.links.length > 0 ? [] : linksInText(read.text, maxLinks);
    return {
      ...emptyPage(page),
      status: parseSuccess(),
      title: read.title.slice(0, props['parser.title.limit']),
      text: read.text,
      outlinks: [...read.links.map((url) => ({ url, anchor: '' })), ...written],
      metadata: read.metadata,
    };
  };
}
