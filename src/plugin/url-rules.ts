/**
 * Makes the URL rules of a configuration (core/url/url-rules.ts) from its plugins.
 *
 * They apply to every URL that enters the crawl: seeds, outlinks, redirect targets. Normalizers run in the order of
 * `urlnormalizer.order`, or of `urlnormalizer.scope.<scope>` where that is set; filters in the order of `urlfilter.order`.
 * Results are not cached here; that is up to the caller.
 */
import type { Conf } from '../core/conf/properties.js';
import type { FilterUrl } from '../core/url/url-filter.js';
import {
  type Admission,
  type Normalizer,
  type UrlRules,
  accepted,
  storedForm,
  afterFilters,
  exemptWith,
  filterWith,
  filteredForms,
  normalizeWith,
} from '../core/url/url-rules.js';
import { builtinPlugins } from './builtins.js';
import { knownScopes, makeChain } from './url-normalizers.js';
import { otherSchemes } from './protocols.js';
import { activePlugins, inOrder, pluginsFor } from './registry.js';
import type { PluginImplementation } from '../core/plugin-implementation.js';

const malformed: Admission = { rejected: 'malformed' };

/**
 * Makes the rules of a configuration. They are compiled on first use: a caller that only normalizes does not wait for the
 * rules of filters. All methods throw RulesRefused for invalid rules; `checkUrlRules` finds them when a configuration is
 * set.
 */
export function makeUrlRules(conf: Conf): UrlRules {
  const { active } = activePlugins(conf);
  let cachedFilters: readonly PluginImplementation<FilterUrl>[] | undefined;
  const filters = () => (cachedFilters ??= makeFilters(conf, active));
  const chains = new Map<string, readonly PluginImplementation<Normalizer>[]>();
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
      const admission = storedForm(normal, schemes);
      if (!options.filter || 'rejected' in admission) return admission;
      const forms = filteredForms(normal, admission.url);
      return afterFilters(admission, forms.map(filter).find((verdict) => !verdict.accepted) ?? accepted);
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
 * Rejects invalid rules: those of active plugins, and those of inactive built-in ones, so that errors are reported when the
 * rules are set.
 * @throws RulesRefused naming the property, the rule, the position and the reason.
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

function makeFilters(conf: Conf, active: ReadonlySet<string>): readonly PluginImplementation<FilterUrl>[] {
  const ordered = inOrder(pluginsFor('makeFilter'), active, conf['urlfilter.order']);
  return ordered.map((plugin) => ({ id: plugin.id, run: plugin.makeFilter(conf) }));
}
