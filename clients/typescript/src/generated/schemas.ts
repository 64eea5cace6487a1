/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
/** What the API takes and answers. */

/** The type of the job. */
export type JobType =
  | 'INJECT'
  | 'GENERATE'
  | 'FETCH'
  | 'PARSE'
  | 'UPDATEDB'
  | 'INVERTLINKS'
  | 'DEDUP'
  | 'INDEX'
  | 'CLEAN'
  | 'MERGESEGS'
  | 'SITEMAP'
  | 'HOSTDB'
  | 'WEBGRAPH'
  | 'LINKRANK'
  | 'SCOREUPDATE'
  | 'PAGERANK'
  | 'HITS'
  | 'READDB'
  | 'CRAWL'
  | 'DROPCRAWL';

/** Its state. */
export type JobState = 'IDLE' | 'RUNNING' | 'STOPPING' | 'KILLING' | 'FINISHED' | 'FAILED' | 'KILLED';

/** What went wrong: for a failed job, its `result.failure`. */
export type JobCureCode =
  | 'AGENT_NAME_MISSING'
  | 'PROTOCOL_MISSING'
  | 'NO_BATCH'
  | 'BATCH_UNKNOWN'
  | 'BATCH_OPEN'
  | 'CRAWL_UNKNOWN'
  | 'SEEDS_MISSING'
  | 'LIST_GONE'
  | 'LIST_CHANGED'
  | 'ARGS_INVALID'
  | 'GRAPH_TOO_LARGE'
  | 'INDEX_WRITER'
  | 'GIVEN_UP'
  | 'STEP_ABORTED'
  | 'UNEXPECTED'
  | 'ABORTED'
  | 'SEEDS_REFUSED'
  | 'ROBOTS_DENIED'
  | 'HOSTS_LEFT_ALONE'
  | 'NOTHING_FETCHED'
  | 'NOTHING_DUE';

export interface JobCure {
  /** What went wrong: for a failed job, its `result.failure`. */
  code: JobCureCode;

  /** What to do. */
  message: string;

  /** The property of its configuration to set; null if there is none. */
  property: string | null;

  /** Whether running the same job again may then succeed: `POST /v1/jobs/{id}/run-again`. */
  again: boolean;
}

export type JobInfo =
  | InjectJobInfo
  | GenerateJobInfo
  | FetchJobInfo
  | ParseJobInfo
  | UpdateDbJobInfo
  | InvertLinksJobInfo
  | DedupJobInfo
  | IndexJobInfo
  | CleanJobInfo
  | MergeSegsJobInfo
  | SitemapJobInfo
  | HostDbJobInfo
  | WebGraphJobInfo
  | LinkRankJobInfo
  | ScoreUpdateJobInfo
  | PageRankJobInfo
  | HitsJobInfo
  | ReadDbJobInfo
  | CrawlJobInfo
  | DropCrawlJobInfo;

export interface ServerStatus {
  /** When the server was started, ms since the epoch. */
  startDate: number;

  /** The ids of all configurations. */
  configuration: string[];

  /** The newest 100 jobs. */
  jobs: JobInfo[];

  /** Jobs that are running, or being stopped. */
  runningJobs: JobInfo[];

  /** The configuration that jobs use when they name none. */
  activeConfId: string;
}

/** The stable code of this kind of problem; branch on it. */
export type ProblemCode =
  | 'BATCH_UNKNOWN'
  | 'BODIES_TOO_MANY'
  | 'BODY_NOT_JSON'
  | 'BODY_REFUSED'
  | 'BODY_TOO_LARGE'
  | 'CONFIG_EMPTY'
  | 'CONFIG_EXISTS'
  | 'CONFIG_ID_UNKNOWN'
  | 'CONFIG_INVALID'
  | 'CONFIG_UNKNOWN'
  | 'CRAWL_BEING_DELETED'
  | 'CRAWL_BUSY'
  | 'CRAWL_NOT_NAMED'
  | 'CRAWL_UNKNOWN'
  | 'DATABASE_UNAVAILABLE'
  | 'DATA_LOCKED'
  | 'DEFAULT_CONFIG_KEPT'
  | 'DELIVERY_UNKNOWN'
  | 'EVENTS_UNKNOWN'
  | 'EXPECTATION_FAILED'
  | 'FETCH_IMPOSSIBLE'
  | 'FIELDS_INVALID'
  | 'FILE_NOT_FOUND'
  | 'FOREIGN_ORIGIN'
  | 'HEAD_TOO_LARGE'
  | 'HOST_NOT_ALLOWED'
  | 'HOST_UNKNOWN'
  | 'IDEMPOTENCY_KEY_INVALID'
  | 'IDEMPOTENCY_KEY_REUSED'
  | 'INSPECT_TOO_LONG'
  | 'INTERNAL_ERROR'
  | 'JOBS_TOO_FAST'
  | 'JOB_ARGS_INVALID'
  | 'JOB_ARGS_MISSING'
  | 'JOB_CONFIG_MISSING'
  | 'JOB_NOT_ENDED'
  | 'JOB_NOT_REPEATED'
  | 'JOB_SEED_UNKNOWN'
  | 'JOB_TYPE_UNKNOWN'
  | 'JOB_UNKNOWN'
  | 'LAST_EVENT_ID_INVALID'
  | 'MEDIA_TYPE_UNSUPPORTED'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_AUTHENTICATED'
  | 'NOT_READY'
  | 'PAGE_DAMAGED'
  | 'PAGE_UNKNOWN'
  | 'PAGE_WITHOUT_CONTENT'
  | 'PAGE_WITHOUT_TEXT'
  | 'PROPERTY_GUARDED'
  | 'PROPERTY_UNKNOWN'
  | 'QUERY_INVALID'
  | 'QUERY_TOO_LONG'
  | 'REQUEST_GIVEN_UP'
  | 'REQUEST_MALFORMED'
  | 'REQUEST_RUNNING'
  | 'REQUEST_TOO_LONG'
  | 'REQUEST_TOO_SLOW'
  | 'ROUTE_UNKNOWN'
  | 'RULE_FILE_EMPTY'
  | 'RULE_FILE_INVALID'
  | 'RULE_FILE_SECRET'
  | 'RULE_FILE_UNKNOWN'
  | 'SCOPE_MISSING'
  | 'SEEDS_MISSING'
  | 'SEEDS_REFUSED'
  | 'SEED_LIST_EMPTY'
  | 'SEED_LIST_INVALID'
  | 'SEED_LIST_UNKNOWN'
  | 'TOO_MANY_DELIVERIES'
  | 'TOO_MANY_EXPORTS'
  | 'TOO_MANY_HEAVY_REQUESTS'
  | 'TOO_MANY_JOBS'
  | 'TOO_MANY_QUERIES'
  | 'TOO_MANY_REQUESTS'
  | 'TOO_MANY_RULE_FILES'
  | 'TOO_MANY_SEARCHES'
  | 'TOO_MANY_STREAMS'
  | 'TOO_MANY_WEBHOOKS'
  | 'VALUE_MISSING'
  | 'WEBHOOK_OFF'
  | 'WEBHOOK_OF_ANOTHER'
  | 'WEBHOOK_UNKNOWN'
  | 'WEBHOOK_URL_REFUSED';

export interface FieldErrorDto {
  /** The field, with the names of the objects around it; empty for the body itself. */
  field: string;

  /** What was given, and what is allowed. */
  message: string;
}

export interface ProblemDto {
  /** URI of this kind of problem. */
  type: string;

  /** A summary of this kind of problem. */
  title: string;

  /** The HTTP status. */
  status: number;

  /** The stable code of this kind of problem; branch on it. */
  code: ProblemCode;

  /** What happened, what was given, and what is allowed. */
  detail: string;

  /** NutchServer 2.x: the name of the error. */
  exception: string;

  /** NutchServer 2.x: the same text as `detail`. */
  message: string;

  /** The fields that were not valid. */
  errors?: FieldErrorDto[];

  /** With a 4xx: what else was noticed about the request, as in the header `Orbweaver-Notice`: unknown fields. */
  notice?: string;

  /** With a 5xx: the id of the request, as in the header X-Request-Id and in the log of the server. */
  requestId?: string;
}

export interface NutchConfig {
  /** Id of the configuration. Blank: the server assigns a sequential number. */
  configId?: string;

  /** Replace an existing configuration with this id. */
  force?: boolean;

  /** Properties that override those of `default`: text or JSON values by name. docs/properties.md lists them all. */
  params?: Record<string, unknown>;
}

export interface SeedUrl {
  /** A number of the client; a string of digits is also accepted. */
  id?: number | null;

  /** One seed line: a URL, then key=value pairs separated by TABs (nutch.score, nutch.fetchInterval, metadata). */
  url: string;
}

export interface SeedListDto {
  /** The number that the client gave. */
  id: number | null;

  /** Name of the list. */
  name: string;

  /** The value for `url_dir` or `seedDir` of INJECT. */
  seedFilePath: string;

  /** Seeds of this list, from the requested position. */
  seedUrls: SeedUrl[];

  /** Number of seeds of the whole list. */
  total: number;
}

export interface SeedListInput {
  /** A number of the client; a string of digits is also accepted. */
  id?: number | null;

  /** Name of the list. Without one the server generates a name that begins with `seed-`. A list with the same name is replaced. */
  name?: string;

  /** The seeds. */
  seedUrls: SeedUrl[];

  /** Store the list without its bad lines: the header `Orbweaver-Notice` contains their number, and the first of them with the reason. A list of only bad lines is refused. */
  skipInvalid?: boolean;
}

export interface SeedListJobInput {
  /** A number of the client; a string of digits is also accepted. */
  id?: number | null;

  /** Name of the list. Without one the server generates a name that begins with `seed-`. A list with the same name is replaced. */
  name?: string;

  /** The seeds. */
  seedUrls: SeedUrl[];

  /** Store the list without its bad lines: the header `Orbweaver-Notice` contains their number, and the first of them with the reason. A list of only bad lines is refused. */
  skipInvalid?: boolean;

  /** The crawl to inject into. */
  crawlId?: string;

  /** Configuration of the job. */
  confId?: string;

  /** Further arguments of the INJECT job. */
  args?: Record<string, unknown>;
}

export type JobConfig =
  | InjectJobConfig
  | GenerateJobConfig
  | FetchJobConfig
  | ParseJobConfig
  | UpdateDbJobConfig
  | InvertLinksJobConfig
  | DedupJobConfig
  | IndexJobConfig
  | CleanJobConfig
  | MergeSegsJobConfig
  | SitemapJobConfig
  | HostDbJobConfig
  | WebGraphJobConfig
  | LinkRankJobConfig
  | ScoreUpdateJobConfig
  | PageRankJobConfig
  | HitsJobConfig
  | ReadDbJobConfig
  | CrawlJobConfig;

export interface JobWait {
  /** `parser`: a slow parser (a PDF, Markdown, a plugin). `job`: another job, which has a lock. `host`: a fetch queue whose delay has not passed, that is blocked, or whose lease another task has, while the task has no request running. `database`: an attempt that succeeds, after one has failed for more than a second. */
  for: 'parser' | 'job' | 'host' | 'database';

  /** What it waits for, as text. */
  what: string;

  /** The page being processed. */
  url: string | null;

  /** Number of waiting pages, including the one being processed; null if unknown. */
  pages: number | null;

  /** Since when the task waits, or processes that page. ISO 8601 UTC. */
  since: string;

  /** The job that waits: this one, or a child of it. */
  job: string;
}

export type JobProgress = JobInfo & {
  /** Counters so far: group, name, number. They change while the job runs. */
  counters: Record<string, Record<string, number>>;

  /** What its running tasks, and those of its children, have been waiting for, for more than a second; the longest first, at most 20. */
  waitsFor: JobWait[];

  /** For a CRAWL: its children, oldest first; if more than 1,000, the newest. */
  children?: JobInfo[];
};

export interface JobEventDto {
  /** Increases with time; pass the last one as `after` to continue. */
  id: string;

  /** When it happened. */
  time: string;

  /** The kind of the event. */
  kind: 'state' | 'task' | 'progress' | 'warning';

  /** The details. */
  data: Record<string, unknown>;
}

