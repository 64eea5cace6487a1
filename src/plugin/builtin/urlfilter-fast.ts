import { compileFastFilter } from '../../core/url/filter-fast.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'urlfilter.fast.rules';

/** `urlfilter-fast`: rules by host and domain, and limits of length (unset: nothing is dropped). */
export const fastFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-fast',
  className: 'org.apache.nutch.urlfilter.fast.FastURLFilter',
  description: 'Drops URLs by rules for their host or domain, and by length.',
  makeFilter: oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], (rules) => compileFastFilter(rules, conf))),
};
