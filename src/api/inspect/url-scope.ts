/**
 * What `scope` of an inspection means. Nutch's normalizers have scopes (`inject`, `outlink` …): rules of their own for
 * each place where a URL enters. A crawl has a scope too (`host`, `domain`, `any`): how far its links lead. Both are
 * taken here, as the names never meet.
 */
import { type Conf, propertyOf } from '../../conf/properties.js';
import { type CrawlScope, crawlScopes, propertiesOf } from '../../cycle/crawl/crawl.args.js';

/** Scopes of normalizers that Nutch names. */
export const normalizerScopes = [
  'default',
  'inject',
  'outlink',
  'fetcher',
  'crawldb',
  'generate_host_count',
  'partition',
  'linkdb',
  'indexer',
  'exempted',
] as const;

export const urlScopes: readonly string[] = [...normalizerScopes, ...crawlScopes];

/** The normalizer scope that is asked about, and the configuration with the scope of a crawl laid over it. */
export function readScope(scope: string, conf: Conf): { scope: string; conf: Conf } {
  if (!isCrawlScope(scope)) return { scope, conf };
  const merged = Object.entries(propertiesOf({ scope })).map(([name, text]) => [name, propertyOf(name)?.read(text)]);
  return { scope: 'default', conf: { ...conf, ...(Object.fromEntries(merged) as Partial<Conf>) } };
}

const isCrawlScope = (scope: string): scope is CrawlScope => (crawlScopes as readonly string[]).includes(scope);