export interface DbQueryResult {
  /** Pages in the order of their row keys. If `text` or `content` of a page is damaged (it cannot be decompressed), the field is null, and `damaged` of the page names it. */
  values: Record<string, unknown>[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

export interface FetchNodeChild {
  /** Target of the link. */
  childUrl: string;

  /** Text of the link. */
  anchorText: string;
}

export interface FetchNodeDbInfo {
  /** The page. */
  url: string;

  /** Its status code. */
  status: number;

  /** Number of its links. */
  numOfOutlinks: number;

  /** Its links. */
  children: FetchNodeChild[];
}

export interface DbFilter {
  /** The crawl. */
  crawlId?: string;

  /** Pages that UPDATEDB updated with this batch; `-all`: with any batch. */
  batchId?: string;

  /** First key: a URL, or a row key when `isKeysReversed`. */
  startKey?: string;

  /** Last key, inclusive; used only with a start key. */
  endKey?: string;

  /** Keys are row keys, such as `test.site:http/`. */
  isKeysReversed?: boolean;

  /** `isKeysReversed` under the name that some JSON mappers use. */
  keysReversed?: boolean;

  /** Fields to return; unknown names are ignored. Missing or empty: all but `text`, `content` and `history` (the visits as in `GET /v1/pages/{url}`, newest first). */
  fields?: (
    | 'url'
    | 'key'
    | 'baseUrl'
    | 'status'
    | 'fetchTime'
    | 'prevFetchTime'
    | 'fetchInterval'
    | 'retriesSinceFetch'
    | 'modifiedTime'
    | 'prevModifiedTime'
    | 'protocolStatus'
    | 'parseStatus'
    | 'contentType'
    | 'signature'
    | 'prevSignature'
    | 'title'
    | 'score'
    | 'reprUrl'
    | 'batchId'
    | 'markers'
    | 'metadata'
    | 'headers'
    | 'outlinks'
    | 'inlinks'
    | 'history'
    | 'text'
    | 'content'
  )[];

  /** Maximum number of pages. */
  limit?: number;

  /** `cursor` of the previous answer: continues after its last page. */
  cursor?: string | null;
}

export interface DbQuery {
  /** Configuration whose normalizers are applied to `args.url`. */
  confId?: string;

  /** The type of the query, in any letter case. */
  type: 'stats' | 'dump' | 'topN' | 'url';

  /** stats: `sort` (counts by host). dump: `format` (normal, csv, json), `status`, `retry`, `regex`, `sample`, `expr`, `batch` (an id, or `segment`; its pages have `partition` and `rank` in their metadata), with that `parts` (crawl_generate, crawl_fetch, content, crawl_parse, parse_data, parse_text, as `readseg -dump` writes them, and inlinks). topN: `nnn`, `min`. url: `url`. Paths such as `out_dir` are ignored: the response is the file. */
  args?: Record<string, unknown>;

  /** The crawl; the empty name is a crawl, too. */
  crawlId: string;
}

export interface Health {
  /** `ok`. */
  status: string;
}

export interface PageRanks {
  /** LINKRANK: its score; null before the first run, and for a page without links that count. */
  linkRank: number | null;

  /** PAGERANK: its score; the sum over all pages is 1. */
  pageRank: number | null;

  /** HITS: hub score; the sum over all pages is 1. */
  hub: number | null;

  /** HITS: authority score; the sum over all pages is 1. */
  authority: number | null;

  /** WEBGRAPH, LINKRANK: number of pages that link to it, without ignored links (`link.ignore.*`). */
  inlinks: number | null;

  /** WEBGRAPH, LINKRANK: number of pages that it links to, without ignored links (`link.ignore.*`). */
  outlinks: number | null;
}

export interface PageMarks {
  /** `y` for a seed, `s` for a sitemap. */
  inject: string | null;

  /** Batch that the page is in now. */
  generate: string | null;

  /** Batch that the page is in now, after FETCH. */
  fetch: string | null;

  /** Batch that the page is in now, after PARSE. */
  parse: string | null;

  /** Batch with which UPDATEDB last updated the page. */
  update: string | null;

  /** Batch that was last indexed. */
  index: string | null;
}

export interface PageProtocolStatus {
  /** Code of the last visit. */
  code: number;

  /** Its name. */
  name: string;

  /** Details: target of a redirect, line of robots.txt, message of an error. */
  args: string[];
}

export interface PageParseStatus {
  /** 0 not parsed, 1 success, 2 failed. */
  major: number;

  /** The reason. */
  minor: number;

  /** Both as text. */
  name: string;

  /** Target and seconds of a refresh, or the reason of a failure. */
  args: string[];
}

export interface PageDto {
  /** The URL. */
  url: string;

  /** Row key: the URL with its host reversed. Pages are sorted by it. */
  key: string;

  /** Host. */
  host: string;

  /** Registered domain of the host. */
  domain: string;

  /** Status by name. */
  status: string;

  /** Status by number. */
  statusCode: number;

  /** Importance (OPIC). */
  score: number;

  /** Results of LINKRANK, PAGERANK and HITS; omitted before the first of them, and by `POST /v1/inspect/url`. */
  ranks?: PageRanks;

  /** Smallest number of links from a seed. */
  distance: number;

  /** When the page is due; between FETCH and UPDATEDB: when it was visited. ISO 8601, UTC. */
  fetchTime: string;

  /** When it was due before the last visit. ISO 8601, UTC. */
  prevFetchTime: string | null;

  /** Seconds between two visits. */
  fetchInterval: number;

  /** Temporary failures in a row. */
  retries: number;

  /** When the content last changed, as far as known. ISO 8601, UTC. */
  modifiedTime: string | null;

  /** The previous value. ISO 8601, UTC. */
  prevModifiedTime: string | null;

  /** Batch for which the page was last generated. */
  batchId: string | null;

  /** Marks of the steps on the page. */
  marks: PageMarks;

  /** How the last visit ended; null when there was none. */
  protocolStatus: PageProtocolStatus | null;

  /** HTTP status of the last visit; null without a response. */
  httpStatus: number | null;

  /** How parsing ended; null when the page was not parsed. */
  parseStatus: PageParseStatus | null;

  /** Hash of the content. */
  signature: string | null;

  /** The previous signature. */
  prevSignature: string | null;

  /** Title. */
  title: string | null;

  /** Content-Type of the response. */
  contentType: string | null;

  /** URL of the response. */
  baseUrl: string | null;

  /** URL that represents a redirected page. */
  reprUrl: string | null;

  /** Target of a redirect. */
  redirectUrl: string | null;

  /** How the page was found. */
  sourceKind: 'seed' | 'link' | 'redirect' | 'sitemap';

  /** ETag of the response. */
  etag: string | null;

  /** Last-Modified of the response. ISO 8601, UTC. */
  lastModified: string | null;

  /** Why only a part of its content is stored, although it was fetched: `length` (http.content.limit), `time`, `disconnect`, `decode`. Omitted if the content is complete. */
  truncated?: string;

  /** Metadata of seed and page. */
  metadata: Record<string, unknown>;
}

export interface PageList {
  /** Pages in the order of their row keys. */
  pages: PageDto[];

  /** Pass it as `cursor` to read the next pages (it is the key of the last page); null when there are no more. */
  cursor: string | null;
}

export interface PageVisit {
  /** When the visit was written. ISO 8601, UTC. */
  time: string;

  /** Status that resulted. */
  status: string;

  /** Protocol status by name. */
  protocol: string;

  /** HTTP status; null without a response. */
  httpStatus: number | null;

  /** Milliseconds from the request to the last byte. */
  ms: number | null;

  /** Bytes received, before decompression. */
  bytes: number | null;

  /** Hash of the content, if FETCH also parsed the page. */
  signature: string | null;

  /** FETCH job. */
  job: string | null;
}

export interface PageInlink {
  /** Page that links here. */
  url: string;

  /** Text of the link. */
  anchor: string | null;

  /** Score that the link last contributed; null when no inlink is stored for it. */
  score: number | null;
}

export interface PageOutlink {
  /** Target page. */
  url: string;

  /** Text of the link. */
  anchor: string;
}

export interface PageContentFacts {
  /** Bytes kept, after decoding. */
  length: number | null;

  /** Characters of text. */
  textLength: number | null;

  /** Character encoding with which the content was decoded. */
  charset: string | null;

  /** Why the content is incomplete; null when it is complete. */
  truncated: string | null;
}

export interface PageDetail {
  /** The URL. */
  url: string;

  /** Row key: the URL with its host reversed. Pages are sorted by it. */
  key: string;

  /** Host. */
  host: string;

  /** Registered domain of the host. */
  domain: string;

  /** Status by name. */
  status: string;

  /** Status by number. */
  statusCode: number;

  /** Importance (OPIC). */
  score: number;

  /** Results of LINKRANK, PAGERANK and HITS; omitted before the first of them, and by `POST /v1/inspect/url`. */
  ranks?: PageRanks;

  /** Smallest number of links from a seed. */
  distance: number;

  /** When the page is due; between FETCH and UPDATEDB: when it was visited. ISO 8601, UTC. */
  fetchTime: string;

  /** When it was due before the last visit. ISO 8601, UTC. */
  prevFetchTime: string | null;

  /** Seconds between two visits. */
  fetchInterval: number;

  /** Temporary failures in a row. */
  retries: number;

  /** When the content last changed, as far as known. ISO 8601, UTC. */
  modifiedTime: string | null;

  /** The previous value. ISO 8601, UTC. */
  prevModifiedTime: string | null;

  /** Batch for which the page was last generated. */
  batchId: string | null;

  /** Marks of the steps on the page. */
  marks: PageMarks;

  /** How the last visit ended; null when there was none. */
  protocolStatus: PageProtocolStatus | null;

  /** HTTP status of the last visit; null without a response. */
  httpStatus: number | null;

  /** How parsing ended; null when the page was not parsed. */
  parseStatus: PageParseStatus | null;

  /** Hash of the content. */
  signature: string | null;

  /** The previous signature. */
  prevSignature: string | null;

  /** Title. */
  title: string | null;

  /** Content-Type of the response. */
  contentType: string | null;

  /** URL of the response. */
  baseUrl: string | null;

  /** URL that represents a redirected page. */
  reprUrl: string | null;

  /** Target of a redirect. */
  redirectUrl: string | null;

  /** How the page was found. */
  sourceKind: 'seed' | 'link' | 'redirect' | 'sitemap';

  /** ETag of the response. */
  etag: string | null;

  /** Last-Modified of the response. ISO 8601, UTC. */
  lastModified: string | null;

  /** Why only a part of its content is stored, although it was fetched: `length` (http.content.limit), `time`, `disconnect`, `decode`. Omitted if the content is complete. */
  truncated?: string;

  /** Metadata of seed and page. */
  metadata: Record<string, unknown>;

  /** Visits, newest first, at most 100. */
  history: PageVisit[];

  /** Links to the page, highest score first, at most 100. Links within a host are stored only with `db.ignore.internal.links` false; if links to the page are broken (`GET /v1/broken-links`), links from the pages of its host are searched, and follow the stored ones. */
  inlinks: PageInlink[];

  /** If not all pages of the host were searched for such links: the `cursor` with which `GET /v1/broken-links`, with this URL as `target`, continues the search. Otherwise null. */
  inlinksCursor: string | null;

  /** Links of the page, in page order, at most 1,000. */
  outlinks: PageOutlink[];

  /** Number of stored links of the page. */
  outlinkCount: number;

  /** Headers of the response. */
  headers: Record<string, unknown>;

  /** Facts about the stored content; null when none was stored yet. */
  content: PageContentFacts | null;
}

export interface BrokenLink {
  /** Target page. */
  target: string;

  /** Its status. */
  status: string;

  /** Protocol status of its last visit, by name. */
  protocol: string;

  /** HTTP status of its last visit; null without a response. */
  httpStatus: number | null;

  /** Source page. */
  source: string;

  /** Text of the link. */
  anchor: string;
}

export interface BrokenLinkList {
  /** Links in the order of their source pages. */
  links: BrokenLink[];

  /** Pass it as `cursor` to continue; null when there are no more pages. A response may contain few links, or none, and still a cursor: a call reads a fixed number of pages, however many of their links are broken. */
  cursor: string | null;
}

export interface CrawlRequest {
  /** Rounds at most. Default: until nothing is due. */
  rounds?: number;

  /** Pages a round at most. Default: generate.topN. */
  topN?: number;

  /** Pages over all rounds at most; targets of redirects that FETCH follows immediately count too, and may exceed it. Default: no limit. */
  limit?: number;

  /** How far links lead: `host` and `domain` keep to those of the page, `any` goes anywhere. Default: db.ignore.external.links and db.ignore.external.links.mode. */
  scope?: 'host' | 'domain' | 'any';

  /** Pages that fall due within so many days are due now; each is visited once. */
  adddays?: number;

  /** Requests under way at once. Default: fetcher.threads.fetch. */
  threads?: number;

  /** Run SITEMAP before the first round: the sitemaps of the hosts of the crawl. */
  sitemaps?: boolean;

  /** Run INVERTLINKS: in each round where rounds are strict, else for all pages at the end of the crawl. */
  invertLinks?: boolean;

  /** Run DEDUP every few seconds while FETCH goes on and once at the end; where rounds are strict, in each round. */
  dedup?: boolean;

  /** Rank pages by their links: INVERTLINKS, WEBGRAPH, LINKRANK and SCOREUPDATE in each round where rounds are strict, else at the end of the crawl. */
  ranks?: boolean;

  /** Index what was fetched: INDEX, and after it CLEAN, every few seconds while FETCH goes on and once at the end; where rounds are strict, in each round. */
  index?: boolean;

  /** Where the crawl begins: seed lines, each a URL, optionally followed by TAB key=value. Without `seeds` and `seedName` the crawl continues with the pages it has. */
  seeds?: string[];

  /** The name of a stored seed list, instead of `seeds`. */
  seedName?: string;

  /** The crawl. Crawls are independent of each other. */
  crawlId?: string;

  /** The configuration of which the crawl takes a copy. */
  confId?: string;
}

export interface CrawlList {
  /** CRAWL jobs, the newest first. */
  crawls: CrawlJobInfo[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

export interface FacetCount {
  /** A host, language or type. */
  value: string;

  /** Number of documents with it. */
  documents: number;
}

export interface SnippetDto {
  /** A range of the text, with … where text is omitted. */
  text: string;

  /** Start and end of each word or phrase of the query, in UTF-16 units. */
  marks: number[][];
}

export interface ExplanationDto {
  /** The value. */
  value: number;

  /** What the value is. */
  description: string;

  /** Its components, each of the same form. */
  details: Record<string, unknown>[];
}

export interface SearchHitDto {
  /** The URL; if redirects led to the page, the representative one of them. */
  url: string;

  /** The URL of the page in the table, for `GET /v1/pages/{url}`. It differs from `url` if redirects led to the page. */
  pageUrl: string;

  /** Id of the document: the row key of its page. */
  id: string;

  /** Title. */
  title: string;

  /** Start and end of each word or phrase of the query in the title, in UTF-16 units. */
  titleMarks: number[][];

  /** The ranges of its text that match most of the query; empty if no text is stored. */
  snippets: SnippetDto[];

  /** Number of near-duplicate hits that this one represents; 0 with `collapse=false`. */
  duplicates: number;

  /** Score; comparable only within one response. */
  score: number;

  /** Host. */
  host: string;

  /** Language, ISO 639-1; null if unknown. */
  lang: string | null;

  /** Media type; null if unknown. */
  type: string | null;

  /** When the page was fetched. ISO 8601, UTC. */
  fetchTime: string | null;

  /** Explanation of the score; with `explain`. */
  explanation?: ExplanationDto;
}

export interface ExpansionDto {
  /** Why words were added, or why not. */
  reason: string;

  /** The words, as terms of the index, highest weight first. */
  added: string[];
}

export interface SearchAnswer {
  /** The crawl that was searched. */
  crawlId: string;

  /** The parsed query, in Lucene syntax. */
  query: string;

  /** The hits, best first. */
  hits: SearchHitDto[];

  /** Number of documents found. */
  total: number;

  /** Whether `total` is exact; otherwise it is a lower bound, because a word occurs in too many documents, or a prefix begins too many words, to count all. */
  exact: boolean;

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;

  /** Counts of the requested facets, most frequent values first. */
  facets: Record<string, FacetCount[]>;

  /** Parts of the query that were interpreted differently or ignored: sentences for people. */
  notes: string[];

  /** A suggested spelling of the query, from the words of the index; null if there is none. */
  didYouMean: string | null;

  /** Whether words were added to the query. */
  expansion: ExpansionDto;

  /** State of the index; it changes with every write. */
  generation: string;
}

export interface BatchDto {
  /** Batch id: the value of the marks of its pages. */
  id: string;

  /** Its name as a segment: the time of its creation, 14 digits, UTC. */
  segment: string;

  /** Its number among the batches of one GENERATE, from 1. */
  segnum: number;

  /** When it was created, ISO 8601, UTC. */
  generatedAt: string;

  /** Pages that GENERATE selected. */
  pages: number;
}

export interface BatchList {
  /** Batches in order of creation. */
  batches: BatchDto[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

export interface BatchParts {
  /** Pages that belong to it. */
  crawl_generate: number;

  /** Of these, visited, whatever the result. */
  crawl_fetch: number;

  /** Answered with content. */
  content: number;

  /** Parsed: links. */
  crawl_parse: number;

  /** Parsed: title, links, metadata. */
  parse_data: number;

  /** Parsed: text. */
  parse_text: number;
}

export interface BatchDetail {
  /** Batch id: the value of the marks of its pages. */
  id: string;

  /** Its name as a segment: the time of its creation, 14 digits, UTC. */
  segment: string;

  /** Its number among the batches of one GENERATE, from 1. */
  segnum: number;

  /** When it was created, ISO 8601, UTC. */
  generatedAt: string;

  /** Pages that GENERATE selected. */
  pages: number;

  /** Number of pages in each part of the segment. A page that is generated again is no longer counted. */
  parts: BatchParts;
}

export interface HostRobots {
  /** Scheme, host and port. */
  origin: string;

  /** What the file means: its rules apply, everything is allowed, nothing is allowed, or requests are deferred. */
  state: 'rules' | 'allow-all' | 'deny-all' | 'defer';

  /** HTTP status of the answer. */
  httpStatus: number | null;

  /** When it was requested. ISO 8601, UTC. */
  fetchedAt: string;

  /** Seconds since then. */
  ageSeconds: number;

  /** When it expires. ISO 8601, UTC. */
  expiresAt: string;

  /** Whether the next fetch requests it again. */
  expired: boolean;

  /** Bytes of the file. */
  bytes: number;

  /** Crawl-delay for the crawler that fetched the file, seconds. */
  crawlDelay: number | null;

  /** Why the last request for it failed; null: it did not. */
  error: string | null;

  /** Failures in a row: by an HTTP status, or by the network (counted once a day). */
  failures: number;
}

export interface HostPace {
  /** Fetch queue of the host (fetcher.queue.mode); null: that of its address, which is not resolved here. */
  queue: string | null;

  /** Delay after a request, seconds. */
  delaySeconds: number;

  /** Concurrent requests. */
  threads: number;

  /** Source of the delay: a property, the settings of the host, or Crawl-delay of its robots.txt. */
  source: 'property' | 'host' | 'robots';

  /** Whether Crawl-delay exceeds fetcher.max.crawl.delay, so that nothing is fetched. */
  refused: boolean;

  /** The job whose copy of a configuration was used; null: the requested configuration, or `default`. */
  job: string | null;
}

export interface HostPoliteness {
  /** Fetch queue: the host, or its domain with fetcher.queue.mode byDomain. */
  queue: string;

  /** When the next request may start. ISO 8601, UTC. */
  nextAt: string;

  /** When the lease of the queue ends. ISO 8601, UTC. */
  leaseUntil: string;

  /** Until when its servers asked not to be sent requests, in any crawl. ISO 8601, UTC. */
  blockedUntil: string | null;
}

export interface HostSettingsDto {
  /** Delay after a request. */
  delaySeconds: number | null;

  /** Delay when there are several threads. */
  minDelaySeconds: number | null;

  /** Concurrent requests. */
  threads: number | null;
}

export interface HostDto {
  /** Host as in URLs. */
  host: string;

  /** Reversed host, by which hosts are sorted. */
  key: string;

  /** Registered domain. */
  domain: string;

  /** Number of pages of the host. */
  pages: number;

  /** Number of pages by status; a status without pages is omitted. */
  status: Record<string, number>;

  /** robots.txt by origin, as last requested, at most 10; empty when it was never requested. */
  robots: HostRobots[];

  /** How fast FETCH sends requests to it: with the configuration of the crawl, or that of `confId`. */
  pace: HostPace;

  /** When the next request may be sent; null when no fetch has queued it. */
  politeness: HostPoliteness | null;

  /** Failures of the host in a row. */
  failures: number;

  /** settings.delaySeconds in milliseconds. */
  delayMs: number | null;

  /** Manual settings. */
  settings: HostSettingsDto;

  /** Whether the host is drained: none of its pages is generated. */
  drain: boolean;

  /** Until when the host is blocked. ISO 8601, UTC. */
  blockedUntil: string | null;

  /** What blocked it: an operator (`hand`), or failures of its servers (429, 5xx, Retry-After). */
  blockedBy: 'hand' | 'back-off' | null;

  /** Home page. */
  homepage: string | null;

  /** Metadata of the host. */
  metadata: Record<string, unknown>;
}

export interface HostList {
  /** Hosts in the order of their reversed names. */
  hosts: HostDto[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

export interface HostWait {
  /** `parser`: a slow parser (a PDF, Markdown, a plugin). `job`: another job, which has a lock. `host`: a fetch queue whose delay has not passed, that is blocked, or whose lease another task has, while the task has no request running. `database`: an attempt that succeeds, after one has failed for more than a second. */
  for: 'parser' | 'job' | 'host' | 'database';

  /** What it waits for, as text. */
  what: string;

  /** The page being processed. */
  url: string | null;

  /** Number of waiting pages, including the one being processed; null if unknown. */
  pages: number | null;

  /** Since when the task waits, or processes that page. ISO 8601 UTC. */
  since: string;

  /** The job that waits. */
  job: string;
}

export interface HostSitemap {
  /** Its URL. */
  url: string;

  /** How it was found: a seed line, an argument of SITEMAP, robots.txt, the default URL (/sitemap.xml), or an index. */
  source: 'seed' | 'argument' | 'robots' | 'default' | 'index';

  /** Result of the last time that SITEMAP read it; null: it was not read yet. */
  status: 'fetched' | 'not_modified' | 'gone' | 'robots_denied' | 'not_a_sitemap' | 'failed' | null;

  /** HTTP status of that answer. */
  httpStatus: number | null;

  /** Number of entries, or of sitemaps in an index, if it could be read. */
  entries: number | null;

  /** Why it could not be read, or which part of it could not be used. */
  error: string | null;

  /** When it was last read. ISO 8601, UTC. */
  fetchedAt: string | null;
}

export interface HostDetailDto {
  /** Host as in URLs. */
  host: string;

  /** Reversed host, by which hosts are sorted. */
  key: string;

  /** Registered domain. */
  domain: string;

  /** Number of pages of the host. */
  pages: number;

  /** Number of pages by status; a status without pages is omitted. */
  status: Record<string, number>;

  /** robots.txt by origin, as last requested, at most 10; empty when it was never requested. */
  robots: HostRobots[];

  /** How fast FETCH sends requests to it: with the configuration of the crawl, or that of `confId`. */
  pace: HostPace;

  /** When the next request may be sent; null when no fetch has queued it. */
  politeness: HostPoliteness | null;

  /** Failures of the host in a row. */
  failures: number;

  /** settings.delaySeconds in milliseconds. */
  delayMs: number | null;

  /** Manual settings. */
  settings: HostSettingsDto;

  /** Whether the host is drained: none of its pages is generated. */
  drain: boolean;

  /** Until when the host is blocked. ISO 8601, UTC. */
  blockedUntil: string | null;

  /** What blocked it: an operator (`hand`), or failures of its servers (429, 5xx, Retry-After). */
  blockedBy: 'hand' | 'back-off' | null;

  /** Home page. */
  homepage: string | null;

  /** Metadata of the host. */
  metadata: Record<string, unknown>;

  /** What tasks that work on the host wait for: those that have the lease of its fetch queue, and those that are processing one of its pages. Empty: nothing but the delay slows it down. */
  waitsFor: HostWait[];

  /** Its sitemaps, most recently read first, at most 100. */
  sitemaps: HostSitemap[];

  /** Facts that HOSTDB collected; null before its first run. */
  hostdb: Record<string, unknown> | null;
}

export interface HostChanges {
  /** Until when the host is blocked: ISO 8601 with a time zone, in the future, at most ten years ahead. null ends any block, also a back-off after failures of the host. */
  blockedUntil?: string | null;

  /** Delay after a request, instead of fetcher.server.delay. null removes it. */
  delaySeconds?: number | null;

  /** Delay when the queue has several threads, instead of fetcher.server.min.delay (or delaySeconds). null removes it. */
  minDelaySeconds?: number | null;

  /** Concurrent requests, instead of fetcher.threads.per.queue. null removes it. */
  threads?: number | null;

  /** true: no page of the host is generated until this is removed (false or null). */
  drain?: boolean | null;
}

export interface InspectUrl {
  /** The URL as you have it: a seed, a link, whatever the scheme. */
  url: string;

  /** The crawl to look in. Without it, the page is looked up in the crawl "", and an unknown page is not a reason. */
  crawlId?: string;

  /** The configuration whose rules apply. */
  confId?: string;

  /** Where the URL enters: the scope of the normalizers (`inject` for seeds, `outlink` for links, `fetcher` for redirects …). Or the scope of a crawl as in POST /v1/crawls: `host`, `domain` (db.ignore.external.links by host or domain), `any` (all links). */
  scope?:
    | 'default'
    | 'inject'
    | 'outlink'
    | 'fetcher'
    | 'crawldb'
    | 'generate_host_count'
    | 'partition'
    | 'linkdb'
    | 'indexer'
    | 'exempted'
    | 'host'
    | 'domain'
    | 'any';

  /** Check robots.txt, too: from the cache of the crawl, or by at most one guarded request to its server (8 s at most). */
  robots?: boolean;

  /** The page on which you saw the link. When the crawl does not know the URL, the stored content of this page shows what happened to the link; without it some pages are searched. */
  from?: string;
}

export interface InspectedRule {
  /** Its number among the rules of the plugin, from 1; comments do not count. 0: a limit or a check instead of a line, described in `text`. */
  number: number;

  /** The rule as written. */
  text: string;
}

export interface UrlStepDto {
  /** The plugin. */
  plugin: string;

  /** What it does. */
  kind: 'normalizer' | 'filter';

  /** The URL before it. */
  before: string;

  /** The URL after it; null when it dropped the URL. */
  after: string | null;

  /** Rules that changed the URL, or the one that decided about it. */
  rules: InspectedRule[];
}

export interface UrlDecision {
  /** The plugin that dropped the URL. */
  plugin: string;

  /** Its rule; null when no rule of it accepts the URL. */
  rule: InspectedRule | null;
}

export interface InspectedLine {
  /** Its number in the file, from 1. */
  number: number;

  /** The line. */
  text: string;
}

export interface UrlRobots {
  /** `rules`: the file was read. `allow`, `deny`: the response allows or forbids everything. `wait`: it is not available now. `not-asked`: see why. */
  state: 'rules' | 'allow' | 'deny' | 'wait' | 'not-asked';

  /** Null when unknown. */
  allowed: boolean | null;

  /** Crawl-delay for this crawler, seconds. */
  crawlDelay: number | null;

  /** The delay that results from it, seconds: at least fetcher.min.crawl.delay. A longer delay of the host (GET /v1/hosts/{host}) takes precedence. */
  delaySeconds: number | null;

  /** Names in the file whose groups are combined: those of this crawler, else `*`. */
  agents: string[];

  /** The line that decided. */
  line: InspectedLine | null;

  /** Why it is not allowed. */
  why: string | null;

  /** True when it was requested from the server just now, false when it was cached. */
  fetched: boolean;
}

/** Branch on it. MALFORMED: It is not a URL that can be stored. SCHEME: No active protocol fetches its scheme. KEY_TOO_LONG: Its row key is longer than an index entry may be. URL_TOO_LONG: It would be dropped as a link: db.max.outlink.length. FILTERED: A URL filter or normalizer refuses it. TRAP: It has the shape of a trap: repeating path segments, an endless calendar, very many parameters. TEMPLATE_STOPPED: Pages of its URL template are near duplicates: trap.template.similar.after. TEMPLATE_BUDGET: URLs of its template fill their budget: trap.template.pages. HOST_BUDGET: Pages of its host fill their budget: trap.host.pages. NORMALIZED: It is stored in another form. AGENT_NAME: http.agent.name is not set: FETCH fails. PROTOCOL_PLUGIN: No protocol is active: FETCH fails. plugin.includes must name protocol-http or another one. INNER_ADDRESS: The egress guard refuses its address. FETCH_FAILED: The request failed. PORT: The egress guard refuses its port. ADDRESS_UNKNOWN: Its name was not resolved, so its address was not checked. ROBOTS_DENIED: robots.txt forbids it, or did when it was visited. ROBOTS_DEFERRED: robots.txt is not available now, so requests to its host are deferred. UNKNOWN_PAGE: The crawl does not know it. EXEMPT: Links to it from other hosts or domains are allowed: db.ignore.external.exemptions.rules. EXTERNAL: It is linked only from other hosts or domains: db.ignore.external.links. NOFOLLOW: The pages that link to it ask not to follow the link. LINK_DROPPED: A page links to it, and the link was dropped. LINK_KEPT: A page links to it, and UPDATEDB will add it. PAGE_NOT_READ: The stored content of a page that may link to it is damaged, or too large to search it for links. NOT_DUE: It is not due yet. RETRY: The last visit failed temporarily; it will be retried. GONE: The last visit found nothing there. DUPLICATE: Another page has the same content. REDIRECT: It redirects to another URL. REDIRECT_REFUSED: It redirects to a URL that is not allowed in the crawl. HTTP_STATUS: The server did not return a page. TRUNCATED: Only a part of it was kept. PARSE_FAILED: Its content could not be parsed. ORPHAN: No page links to it any more. SITEMAP: It is a sitemap: GENERATE selects it with `sitemap` only. IN_BATCH: It is in a batch already. DISTANCE: Too many links from a seed: generate.max.distance. SCORE_TOO_LOW: Its score is too low: generate.min.score. STATUS_REJECTED: Only pages with another status are selected: generate.restrict.status. INTERVAL_REJECTED: Its fetch interval is too long: generate.min.interval. HOST_LIMIT: Better pages of its host fill the batch: generate.max.count, generate.max.count.expr. PARTITION_LIMIT: Better pages fill its partition: topN divided by mapreduce.job.reduces. TOP_N: Better pages fill the batch: generate.topN. PLACE_UNKNOWN: Its position in the next batch could not be found in time. HOST_BLOCKED: Its host is blocked until a later time. HOST_DRAINED: Its host is drained: none of its pages is generated. */
export type ReasonCode =
  | 'MALFORMED'
  | 'SCHEME'
  | 'KEY_TOO_LONG'
  | 'URL_TOO_LONG'
  | 'FILTERED'
  | 'TRAP'
  | 'TEMPLATE_STOPPED'
  | 'TEMPLATE_BUDGET'
  | 'HOST_BUDGET'
  | 'NORMALIZED'
  | 'AGENT_NAME'
  | 'PROTOCOL_PLUGIN'
  | 'INNER_ADDRESS'
  | 'FETCH_FAILED'
  | 'PORT'
  | 'ADDRESS_UNKNOWN'
  | 'ROBOTS_DENIED'
  | 'ROBOTS_DEFERRED'
  | 'UNKNOWN_PAGE'
  | 'EXEMPT'
  | 'EXTERNAL'
  | 'NOFOLLOW'
  | 'LINK_DROPPED'
  | 'LINK_KEPT'
  | 'PAGE_NOT_READ'
  | 'NOT_DUE'
  | 'RETRY'
  | 'GONE'
  | 'DUPLICATE'
  | 'REDIRECT'
  | 'REDIRECT_REFUSED'
  | 'HTTP_STATUS'
  | 'TRUNCATED'
  | 'PARSE_FAILED'
  | 'ORPHAN'
  | 'SITEMAP'
  | 'IN_BATCH'
  | 'DISTANCE'
  | 'SCORE_TOO_LOW'
  | 'STATUS_REJECTED'
  | 'INTERVAL_REJECTED'
  | 'HOST_LIMIT'
  | 'PARTITION_LIMIT'
  | 'TOP_N'
  | 'PLACE_UNKNOWN'
  | 'HOST_BLOCKED'
  | 'HOST_DRAINED';

export interface ReasonDto {
  /** Branch on it. MALFORMED: It is not a URL that can be stored. SCHEME: No active protocol fetches its scheme. KEY_TOO_LONG: Its row key is longer than an index entry may be. URL_TOO_LONG: It would be dropped as a link: db.max.outlink.length. FILTERED: A URL filter or normalizer refuses it. TRAP: It has the shape of a trap: repeating path segments, an endless calendar, very many parameters. TEMPLATE_STOPPED: Pages of its URL template are near duplicates: trap.template.similar.after. TEMPLATE_BUDGET: URLs of its template fill their budget: trap.template.pages. HOST_BUDGET: Pages of its host fill their budget: trap.host.pages. NORMALIZED: It is stored in another form. AGENT_NAME: http.agent.name is not set: FETCH fails. PROTOCOL_PLUGIN: No protocol is active: FETCH fails. plugin.includes must name protocol-http or another one. INNER_ADDRESS: The egress guard refuses its address. FETCH_FAILED: The request failed. PORT: The egress guard refuses its port. ADDRESS_UNKNOWN: Its name was not resolved, so its address was not checked. ROBOTS_DENIED: robots.txt forbids it, or did when it was visited. ROBOTS_DEFERRED: robots.txt is not available now, so requests to its host are deferred. UNKNOWN_PAGE: The crawl does not know it. EXEMPT: Links to it from other hosts or domains are allowed: db.ignore.external.exemptions.rules. EXTERNAL: It is linked only from other hosts or domains: db.ignore.external.links. NOFOLLOW: The pages that link to it ask not to follow the link. LINK_DROPPED: A page links to it, and the link was dropped. LINK_KEPT: A page links to it, and UPDATEDB will add it. PAGE_NOT_READ: The stored content of a page that may link to it is damaged, or too large to search it for links. NOT_DUE: It is not due yet. RETRY: The last visit failed temporarily; it will be retried. GONE: The last visit found nothing there. DUPLICATE: Another page has the same content. REDIRECT: It redirects to another URL. REDIRECT_REFUSED: It redirects to a URL that is not allowed in the crawl. HTTP_STATUS: The server did not return a page. TRUNCATED: Only a part of it was kept. PARSE_FAILED: Its content could not be parsed. ORPHAN: No page links to it any more. SITEMAP: It is a sitemap: GENERATE selects it with `sitemap` only. IN_BATCH: It is in a batch already. DISTANCE: Too many links from a seed: generate.max.distance. SCORE_TOO_LOW: Its score is too low: generate.min.score. STATUS_REJECTED: Only pages with another status are selected: generate.restrict.status. INTERVAL_REJECTED: Its fetch interval is too long: generate.min.interval. HOST_LIMIT: Better pages of its host fill the batch: generate.max.count, generate.max.count.expr. PARTITION_LIMIT: Better pages fill its partition: topN divided by mapreduce.job.reduces. TOP_N: Better pages fill the batch: generate.topN. PLACE_UNKNOWN: Its position in the next batch could not be found in time. HOST_BLOCKED: Its host is blocked until a later time. HOST_DRAINED: Its host is drained: none of its pages is generated. */
  code: ReasonCode;

  /** False for a reason that explains and does not prevent the fetch. */
  blocks: boolean;

  /** A sentence that names the property, the rule or the line. */
  message: string;

  /** The property that decides. */
  property?: string;

  /** The plugin that decides. */
  plugin?: string;

  /** The rule that decides. */
  rule?: InspectedRule;

  /** The line of robots.txt that decides. */
  line?: InspectedLine;

  /** When it ends. ISO 8601, UTC. */
  until?: string;

  /** Another URL that the reason mentions. */
  url?: string;
}

export interface Fetchable {
  /** Whether the next GENERATE and FETCH would fetch it, as far as was checked: no reason blocks. */
  now: boolean;

  /** Reasons that prevent the fetch, and reasons that explain. */
  reasons: ReasonDto[];
}

export interface InspectedUrl {
  /** The URL as it was given. */
  given: string;

  /** The normalized URL, whatever its scheme; null when a normalizer drops it. */
  normalized: string | null;

  /** Its row key; null for a text without a scheme. */
  key: string | null;

  /** Its host. */
  host: string | null;

  /** The registered domain of the host. */
  domain: string | null;

  /** The verdict of normalizers and filters. */
  accepted: boolean;

  /** The plugins applied, up to the one that drops it. */
  steps: UrlStepDto[];

  /** What dropped it; null when all plugins accept it. */
  decidedBy: UrlDecision | null;

  /** The verdict of robots.txt, if requested. */
  robots?: UrlRobots;

  /** The page, when the crawl knows it. */
  page: PageDto | null;

  /** Whether it would be fetched now, and why not. */
  fetchable: Fetchable;
}

export interface InspectParse {
  /** The URL of the page, http or https: references resolve against it. */
  url: string;

  /** The bytes of the page in base64 (RFC 4648 §4, padded, without line breaks). */
  contentBase64: string;

  /** The Content-Type header as the server sent it. Without it the type is detected from the bytes and the URL. */
  contentType?: string | null;

  /** The X-Robots-Tag header as the server sent it; several headers separated by line breaks. */
  robotsTag?: string | null;

  /** The configuration. */
  confId?: string;
}

export interface FailedParser {
  /** The id of the plugin. */
  parser: string;

  /** Why it could not read the document. */
  reason: string;
}

export interface ParsedLink {
  /** The link as found: absolute, with its fragment; user info is masked. */
  url: string;

  /** The text of the link. */
  anchor: string;

  /** Whether it becomes an outlink. */
  kept: boolean;

  /** The URL under which it is kept, if different. */
  keptAs?: string;

  /** Why it was dropped: the id of a plugin, or nofollow, scheme, malformed, length (db.max.outlink.length, or the longest row key), self, external (db.ignore.external.links), duplicate (an earlier link of the page has the same target), limit (db.max.outlinks.per.page), refresh (the page is a redirect). */
  droppedBy?: string;

  /** The element that contains it; absent in formats without elements. */
  tag?: string;

  /** The rule of that plugin. */
  rule?: InspectedRule;
}

export interface ParsedRobots {
  /** Title and text are not kept. */
  noindex: boolean;

  /** No link is followed. */
  nofollow: boolean;

  /** The page forbids caching (noarchive, pragma no-cache). */
  nocache: boolean;
}

export interface ParsedRefresh {
  /** Seconds until the refresh. */
  seconds: number;

  /** The other URL. */
  url: string;

  /** Whether the rules keep it as the only outlink of the page. */
  kept: boolean;
}

export interface PageAlternate {
  /** A language tag, or x-default. */
  hreflang: string;

  /** The page in that language. */
  url: string;
}

export interface PageImageDto {
  /** URL of the image. */
  url: string;

  /** Its text alternative (`alt`). */
  alt: string;
}

export interface PageData {
  /** Meta elements by name or property, lower case. */
  metatags: Record<string, string[]>;

  /** Texts of the elements that the property headings names, by name, if the plugin headings is active. */
  headings: Record<string, string[]>;

  /** JSON-LD blocks as the page has them. */
  jsonLd: string[];

  /** The same page in other languages. */
  alternates: PageAlternate[];

  /** Its images, at most 100. */
  images: PageImageDto[];
}

export interface InspectedPage {
  /** How parsing ended. */
  status: PageParseStatus;

  /** The detected media type. */
  type: string;

  /** The plugin that parsed it; null when none could. */
  parser: string | null;

  /** Plugins that were tried before it and failed, in order. */
  tried: FailedParser[];

  /** The title. */
  title: string;

  /** The text. */
  text: string;

  /** The links as found in the page, in order, duplicates kept. */
  outlinks: ParsedLink[];

  /** Number of links at the end of the list that are omitted: a response contains at most 4 MiB of them. */
  outlinksLeftOut: number;

  /** The base URL of references; user info is masked. */
  base: string;

  /** The robots directives of the page and of its X-Robots-Tag. */
  robots: ParsedRobots;

  /** The canonical URL it names. */
  canonical: string | null;

  /** Meta refresh to another URL. */
  refresh: ParsedRefresh | null;

  /** The encoding that was used. */
  charset: string | null;

  /** Hash of the content by db.signature.class, 32 hex digits (SimHashSignature: 16); null for a failed parse. */
  signature: string | null;

  /** Metadata that an HTML page declares, stored or not; null for other formats. */
  data: PageData | null;

  /** Metadata by name. */
  metadata: Record<string, string>;
}

export interface InspectRobots {
  /** A URL, or a path with its query. */
  url: string;

  /** The file as text. One of robotsTxt and robotsBase64 is required. */
  robotsTxt?: string;

  /** The bytes of the file in base64 (RFC 4648 §4): for other charsets. */
  robotsBase64?: string;

  /** The crawler's product token (`orbweaver`); a version after a slash is ignored. Several, separated by commas, are combined, as http.agent.name and http.robots.agents are. */
  agent: string;
}

export interface InspectedRobots {
  /** Whether the crawler may fetch the URL. */
  allowed: boolean;

  /** Names in the file whose groups are combined: those of this crawler, else `*`; empty: there is no group for it. */
  agents: string[];

  /** Crawl-delay for this crawler, seconds. */
  crawlDelay: number | null;

  /** The line that decided; null when no rule matches. */
  line: InspectedLine | null;

  /** Sitemap lines of the file, as written. */
  sitemaps: string[];
}

export interface InspectFetch {
  /** The URL, http or https. */
  url: string;

  /** The configuration: agent name, limits, addresses, redirects. */
  confId?: string;
}

export interface FetchTimings {
  /** Name resolution, ms; null when it is not known. */
  dns: number | null;

  /** TCP and TLS handshakes, ms; null when it is not known. */
  connect: number | null;

  /** From the call to the status line, ms; null when it is not known. */
  firstByte: number | null;

  /** From the call to the last byte, ms. */
  total: number;
}

export interface FetchRedirect {
  /** The Location header. */
  location: string | null;

  /** The target, absolute. */
  target: string | null;

  /** `followed`: FETCH follows it immediately (http.redirect.max). `later`: the target joins the crawl and is fetched in a later round. `dropped`: too many (http.redirect.max.exceeded.skip). `refused`: see decisions. */
  decision: 'followed' | 'later' | 'dropped' | 'refused';
}

export interface FetchHop {
  /** The requested URL. */
  url: string;

  /** What its robots.txt says. */
  robots: UrlRobots;

  /** HTTP status; null when there was no response. */
  status: number | null;

  /** The protocol status that FETCH derives. */
  protocolStatus: PageProtocolStatus;

  /** How long it took; null when no request was sent. */
  timings: FetchTimings | null;

  /** The redirect, if it is one. */
  redirect: FetchRedirect | null;
}

export interface InspectedFetch {
  /** The normalized URL, which was requested. */
  url: string;

  /** The URL of the last hop. */
  finalUrl: string;

  /** Each request, in order. */
  hops: FetchHop[];

  /** HTTP status of the last hop. */
  status: number | null;

  /** Headers of the last hop, names in lower case. */
  headers: Record<string, string>;

  /** Its Content-Type header. */
  contentType: string | null;

  /** Bytes kept, after decompression. */
  bytes: number | null;

  /** Bytes of the body as they were sent. */
  wireBytes: number | null;

  /** Why the body is incomplete. */
  truncated: 'length' | 'time' | 'disconnect' | 'decode' | null;

  /** The protocol status that FETCH derives from the last hop. */
  protocolStatus: PageProtocolStatus;

  /** The status that FETCH would write into the row. */
  pageStatus: string;

  /** Times of the last hop. */
  timings: FetchTimings | null;

  /** The decisions, and what caused them. */
  decisions: ReasonDto[];
}

export interface SchedulePage {
  /** When the page was due. Milliseconds since 1970, or ISO 8601. */
  fetchTime?: number;

  /** Seconds between two fetches. Default: db.fetch.interval.default. */
  fetchInterval?: number;

  /** Temporary failures in a row before this visit. */
  retries?: number;

  /** When the content last changed; 0 or absent: unknown. Milliseconds since 1970, or ISO 8601. */
  modifiedTime?: number;

  /** Hash of its content before this visit, hex. */
  signature?: string;

  /** Content type, for MimeAdaptiveFetchSchedule. */
  contentType?: string;

  /** Its score, for db.fetch.schedule.score.exponent. Default: the score does not count. */
  score?: number;

  /** Its URL, or only its host: for limits per host. */
  url?: string;

  /** Metadata that the schedule uses: fixedInterval (seconds), sitemap.changefreq. */
  metadata?: Record<string, string>;
}

export interface ScheduleOutcome {
  /** When it was visited. Default: now. Milliseconds since 1970, or ISO 8601. */
  time?: number;

  /** Its result: a status by name or number (db_fetched, fetch_retry, 3 …). One of status, protocol and httpStatus is required. */
  status?: string;

  /** Its result as a protocol status by name or number: SUCCESS, NOTFOUND, 16 … */
  protocol?: string;

  /** Its result as an HTTP status. */
  httpStatus?: number;

  /** Hash of the content, hex. Equal to the previous one: not modified. */
  signature?: string;

  /** Last-Modified of the response. Milliseconds since 1970, or ISO 8601. */
  lastModified?: number;

  /** PARSE could not parse the content (parser.delete.failed.parse). */
  parseFailed?: boolean;
}

export interface InspectSchedule {
  /** The page before the visit. */
  page: SchedulePage;

  /** The result of the visit. */
  outcome: ScheduleOutcome;

  /** The configuration. */
  confId?: string;
}

export interface InspectedSchedule {
  /** When the page is due next, ms since 1970. */
  fetchTime: number;

  /** Seconds between two fetches. */
  fetchInterval: number;

  /** Status by name. */
  status: string;

  /** Status by number. */
  statusCode: number;

  /** When the content last changed, ms since 1970; 0: unknown. */
  modifiedTime: number;

  /** When it was due before this visit, ms since 1970. */
  prevFetchTime: number;

  /** Temporary failures in a row. */
  retries: number;

  /** The next fetch is unconditional: signature and validators are cleared. */
  unconditional: boolean;

  /** Why, in sentences that name the properties. */
  why: string[];
}

export interface GenerateArgs {
  /** Most pages selected, over all partitions and segments; -1: no limit. Default: generate.topN. */
  topN?: number;

  /** Batch id to mark with; pages that it has stay in it. Default: `<epoch seconds>-<random>`. */
  batch?: string;

  /** The clock that says which pages are due, ms since the epoch. Default: now. */
  curTime?: number;

  /** Days added to that clock. */
  adddays?: number;

  /** Pages visited since this moment are left out, ms since the epoch; with a clock ahead each is visited once. */
  notFetchedSince?: number;

  /** Partitions (1.x): each selects at most topN / numFetchers; a topN below their number limits all together. Default: mapreduce.job.reduces. */
  numFetchers?: number;

  /** Batches to make at most. topN counts over all of them (generate.topN.per.segment: for each), generate.max.count for each. */
  maxNumSegments?: number;

  /** Filter URLs (2.x). Default: generate.filter. */
  filter?: boolean;

  /** Normalize URLs (2.x). Default: generate.normalise. */
  normalize?: boolean;

  /** Do not filter URLs (1.x). Default: the opposite of generate.filter. */
  noFilter?: boolean;

  /** Do not normalize URLs (1.x). Default: the opposite of generate.normalise. */
  noNorm?: boolean;

  /** Do not wait for another GENERATE of the crawl. */
  force?: boolean;

  /** Select sitemaps instead of pages. */
  sitemap?: boolean;

  /** Only pages of which this is true (1.x). Comparisons (== != < <= > >= =~ !~ =^ !^ =$ !$), + - * / %, && || ! and parentheses over url, host, domain, status, statusCode, score, fetchTime, modifiedTime (ms; or moments as 2026-01-31T00:00:00Z), fetchInterval (s), retries, distance, signature. */
  expr?: string;

  /** Only pages from this key on: a URL, or the beginning of a row key (`org.apache`). */
  startKey?: string;

  /** Only pages up to this key, itself included. */
  endKey?: string;

  /** Scores are not looked at: due pages in the order of the table (by host, then key), up to topN. Favours its first hosts. */
  noScore?: boolean;

  /** A stored seed list, by name or as POST /seed/create answered it: the batch is made of its URLs, known or not, due or not, up to topN (freegen of 1.x). Those that are new become pages. Only topN and the URL rules apply. A name of its own, because clients send the seeds of INJECT along with every later job; in a crawl without pages `seedDir` means the same. */
  freegen?: string;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;

  /** Path of 1.x that ends with `hostdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  hostdb?: string;
}

export interface InspectGenerate {
  /** The crawl. */
  crawlId?: string;

  /** The configuration. */
  confId?: string;

  /** Arguments as for the job GENERATE. `batch` and `force` have no effect, because no page is marked. */
  args?: GenerateArgs;
}

export interface HostShare {
  /** The host. */
  host: string;

  /** Number of its pages that would be selected. */
  count: number;
}

export interface InspectedBatch {
  /** Number of pages that would be selected. */
  count: number;

  /** By host, largest first; at most 100. */
  byHost: HostShare[];

  /** Total number of hosts. */
  hosts: number;

  /** Pages left out, by reason: the counters of GENERATE (NOT_DUE, HOST_DRAINED, HOST_BLOCKED, DISTANCE, SCORE_TOO_LOW, STATUS_REJECTED, INTERVAL_REJECTED, URL_FILTERS_REJECTED, EXPR_REJECTED, HOST_LIMIT, PARTITION_LIMIT), TOP_N (the batch was full before them) and IN_BATCH. TOP_N, NOT_DUE and IN_BATCH are counted up to 100,000. */
  leftOut: Record<string, number>;

  /** The first pages, best first; at most 100. */
  sample: string[];

  /** False when the time limit was reached before all candidates were checked. */
  complete: boolean;

  /** Why the batch is smaller than topN although more is due. */
  warning: string | null;
}

/** The kind of the event. */
export type EventKind = 'state' | 'task' | 'progress' | 'warning';

export interface EventDto {
  /** Within a job and within a crawl ids are in ascending order; resume after the last one you have. */
  id: string;

  /** The job that wrote it. */
  jobId: string;

  /** When it was written, ISO 8601 UTC. */
  time: string;

  /** The kind of the event. */
  kind: EventKind;

  /** state: `state`, `msg`. task: `part`, `state`, `reason`, `msg`, and `lost` (true) for an attempt whose worker died. progress: `part`, `counters`. warning: `message` and details. */
  data: Record<string, unknown>;
}

export interface NewWebhookDto {
  /** Where deliveries are POSTed to: http or https, no internal address, no user name and password. */
  url: string;

  /** The kinds of events to deliver. progress is sent at most once a second for each running task. */
  events?: ('state' | 'task' | 'progress' | 'warning')[];

  /** Only events of this crawl (empty: the crawl without a name); without it, events of all crawls. */
  crawlId?: string | null;

  /** The secret with which deliveries are signed: 16 to 200 visible characters. Generated, and returned in the response, when omitted. */
  secret?: string | null;
}

export interface MadeWebhookDto {
  /** Its id. */
  id: string;

  /** Where deliveries are POSTed to. It may contain secrets: only admins and the key that created the webhook see more than its host, `https://hooks.example.org/********`. */
  url: string;

  /** The kinds of events. */
  events: ('state' | 'task' | 'progress' | 'warning')[];

  /** The crawl; null for all. */
  crawlId: string | null;

  /** OFF when its receiver answered 410. */
  state: 'ACTIVE' | 'OFF';

  /** OK, or why it is off, or how its last attempts failed. */
  msg: string;

  /** When it was created, ISO 8601 UTC. */
  createdAt: string;

  /** The secret with which deliveries are signed. It is returned only here. */
  secret: string;
}

export interface WebhookDto {
  /** Its id. */
  id: string;

  /** Where deliveries are POSTed to. It may contain secrets: only admins and the key that created the webhook see more than its host, `https://hooks.example.org/********`. */
  url: string;

  /** The kinds of events. */
  events: ('state' | 'task' | 'progress' | 'warning')[];

  /** The crawl; null for all. */
  crawlId: string | null;

  /** OFF when its receiver answered 410. */
  state: 'ACTIVE' | 'OFF';

  /** OK, or why it is off, or how its last attempts failed. */
  msg: string;

  /** When it was created, ISO 8601 UTC. */
  createdAt: string;
}

export interface WebhooksDto {
  /** Webhooks, oldest first. */
  webhooks: WebhookDto[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

export interface ReplayedDto {
  /** Number of deliveries that were created, at most 10,000. */
  deliveries: number;

  /** The last event among them: pass it as `after` to continue. */
  last: string | null;
}

/** DEAD: all attempts failed; it is only sent again on request. */
export type DeliveryState = 'WAITING' | 'DELIVERED' | 'DEAD';

export interface DeliveryDto {
  /** Header Orbweaver-Delivery. */
  id: string;

  /** The id of the event. */
  eventId: string;

  /** DEAD: all attempts failed; it is only sent again on request. */
  state: DeliveryState;

  /** Attempts so far, at most 12. */
  attempts: number;

  /** When the next attempt is made, ISO 8601 UTC; null when there is none. */
  nextAt: string | null;

  /** The last status of the receiver; null without a response. */
  status: number | null;

  /** The result of the last attempt. */
  msg: string;

  /** When it was created, ISO 8601 UTC. */
  createdAt: string;

  /** When it was delivered or became DEAD, ISO 8601 UTC. */
  endedAt: string | null;
}

export interface DeliveriesDto {
  /** Deliveries, newest first. */
  deliveries: DeliveryDto[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

/** `leaving`: releasing its tasks. `lost`: no heartbeat for longer than a lease. */
export type WorkerState = 'alive' | 'leaving' | 'lost';

export interface WaitDto {
  /** `parser`: a slow parser (a PDF, Markdown, a plugin). `job`: another job, which has a lock. `host`: a fetch queue whose delay has not passed, that is blocked, or whose lease another task has, while the task has no request running. `database`: an attempt that succeeds, after one has failed for more than a second. */
  for: 'parser' | 'job' | 'host' | 'database';

  /** What it waits for, as text. */
  what: string;

  /** The page being processed. */
  url: string | null;

  /** Number of waiting pages, including the one being processed; null if unknown. */
  pages: number | null;

  /** Since when the task waits, or processes that page. ISO 8601 UTC. */
  since: string;
}

export interface WorkerTaskDto {
  /** The job to which it belongs. */
  job: string;

  /** The type of the job. */
  type: JobType;

  /** The crawl of the job. */
  crawlId: string;

  /** Which partition of the job, from 0. */
  part: number;

  /** When this worker claimed it, ISO 8601 UTC. */
  since: string;

  /** Counters of this part so far, over all attempts: group, name, number. */
  progress: Record<string, Record<string, number>>;

  /** What it has been waiting for, for more than a second; null: nothing. */
  waitsFor: WaitDto | null;
}

export interface WorkerDto {
  /** Machine, boot id, and process id and start time of the server and of the worker. */
  id: string;

  /** Name of its machine. */
  host: string;

  /** Process id on that machine. */
  pid: number;

  /** Role of its server. */
  role: 'all' | 'worker';

  /** Version of the program. */
  version: string;

  /** `leaving`: releasing its tasks. `lost`: no heartbeat for longer than a lease. */
  state: WorkerState;

  /** Tasks that it can run at once (`WORKER_SLOTS`). */
  slots: number;

  /** Its running tasks, oldest first, at most 100. */
  tasks: WorkerTaskDto[];

  /** Pages fetched or parsed per second, in the last seconds. */
  pagesPerSecond: number;

  /** Fraction of the time in which its event loop was busy, 0 to 1. */
  load: number;

  /** Resident memory, bytes. */
  memoryBytes: number;

  /** When it was started, ISO 8601 UTC. */
  startedAt: string;

  /** When it last sent a heartbeat, ISO 8601 UTC. */
  lastSeen: string;
}

export interface WorkersDto {
  /** Workers, by their ids. */
  workers: WorkerDto[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

export interface RuleFileDto {
  /** Its name. */
  name: string;

  /** Its size in bytes. */
  size: number;

  /** The property that uses a file with this name by default, or null. */
  property: string | null;

  /** When it was first stored, ISO 8601 UTC. */
  createdAt: string;

  /** When it was last stored, ISO 8601 UTC. */
  updatedAt: string;
}

export interface RuleFilesDto {
  /** Rule files by name. */
  ruleFiles: RuleFileDto[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

export interface PluginPoint {
  /** Nutch's name of the extension point. */
  point:
    | 'Protocol'
    | 'URLNormalizer'
    | 'URLFilter'
    | 'URLExemptionFilter'
    | 'Parser'
    | 'HtmlParseFilter'
    | 'FetchSchedule'
    | 'Signature'
    | 'ScoringFilter.injectedScore'
    | 'ScoringFilter.generatorSortValue'
    | 'ScoringFilter.passScoreAfterParsing'
    | 'ScoringFilter.distributeScoreToOutlinks'
    | 'ScoringFilter.orphanedScore'
    | 'IndexingFilter'
    | 'ScoringFilter.indexerScore'
    | 'SegmentMergeFilter'
    | 'Exchange'
    | 'IndexWriter';

  /** Its position among the active plugins of the point, from 1; null when it is not active. */
  order: number | null;
}

export interface PluginDto {
  /** Id, as `plugin.includes` names it. */
  id: string;

  /** Nutch's class, as order properties name it. */
  className: string;

  /** What it does. */
  description: string;

  /** The extension points that it implements; empty for a part of a step that can only be switched on or off. */
  points: PluginPoint[];

  /** `built-in`, or the name of its file in PLUGIN_DIR. */
  origin: string;

  /** Whether this configuration activates it. */
  active: boolean;

  /** Ids of plugins that it requires. */
  requires: string[];
}

export interface PluginList {
  /** All plugins, in the default execution order. */
  plugins: PluginDto[];

  /** Ids in `plugin.includes` of Nutch plugins that this server does not have: they have no effect. */
  notBuilt: string[];

  /** Unknown ids in `plugin.includes`: most likely misspelt. */
  unknown: string[];
}

export interface NutchDifference {
  /** Nutch's default. */
  nutch: string;

  /** The default here. */
  here: string;

  /** Why. */
  reason: string;
}

export interface PropertyDto {
  /** Name. */
  name: string;

  /** Kind of value. */
  kind: 'int' | 'float' | 'flag' | 'text' | 'choice' | 'list' | 'rules';

  /** Unit; empty when it has none. */
  unit: string;

  /** The shipped default as text; `${name}` is replaced by the value of that property. */
  default: string;

  /** The allowed values, as text. */
  allowed: string;

  /** What it does. */
  description: string;

  /** Its group. */
  group:
    | 'schedule'
    | 'signature'
    | 'score'
    | 'table'
    | 'generate'
    | 'fetch'
    | 'robots'
    | 'request'
    | 'protocol'
    | 'parse'
    | 'index'
    | 'language'
    | 'url'
    | 'trap'
    | 'host'
    | 'search'
    | 'plugin'
    | 'history'
    | 'webhook'
    | 'other';

  /** The line of Nutch that has it; null for properties of this server and of external plugins. */
  nutchLine: '1.x' | '2.x' | 'both' | null;

  /** Present if the default or the meaning differs from Nutch. */
  differs?: NutchDifference;
}

export interface MeaninglessProperty {
  /** Name of a property of Nutch. */
  name: string;

  /** Why it has no meaning here. */
  reason: string;
}

export interface PropertyList {
  /** Properties, by name. */
  properties: PropertyDto[];

  /** Properties of Nutch that begin with `prefix` and have no meaning here. Only on the first page. */
  withoutMeaning: MeaninglessProperty[];

  /** Pass it as `cursor` to read the next page; null when there are no more. */
  cursor: string | null;
}

export interface ReaderConfig {
  /** What to read: the name of a store within a crawl, in the form of a 1.x path. It is never opened in the file system. */
  path: string;
}

export interface ServiceInfo {
  /** Names of dumps, for `POST /reader/sequence/read`. */
  dumpPaths: string[];
}

export interface ServiceConfig {
  /** The crawl. */
  crawlId?: string;

  /** Ignored: a dump depends on no configuration. */
  confId?: string;

  /** Ignored: paths and formats of files. */
  args?: Record<string, unknown>;
}

export interface InjectArgs {
  /** Seed list, 1.x: what POST /seed/create answered. */
  url_dir?: string;

  /** Name of a stored seed list. */
  seedName?: string;

  /** Seed list, 2.x: what POST /seed/create answered. */
  seedDir?: string;

  /** The seeds themselves: one URL a line, `URL TAB key=value …`. They are stored as a seed list whose name the job then shows. Not beside `url_dir`, `seedName` or `seedDir`. */
  seed?: string;

  /** Lines of `seed` that are no seeds are left out, and named in the header `Orbweaver-Notice`. Without it they are refused, and all others with them. */
  skipInvalid?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;

  /** A known page is replaced by the injected one (db.injector.overwrite). */
  overwrite?: boolean;

  /** A known page takes over metadata, score and interval of the seed (db.injector.update). */
  update?: boolean;

  /** Seeds are not filtered. */
  noFilter?: boolean;

  /** Seeds are not normalized. */
  noNormalize?: boolean;
}

export interface FetchArgs {
  /** Batch to fetch, or `-all` for every generated page. Default: every batch that is open when the job begins, sitemaps too. */
  batch?: string;

  /** Batch to fetch, as 1.x clients name it. */
  segment?: string;

  /** Requests under way at once, over all tasks of the job and all servers. Default: fetcher.threads.fetch for each server. */
  threads?: number;

  /** Skip pages of the batch that were fetched already. Default: they are fetched again. */
  resume?: boolean;

  /** Tasks to split the job into; all pages of a host are in one. Default: the number of workers. */
  numTasks?: number;

  /** Parse each page as it is fetched, without a PARSE job. Default: fetcher.parse. */
  parse?: boolean;

  /** Do not parse, whatever fetcher.parse says (1.x). `parse` wins over it. */
  noParsing?: boolean;

  /** Fetch the sitemaps of the batch alone, as GENERATE with `sitemap` selects them. Without it `-all` leaves sitemaps out; a batch that is named, and without a name every open one, is fetched whatever it holds. */
  sitemap?: boolean;
}

export interface ParseArgs {
  /** Batch to parse; `-all`: every fetched page of the open batches; `-reparse`: every page with content of its last visit (status 2, 6, 7, 8 or 9). Default: `-all`. */
  batch?: string;

  /** Batch to parse, as 1.x clients name it. */
  segment?: string;

  /** Accepted for 2.x clients: parsed pages of the batch are skipped in any case. */
  resume?: boolean;

  /** Parse again what was parsed in this batch. */
  force?: boolean;

  /** Outlinks are not filtered. Default: the opposite of parse.filter.urls. */
  nofilter?: boolean;

  /** Outlinks are not normalized. Default: the opposite of parse.normalize.urls. */
  nonormalize?: boolean;

  /** As nofilter. */
  noFilter?: boolean;

  /** As nonormalize. */
  noNormalize?: boolean;

  /** Tasks to split the job into. Default: the number of workers. */
  numTasks?: number;
}

export interface UpdateDbArgs {
  /** Batch to process, or `-all`: every batch of which something was fetched. Default: `-all`. */
  batch?: string;

  /** Batches, as 1.x clients name them: a text or an array. */
  segment?: string[];

  /** New links are not added: only known pages change. Default: the opposite of db.update.additions.allowed. */
  noAdditions?: boolean;

  /** Normalize the links again by the rules of now (crawldb.url.normalizers). */
  normalize?: boolean;

  /** Filter the links again by the rules of now (crawldb.url.filters). */
  filter?: boolean;

  /** Accepted for 1.x clients: jobs of one crawl and step run one after another. */
  force?: boolean;

  /** The crawl to work on, in place of crawlId (2.x). */
  crawl?: string;

  /** Given by a CRAWL. For the batches that a continuous one has open: `fetched` processes what its FETCH has done so far and keeps them open, `all` closes them. `left` closes those that earlier CRAWLs have left open. */
  ofCrawl?: 'fetched' | 'all' | 'left';

  /** Given by a CRAWL with `index`: records the pages whose documents may change, for its INDEX. */
  documentsDue?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;
}

export interface InvertLinksArgs {
  /** Batch whose pages are inverted; `-all`: every page with links. Default: the newest batch. */
  batch?: string;

  /** Batches, as 1.x clients name them: a text or an array. */
  segment?: string[];

  /** A folder of segments (1.x), however it is written: every page with links, as `-all`. */
  segment_dir?: string;

  /** `segment_dir` as some examples of Nutch spell it. */
  segments_dir?: string;

  /** `segment_dir` as the command line of Nutch names it (`-dir`). */
  dir?: string;

  /** Do not normalize the links by the rules of now (scope `linkdb`). */
  noNormalize?: boolean;

  /** Do not filter the links by the rules of now. */
  noFilter?: boolean;

  /** Accepted for 1.x clients: jobs of one crawl and step run one after another. */
  force?: boolean;

  /** Path of 1.x that ends with `linkdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  linkdb?: string;

  /** Given by a CRAWL with `index`: records the pages whose documents may change, for its INDEX. */
  documentsDue?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;
}

export interface DedupArgs {
  /** Where pages of equal content are duplicates: anywhere, on one host, or in one domain. */
  group?: 'none' | 'host' | 'domain';

  /** Which page of a group stays, first criterion first; an array, or a text with commas. The higher score, the later fetch time, https of two that differ in nothing else, the shorter URL. Default: deduplication.compare.order. */
  compareOrder?: ('score' | 'fetchTime' | 'httpsOverHttp' | 'urlLength')[];

  /** Given by a CRAWL with `index`: records the pages whose documents may change, for its INDEX. */
  documentsDue?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;
}

export interface IndexArgs {
  /** Batch whose pages are indexed, after its UPDATEDB; `-all`: every page that UPDATEDB has taken in; `-reindex`: every parsed page. Default: the newest batch. */
  batch?: string;

  /** Batches, as 1.x clients name them: a text or an array. */
  segment?: string[];

  /** A folder of segments (1.x), however it is written: as `-all`. */
  segment_dir?: string;

  /** `segment_dir` as some examples of Nutch spell it. */
  segments_dir?: string;

  /** `segment_dir` as the command line of Nutch names it (`-dir`). */
  dir?: string;

  /** Do not tell the engine to show what was written. */
  noCommit?: boolean;

  /** Delete pages of the batch that are gone, redirected or duplicates (also `indexer.delete`). */
  deleteGone?: boolean;

  /** Normalize the URLs of pages by the rules of now (scope `indexer`): the documents have those. */
  normalize?: boolean;

  /** Leave out pages whose URLs the filters of now refuse. */
  filter?: boolean;

  /** Add the content as it came, as field `binaryContent`: text, or with `base64` in base 64. */
  addBinaryContent?: boolean;

  /** Write that content in base 64. */
  base64?: boolean;

  /** Parameters over those of every writer: `name=value&name=value`; `%26` is `&` in a value. */
  params?: string;

  /** Given by a CRAWL with `index`: `updated` takes the pages that its jobs have recorded (`documentsDue`). */
  ofCrawl?: 'updated';

  /** Accepted for 1.x clients: jobs of one crawl and step run one after another. */
  force?: boolean;

  /** Path of 1.x that ends with `linkdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  linkdb?: string;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;
}

export interface CleanArgs {
  /** Do not tell the engine to show what was deleted. */
  noCommit?: boolean;

  /** Delete the documents under the URLs that the rules of now give (scope `indexer`): those that INDEX wrote with `normalize`. */
  normalize?: boolean;

  /** Accepted for 1.x clients: jobs of one crawl and step run one after another. */
  force?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;
}

export interface MergeSegsArgs {
  /** The id of the batch that is made. Default: a new one. */
  batch?: string;

  /** Batches, as 1.x clients name them: a text or an array. */
  segment?: string[];

  /** A folder of segments (1.x), however it is written: all segments of the crawl. */
  segment_dir?: string;

  /** `segment_dir` as some examples of Nutch spell it. */
  segments_dir?: string;

  /** `segment_dir` as the command line of Nutch names it (`-dir`). */
  dir?: string;

  /** A folder of segments (1.x), in which the new one is expected: it says nothing here. */
  output_dir?: string;

  /** Leave out pages whose URLs the filters of now refuse. */
  filter?: boolean;

  /** Leave out pages whose URLs the rules of now would write otherwise (scope `default`). */
  normalize?: boolean;

  /** Pages of a segment: several are made. Default: one with all pages. */
  slice?: number;
}

export interface SitemapArgs {
  /** Sitemaps to read; an array, or a text with lines or commas. */
  sitemapUrls?: string[];

  /** Name of a stored seed list whose lines are sitemaps (1.x). */
  sitemapUrlDir?: string;

  /** Hosts whose robots.txt is asked for sitemaps; also origins such as https://site.test:8443. */
  hosts?: string[];

  /** Name of a stored seed list whose lines are hosts (1.x). */
  hostDir?: string;

  /** Hosts asked at once. Default: fetcher.threads.fetch. */
  threads?: number;

  /** Entries may be anywhere. Default: the opposite of sitemap.strict.parsing. */
  noStrict?: boolean;

  /** Nothing is filtered. Default: the opposite of sitemap.url.filter. */
  noFilter?: boolean;

  /** Nothing is normalized. Default: the opposite of sitemap.url.normalize. */
  noNormalize?: boolean;

  /** Read sitemaps again that have not changed since they were read last. */
  force?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;

  /** Path of 1.x that ends with `hostdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  hostdb?: string;
}

export interface HostDbArgs {
  /** Metadata of hosts, applied over the known metadata before anything else: one host a line, `host TAB key=value …` (2.x host injector). */
  hosts?: string;

  /** Resolve new, known and failed hosts. */
  checkAll?: boolean;

  /** Resolve hosts that were not resolved yet (hostdb.check.new). */
  checkNew?: boolean;

  /** Resolve hosts that were resolved before (hostdb.check.known). */
  checkKnown?: boolean;

  /** Resolve hosts that could not be resolved before (hostdb.check.failed). */
  checkFailed?: boolean;

  /** Resolve whatever the age of what is known (hostdb.force.check). */
  force?: boolean;

  /** Leave out hosts whose home page the URL filters refuse (hostdb.url.filter). */
  filter?: boolean;

  /** Normalize home pages before that (hostdb.url.normalize). */
  normalize?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;

  /** Path of 1.x that ends with `hostdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  hostdb?: string;
}

export interface WebGraphArgs {
  /** Path of 1.x that ends with `webgraphdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  webgraphdb?: string;
}

export interface LinkRankArgs {
  /** Iterations. Default: link.analyze.num.iterations. */
  iterations?: number;

  /** Path of 1.x that ends with `webgraphdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  webgraphdb?: string;
}

export interface ScoreUpdateArgs {
  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;

  /** Path of 1.x that ends with `webgraphdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  webgraphdb?: string;
}

export interface PageRankArgs {
  /** Iterations. Default: link.pagerank.max.iterations. */
  iterations?: number;
}

export interface HitsArgs {
  /** Iterations. Default: link.hits.max.iterations. */
  iterations?: number;
}

export interface ReadDbArgs {
  /** Counts by host and quantiles of the score, too. */
  sort?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;
}

export interface CrawlArgs {
  /** Name of a stored seed list that the crawl begins with. */
  seedName?: string;

  /** `seedName` of 1.x clients: the response of POST /seed/create. */
  url_dir?: string;

  /** `seedName` of 2.x clients: the response of POST /seed/create. */
  seedDir?: string;

  /** The seeds themselves, one URL a line; they are stored as a seed list. Not beside `seedName`, `url_dir` or `seedDir`. */
  seed?: string;

  /** Lines of `seed` that are no seeds are left out, and named in the header `Orbweaver-Notice`. Without it they are refused, and all others with them. */
  skipInvalid?: boolean;

  /** Rounds at most. Default: until nothing is due. */
  rounds?: number;

  /** Pages a round at most. Default: generate.topN. */
  topN?: number;

  /** Pages over all rounds at most; targets of redirects that FETCH follows immediately count too, and may exceed it. Default: no limit. */
  limit?: number;

  /** How far links lead: `host` and `domain` keep to those of the page, `any` goes anywhere. Default: db.ignore.external.links and db.ignore.external.links.mode. */
  scope?: 'host' | 'domain' | 'any';

  /** Pages that fall due within so many days are due now; each is visited once. */
  adddays?: number;

  /** Requests under way at once. Default: fetcher.threads.fetch. */
  threads?: number;

  /** Run SITEMAP before the first round: the sitemaps of the hosts of the crawl. */
  sitemaps?: boolean;

  /** Run INVERTLINKS: in each round where rounds are strict, else for all pages at the end of the crawl. */
  invertLinks?: boolean;

  /** Run DEDUP every few seconds while FETCH goes on and once at the end; where rounds are strict, in each round. */
  dedup?: boolean;

  /** Rank pages by their links: INVERTLINKS, WEBGRAPH, LINKRANK and SCOREUPDATE in each round where rounds are strict, else at the end of the crawl. */
  ranks?: boolean;

  /** Index what was fetched: INDEX, and after it CLEAN, every few seconds while FETCH goes on and once at the end; where rounds are strict, in each round. */
  index?: boolean;
}

export interface DropCrawlArgs {}

/** How a INJECT ended; null until then. */
export type InjectResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Seed lines by result. */
    injector?: Record<string, number>;

    /** New seeds, and known ones by what was done with them. */
    injector_merge?: Record<string, number>;

    /** Pages injected, by status. */
    injector_status?: Record<string, number>;

    /** Seed lines that were left out, by reason. */
    injector_rejected?: Record<string, number>;
  };
} | null;

/** How a GENERATE ended; null until then. */
export type GenerateResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages by result: selected, or why not. */
    Generator?: Record<string, number>;
  };

  /** The batch that was created, or the first of several; null when nothing was due. */
  'generate.batch.id'?: string | null;

  /** Number of pages in all batches. */
  'generate.count'?: number;

  /** Its segment name (1.x). */
  'generate.segment'?: string | null;

  /** All batches, if there are several. */
  'generate.batch.ids'?: string[];

  /** Their segment names, in the same order. */
  'generate.segments'?: string[];
} | null;

/** How a FETCH ended; null until then. */
export type FetchResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls' | 'time-limit' | 'throughput-limit';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages selected, bytes read. */
    Fetcher?: Record<string, number>;

    /** Pages by the outcome of their visit, or why there was none. */
    FetcherStatus?: Record<string, number>;

    /** Failed pages by the reason that the status of the page has (`HTTP 503`), if a request failed. */
    FetcherFailures?: Record<string, number>;

    /** Pages by the outcome of parsing. */
    ParserStatus?: Record<string, number>;

    /** Links kept. */
    ParserOutlinks?: Record<string, number>;

    /** Links not kept, by reason. */
    ParserOutlinksDropped?: Record<string, number>;

    /** Links not kept, by the rule against traps. */
    ParserTraps?: Record<string, number>;
  };
} | null;

/** How a PARSE ended; null until then. */
export type ParseResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages by the outcome of parsing. */
    ParserStatus?: Record<string, number>;

    /** Links kept. */
    ParserOutlinks?: Record<string, number>;

    /** Links not kept, by reason. */
    ParserOutlinksDropped?: Record<string, number>;

    /** Links not kept, by the rule against traps. */
    ParserTraps?: Record<string, number>;
  };
} | null;

/** How a UPDATEDB ended; null until then. */
export type UpdateDbResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages by their new status; URLs added; links refused, by reason; inlinks removed. */
    UpdateDb?: Record<string, number>;
  };
} | null;

/** How a INVERTLINKS ended; null until then. */
export type InvertLinksResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages read, links found, inlinks added, changed, removed and dropped. */
    LinkDb?: Record<string, number>;
  };
} | null;

/** How a DEDUP ended; null until then. */
export type DedupResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages marked as duplicates, and pages whose mark was removed. */
    DeduplicationJobStatus?: Record<string, number>;
  };
} | null;

/** How a INDEX ended; null until then. */
export type IndexResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Documents that were written (2.x), and those of which a writer accepted only a part. */
    IndexerJob?: Record<string, number>;

    /** Pages by result (1.x). */
    IndexerStatus?: Record<string, number>;
  };
} | null;

