import { compileSuffixFilter } from '../../core/url/filter-suffix.js';
import { withRules, type FilterPlugin } from '../extension-points.js';

const property = 'urlfilter.suffix.rules';

/** `urlfilter-suffix`: URLs by the way they end (`urlfilter.suffix.rules`; unset: files that hold no page are dropped). */
export const suffixFilter: FilterPlugin = {
  id: 'urlfilter-suffix',
  className: 'org.apache.nutch.urlfilter.suffix.SuffixURLFilter',
  makeFilter: (conf) => withRules(property, conf[property], compileSuffixFilter),
};
