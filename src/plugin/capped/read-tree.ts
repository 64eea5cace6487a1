/**
 * Reads HTML pages as trees for the features that need them.
 *
 * Main content and Markdown of small pages are computed in this process, within a budget of steps that bounds time and
 * memory (docs/adr/0021). Larger pages, and all extraction rules, run in a capped process.
 */
import type { Conf } from '../../core/conf/properties.js';
import {
  type ContentInput,
  type ContentResult,
  type DocumentInput,
  readContent,
} from '../../core/html-document/read-document.js';
import { HTML_TYPES } from '../../core/page/html-page.js';
import { PARSE_MINOR } from '../../core/page/parse-status.js';
import type { ParsedPage, ParserInput } from '../../core/page/parser.js';
import { PageBudget } from '../../core/tree/page-budget.js';
import { capsOf, cappedPool } from './capped-pool.js';

/** Maximum size of pages read in this process, which nearly all pages are below. It bounds the work not counted in steps. */
const MAX_BYTES = 2 << 20;
/** Pages of a megabyte take half of these steps; all of them take half a second at most, on any page. */
const MAX_STEPS = 24 << 20;

/** Whether the page is HTML whose content may be stored: not a redirect, and not `noindex`. */
export function isReadable(parsed: ParsedPage): boolean {
  return HTML_TYPES.includes(parsed.type) && parsed.status.minor !== PARSE_MINOR.redirect && !parsed.robots.noindex;
}

const requestFor = ({ charset, base, type }: ParsedPage, { content, page }: ParserInput) => ({
  content,
  xhtml: type !== 'text/html',
  contentType: page.contentType,
  charset,
  base,
});

/** Whether the main content replaces the text of pages. */
export const isTextOfMain = (conf: Conf): boolean => conf['tika.extractor'] === 'boilerpipe' || conf['tika.boilerpipe'];

/** The forms of the main content that a configuration needs, with their maximum lengths. */
function formsFor(conf: Conf): Pick<DocumentInput, 'readable' | 'markdown'> {
  const limit = conf['parse.readable.limit'];
  const asText = isTextOfMain(conf);
  return {
    ...((asText || conf['parse.readable']) && {
      readable: asText ? Math.max(limit, conf['parser.text.limit']) : limit,
    }),
    ...(conf['parse.markdown'] && { markdown: limit }),
  };
}

/** The result for the last page: filters request it one after another, and the tree itself is too large to keep. */
let last: { input: ParserInput; base: string; conf: Conf; result: ContentResult | Promise<ContentResult> } | null =
  null;

/**
 * The main content of a page, in all forms that the configuration needs: a promise if a capped process reads the page.
 * @throws CappedWorkError (rejects) when the page exceeded a cap, or cannot be read as a tree.
 */
export function readMain(parsed: ParsedPage, input: ParserInput, conf: Conf): ContentResult | Promise<ContentResult> {
  const { base } = parsed;
  if (last?.input === input && last.base === base && last.conf === conf) return last.result;
  const result = readContentOf({ ...requestFor(parsed, input), ...formsFor(conf) }, conf);
  last = { input, base, conf, result };
  return result;
}

function readContentOf(request: ContentInput, conf: Conf): ContentResult | Promise<ContentResult> {
  if (request.content.length <= MAX_BYTES)
    try {
      return readContent(request, new PageBudget(MAX_STEPS));
    } catch {
      // After any error the capped process reads the page, and reports the reason if it fails too.
    }
  return cappedPool.run('document', request, capsOf(conf));
}

/** Values extracted by rules. @throws CappedWorkError when the page exceeded a cap, or cannot be read as a tree. */
export async function readValues(
  parsed: ParsedPage,
  input: ParserInput,
  extractions: NonNullable<DocumentInput['extractions']>,
  conf: Conf,
): Promise<Readonly<Record<string, string>>> {
  const { values } = await cappedPool.run('document', { ...requestFor(parsed, input), extractions }, capsOf(conf));
  return values;
}
