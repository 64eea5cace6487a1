/**
 * Builds documents from pages by a configuration: runs the indexing filters in the order of `indexingfilter.order`, then
 * the boosts of scoring filters in that of `scoring.filter.order`. A boost that is not a finite number is ignored.
 */
import type { Conf } from '../core/conf/properties.js';
import type { IndexDocument } from '../core/indexing/index-document.js';
import type { IndexPage } from '../core/indexing/index-page.js';
import { newDocument } from '../core/indexing/indexing-filter.js';
import { finite } from '../core/score/scoring-filter.js';
import { type ListedPlugin, activePlugins, inOrder, isBuiltIn, listedPlugins, pluginsFor } from './registry.js';

/** The document of a page; null where a filter drops it. */
export type MakeDocument = (page: IndexPage) => IndexDocument | null;

/** @throws RulesRefused naming the property, the rule, the position and the reason. */
export function makeIndexing(conf: Conf): MakeDocument {
  const { active } = activePlugins(conf);
  const filters = inOrder(pluginsFor('makeIndexingFilter'), active, conf['indexingfilter.order']).map((plugin) =>
    plugin.makeIndexingFilter(conf),
  );
  const boosts = inOrder(pluginsFor('makeIndexBoost'), active, conf['scoring.filter.order']).map((plugin) =>
    plugin.makeIndexBoost(conf),
  );
  return (page) => {
    let document: IndexDocument | null = newDocument(page);
    for (const filter of filters) {
      document = filter(document, page);
      if (document === null) return null;
    }
    for (const boost of boosts) document.boost = finite(boost(document, page, document.boost), document.boost);
    return document;
  };
}

/** Which inlinks are in documents: all, or those with a text that no other inlink of the same host has. */
export type LinksInDocuments = 'all' | 'anchors';

/** Undefined: no active filter adds inlinks to documents. Of external plugins that is not known. */
export function linksInDocuments(conf: Conf): LinksInDocuments | undefined {
  const { active } = activePlugins(conf);
  if (active.has('index-links')) return 'all';
  return active.has('index-anchor') ? 'anchors' : undefined;
}

/** Whether a filter, or a boost, may read the links of pages: one from outside gets whole pages. */
export function readsOutlinks(conf: Conf): boolean {
  const { active } = activePlugins(conf);
  return listedPlugins().some((listed) => active.has(listed.plugin.id) && mayReadOutlinks(listed));
}

function mayReadOutlinks(listed: ListedPlugin): boolean {
  const { readsOutlinks: reads = false, makeIndexingFilter, makeIndexBoost } = listed.plugin;
  return reads || (!isBuiltIn(listed) && (makeIndexingFilter !== undefined || makeIndexBoost !== undefined));
}
