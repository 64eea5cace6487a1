import type { PropertyName } from './properties.js';

/**
 * Properties that are known and checked, and that no step reads yet. The manual says so, and so does the answer to a
 * request that sets one, because a switch without a wire must not look like one that works. Wire it, then strike it here.
 */
export const unreadProperties: ReadonlySet<string> = new Set<PropertyName>([
  'db.score.count.filtered',
  'db.signature.text_profile.sec_sort_lex',
  'db.update.purge.orphans',
  'fetcher.queue.use.host.settings',
  'fetcher.redirect.dedupcache.seconds',
  'fetcher.redirect.dedupcache.size',
  'fetcher.signature',
  'fetcher.store.robotstxt',
  'http.useHttp2',
  'scoring.filter.order',
]);
