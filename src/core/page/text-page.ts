/** The parser of plain text: its text, and the URLs that it contains. */
import { linksInText, plainText } from '../html/parse-text.js';
import { charsetMetadata, decodeContent, maxLinks } from './html-page.js';
import { emptyPage } from './parse-page.js';
import { parseSuccess } from './parse-status.js';
import type { ParserInput, ReadPage } from './parser.js';

export const TEXT_TYPES: readonly string[] = ['text/plain', 'text/markdown', 'text/csv', 'text/tab-separated-values'];

/** Parses plain text. Never throws. */
export function readTextPage({ content, page, props }: ParserInput): ReadPage {
  const { text, charset } = decodeContent(content, page.contentType, props);
  return {
    ...emptyPage(page),
    status: parseSuccess(),
    text: plainText(text, props['parser.text.limit']),
    outlinks: linksInText(text, maxLinks(props)),
    charset,
    metadata: charsetMetadata(charset, props),
  };
}
