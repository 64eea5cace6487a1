/**
 * Reads pages of HTML as trees for what needs them. Pages of other kinds are left as they are.
 *
 * Main content and Markdown are read here, by code of our own: of pages that are not large, within a count of steps, which bounds
 * time and memory (docs/adr/0021). A page that takes more, and all that rules pick, is read in a capped process.
 */
import type { Conf } from '../../conf/properties.js';
import {
  type ContentInput,
  type ContentYield,
  type DocumentInput,
  readContent,
} from '../../core/document/read-document.js';
import { HTML_TYPES } from '../../core/page/html-page.js';
import { PARSE_MINOR } from '../../core/page/parse-status.js';
import type { ParsedPage, ParserInput } from '../../core/page/parser.js';
import { PageBudget } from '../../core/tree/page-budget.js';
import { capsOf, cappedPool } from './capped-pool.js';

/** Bytes of the pages that are read here: nearly all. What is not counted grows with them alone. */
const MAX_BYTES = 1_536 << 10;
/** Pages of a megabyte take half as many; so many take half a second at most, whatever the page is. */
const MAX_STEPS = 24 << 20;

/** Has the page a tree, and may its content be kept? Not a redirect, and not one that asks not to be indexed. */
export function isReadable(parsed: ParsedPage): boolean {
  return HTML_TYPES.includes(parsed.type) && parsed.status.minor !== PARSE_MINOR.redirect && !parsed.robots.noindex;
}

const askedOf = ({ charset, base }: ParsedPage, { content, page }: ParserInput) => ({
  content,
  contentType: page.contentType,
  charset,
  base,
});

/** Does the main content stand for the text of pages? */
export const isTextOfMain = (conf: Conf): boolean => conf['tika.extractor'] === 'boilerpipe' || conf['tika.boilerpipe'];

/** What a configuration wants of the main content: at most so many characters. */
function wantedBy(conf: Conf): Pick<DocumentInput, 'readable' | 'markdown'> {
  const limit = conf['parse.readable.limit'];
  const asText = isTextOfMain(conf);
  return {
    ...((asText || conf['parse.readable']) && {
      readable: asText ? Math.max(limit, conf['parser.text.limit']) : limit,
    }),
    ...(conf['parse.markdown'] && { markdown: limit }),
  };
}

/** What the last page had: each filter asks in its turn, and a tree is too large to wait for the next one. */
let last: { input: ParserInput; base: string; conf: Conf; found: ContentYield | Promise<ContentYield> } | null = null;

/**
 * The main content of a page, in all forms that the configuration wants: at once, or as a promise where the page is none of every day.
 * @throws CappedWorkError (rejects) when the page met a cap, or cannot be read as a tree.
 */
export function readMain(parsed: ParsedPage, input: ParserInput, conf: Conf): ContentYield | Promise<ContentYield> {
  const { base } = parsed;
  if (last?.input === input && last.base === base && last.conf === conf) return last.found;
  const found = newlyRead({ ...askedOf(parsed, input), ...wantedBy(conf) }, conf);
  last = { input, base, conf, found };
  return found;
}

function newlyRead(asked: ContentInput, conf: Conf): ContentYield | Promise<ContentYield> {
  if (asked.content.length <= MAX_BYTES)
    try {
      return readContent(asked, new PageBudget(MAX_STEPS));
    } catch {
      // Whatever it was: the capped process says what is to be said of the page.
    }
  return cappedPool.run('document', asked, capsOf(conf));
}

/** Values that rules pick. @throws CappedWorkError when the page met a cap, or cannot be read as a tree. */
export async function readValues(
  parsed: ParsedPage,
  input: ParserInput,
  extractions: NonNullable<DocumentInput['extractions']>,
  conf: Conf,
): Promise<Readonly<Record<string, string>>> {
  const { values } = await cappedPool.run('document', { ...askedOf(parsed, input), extractions }, capsOf(conf));
  return values;
}
