/**
 * The meaning of `scope` in an inspection. Nutch's normalizers have scopes (`inject`, `outlink` …): separate rules for each
 * place where a URL enters. A crawl has a scope, too (`host`, `domain`, `any`): which links it follows. Both are accepted
 * here, as their names differ.
 */
import { type Conf, propertyOf } from '../../core/conf/properties.js';
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

/** The normalizer scope to inspect, and the configuration with the properties of a crawl scope applied. */
export function readScope(scope: string, conf: Conf): { scope: string; conf: Conf } {
  if (!isCrawlScope(scope)) return { scope, conf };
  const merged = Object.entries(propertiesOf({ scope })).map(([name, text]) => [name, propertyOf(name)?.read(text)]);
  return { scope: 'default', conf: { ...conf, ...(Object.fromEntries(merged) as Partial<Conf>) } };
}

const isCrawlScope = (scope: string): scope is CrawlScope => (crawlScopes as readonly string[]).includes(scope);
