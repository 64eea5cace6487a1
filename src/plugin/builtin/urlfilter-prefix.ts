import { compilePrefixFilter } from '../../core/url/filter-prefix.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'urlfilter.prefix.rules';

/** `urlfilter-prefix`: keeps URLs that start with a listed text (unset: http, https, ftp and file). */
export const prefixFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-prefix',
  className: 'org.apache.nutch.urlfilter.prefix.PrefixURLFilter',
  description: 'Keeps URLs that start with a listed text.',
  makeFilter: oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compilePrefixFilter)),
};
