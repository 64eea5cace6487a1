/**
 * mimetype-filter: selects content types to index (Nutch `MimeTypeIndexingFilter`). With `-` as first line only types that
 * start with one of the other lines are indexed, with `+` all others; `+` is the default.
 */
import { RuleError } from '../url/linear-regex.js';
import { numberedLines } from '../url/rule-lines.js';
import type { IndexingFilter } from './indexing-filter.js';

const MAX_LINES = 10_000;

/** @throws RuleError for a line that is not a type or a prefix of one */
export function mimetypeFilter(rules: string): IndexingFilter {
  const lines = numberedLines(rules.toLowerCase());
  if (lines.length > MAX_LINES) throw new RuleError(lines[MAX_LINES]!, null, `more than ${MAX_LINES} lines`);
  const [first] = lines;
  const takesAll = first?.text !== '-';
  const types = first?.text === '-' || first?.text === '+' ? lines.slice(1) : lines;
  for (const rule of types)
    if (!/^[\w.+-]+(?:\/[\w.+-]*)?$/.test(rule.text))
      throw new RuleError(rule, 1, 'a content type, or the beginning of one, is expected');
  return (document, { type }) => (types.some(({ text }) => type.startsWith(text)) === takesAll ? null : document);
}
