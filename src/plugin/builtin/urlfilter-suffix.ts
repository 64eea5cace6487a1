import { compileSuffixFilter } from '../../core/url/filter-suffix.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'urlfilter.suffix.rules';

/** `urlfilter-suffix`: URLs by the way they end (`urlfilter.suffix.rules`; unset: files that hold no page are dropped). */
export const suffixFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-suffix',
  className: 'org.apache.nutch.urlfilter.suffix.SuffixURLFilter',
  description: 'Keeps or drops URLs by the way they end.',
  makeFilter: oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compileSuffixFilter)),
};
