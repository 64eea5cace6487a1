/** The merge filter of a configuration for MERGESEGS: every active plugin of the point must keep a page. */
import type { Conf } from '../core/conf/properties.js';
import type { SegmentMergeFilter } from '../core/page/merged-page.js';
import { activePlugins, pluginsFor } from './registry.js';

export function makeMergeFilter(conf: Conf): SegmentMergeFilter {
  const { active } = activePlugins(conf);
  const filters = pluginsFor('makeSegmentMergeFilter')
    .filter(({ id }) => active.has(id))
    .map((plugin) => plugin.makeSegmentMergeFilter(conf));
  return (page) => filters.every((keeps) => keeps(page));
}
