import type { Pool } from 'pg';
import type { ConfStore } from '../../conf/conf.store.js';
import { MalformedUrlError, hostKeyOf, reverseUrl } from '../../core/url/row-key.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import type { PageRow } from '../../core/page/page-row.js';
import { pageByKey } from '../../webpage/page-columns.sql.js';
import { confIdUnknown, shown } from '../problem.js';
import { queryRefused } from '../refused-fields.js';

/** Longest URL that is normalized: no page has one that is nearly as long. */
const MAX_NORMALIZED_LENGTH = 65_536;

/** A URL as given, and the configuration whose normalizers write it as the crawl does. */
export interface PageAsked {
  /** Name of the field, for error messages. */
  field: string;
  url: string;
  confId: string;
}

/**
 * The page of a URL, as given or as normalized with the configuration.
 * Throws CONFIG_ID_UNKNOWN, and QUERY_INVALID for a text without a scheme.
 * @param crawl undefined for a crawl to which nothing was written: it has no pages
 */
export async function findPage(
  stores: { pool: Pool; confs: Pick<ConfStore, 'findWithRules'> },
  crawl: number | undefined,
  { field, url, confId }: PageAsked,
): Promise<PageRow | undefined> {
  const conf = await stores.confs.findWithRules(confId);
  if (conf === undefined) throw confIdUnknown(confId);
  const normal = url.length > MAX_NORMALIZED_LENGTH ? url : (makeUrlRules(conf).normalize(url, 'default') ?? url);
  // As given first: several pages of a crawl without normalizers may have the same normal form.
  const keys = [url, normal].map((spelling) => rowKeyGiven(field, spelling));
  if (crawl === undefined) return undefined;
  for (const key of new Set(keys)) {
    const page = await pageByKey(stores.pool, crawl, { host: hostKeyOf(key), key });
    if (page) return page;
  }
  return undefined;
}

/** The row key of a URL of a request, or of one that bounds a range (`boundOfUrl`). Throws QUERY_INVALID. */
export function rowKeyGiven(field: string, url: string, read = reverseUrl): string {
  try {
    return read(url);
  } catch (error) {
    if (error instanceof MalformedUrlError)
      throw queryRefused(field, `${field} must be a URL with a scheme; given: ${shown(url)}`);
    throw error;
  }
}
