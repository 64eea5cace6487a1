import { compileBlacklist } from '../../core/indexing/blacklist.js';
import type { FilterUrl } from '../../core/url/url-filter.js';
import { type PluginFor, withRules } from '../extension-points.js';

/** `urlfilter-blacklist`: URLs that INDEX deletes are not fetched either (`index.blacklist`). */
export const blacklistFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-blacklist',
  className: 'orbweaver.urlfilter.blacklist.BlacklistURLFilter',
  description: 'Drops URLs of the blacklist of INDEX.',
  makeFilter(conf): FilterUrl {
    const listed = withRules('index.blacklist', conf['index.blacklist'], compileBlacklist);
    return (url) => {
      const rule = listed(url);
      return { accepted: rule === null, rule };
    };
  },
};
