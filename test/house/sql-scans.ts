/**
 * Statements that may read a table that grows with the web without naming a host, and why. Each is known by a piece of its
 * text, blanks as one. On a cluster they run on all shards at once, each by the index named here.
 */

export interface Scan {
  /** A piece of the statement. */
  readonly like: RegExp;
  readonly why: string;
}

export const SCANS: readonly Scan[] = [
  { like: /generate_mark (= |> |is not null)/, why: 'the pages of a batch, by webpage_batch' },
  { like: /update_mark (= |is not null)/, why: 'the pages that UPDATEDB closed, by webpage_updated' },
  { like: /num_nonnulls\(w?\.?parse_mark, w\.update_mark\) > 0/, why: 'INVERTLINKS -all: a walk over the table' },
  { like: /rank is (not )?null/, why: 'selectable and waiting pages, by webpage_selectable and webpage_waiting' },
  {
    like: /num_nulls\(rank\) = 0 .*order by host, key/,
    why: 'GENERATE without scores: a walk over the table, as far as it needs',
  },
  {
    like: /select distinct crawl from search_segment/,
    why: 'a search that names no crawl: those that have an index, by their rows',
  },
  {
    like: /delete from search_\w+ as t using \(select \$1::int as crawl/,
    why: 'DROPCRAWL: the crawl as a column of the rows that go, one for all of them',
  },
  { like: /hashtext\(signature\)/, why: 'equal contents, wherever they are, by webpage_signature' },
  { like: /status = 3 and num_nulls\(w\.generate_mark\) = 1/, why: 'gone pages, by webpage_gone' },
  { like: /and w\.parse_major is not null order by/, why: 'INDEX -reindex: a walk over the table' },
  { like: /status = 8/, why: 'orphans, by webpage_orphan' },
  { like: /last_inlink (is not null|<)/, why: 'pages not linked to for long, by webpage_linked' },
  { like: /from document_due where crawl = \$1 limit/, why: 'whether pages wait for INDEX, or how many' },
  { like: /from signature_due where crawl = \$1 order by host, signature/, why: 'the work list of DEDUP, in order' },
  { like: /from sitemap where crawl = \$1 and wanted_by/, why: 'the work list of SITEMAP, by sitemap_wanted' },
  { like: /(delete from|update) sitemap .*(wanted_by|found_in)/, why: 'SITEMAP puts on its list what the crawl knows' },
  { like: /array\[sum\(n_unfetched\)/, why: 'status counts: sums over hosts, no pages' },
  {
    like: /from host where drain or blocked_until is not null/,
    why: 'metrics: hosts that are held back, by host_held',
  },
  {
    like: /from host where crawl = \$1 and fetch_delay_ms is not null limit/,
    why: 'whether a delay is stored, by host_fetch_delay',
  },
  { like: /delete from robots r using/, why: 'housekeeping: files that no crawl has requested for long, each hour' },
  { like: /from robots group by 1/, why: 'metrics: what became of robots.txt files' },
  { like: /from webpage where crawl = \$1 and score >= \$1/, why: 'GET /db/topN looks at all pages' },
  { like: /(crawl|id) in \(select c\.id from crawl c where not exists/, why: 'check: all rows of crawls that rest' },
  { like: /sum\(cash \+ coalesce\(spend, 0\)/, why: 'OPIC of the textbook looks at all pages' },
  { like: /group by retries_since_fetch order by/, why: 'the snapshot of GET /db/stats looks at all pages' },
  { like: /percentile_disc\(/, why: 'quantiles of the score, when somebody asks for them, look at all pages' },
  {
    like: /exists \(select 1 from webpage where crawl = \$1\)/,
    why: 'whether a crawl has a page at all: the first one, by webpage_pkey',
  },
  { like: /from page_content where crawl = \$1 and true/, why: 'a first few pages for the inspector' },
  {
    like: /from page_content where crawl = \$1 and truncated is not null/,
    why: 'statistics count contents that were cut, by page_content_cut',
  },
  {
    like: /int8send\(hashtextextended\(/,
    why: 'the link graph: a walk over all pages, by webpage_pkey and page_content_pkey',
  },
  { like: /delete from webgraph_node/, why: 'nodes whose pages have gone: a range of keys, by webgraph_node_pkey' },
  { like: /webgraph_node n on n\.crawl = page\.crawl/, why: 'SCOREUPDATE: a walk over all pages, by webpage_pkey' },
  { like: /link_rank is not null\) as ranked/, why: 'SCOREUPDATE: whether any page has a rank, the first that has' },
  { like: /delete from \w+ where crawl = \$1$/, why: 'a crawl is forgotten whole' },
];

export const scanOf = (text: string): Scan | undefined => {
  const plain = text
    .replace(/--[^\n]*/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return SCANS.find(({ like }) => like.test(plain));
};
