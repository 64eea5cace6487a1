/**
 * The URL rules of a configuration: normalizers, then filters, then the conditions for every stored URL.
 *
 * They apply to every URL that enters the crawl: seeds, outlinks, redirect targets. Normalizers run in the order of
 * `urlnormalizer.order`, or of `urlnormalizer.scope.<scope>` where that is set, up to `urlnormalizer.loop.count` times
 * until nothing changes. Then all filters must accept the URL, in the order of `urlfilter.order`; a rejection names the
 * plugin and its rule. `admit` adds conditions for every configuration: a scheme of an active protocol, a host that a browser
 * parses the same way, a row key within bounds. Results are not cached here; that is up to the caller.
 */
import type { Conf } from '../conf/properties.js';
import type { FilterUrl } from '../core/url/filter-regex.js';
import type { Rule } from '../core/url/linear-regex.js';
import { fitsRowKey, reverseUrl } from '../core/url/row-key.js';
import { webUrl } from '../core/url/web-url.js';
import { builtinPlugins } from './builtins.js';
import type { ExemptLink, Normalizer } from './extension-points.js';
import { knownScopes, makeChain, normalizeWith, type Named } from './normalizer-chain.js';
import { otherSchemes } from './protocols.js';
import { activePlugins, inOrder, pluginsFor } from './registry.js';

/** The verdict of all filters; plugin and rule are those that rejected the URL, or null. */
export interface Verdict {
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
  filter(url: string): Verdict;
  /**
   * Whether a link may leave its host or domain although `db.ignore.external.links` is set, and by which rule: all
   * exemptions must accept it (as in Nutch); without any, no link is exempt.
   */
  exempt(from: string, to: string): Verdict;
  /** Normalizes and filters by `options`, and checks the conditions for every stored URL. */
  admit(url: string, scope: string, options: AdmitOptions): Admission;
  normalizersOf(scope: string): readonly Named<Normalizer>[];
  readonly filters: readonly Named<FilterUrl>[];
  /** Schemes besides http and https whose URLs may be stored: those of active protocols. */
  readonly schemes: ReadonlySet<string>;
  /** Maximum number of passes of the normalizers. */
  readonly loopCount: number;
}

const accepted: Verdict = { accepted: true, plugin: null, rule: null };

/**
 * Makes the rules of a configuration. They are compiled on first use: a caller that only normalizes does not wait for the
 * rules of filters. All methods throw UrlRulesError for invalid rules; `checkUrlRules` finds them when a configuration is
 * set.
 */
export function makeUrlRules(conf: Conf): UrlRules {
  const { active } = activePlugins(conf);
  let made: readonly Named<FilterUrl>[] | undefined;
  const filters = () => (made ??= makeFilters(conf, active));
  const chains = new Map<string, readonly Named<Normalizer>[]>();
  const normalizersOf = (scope: string) => {
    const chain = chains.get(scope) ?? makeChain(conf, active, scope);
    chains.set(scope, chain);
    return chain;
  };
  const loopCount = conf['urlnormalizer.loop.count'];
  const schemes = otherSchemes(conf);
  const normalize = (url: string, scope: string) => normalizeWith(normalizersOf(scope), url, loopCount);
  const filter = (url: string) => filterWith(filters(), url);
  const exemptions = pluginsFor('makeExemption')
    .filter(({ id }) => active.has(id))
    .map((plugin) => ({ id: plugin.id, run: plugin.makeExemption(conf) }));
  return {
    normalize,
    filter,
    exempt: (from, to) => exemptWith(exemptions, from, to),
    admit: (url, scope, options) => {
      const normal = options.normalize ? normalize(url, scope) : url;
      if (normal === null) return malformed;
      const admission = admitForm(normal, schemes);
      if (!options.filter || 'rejected' in admission) return admission;
      const forms = filteredForms(normal, admission.url);
      return admitVerdict(admission, forms.map(filter).find((verdict) => !verdict.accepted) ?? accepted);
    },
    normalizersOf,
    get filters() {
      return filters();
    },
    schemes,
    loopCount,
  };
}

/**
 * The forms of a URL that filters must accept: the result of the normalizers, as in Nutch, and the stored form, if they
 * differ in more than letter case. Parts that are removed before storing must not bypass a rule: the trailing dot of a
 * host or, without urlnormalizer-basic, user info or a fragment.
 */
export function filteredForms(normal: string, stored: string): readonly string[] {
  const isSame = normal.length === stored.length && normal.toLowerCase() === stored.toLowerCase();
  return isSame ? [normal] : [normal, stored];
}

const malformed: Admission = { rejected: 'malformed' };

/**
 * Rejects invalid rules: those of active plugins, and those of inactive built-in ones, so that errors are reported when the
 * rules are set.
 * @throws UrlRulesError naming the property, the rule, the position and the reason.
 */
export function checkUrlRules(conf: Conf): void {
  const { active } = activePlugins(conf);
  makeFilters(conf, active);
  for (const scope of knownScopes) makeChain(conf, active, scope);
  for (const plugin of builtinPlugins) {
    plugin.makeFilter?.(conf);
    plugin.makeExemption?.(conf);
    for (const scope of knownScopes) plugin.makeNormalizer?.(conf, scope);
  }
}

function makeFilters(conf: Conf, active: ReadonlySet<string>): readonly Named<FilterUrl>[] {
  const ordered = inOrder(pluginsFor('makeFilter'), active, conf['urlfilter.order']);
  return ordered.map((plugin) => ({ id: plugin.id, run: plugin.makeFilter(conf) }));
}

function filterWith(filters: readonly Named<FilterUrl>[], url: string): Verdict {
  for (const { id, run } of filters) {
    const verdict = run(url);
    if (!verdict.accepted) return { accepted: false, plugin: id, rule: verdict.rule };
  }
  return accepted;
}

function exemptWith(exemptions: readonly Named<ExemptLink>[], from: string, to: string): Verdict {
  let verdict: Verdict = { accepted: false, plugin: null, rule: null };
  for (const { id, run } of exemptions) {
    const { accepted: exempt, rule } = run(from, to);
    verdict = { accepted: exempt, plugin: id, rule };
    if (!exempt) break;
  }
  return verdict;
}

function admitForm(given: string, schemes: ReadonlySet<string>): Admission {
  const form = webUrl(given, schemes);
  if ('refused' in form) return { rejected: form.refused };
  const key = reverseUrl(form.url);
  return fitsRowKey(key) ? { url: form.url, key } : { rejected: 'length' };
}

function admitVerdict(admission: Admission, verdict: Verdict): Admission {
  if (verdict.accepted) return admission;
  return {
    rejected: 'filter',
    ...(verdict.plugin === null ? {} : { plugin: verdict.plugin }),
    ...(verdict.rule === null ? {} : { rule: verdict.rule }),
  };
}
