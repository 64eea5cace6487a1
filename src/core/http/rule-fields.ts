/** Rule files of the HTTP client: one rule per line, fields separated by tabs, `#` begins a comment line. */
import { linesOf } from '../lines.js';
import { RuleError } from '../url/linear-regex.js';

const MAX_RULES = 10_000;
const MAX_LINE_LENGTH = 8_192;

export interface RuleLine {
  readonly fields: readonly string[];
  /** Refuses the rule. The error contains only the first of its words: others may be secrets, or cut off from one by a line break. */
  refuse(reason: string, position?: number): never;
}

/**
 * The rules of a text; empty lines and comments are skipped.
 * @throws RuleError if there are too many, or one is too long
 */
export function ruleLines(text: string): RuleLine[] {
  const lines = linesOf(text).filter((line) => line.trim() !== '' && !line.startsWith('#'));
  return lines.map((line, i) => {
    const fields = line.split('\t').map((field) => field.trim());
    const shown = /^\S+(?=\s+\S)/.exec(line)?.[0] ?? '…';
    const refuse = (reason: string, position: number | null = null): never => {
      throw new RuleError({ number: i + 1, text: shown }, position, reason);
    };
    if (i >= MAX_RULES) refuse(`there are more than ${MAX_RULES} rules`);
    if (line.length > MAX_LINE_LENGTH) refuse(`it is longer than ${MAX_LINE_LENGTH} characters`);
    return { fields, refuse };
  });
}

/** Whether a text is allowed in a header field: Latin-1 without control characters, so that it cannot start another field. */
export const isFieldText = (text: string): boolean => /^[\t\x20-\x7e\x80-\xff]*$/.test(text);
