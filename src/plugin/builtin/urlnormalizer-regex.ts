import { appliedRewrites, compileRewrites, normalizeRegex, type Rewrite } from '../../core/url/normalize-regex.js';
import { type PluginFor, propertyText, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

/** Compiled rules of a configuration by their text, as most scopes have the same. */
const compiled = oncePerConf(() => new Map<string, readonly Rewrite[]>());

/**
 * `urlnormalizer-regex`: expressions and substitutions (`urlnormalizer.regex.rules`; unset: those that Nutch ships).
 * `urlnormalizer.regex.rules.<scope>` replaces them in one scope, like Nutch's file of that scope.
 */
export const regexNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-regex',
  className: 'org.apache.nutch.net.urlnormalizer.regex.RegexURLNormalizer',
  description: 'Rewrites URLs by expressions and substitutions.',
  makeNormalizer: (conf, scope) => {
    const ofScope = `urlnormalizer.regex.rules.${scope}`;
    const property = propertyText(conf, ofScope) === '' ? 'urlnormalizer.regex.rules' : ofScope;
    const text = propertyText(conf, property);
    const rewrites = compiled(conf).get(text) ?? withRules(property, text, compileRewrites);
    compiled(conf).set(text, rewrites);
    return {
      normalize: (url) => normalizeRegex(url, rewrites),
      appliedRules: (url) => appliedRewrites(url, rewrites),
    };
  },
};
