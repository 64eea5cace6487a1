/** Requests of POST /job/create for one round of a crawl; each runs as it is, in this order. */
export const jobRequestExamples = {
  inject: {
    summary: 'INJECT: seeds become pages',
    value: { type: 'INJECT', crawlId: 'k3', confId: 'default', args: { seed: 'http://example.org/\tnutch.score=2' } },
  },
  generate: {
    summary: 'GENERATE: the best due pages become a batch',
    value: { type: 'GENERATE', crawlId: 'k3', confId: 'default', args: { batch: 'b1', topN: 50 } },
  },
  fetch: {
    summary: 'FETCH: every open batch is fetched (http.agent.name must be set)',
    value: { type: 'FETCH', crawlId: 'k3', confId: 'default', args: { batch: 'b1', threads: 5 } },
  },
  parse: {
    summary: 'PARSE: text and links of every open batch',
    value: { type: 'PARSE', crawlId: 'k3', confId: 'default', args: {} },
  },
  updatedb: {
    summary: 'UPDATEDB: links become pages, fetched pages get their next fetch time',
    value: { type: 'UPDATEDB', crawlId: 'k3', confId: 'default', args: {} },
  },
};
