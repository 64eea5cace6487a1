import { compileBlacklist } from '../../core/indexing/blacklist.js';
import type { FilterUrl, FilterVerdict } from '../../core/url/url-filter.js';
import { type PluginFor, withRules } from '../extension-points.js';

const accepted: FilterVerdict = { accepted: true, rule: null };

/** `urlfilter-blacklist`: URLs that INDEX deletes are not fetched either (`index.blacklist`). */
export const blacklistFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-blacklist',
  className: 'orbweaver.urlfilter.blacklist.BlacklistURLFilter',
  description: 'Drops URLs of the blacklist of INDEX.',
  makeFilter(conf): FilterUrl {
    if (conf['index.blacklist'] === '') return () => accepted;
    const listed = withRules('index.blacklist', conf['index.blacklist'], compileBlacklist);
    return (url) => {
      const rule = listed(url);
      return rule === null ? accepted : { accepted: false, rule };
    };
  },
};