/** How a CLEAN ended; null until then. */
export type CleanResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Documents that were deleted, by the status of their pages. */
    CleaningJobStatus?: Record<string, number>;
  };
} | null;

/** How a MERGESEGS ended; null until then. */
export type MergeSegsResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages that were merged, and those that stay in their segments, by reason. */
    SegmentMerger?: Record<string, number>;
  };

  /** The batches that were created: several with `slice`. */
  'merge.batch.ids'?: string[];

  /** Their segment names, in the same order. */
  'merge.segments'?: string[];
} | null;

/** How a SITEMAP ended; null until then. */
export type SitemapResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Sitemaps and their entries, by result. */
    Sitemap?: Record<string, number>;

    /** Requests by result. */
    SitemapStatus?: Record<string, number>;

    /** Sitemaps that could not be read, by reason. */
    SitemapErrors?: Record<string, number>;

    /** Entries that were left out, by reason (`host-budget`: `trap.host.pages`). */
    sitemap_rejected?: Record<string, number>;
  };
} | null;

/** How a HOSTDB ended; null until then. */
export type HostDbResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Hosts by result; names that were resolved. */
    UpdateHostDb?: Record<string, number>;
  };
} | null;

/** How a WEBGRAPH ended; null until then. */
export type WebGraphResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages of the link graph, and those whose values changed. */
    WebGraph?: Record<string, number>;
  };
} | null;

