import { makeNewerThanStatistics } from './newer-than-statistics.js';

/** The plans are the same for a crawl that is newer than the statistics. */
makeNewerThanStatistics();
await import('./frontier.spec.js');
await import('./inspect.spec.js');
await import('./links.spec.js');
await import('./near.spec.js');
await import('./reading.spec.js');
await import('./sitemaps.spec.js');
await import('./trap-budget.spec.js');
await import('./visits.spec.js');
