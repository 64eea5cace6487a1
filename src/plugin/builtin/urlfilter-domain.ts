import { compileDomainFilter } from '../../core/url/filter-domain.js';
import { withRules, type FilterPlugin } from '../extension-points.js';

const property = 'urlfilter.domain.rules';

/** `urlfilter-domain`: keeps listed hosts, domains and suffixes (`urlfilter.domain.rules`; unset: all are kept). */
export const domainFilter: FilterPlugin = {
  id: 'urlfilter-domain',
  className: 'org.apache.nutch.urlfilter.domain.DomainURLFilter',
  makeFilter: (conf) => withRules(property, conf[property], compileDomainFilter),
};
