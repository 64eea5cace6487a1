/** The parser of scripts: no text, only the URLs that they contain. */
import { linksInScript } from '../html/parse-script.js';
import { ReferenceResolver } from '../html/reference-resolver.js';
import { charsetMetadata, decodeContent, maxLinks } from './html-page.js';
import { emptyPage } from './parse-page.js';
import { parseSuccess } from './parse-status.js';
import type { ParserInput, ReadPage } from './parser.js';

export const SCRIPT_TYPES: readonly string[] = [
  'text/javascript',
  'application/javascript',
  'application/x-javascript',
];

/** Parses a script. Never throws. */
export function readScriptPage({ content, page, props }: ParserInput): ReadPage {
  const { text, charset } = decodeContent(content, page.contentType, props);
  return {
    ...emptyPage(page),
    status: parseSuccess(),
    outlinks: linksInScript(text.toWellFormed(), new ReferenceResolver(page.url), maxLinks(props)),
    charset,
    metadata: charsetMetadata(charset, props),
  };
}
