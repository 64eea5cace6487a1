import { compileDomainFilter } from '../../core/url/filter-domain.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'urlfilter.domain.rules';

/** `urlfilter-domain`: keeps listed hosts, domains and suffixes (`urlfilter.domain.rules`; unset: all are kept). */
export const domainFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-domain',
  className: 'org.apache.nutch.urlfilter.domain.DomainURLFilter',
  description: 'Keeps listed hosts, domains and suffixes.',
  makeFilter: oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compileDomainFilter)),
};
