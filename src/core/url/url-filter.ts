import type { Rule } from './linear-regex.js';

/** The verdict of a filter; `rule` is null when no rule matched and the filter's default applies. */
export interface FilterVerdict {
  readonly accepted: boolean;
  readonly rule: Rule | null;
}

/** A URL filter: accepts or rejects a URL (Nutch `URLFilter`). */
export type FilterUrl = (url: string) => FilterVerdict;
