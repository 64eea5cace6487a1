/**
 * The URL rules of a configuration: normalizers, then filters, then what every stored URL must be.
 *
 * Every URL that enters the crawl passes here: seeds, outlinks, redirect targets. Normalizers run in the order of
 * `urlnormalizer.order`, or of `urlnormalizer.scope.<scope>` where that is set, up to `urlnormalizer.loop.count` times
 * until nothing changes. Then all filters must accept (`urlfilter.order` says who is asked first; a rejection names
 * the plugin and its rule). `admit` adds what holds whatever the configuration: http or https, a host that a browser
 * reads the same way, a row key within bounds. Pure and without memory: who asks often keeps the answers.
 */
import type { Conf } from '../conf/properties.js';
import type { FilterUrl } from '../core/url/filter-regex.js';
import type { Rule } from '../core/url/linear-regex.js';
import { fitsRowKey, reverseUrl } from '../core/url/row-key.js';
import { webUrl } from '../core/url/web-url.js';
import { builtinPlugins } from './builtins.js';
import type { ExemptLink, Normalizer } from './extension-points.js';
import { knownScopes, makeChain, normalizeWith, type Named } from './normalizer-chain.js';
import { activePlugins, inOrder, pluginsFor } from './registry.js';

/** What the filters say of a URL; plugin and rule are those that rejected it, or null. */
export interface Verdict {
  readonly accepted: boolean;
  readonly plugin: string | null;
  readonly rule: Rule | null;
}

export type Rejection = 'malformed' | 'scheme' | 'length' | 'filter';

/** A URL that may be stored, with its row key; or why not. */
export type Admission =
  | { readonly url: string; readonly key: string }
  | { readonly rejected: Rejection; readonly plugin?: string; readonly rule?: Rule };

/** Which of the two `admit` runs; jobs may switch either off (`noNormalize`, `noFilter`). */
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
   * Whether a link may leave its host or domain though `db.ignore.external.links` is set, and by which rule: all
   * exemptions must say so (as in Nutch), and without any none may.
   */
  exempt(from: string, to: string): Verdict;
  /** Normalizes and filters as asked, and checks what every stored URL must be. */
  admit(url: string, scope: string, options: AdmitOptions): Admission;
  normalizersOf(scope: string): readonly Named<Normalizer>[];
  readonly filters: readonly Named<FilterUrl>[];
  /** How often the normalizers may run. */
  readonly loopCount: number;
}

const accepted: Verdict = { accepted: true, plugin: null, rule: null };

/**
 * Makes the rules of a configuration. What is asked for first is compiled first: who only normalizes does not wait for
 * the rules of filters. All of it throws UrlRulesError for rules that cannot be used, which `checkUrlRules` finds out
 * where a configuration is given.
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
      const admission = admitForm(normal);
      if (!options.filter || 'rejected' in admission) return admission;
      const asked = askedAbout(normal, admission.url);
      return admitVerdict(admission, asked.map(filter).find((verdict) => !verdict.accepted) ?? accepted);
    },
    normalizersOf,
    get filters() {
      return filters();
    },
    loopCount,
  };
}

/**
 * The URLs that filters must accept for `stored` to be stored: what the normalizers gave, as in Nutch, and what is stored,
 * where that is more than another letter case of scheme and host. A rule must not be passed by what is cut off behind it:
 * the dot that closes a host or, without urlnormalizer-basic, a user name or a fragment.
 */
export function askedAbout(normal: string, stored: string): readonly string[] {
  const isSame = normal.length === stored.length && normal.toLowerCase() === stored.toLowerCase();
  return isSame ? [normal] : [normal, stored];
}

const malformed: Admission = { rejected: 'malformed' };

/**
 * Refuses what cannot be used: the rules of the plugins that are on, and those of the built-in ones that are off, for
 * who gives rules wants to know now.
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
    const answer = run(url);
    if (!answer.accepted) return { accepted: false, plugin: id, rule: answer.rule };
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

function admitForm(given: string): Admission {
  const form = webUrl(given);
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
