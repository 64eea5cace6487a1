import { compileDomainDenyFilter } from '../../core/url/filter-domain.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'urlfilter.domaindenylist.rules';

/** `urlfilter-domaindenylist`: drops listed hosts, domains and suffixes (unset: none). */
export const domainDenyFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-domaindenylist',
  className: 'org.apache.nutch.urlfilter.domaindenylist.DomainDenylistURLFilter',
  description: 'Drops listed hosts, domains and suffixes.',
  makeFilter: oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compileDomainDenyFilter)),
};
