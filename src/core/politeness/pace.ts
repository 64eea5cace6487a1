/**
 * The pace of a fetch queue, and whence it comes.
 *
 * Three may have a say: the properties of the crawl, the settings of its hosts (by hand, or `fetcher.queue.use.host.settings`),
 * and robots.txt. A host's setting stands in for the property. Crawl-delay stands in for the property too, but of Crawl-delay
 * and setting the longer one wins, and a Crawl-delay makes the queue one thread wide: it means one request at a time.
 * Where a queue holds several hosts (byDomain, byIP) the longest setting of them is the queue's.
 */

/** Times in ms. */
export interface Pace {
  /** Fetches at once. */
  readonly threads: number;
  /** Rest after a fetch. */
  readonly delay: number;
  /** Rest where there are several threads. */
  readonly minDelay: number;
}

/** A host's own settings; null: as the properties say. */
export type PaceSettings = { readonly [name in keyof Pace]: Pace[name] | null };

/** Who set the delay: a property (`fetcher.server.delay`), the settings of the host, or robots.txt. */
export type PaceSource = 'property' | 'host' | 'robots';

export const NO_SETTINGS: PaceSettings = { threads: null, delay: null, minDelay: null };

/** @param crawlDelay what robots.txt asks for, ms, as it is borne (`fetcher.min.crawl.delay`); null: nothing */
export function paceOf(
  rules: Pace,
  settings: PaceSettings,
  crawlDelay: number | null,
): { pace: Pace; source: PaceSource } {
  const own = settings.delay;
  if (crawlDelay !== null) {
    const delay = Math.max(own ?? 0, crawlDelay);
    return {
      pace: { threads: 1, delay, minDelay: delay },
      source: own !== null && own >= crawlDelay ? 'host' : 'robots',
    };
  }
  const pace = {
    threads: settings.threads ?? rules.threads,
    delay: own ?? rules.delay,
    // A host that was given a delay, and no other one for several threads, means it whatever the number of threads.
    minDelay: settings.minDelay ?? own ?? rules.minDelay,
  };
  const isOwn = own !== null || (pace.threads > 1 && settings.minDelay !== null);
  return { pace, source: isOwn ? 'host' : 'property' };
}

/** The politest of each setting. */
export function politest(settings: Iterable<PaceSettings>): PaceSettings {
  let { threads, delay, minDelay } = NO_SETTINGS;
  for (const one of settings) {
    if (one.threads !== null) threads = Math.min(threads ?? Infinity, one.threads);
    if (one.delay !== null) delay = Math.max(delay ?? 0, one.delay);
    if (one.minDelay !== null) minDelay = Math.max(minDelay ?? 0, one.minDelay);
  }
  return { threads, delay, minDelay };
}
