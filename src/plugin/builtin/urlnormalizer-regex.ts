import { appliedRewrites, compileRewrites, normalizeRegex } from '../../core/url/normalize-regex.js';
import { textOf, withRules, type NormalizerPlugin } from '../extension-points.js';

/**
 * `urlnormalizer-regex`: expressions and substitutions (`urlnormalizer.regex.rules`; unset: those that Nutch ships).
 * `urlnormalizer.regex.rules.<scope>` replaces them in one scope, as Nutch's file of that scope does.
 */
export const regexNormalizer: NormalizerPlugin = {
  id: 'urlnormalizer-regex',
  className: 'org.apache.nutch.net.urlnormalizer.regex.RegexURLNormalizer',
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
