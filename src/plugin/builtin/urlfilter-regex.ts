import { compileRegexFilter } from '../../core/url/filter-regex.js';
import { withRules, type FilterPlugin } from '../extension-points.js';

const property = 'urlfilter.regex.rules';

/** `urlfilter-regex`: the first rule that is found decides (`urlfilter.regex.rules`; unset: those that Nutch ships). */
export const regexFilter: FilterPlugin = {
  id: 'urlfilter-regex',
  className: 'org.apache.nutch.urlfilter.regex.RegexURLFilter',
  makeFilter: (conf) => withRules(property, conf[property], compileRegexFilter),
};
