/**
 * The links of pages as INVERTLINKS stores them: by the URLs that the rules of scope `linkdb` give, of the linking page too.
 * Other jobs that remove inlinks find them by the same rules.
 */
import type { Conf } from '../core/conf/properties.js';
import { unreverseUrl } from '../core/url/row-key.js';
import type { Sql } from '../db/sql.js';
import { propertyText } from '../plugin/extension-points.js';
import { makeUrlRules } from '../plugin/url-rules.js';
import type { PageKey } from '../core/page/page-row.js';
import { judgeLinks } from './filter-links.js';
import type { StoredLinks } from './former-links.sql.js';

export type InvertedLinks = (tx: Sql, crawl: number, pages: readonly PageKey[]) => Promise<StoredLinks>;

/** Undefined if the scope has no rules of its own: then pages and links have those URLs. */
export function makeInvertedLinks(conf: Conf): InvertedLinks | undefined {
  const properties = ['urlnormalizer.scope.linkdb', 'urlnormalizer.regex.rules.linkdb'];
  if (properties.every((property) => propertyText(conf, property) === '')) return undefined;
  const rules = makeUrlRules(conf);
  const options = { scope: 'linkdb', normalize: true, filter: false };
  return async (tx, crawl, pages) => ({
    pages: pages.flatMap(({ host, key }) => {
      const admitted = rules.admit(unreverseUrl(key), options.scope, options);
      return 'rejected' in admitted ? [] : [{ host, key, source: admitted.key }];
    }),
    rewrites: await judgeLinks(tx, { crawl, sources: pages }, rules, options),
  });
}
