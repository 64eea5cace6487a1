import type { Rule } from './linear-regex.js';

/** What a normalizer made of a URL, and by which of its rules; null when it changed nothing. */
export interface Rewritten {
  readonly url: string;
  readonly rule: Rule | null;
}

/** A normalizer that has rules, compiled. */
export type RewriteUrl = (url: string) => Rewritten;

export const untouched = (url: string): Rewritten => ({ url, rule: null });
