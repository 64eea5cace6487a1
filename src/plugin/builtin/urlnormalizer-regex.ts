import { appliedRewrites, compileRewrites, normalizeRegex } from '../../core/url/normalize-regex.js';
import { type PluginFor, textOf, withRules } from '../extension-points.js';

/**
 * `urlnormalizer-regex`: expressions and substitutions (`urlnormalizer.regex.rules`; unset: those that Nutch ships).
 * `urlnormalizer.regex.rules.<scope>` replaces them in one scope, as Nutch's file of that scope does.
 */
export const regexNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-regex',
  className: 'org.apache.nutch.net.urlnormalizer.regex.RegexURLNormalizer',
  description: 'Rewrites URLs by expressions and substitutions.',
  makeNormalizer: (conf, scope) => {
    const ofScope = `urlnormalizer.regex.rules.${scope}`;
    const property = textOf(conf, ofScope) === '' ? 'urlnormalizer.regex.rules' : ofScope;
    const rewrites = withRules(property, textOf(conf, property), compileRewrites);
    return {
      normalize: (url) => normalizeRegex(url, rewrites),
      appliedRules: (url) => appliedRewrites(url, rewrites),
    };
  },
};