/** How a LINKRANK ended; null until then. */
export type LinkRankResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages of the link graph, and those whose values changed. */
    LinkRank?: Record<string, number>;
  };
} | null;

/** How a SCOREUPDATE ended; null until then. */
export type ScoreUpdateResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-ranks';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages whose score was set to their link rank, or to `link.score.updater.clear.score` because they have none. */
    ScoreUpdater?: Record<string, number>;
  };
} | null;

/** How a PAGERANK ended; null until then. */
export type PageRankResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages of the link graph, and those whose values changed. */
    PageRank?: Record<string, number>;
  };
} | null;

/** How a HITS ended; null until then. */
export type HitsResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages of the link graph, and those whose values changed. */
    Hits?: Record<string, number>;
  };
} | null;

/** How a READDB ended; null until then. */
export type ReadDbResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Pages of the statistics. */
    WebTable?: Record<string, number>;
  };

  /** The statistics of the crawl, as POST /db/crawldb returns them for `stats`. */
  stats?: Record<string, unknown>;
} | null;

/** How a CRAWL ended; null until then. */
export type CrawlResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'rounds' | 'limit' | 'nothing-fetched' | 'hosts-left-alone';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Seed lines by result. */
    injector?: Record<string, number>;

    /** New seeds, and known ones by what was done with them. */
    injector_merge?: Record<string, number>;

    /** Pages injected, by status. */
    injector_status?: Record<string, number>;

    /** Seed lines that were left out, by reason. */
    injector_rejected?: Record<string, number>;

    /** Pages by result: selected, or why not. */
    Generator?: Record<string, number>;

    /** Pages selected, bytes read. */
    Fetcher?: Record<string, number>;

    /** Pages by the outcome of their visit, or why there was none. */
    FetcherStatus?: Record<string, number>;

    /** Failed pages by the reason that the status of the page has (`HTTP 503`), if a request failed. */
    FetcherFailures?: Record<string, number>;

    /** Pages by the outcome of parsing. */
    ParserStatus?: Record<string, number>;

    /** Links kept. */
    ParserOutlinks?: Record<string, number>;

    /** Links not kept, by reason. */
    ParserOutlinksDropped?: Record<string, number>;

    /** Links not kept, by the rule against traps. */
    ParserTraps?: Record<string, number>;

    /** Pages by their new status; URLs added; links refused, by reason; inlinks removed. */
    UpdateDb?: Record<string, number>;

    /** Pages read, links found, inlinks added, changed, removed and dropped. */
    LinkDb?: Record<string, number>;

    /** Pages marked as duplicates, and pages whose mark was removed. */
    DeduplicationJobStatus?: Record<string, number>;

    /** Sitemaps and their entries, by result. */
    Sitemap?: Record<string, number>;

    /** Requests by result. */
    SitemapStatus?: Record<string, number>;

    /** Sitemaps that could not be read, by reason. */
    SitemapErrors?: Record<string, number>;

    /** Entries that were left out, by reason (`host-budget`: `trap.host.pages`). */
    sitemap_rejected?: Record<string, number>;

    /** Documents that were written (2.x), and those of which a writer accepted only a part. */
    IndexerJob?: Record<string, number>;

    /** Pages by result (1.x). */
    IndexerStatus?: Record<string, number>;

    /** Documents that were deleted, by the status of their pages. */
    CleaningJobStatus?: Record<string, number>;

    /** Pages of the link graph, and those whose values changed. */
    WebGraph?: Record<string, number>;

    /** Pages of the link graph, and those whose values changed. */
    LinkRank?: Record<string, number>;

    /** Pages whose score was set to their link rank, or to `link.score.updater.clear.score` because they have none. */
    ScoreUpdater?: Record<string, number>;
  };

  /** Number of rounds that had pages. */
  rounds?: number;
} | null;

