/** From the entries of a sitemap to pages (Nutch 1.x `SitemapProcessor`). */
import type { AdmitOptions, UrlRules } from '../../core/url/url-rules.js';
import { SITEMAP_KEYS, changefreqSeconds } from '../../core/schedule/sitemap-hints.js';
import type { SitemapEntry } from '../../core/sitemap/sitemap-document.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import type { Conf } from '../../core/conf/properties.js';
import { mayLead } from '../../core/url/external-links.js';
import type { Count } from '../step.js';

/** A page as a sitemap describes it. */
export interface EntryRow {
  host: string;
  key: string;
  score: number;
  /** Seconds. */
  fetchInterval: number;
  modifiedTime: Date | null;
  /** The hints, under the keys that the schedule reads. */
  metadata: Record<string, string>;
}

export interface EntryReading {
  rules: UrlRules;
  switches: AdmitOptions;
  conf: Conf;
  /** The URL from which the entries count as links, for a crawl that keeps to its hosts (`db.ignore.external.links`). */
  from: string;
  /** The database's time, ms since the epoch: a page cannot have been modified later. */
  now: number;
  count: Count;
}

/** The score of an entry without priority, and of one with priority 0. */
const DEFAULT_PRIORITY = 0.5;
/** Years that can be written with four digits. */
const LAST_TIME = Date.UTC(9999, 11, 31);

/** The pages of some entries, each once: of two entries with the same URL the first one counts. */
export function entryRowsOf(entries: readonly SitemapEntry[], reading: EntryReading): EntryRow[] {
  const { rules, switches, conf, from, count } = reading;
  const rowsByKey = new Map<string, EntryRow>();
  for (const entry of entries) {
    const admitted = rules.admit(entry.loc, 'default', switches);
    if ('rejected' in admitted) {
      count('Sitemap', 'filtered_sitemap_entries');
      count('sitemap_rejected', admitted.rejected);
    } else if (!mayLead(from, admitted.url, { conf, rules })) count('Sitemap', 'external_sitemap_entries');
    else if (rowsByKey.has(admitted.key)) count('Sitemap', 'duplicate_sitemap_entries');
    else rowsByKey.set(admitted.key, rowOf(admitted.key, entry, reading));
  }
  return [...rowsByKey.values()];
}

function rowOf(key: string, entry: SitemapEntry, { conf, now }: EntryReading): EntryRow {
  const { lastmod, changefreq, priority } = entry;
  const time = lastmod !== null && lastmod >= 0 && lastmod <= LAST_TIME ? lastmod : null;
  return {
    host: hostKeyOf(key),
    key,
    score: priority || DEFAULT_PRIORITY,
    fetchInterval: intervalOf(changefreq, conf),
    modifiedTime: time !== null && time <= now ? new Date(time) : null,
    metadata: {
      ...(changefreq && { [SITEMAP_KEYS.changefreq]: changefreq }),
      ...(time !== null && { [SITEMAP_KEYS.lastmod]: new Date(time).toISOString() }),
      ...(priority !== null && { [SITEMAP_KEYS.priority]: String(priority) }),
    },
  };
}

/** Seconds of a change frequency, within the bounds of the schedule; of these the maximum prevails, as in the schedule. */
function intervalOf(changefreq: string | null, conf: Conf): number {
  const seconds = changefreqSeconds(changefreq);
  if (seconds === null) return conf['db.fetch.interval.default'];
  const shortest = Math.ceil(conf['db.fetch.schedule.adaptive.min_interval']);
  return Math.min(Math.max(shortest, seconds), conf['db.fetch.interval.max']);
}
