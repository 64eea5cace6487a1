import { compileRegexFilter } from '../../core/url/filter-regex.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'urlfilter.regex.rules';

/** `urlfilter-regex`: the first rule that is found decides (`urlfilter.regex.rules`; unset: those that Nutch ships). */
export const regexFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-regex',
  className: 'org.apache.nutch.urlfilter.regex.RegexURLFilter',
  description: 'The first expression that is found in the URL decides.',
  makeFilter: oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compileRegexFilter)),
};
