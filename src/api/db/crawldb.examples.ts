/** Requests of POST /db/crawldb; each runs as it is. */
export const crawlDbExamples = {
  stats: {
    summary: 'Statistics, with counts by host',
    value: { type: 'stats', crawlId: 'k1', confId: 'default', args: { sort: 'true' } },
  },
  url: {
    summary: 'One page',
    value: { type: 'url', crawlId: 'k1', confId: 'default', args: { url: 'http://example.org/' } },
  },
  topN: {
    summary: 'The ten best-scored pages',
    value: { type: 'topN', crawlId: 'k1', confId: 'default', args: { nnn: '10' } },
  },
  dump: {
    summary: 'All fetched pages as CSV',
    value: { type: 'dump', crawlId: 'k1', confId: 'default', args: { format: 'csv', status: 'db_fetched' } },
  },
};