/** How a DROPCRAWL ended; null until then. */
export type DropCrawlResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Only of a failed job: a stable code of the reason. `cure` says what to do. */
  failure?:
    | 'AGENT_NAME_MISSING'
    | 'PROTOCOL_MISSING'
    | 'NO_BATCH'
    | 'BATCH_UNKNOWN'
    | 'BATCH_OPEN'
    | 'CRAWL_UNKNOWN'
    | 'SEEDS_MISSING'
    | 'LIST_GONE'
    | 'LIST_CHANGED'
    | 'ARGS_INVALID'
    | 'GRAPH_TOO_LARGE'
    | 'INDEX_WRITER'
    | 'GIVEN_UP'
    | 'STEP_ABORTED'
    | 'UNEXPECTED';

  /** What could not be done as asked: the first ten warnings of its log, or of the jobs that a CRAWL made. */
  warnings?: string[];

  /** Group, name, number. */
  counters: {
    /** Rows that were deleted, by table. */
    DropCrawl?: Record<string, number>;
  };

  /** Number of pages that the crawl had. */
  pages?: number;
} | null;

export interface JobConfigBase {
  /** The crawl that the job works on. Crawls are independent of each other. */
  crawlId?: string;

  /** The configuration of which the job takes a copy. */
  confId?: string;
}

