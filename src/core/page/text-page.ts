/** The parser of plain text: its text, and the URLs that it contains. */
import { linksInText, plainText } from '../html/parse-text.js';
import { cellsOnLines } from './csv-cells.js';
import { charsetMetadata, decodeContent, maxLinks } from './html-page.js';
import { emptyPage } from './parse-page.js';
import { parseSuccess } from './parse-status.js';
import type { ParserInput, ReadPage } from './parser.js';

const CSV = 'text/csv';

export const TEXT_TYPES: readonly string[] = ['text/plain', 'text/markdown', CSV, 'text/tab-separated-values'];

/** Parses plain text. Never throws. */
export function readTextPage({ content, page, type, props }: ParserInput): ReadPage {
  const { text, charset } = decodeContent(content, page.contentType, props);
  return {
    ...emptyPage(page),
    status: parseSuccess(),
    text: plainText(text, props['parser.text.limit']),
    outlinks: linksInText(type === CSV ? cellsOnLines(text) : text, maxLinks(props)),
    charset,
    metadata: charsetMetadata(charset, props),
  };
}
