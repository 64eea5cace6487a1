/** Asks the capped process for what needs a page of HTML as a tree. Pages of other kinds are left as they are. */
import type { Conf } from '../../conf/properties.js';
import type { DocumentInput, DocumentYield } from '../../core/document/read-document.js';
import { HTML_TYPES } from '../../core/page/html-page.js';
import { PARSE_MINOR } from '../../core/page/parse-status.js';
import type { ParsedPage, ParserInput } from '../../core/page/parser.js';
import { capsOf, cappedPool } from './capped-pool.js';

/** What is wanted of a tree. */
export type Wanted = Pick<DocumentInput, 'extractions' | 'readable' | 'markdown'>;

/** Has the page a tree, and may its content be kept? Not a redirect, and not one that asks not to be indexed. */
export function isReadable(parsed: ParsedPage): boolean {
  return HTML_TYPES.includes(parsed.type) && parsed.status.minor !== PARSE_MINOR.redirect && !parsed.robots.noindex;
}

/** @throws CappedWorkError when the page met a cap, or cannot be read as a tree. */
export function readTree(parsed: ParsedPage, input: ParserInput, wanted: Wanted, conf: Conf): Promise<DocumentYield> {
  const { content, page } = input;
  const { charset, base } = parsed;
  const asked = { content, contentType: page.contentType, charset, base, ...wanted };
  return cappedPool.run('document', asked, capsOf(conf));
}