export type InjectJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'INJECT';
  args: InjectArgs;
};

export type GenerateJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'GENERATE';
  args: GenerateArgs;
};

export type FetchJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'FETCH';
  args: FetchArgs;
};

export type ParseJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'PARSE';
  args: ParseArgs;
};

export type UpdateDbJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'UPDATEDB';
  args: UpdateDbArgs;
};

export type InvertLinksJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'INVERTLINKS';
  args: InvertLinksArgs;
};

export type DedupJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'DEDUP';
  args: DedupArgs;
};

export type IndexJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'INDEX';
  args: IndexArgs;
};

export type CleanJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'CLEAN';
  args: CleanArgs;
};

export type MergeSegsJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'MERGESEGS';
  args: MergeSegsArgs;
};

export type SitemapJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'SITEMAP';
  args: SitemapArgs;
};

export type HostDbJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'HOSTDB';
  args: HostDbArgs;
};

export type WebGraphJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'WEBGRAPH';
  args: WebGraphArgs;
};

export type LinkRankJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'LINKRANK';
  args: LinkRankArgs;
};

export type ScoreUpdateJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'SCOREUPDATE';
  args: ScoreUpdateArgs;
};

export type PageRankJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'PAGERANK';
  args: PageRankArgs;
};

