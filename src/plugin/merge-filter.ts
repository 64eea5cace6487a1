/** What MERGESEGS asks of a page by a configuration: every active plugin of the point must keep it. */
import type { Conf } from '../conf/properties.js';
import type { SegmentMergeFilter } from '../core/page/merged-page.js';
import { activePlugins, pluginsFor } from './registry.js';

export function makeMergeFilter(conf: Conf): SegmentMergeFilter {
  const { active } = activePlugins(conf);
  const filters = pluginsFor('makeSegmentMergeFilter')
    .filter(({ id }) => active.has(id))
    .map((plugin) => plugin.makeSegmentMergeFilter(conf));
  return (page) => filters.every((keeps) => keeps(page));
}
