import type { RewriteUrl } from '../core/url/rewritten.js';
import type { Normalizer } from './extension-points.js';

/** A normalizer of compiled rules, of which at most one changes a URL. */
export function rewriting(rewrite: RewriteUrl): Normalizer {
  return {
    normalize: (url) => rewrite(url).url,
    appliedRules: (url) => {
      const { rule } = rewrite(url);
      return rule === null ? [] : [rule];
    },
  };
}