export type HitsJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'HITS';
  args: HitsArgs;
};

export type ReadDbJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'READDB';
  args: ReadDbArgs;
};

export type CrawlJobConfig = JobConfigBase & {
  /** The type of the job. */
  type: 'CRAWL';
  args: CrawlArgs;
};

export interface JobInfoBase {
  /** `[<crawlId>-]<confId>-<TYPE>-<number>`. */
  id: string;

  /** The configuration with which it was created. */
  confId: string;

  /** Its state. */
  state: JobState;

  /** What it is doing or waiting for; OK; or why it failed. */
  msg: string;

  /** What to do about a job that failed, was aborted, or is a crawl that fetched no page; otherwise omitted. */
  cure?: JobCure;

  /** The crawl that it works on. */
  crawlId: string;

  /** The CRAWL job that created it. */
  parent: string | null;

  /** The round of that crawl; 0 for steps before the first round. */
  round: number | null;

  /** Whether it is paused; a pause does not change `state`. */
  paused: boolean;

  /** When it was created. */
  createdAt: string;

  /** When a worker first claimed it; null while it waits. */
  startedAt: string | null;

  /** When it ended; null until then. */
  endedAt: string | null;
}

export type InjectJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'INJECT';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: InjectArgs | Record<string, unknown>;
  result: InjectResult;
};

