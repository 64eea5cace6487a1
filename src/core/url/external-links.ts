/**
 * Whether a page may lead out of its host or domain: links in sitemaps, and redirects (PARSE applies it to links of pages
 * itself).
 */
import type { UrlRules } from './url-rules.js';
import type { Conf } from '../conf/properties.js';
import { linkScope } from '../page/link-scope.js';

/** Whether one URL may lead to another by `db.ignore.external.links`, its mode and the exemptions from it. */
export function mayLead(from: string, to: string, { conf, rules }: { conf: Conf; rules: UrlRules }): boolean {
  if (!conf['db.ignore.external.links']) return true;
  const mode = conf['db.ignore.external.links.mode'];
  const isInternal = linkScope(new URL(from).hostname, mode) === linkScope(new URL(to).hostname, mode);
  return isInternal || rules.exempt(from, to).accepted;
}
