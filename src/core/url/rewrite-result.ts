import type { Rule } from './linear-regex.js';

/** The result of a normalizer: the URL, and the rule that changed it; null when none did. */
export interface Rewritten {
  readonly url: string;
  readonly rule: Rule | null;
}

/** A normalizer with compiled rules. */
export type RewriteUrl = (url: string) => Rewritten;

export const untouched = (url: string): Rewritten => ({ url, rule: null });