export type GenerateJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'GENERATE';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: GenerateArgs | Record<string, unknown>;
  result: GenerateResult;
};

export type FetchJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'FETCH';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: FetchArgs | Record<string, unknown>;
  result: FetchResult;
};

export type ParseJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'PARSE';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: ParseArgs | Record<string, unknown>;
  result: ParseResult;
};

export type UpdateDbJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'UPDATEDB';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: UpdateDbArgs | Record<string, unknown>;
  result: UpdateDbResult;
};

export type InvertLinksJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'INVERTLINKS';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: InvertLinksArgs | Record<string, unknown>;
  result: InvertLinksResult;
};

export type DedupJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'DEDUP';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: DedupArgs | Record<string, unknown>;
  result: DedupResult;
};

export type IndexJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'INDEX';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: IndexArgs | Record<string, unknown>;
  result: IndexResult;
};

export type CleanJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'CLEAN';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: CleanArgs | Record<string, unknown>;
  result: CleanResult;
};

export type MergeSegsJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'MERGESEGS';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: MergeSegsArgs | Record<string, unknown>;
  result: MergeSegsResult;
};

export type SitemapJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'SITEMAP';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: SitemapArgs | Record<string, unknown>;
  result: SitemapResult;
};

export type HostDbJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'HOSTDB';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: HostDbArgs | Record<string, unknown>;
  result: HostDbResult;
};

export type WebGraphJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'WEBGRAPH';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: WebGraphArgs | Record<string, unknown>;
  result: WebGraphResult;
};

export type LinkRankJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'LINKRANK';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: LinkRankArgs | Record<string, unknown>;
  result: LinkRankResult;
};

export type ScoreUpdateJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'SCOREUPDATE';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: ScoreUpdateArgs | Record<string, unknown>;
  result: ScoreUpdateResult;
};

export type PageRankJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'PAGERANK';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: PageRankArgs | Record<string, unknown>;
  result: PageRankResult;
};

export type HitsJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'HITS';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: HitsArgs | Record<string, unknown>;
  result: HitsResult;
};

export type ReadDbJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'READDB';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: ReadDbArgs | Record<string, unknown>;
  result: ReadDbResult;
};

export type CrawlJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'CRAWL';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: CrawlArgs | Record<string, unknown>;
  result: CrawlResult;
};

export type DropCrawlJobInfo = JobInfoBase & {
  /** The type of the job. */
  type: 'DROPCRAWL';

  /** Its arguments as given: numbers and flags are strings if the client sent strings. */
  args: DropCrawlArgs | Record<string, unknown>;
  result: DropCrawlResult;
};

export type CrawlProgress = CrawlJobInfo & {
  /** Counters so far: group, name, number. They change while the job runs. */
  counters: Record<string, Record<string, number>>;

  /** What its running tasks, and those of its children, have been waiting for, for more than a second; the longest first, at most 20. */
  waitsFor: JobWait[];

  /** For a CRAWL: its children, oldest first; if more than 1,000, the newest. */
  children?: JobInfo[];
};
