/**
 * The pace of a fetch queue, and its source. fetch-queues.ts keeps the delays.
 *
 * There are three sources: the properties of the crawl, the settings of its hosts (set by hand, or by
 * `fetcher.queue.use.host.settings`), and robots.txt. A host's setting overrides the property. Crawl-delay overrides the
 * property too; of Crawl-delay and setting the longer one applies. A Crawl-delay also limits the queue to one thread, as
 * it means one request at a time. A queue of several hosts (byDomain, byIP) uses their strictest settings.
 */
import { DAY_S } from '../day.js';

/** Bounds of what can be set for one host. */
export const MAX_DELAY_S = DAY_S;
export const MAX_DELAY_MS = MAX_DELAY_S * 1000;
export const MAX_THREADS_PER_QUEUE = 100;

export interface Pace {
  /** Concurrent fetches. */
  readonly threads: number;
  /** Delay after a fetch. */
  readonly delayMs: number;
  /** Delay where there are several threads. */
  readonly minDelayMs: number;
}

/** The settings of a host; null: the property applies. */
export type PaceSettings = { readonly [name in keyof Pace]: Pace[name] | null };

/** Who set the delay: a property (`fetcher.server.delay`), the settings of the host, or robots.txt. */
export type PaceSource = 'property' | 'host' | 'robots';

export const NO_SETTINGS: PaceSettings = { threads: null, delayMs: null, minDelayMs: null };

/** @param crawlDelay the Crawl-delay of robots.txt, ms, within bounds (`fetcher.min.crawl.delay`); null: none */
export function paceOf(
  rules: Pace,
  settings: PaceSettings,
  crawlDelay: number | null,
): { pace: Pace; source: PaceSource } {
  const hostDelayMs = settings.delayMs;
  if (crawlDelay !== null) {
    const delayMs = Math.max(hostDelayMs ?? 0, crawlDelay);
    return {
      pace: { threads: 1, delayMs, minDelayMs: delayMs },
      source: hostDelayMs !== null && hostDelayMs >= crawlDelay ? 'host' : 'robots',
    };
  }
  const pace = {
    threads: settings.threads ?? rules.threads,
    delayMs: hostDelayMs ?? rules.delayMs,
    // A host's delay applies to any number of threads, unless the host has a setting for several.
    minDelayMs: settings.minDelayMs ?? hostDelayMs ?? rules.minDelayMs,
  };
  const isOwn = hostDelayMs !== null || (pace.threads > 1 && settings.minDelayMs !== null);
  return { pace, source: isOwn ? 'host' : 'property' };
}

/** The strictest value of each setting. */
export function politest(settings: Iterable<PaceSettings>): PaceSettings {
  let { threads, delayMs, minDelayMs } = NO_SETTINGS;
  for (const hostSettings of settings) {
    if (hostSettings.threads !== null) threads = Math.min(threads ?? Infinity, hostSettings.threads);
    if (hostSettings.delayMs !== null) delayMs = Math.max(delayMs ?? 0, hostSettings.delayMs);
    if (hostSettings.minDelayMs !== null) minDelayMs = Math.max(minDelayMs ?? 0, hostSettings.minDelayMs);
  }
  return { threads, delayMs, minDelayMs };
}
