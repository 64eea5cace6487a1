import { makeNewerThanStatistics } from './newer-than-statistics.js';

/** The statements of a crawl are planned alike when the statistics have not heard of it yet. */
makeNewerThanStatistics();
await import('./hot-statements.spec.js');
await import('./inspect.spec.js');
await import('./links.spec.js');
await import('./near.spec.js');
await import('./reading.spec.js');
await import('./sitemaps.spec.js');
await import('./trap-budget.spec.js');
