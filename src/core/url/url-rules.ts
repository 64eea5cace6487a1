/**
 * URL rules: normalizers, then filters, then the conditions for every stored URL.
 *
 * Normalizers run up to `urlnormalizer.loop.count` times until nothing changes. Then all filters must accept the URL; a rejection
 * names the plugin and its rule. `storedForm` adds conditions for every configuration: a scheme of an active protocol, a host
 * that a browser parses the same way, a row key within bounds.
 */
import type { FilterUrl, FilterVerdict } from './url-filter.js';
import type { Rule } from './linear-regex.js';
import { fitsRowKey, reverseUrl } from './row-key.js';
import { webUrl } from './web-url.js';
import type { PluginImplementation } from '../plugin-implementation.js';

export interface Normalizer {
  /** The rewritten URL, the same text, or null to drop it. */
  normalize(url: string): string | null;
  /** The rules that change this URL, for a normalizer that has rules. */
  appliedRules?(url: string): Rule[];
}

/** Decides whether a link from one page to another may leave its host; `accepted` means that it is exempt. */
export type ExemptLink = (from: string, to: string) => FilterVerdict;

/** The verdict of all filters; plugin and rule are those that rejected the URL, or null. */
export interface UrlVerdict {
  readonly accepted: boolean;
  readonly plugin: string | null;
  readonly rule: Rule | null;
}

export type Rejection = 'malformed' | 'scheme' | 'length' | 'filter';

/** A URL to store, with its row key; or why it is rejected. */
export type Admission =
  | { readonly url: string; readonly key: string }
  | { readonly rejected: Rejection; readonly plugin?: string; readonly rule?: Rule };

/** The steps of `admit`; jobs may disable either (`noNormalize`, `noFilter`). */
export interface AdmitOptions {
  readonly normalize: boolean;
  readonly filter: boolean;
}

export interface UrlRules {
  /** The URL in normal form; null when a normalizer drops it as malformed. */
  normalize(url: string, scope: string): string | null;
  /** The verdict of the filters, in order, up to the first that rejects. */
  filter(url: string): UrlVerdict;
  /**
   * Whether a link may leave its host or domain although `db.ignore.external.links` is set, and by which rule: all
   * exemptions must accept it (as in Nutch); without any, no link is exempt.
   */
  exempt(from: string, to: string): UrlVerdict;
  /** Normalizes and filters by `options`, and checks the conditions for every stored URL. */
  admit(url: string, scope: string, options: AdmitOptions): Admission;
  normalizersOf(scope: string): readonly PluginImplementation<Normalizer>[];
  readonly filters: readonly PluginImplementation<FilterUrl>[];
  /** Schemes besides http and https whose URLs may be stored: those of active protocols. */
  readonly schemes: ReadonlySet<string>;
  /** Maximum number of passes of the normalizers. */
  readonly loopCount: number;
}

export const accepted: UrlVerdict = { accepted: true, plugin: null, rule: null };

/**
 * The forms of a URL that filters must accept: the result of the normalizers, as in Nutch, and the stored form, if they
 * differ in more than letter case. Parts that are removed before storing must not bypass a rule: the trailing dot of a
 * host or, without urlnormalizer-basic, user info or a fragment.
 */
export function filteredForms(normal: string, stored: string): readonly string[] {
  const isSame = normal.length === stored.length && normal.toLowerCase() === stored.toLowerCase();
  return isSame ? [normal] : [normal, stored];
}

/** Applies all normalizers, repeated until nothing changes or `loopCount` is reached; null when one drops the URL. */
export function normalizeWith(
  chain: readonly PluginImplementation<Normalizer>[],
  url: string,
  loopCount: number,
): string | null {
  let current = url;
  for (let pass = 0; pass < loopCount; pass++) {
    const before = current;
    for (const { run } of chain) {
      const next = run.normalize(current);
      if (next === null) return null;
      current = next;
    }
    if (current === before) break;
  }
  return current;
}

/** The verdict of the first filter that rejects the URL. */
export function filterWith(filters: readonly PluginImplementation<FilterUrl>[], url: string): UrlVerdict {
  for (const { id, run } of filters) {
    const verdict = run(url);
    if (!verdict.accepted) return { accepted: false, plugin: id, rule: verdict.rule };
  }
  return accepted;
}

/** The verdict of the first exemption that refuses the link; without any, the link is not exempt. */
export function exemptWith(
  exemptions: readonly PluginImplementation<ExemptLink>[],
  from: string,
  to: string,
): UrlVerdict {
  let verdict: UrlVerdict = { accepted: false, plugin: null, rule: null };
  for (const { id, run } of exemptions) {
    const { accepted: exempt, rule } = run(from, to);
    verdict = { accepted: exempt, plugin: id, rule };
    if (!exempt) break;
  }
  return verdict;
}

/** The stored form of a URL, and its row key. */
export function storedForm(url: string, schemes: ReadonlySet<string>): Admission {
  const form = webUrl(url, schemes);
  if ('refused' in form) return { rejected: form.refused };
  const key = reverseUrl(form.url);
  return fitsRowKey(key) ? { url: form.url, key } : { rejected: 'length' };
}

/** An admission after the filters. */
export function afterFilters(admission: Admission, verdict: UrlVerdict): Admission {
  if (verdict.accepted) return admission;
  return {
    rejected: 'filter',
    ...(verdict.plugin === null ? {} : { plugin: verdict.plugin }),
    ...(verdict.rule === null ? {} : { rule: verdict.rule }),
  };
}
