/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
/** What the API takes and answers. */

/** What the job does. */
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

/** What went wrong: of a failed job its `result.failure`. */
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
  /** What went wrong: of a failed job its `result.failure`. */
  code: JobCureCode;

  /** What to do. */
  message: string;

  /** The property of its configuration that is to be set; null where it is none. */
  property: string | null;

  /** Whether the same job may do better once that is done: `POST /v1/jobs/{id}/run-again`. */
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

  /** Jobs that run, or are being stopped. */
  runningJobs: JobInfo[];

  /** The configuration of jobs that name none. */
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
  /** The field, with the names of the objects around it. */
  field: string;

  /** What was given, and what is allowed. */
  message: string;
}

export interface ProblemDto {
  /** A name for this kind of problem. */
  type: string;

  /** The kind of problem in words. */
  title: string;

  /** The HTTP status. */
  status: number;

  /** The stable code of this kind of problem; branch on it. */
  code: ProblemCode;

  /** What happened, what was given, what is allowed. */
  detail: string;

  /** NutchServer 2.x: the name of the error. */
  exception: string;

  /** NutchServer 2.x: the same words as `detail`. */
  message: string;

  /** The fields that were not valid. */
  errors?: FieldErrorDto[];

  /** Of a 5xx: the name of the request, as in the header X-Request-Id and in the log of the server. */
  requestId?: string;
}

export interface NutchConfig {
  /** Id of the configuration. Blank: the server picks a running number. */
  configId?: string;

  /** Replace a configuration that has this id. */
  force?: boolean;

  /** Properties laid over what `default` says: text or JSON values by name. docs/properties.md lists them all. */
  params?: Record<string, unknown>;
}

export interface SeedUrl {
  /** A number that the client gives; text with digits is read too. */
  id?: number | null;

  /** One seed line: a URL, then key=value pairs divided by TABs (nutch.score, nutch.fetchInterval, metadata). */
  url: string;
}

export interface SeedListDto {
  /** The number that the client gave. */
  id: number | null;

  /** Name of the list. */
  name: string;

  /** What INJECT takes as `url_dir` or `seedDir`. */
  seedFilePath: string;

  /** Seeds of this list, from the requested position. */
  seedUrls: SeedUrl[];

  /** Number of seeds of the whole list. */
  total: number;
}

export interface SeedListInput {
  /** A number that the client gives; text with digits is read too. */
  id?: number | null;

  /** Name of the list. Without one the server makes `seed-<ms>`. A list of the same name is replaced. */
  name?: string;

  /** The seeds. */
  seedUrls: SeedUrl[];

  /** The list is stored without its bad lines: how many there are, and the first of them with the reason, stand in the header `Orbweaver-Notice`. A list of bad lines only is refused. */
  skipInvalid?: boolean;
}

export interface SeedListJobInput {
  /** A number that the client gives; text with digits is read too. */
  id?: number | null;

  /** Name of the list. Without one the server makes `seed-<ms>`. A list of the same name is replaced. */
  name?: string;

  /** The seeds. */
  seedUrls: SeedUrl[];

  /** The list is stored without its bad lines: how many there are, and the first of them with the reason, stand in the header `Orbweaver-Notice`. A list of bad lines only is refused. */
  skipInvalid?: boolean;

  /** The crawl that is injected into. */
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

export type JobProgress = JobInfo & {
  /** Counters so far: group, name, number. They move while the job runs. */
  counters: Record<string, Record<string, number>>;

  /** Of a CRAWL: the jobs it made, oldest first; of more than 1,000 the newest. */
  children?: JobInfo[];
};

export interface JobEventDto {
  /** Grows with time; give the last one as `after` to go on. */
  id: string;

  /** When it happened. */
  time: string;

  /** What it tells of. */
  kind: 'state' | 'task' | 'progress' | 'warning';

  /** The particulars. */
  data: Record<string, unknown>;
}

export interface DbQueryResult {
  /** Pages in the order of their row keys. */
  values: Record<string, unknown>[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
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

  /** Pages that UPDATEDB took in with this batch; `-all`: with any batch. */
  batchId?: string;

  /** First key: a URL, or a row key when `isKeysReversed`. */
  startKey?: string;

  /** Last key, included; counts only with a start key. */
  endKey?: string;

  /** Keys are row keys, such as `test.site:http/`. */
  isKeysReversed?: boolean;

  /** The same, as some JSON mappers call it. */
  keysReversed?: boolean;

  /** Fields shown; unknown names are left out. Without it, or empty: all but `text` and `content`. */
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
    | 'text'
    | 'content'
  )[];

  /** Pages at most. */
  limit?: number;

  /** `cursor` of the answer before: goes on behind its last page. */
  cursor?: string | null;
}

export interface DbQuery {
  /** Configuration whose normalizers read `args.url`. */
  confId?: string;

  /** What is asked, in any letter case. */
  type: 'stats' | 'dump' | 'topN' | 'url';

  /** stats: `sort` (counts by host). dump: `format` (normal, csv, json), `status`, `retry`, `regex`, `sample`, `expr`, `batch` (an id, or `segment`; its pages have `partition` and `rank` in their metadata), with that `parts` (crawl_generate, crawl_fetch, content, crawl_parse, parse_data, parse_text: what `readseg -dump` writes of them). topN: `nnn`, `min`. url: `url`. Paths such as `out_dir` are ignored: the answer is the file. */
  args?: Record<string, unknown>;

  /** The crawl; empty is a crawl too. */
  crawlId: string;
}

export interface Health {
  /** `ok`. */
  status: string;
}

export interface PageRanks {
  /** LINKRANK: its score; null before the first, and of a page without a link that counts. */
  linkRank: number | null;

  /** PAGERANK: its score; 1 all pages together. */
  pageRank: number | null;

  /** HITS: how good a hub; 1 all pages together. */
  hub: number | null;

  /** HITS: how good an authority; 1 all pages together. */
  authority: number | null;

  /** WEBGRAPH, LINKRANK: pages that link to it, as far as such links count (`link.ignore.*`). */
  inlinks: number | null;

  /** The same of pages that it links to. */
  outlinks: number | null;
}

export interface PageMarks {
  /** `y` for a seed, `s` for a sitemap. */
  inject: string | null;

  /** Batch that the page is in now. */
  generate: string | null;

  /** The same batch, once fetched. */
  fetch: string | null;

  /** The same batch, once parsed. */
  parse: string | null;

  /** Batch with which UPDATEDB took the page in last. */
  update: string | null;

  /** Batch that was indexed last. */
  index: string | null;
}

export interface PageProtocolStatus {
  /** Code of the last visit. */
  code: number;

  /** Its name. */
  name: string;

  /** Its words: target of a redirect, line of robots.txt, message of an error. */
  args: string[];
}

export interface PageParseStatus {
  /** 0 not parsed, 1 success, 2 failed. */
  major: number;

  /** Why. */
  minor: number;

  /** Both as words. */
  name: string;

  /** Target and seconds of a refresh, or the reason of a failure. */
  args: string[];
}

export interface PageDto {
  /** The URL. */
  url: string;

  /** Row key: the URL with its host reversed. Pages are in its order. */
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

  /** What LINKRANK, PAGERANK and HITS have found; left out before any of them, and by `POST /v1/inspect/url`. */
  ranks?: PageRanks;

  /** Fewest links from a seed. */
  distance: number;

  /** When the page is due; between FETCH and UPDATEDB: when it was visited. ISO 8601, UTC. */
  fetchTime: string;

  /** When it had been due before the last visit. ISO 8601, UTC. */
  prevFetchTime: string | null;

  /** Seconds between two visits. */
  fetchInterval: number;

  /** Temporary failures in a row. */
  retries: number;

  /** When the content last changed, as far as known. ISO 8601, UTC. */
  modifiedTime: string | null;

  /** The value before. ISO 8601, UTC. */
  prevModifiedTime: string | null;

  /** Batch that the page was last generated into. */
  batchId: string | null;

  /** What the steps left on the page. */
  marks: PageMarks;

  /** How the last visit ended; null when there was none. */
  protocolStatus: PageProtocolStatus | null;

  /** HTTP status of the last visit; null without an answer. */
  httpStatus: number | null;

  /** How parsing ended; null when the page was not parsed. */
  parseStatus: PageParseStatus | null;

  /** Fingerprint of the content. */
  signature: string | null;

  /** The fingerprint before. */
  prevSignature: string | null;

  /** Title. */
  title: string | null;

  /** Content-Type as it came. */
  contentType: string | null;

  /** URL that answered. */
  baseUrl: string | null;

  /** URL that should stand for a redirected page. */
  reprUrl: string | null;

  /** Where a redirect leads. */
  redirectUrl: string | null;

  /** How the page was found. */
  sourceKind: 'seed' | 'link' | 'redirect' | 'sitemap';

  /** ETag of the answer. */
  etag: string | null;

  /** Last-Modified of the answer. ISO 8601, UTC. */
  lastModified: string | null;

  /** Why only a part of its content is stored, although it was fetched: `length` (http.content.limit), `time`, `disconnect`, `decode`. Left out of a page whose content is whole. */
  truncated?: string;

  /** Metadata of seed and page. */
  metadata: Record<string, unknown>;
}

export interface PageList {
  /** Pages in the order of their row keys. */
  pages: PageDto[];

  /** Give it as `cursor` to read on (it is the key of the last page); null when there is nothing more. */
  cursor: string | null;
}

export interface PageVisit {
  /** When the visit was written. ISO 8601, UTC. */
  time: string;

  /** Status that came of it. */
  status: string;

  /** Protocol status by name. */
  protocol: string;

  /** HTTP status; null without an answer. */
  httpStatus: number | null;

  /** Milliseconds from request to last byte. */
  ms: number | null;

  /** Bytes on the wire. */
  bytes: number | null;

  /** Fingerprint, when parsed in the same breath. */
  signature: string | null;

  /** FETCH job. */
  job: string | null;
}

export interface PageInlink {
  /** Page that links here. */
  url: string;

  /** Text of the link. */
  anchor: string | null;

  /** Score that the link handed over when last paid; null where no inlink of it is stored. */
  score: number | null;
}

export interface PageOutlink {
  /** Page that is linked to. */
  url: string;

  /** Text of the link. */
  anchor: string;
}

export interface PageContentFacts {
  /** Bytes kept, after decoding. */
  length: number | null;

  /** Characters of text. */
  textLength: number | null;

  /** Encoding the content was read in. */
  charset: string | null;

  /** Why the content is not whole; null when it is. */
  truncated: string | null;
}

export interface PageDetail {
  /** The URL. */
  url: string;

  /** Row key: the URL with its host reversed. Pages are in its order. */
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

  /** What LINKRANK, PAGERANK and HITS have found; left out before any of them, and by `POST /v1/inspect/url`. */
  ranks?: PageRanks;

  /** Fewest links from a seed. */
  distance: number;

  /** When the page is due; between FETCH and UPDATEDB: when it was visited. ISO 8601, UTC. */
  fetchTime: string;

  /** When it had been due before the last visit. ISO 8601, UTC. */
  prevFetchTime: string | null;

  /** Seconds between two visits. */
  fetchInterval: number;

  /** Temporary failures in a row. */
  retries: number;

  /** When the content last changed, as far as known. ISO 8601, UTC. */
  modifiedTime: string | null;

  /** The value before. ISO 8601, UTC. */
  prevModifiedTime: string | null;

  /** Batch that the page was last generated into. */
  batchId: string | null;

  /** What the steps left on the page. */
  marks: PageMarks;

  /** How the last visit ended; null when there was none. */
  protocolStatus: PageProtocolStatus | null;

  /** HTTP status of the last visit; null without an answer. */
  httpStatus: number | null;

  /** How parsing ended; null when the page was not parsed. */
  parseStatus: PageParseStatus | null;

  /** Fingerprint of the content. */
  signature: string | null;

  /** The fingerprint before. */
  prevSignature: string | null;

  /** Title. */
  title: string | null;

  /** Content-Type as it came. */
  contentType: string | null;

  /** URL that answered. */
  baseUrl: string | null;

  /** URL that should stand for a redirected page. */
  reprUrl: string | null;

  /** Where a redirect leads. */
  redirectUrl: string | null;

  /** How the page was found. */
  sourceKind: 'seed' | 'link' | 'redirect' | 'sitemap';

  /** ETag of the answer. */
  etag: string | null;

  /** Last-Modified of the answer. ISO 8601, UTC. */
  lastModified: string | null;

  /** Why only a part of its content is stored, although it was fetched: `length` (http.content.limit), `time`, `disconnect`, `decode`. Left out of a page whose content is whole. */
  truncated?: string;

  /** Metadata of seed and page. */
  metadata: Record<string, unknown>;

  /** Visits, newest first, at most 100. */
  history: PageVisit[];

  /** Links to the page, best first, at most 100. Those inside a host are stored only with `db.ignore.internal.links` false; of a page to which links are broken (`GET /v1/broken-links`) they are looked for in the pages of its host, and stand behind those that are stored. */
  inlinks: PageInlink[];

  /** Where not all pages of the host were looked through for such links: the `cursor` of `GET /v1/broken-links` with this URL as `target` that goes on behind them. Else null. */
  inlinksCursor: string | null;

  /** Links of the page, in page order, at most 1,000. */
  outlinks: PageOutlink[];

  /** How many links of the page are stored. */
  outlinkCount: number;

  /** Headers of the answer. */
  headers: Record<string, unknown>;

  /** What is stored of the content; null before the first. */
  content: PageContentFacts | null;
}

export interface BrokenLink {
  /** Page that is linked to. */
  target: string;

  /** Its status. */
  status: string;

  /** Protocol status of its last visit, by name. */
  protocol: string;

  /** HTTP status of its last visit; null without an answer. */
  httpStatus: number | null;

  /** Page that links there. */
  source: string;

  /** Text of the link. */
  anchor: string;
}

export interface BrokenLinkList {
  /** Links in the order of the pages that have them. */
  links: BrokenLink[];

  /** Give it as `cursor` to read on; null when there are no more pages. An answer may have few links, or none, and a cursor: a call reads some pages, however many of their links are broken. */
  cursor: string | null;
}

export interface CrawlRequest {
  /** Rounds at most. Default: until nothing is due. */
  rounds?: number;

  /** Pages a round at most. Default: generate.topN. */
  topN?: number;

  /** Pages over all rounds at most. Default: no limit. */
  limit?: number;

  /** How far links lead: `host` and `domain` keep to those of the page, `any` goes anywhere. Default: db.ignore.external.links and db.ignore.external.links.mode. */
  scope?: 'host' | 'domain' | 'any';

  /** Pages that fall due within so many days are due now; each is visited once. */
  adddays?: number;

  /** Requests under way at once. Default: fetcher.threads.fetch. */
  threads?: number;

  /** Run SITEMAP before the first round: the sitemaps of the hosts of the crawl. */
  sitemaps?: boolean;

  /** Run INVERTLINKS in each round. */
  invertLinks?: boolean;

  /** Run DEDUP in each round. */
  dedup?: boolean;

  /** Rank pages by their links: INVERTLINKS, WEBGRAPH, LINKRANK and SCOREUPDATE in each round where rounds are strict, else at the end of the crawl. */
  ranks?: boolean;

  /** Index what was fetched: INDEX, and behind it CLEAN, in each round; rounds are strict then. */
  index?: boolean;

  /** Where the crawl begins: seed lines, each a URL, perhaps with TAB key=value behind it. Without `seeds` and `seedName` the crawl goes on with the pages it has. */
  seeds?: string[];

  /** The name of a stored seed list, in place of `seeds`. */
  seedName?: string;

  /** The crawl; crawls never see each other. */
  crawlId?: string;

  /** The configuration that the crawl takes a copy of. */
  confId?: string;
}

export interface CrawlList {
  /** CRAWL jobs, the newest first. */
  crawls: CrawlJobInfo[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;
}

export interface FacetCount {
  /** A host, language or type. */
  value: string;

  /** Documents with it. */
  documents: number;
}

export interface SnippetDto {
  /** A piece of the text; … where it goes on. */
  text: string;

  /** Start and end of each word or phrase of the query, in UTF-16 units. */
  marks: number[][];
}

export interface ExplanationDto {
  /** The value. */
  value: number;

  /** What it is. */
  description: string;

  /** What it is made of, each of the same shape. */
  details: Record<string, unknown>[];
}

export interface SearchHitDto {
  /** The URL. */
  url: string;

  /** Id of the document: the row key of its page. */
  id: string;

  /** Title. */
  title: string;

  /** Start and end of each word or phrase of the query in the title, in UTF-16 units. */
  titleMarks: number[][];

  /** The places of its text that have most of the query; none where no text is stored. */
  snippets: SnippetDto[];

  /** Hits that are nearly the same page, for which it stands. */
  duplicates: number;

  /** How well it fits; for comparing hits of one answer. */
  score: number;

  /** Host. */
  host: string;

  /** Language, ISO 639-1; null where it is not known. */
  lang: string | null;

  /** Media type; null where it is not known. */
  type: string | null;

  /** When the page was fetched. ISO 8601, UTC. */
  fetchTime: string | null;

  /** How the score came about; with `explain`. */
  explanation?: ExplanationDto;
}

export interface ExpansionDto {
  /** Why words were added, or not. */
  reason: string;

  /** The words, as terms of the index, the weightiest first. */
  added: string[];
}

export interface SearchAnswer {
  /** The crawl that was searched. */
  crawlId: string;

  /** The query as it was understood, in Lucene's syntax. */
  query: string;

  /** The best hits first. */
  hits: SearchHitDto[];

  /** Documents found. */
  total: number;

  /** `total` is exact; else there are at least so many, as a word stands in too many documents to be read. */
  exact: boolean;

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;

  /** Counts of the facets that were asked for, the most frequent values first. */
  facets: Record<string, FacetCount[]>;

  /** What was read otherwise than written, or left out: sentences for a person. */
  notes: string[];

  /** The query as it was probably meant, by the words of the index; null where it will do. */
  didYouMean: string | null;

  /** Whether words were added to the query. */
  expansion: ExpansionDto;

  /** State of the index; another one when something was written since. */
  generation: string;
}

export interface BatchDto {
  /** What its pages carry as mark. */
  id: string;

  /** Its name as a segment: when it was made, 14 digits, UTC. */
  segment: string;

  /** Its number among the batches of one GENERATE, from 1. */
  segnum: number;

  /** When it was made, ISO 8601, UTC. */
  generatedAt: string;

  /** Pages that GENERATE selected. */
  pages: number;
}

export interface BatchList {
  /** Batches in the order of their making. */
  batches: BatchDto[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;
}

export interface BatchParts {
  /** Pages that belong to it. */
  crawl_generate: number;

  /** Of these, fetched, however that went. */
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
  /** What its pages carry as mark. */
  id: string;

  /** Its name as a segment: when it was made, 14 digits, UTC. */
  segment: string;

  /** Its number among the batches of one GENERATE, from 1. */
  segnum: number;

  /** When it was made, ISO 8601, UTC. */
  generatedAt: string;

  /** Pages that GENERATE selected. */
  pages: number;

  /** Pages in each part of a segment, until they are generated again. */
  parts: BatchParts;
}

export interface HostRobots {
  /** Scheme, host and port. */
  origin: string;

  /** What the file means: its rules hold, all is allowed, nothing is, or the host is left alone for now. */
  state: 'rules' | 'allow-all' | 'deny-all' | 'defer';

  /** HTTP status of the answer. */
  httpStatus: number | null;

  /** When it was asked for. ISO 8601, UTC. */
  fetchedAt: string;

  /** Seconds since then. */
  ageSeconds: number;

  /** Until when it is believed. ISO 8601, UTC. */
  expiresAt: string;

  /** Whether the next fetch asks for it again. */
  expired: boolean;

  /** Bytes of the file. */
  bytes: number;

  /** Crawl-delay for the crawler that fetched the file, seconds. */
  crawlDelay: number | null;

  /** Why it could not be had when it was asked for last; null: it could. */
  error: string | null;

  /** How often in a row it could not be had: by a status, or by the network (once a day). */
  failures: number;
}

export interface HostPace {
  /** Fetch queue of the host (fetcher.queue.mode); null: that of its address, which is not looked up here. */
  queue: string | null;

  /** Rest after a request, seconds. */
  delaySeconds: number;

  /** Requests at once. */
  threads: number;

  /** Whence the delay comes: a property, the settings of the host, or Crawl-delay of its robots.txt. */
  source: 'property' | 'host' | 'robots';

  /** Whether Crawl-delay is over fetcher.max.crawl.delay, so that nothing is fetched. */
  refused: boolean;

  /** The job with whose copy of a configuration this is reckoned; null: with the configuration that was asked for, or `default`. */
  job: string | null;
}

export interface HostPoliteness {
  /** Fetch queue: the host, or its domain with fetcher.queue.mode byDomain. */
  queue: string;

  /** When the next request may start. ISO 8601, UTC. */
  nextAt: string;

  /** Until when a task holds the queue. ISO 8601, UTC. */
  leaseUntil: string;

  /** Until when its servers asked to be left alone, whichever crawl they told. ISO 8601, UTC. */
  blockedUntil: string | null;
}

export interface HostSettingsDto {
  /** Rest after a request. */
  delaySeconds: number | null;

  /** Rest where there are several threads. */
  minDelaySeconds: number | null;

  /** Requests at once. */
  threads: number | null;
}

export interface HostDto {
  /** Host as in URLs. */
  host: string;

  /** Reversed host. Hosts are in its order. */
  key: string;

  /** Registered domain. */
  domain: string;

  /** Pages of the host. */
  pages: number;

  /** Pages by status; a status without pages is left out. */
  status: Record<string, number>;

  /** robots.txt by origin, as last asked for, at most 10; empty when nobody did. */
  robots: HostRobots[];

  /** How fast FETCH asks it: with the configuration of the crawl, or that of `confId`. */
  pace: HostPace;

  /** When the host may be asked next; null when no fetch has queued it. */
  politeness: HostPoliteness | null;

  /** Failures of the host in a row. */
  failures: number;

  /** settings.delaySeconds in milliseconds. */
  delayMs: number | null;

  /** What was set by hand. */
  settings: HostSettingsDto;

  /** Whether nothing new is fetched from it. */
  drain: boolean;

  /** Until when the host is left alone. ISO 8601, UTC. */
  blockedUntil: string | null;

  /** Who blocked it: a hand, or the failures of its servers (429, 5xx, Retry-After). */
  blockedBy: 'hand' | 'back-off' | null;

  /** Home page. */
  homepage: string | null;

  /** Metadata of the host. */
  metadata: Record<string, unknown>;
}

export interface HostList {
  /** Hosts in the order of their reversed names. */
  hosts: HostDto[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;
}

export interface HostWait {
  /** `parser`: a parser that takes its time (a PDF, Markdown, a plugin). `job`: another job, which holds a lock. `host`: the queue of a host that rests, is left alone, or is with another task, while no server is asked. */
  for: 'parser' | 'job' | 'host';

  /** The same in words. */
  what: string;

  /** The page in hand. */
  url: string | null;

  /** Pages that wait, the one in hand among them; null where that is not known. */
  pages: number | null;

  /** Since when; with a page in hand, since when it is. ISO 8601 UTC. */
  since: string;

  /** The job that waits. */
  job: string;
}

export interface HostSitemap {
  /** Where it is. */
  url: string;

  /** How it was found: a seed line, an argument of SITEMAP, robots.txt, the default URL (/sitemap.xml), or an index. */
  source: 'seed' | 'argument' | 'robots' | 'default' | 'index';

  /** What became of it when SITEMAP read it last; null: it was not read yet. */
  status: 'fetched' | 'not_modified' | 'gone' | 'robots_denied' | 'not_a_sitemap' | 'failed' | null;

  /** HTTP status of that answer. */
  httpStatus: number | null;

  /** Entries, or sitemaps of an index, when it was read well. */
  entries: number | null;

  /** Why it could not be read, or what in it could not be used. */
  error: string | null;

  /** When it was read last. ISO 8601, UTC. */
  fetchedAt: string | null;
}

export interface HostDetailDto {
  /** Host as in URLs. */
  host: string;

  /** Reversed host. Hosts are in its order. */
  key: string;

  /** Registered domain. */
  domain: string;

  /** Pages of the host. */
  pages: number;

  /** Pages by status; a status without pages is left out. */
  status: Record<string, number>;

  /** robots.txt by origin, as last asked for, at most 10; empty when nobody did. */
  robots: HostRobots[];

  /** How fast FETCH asks it: with the configuration of the crawl, or that of `confId`. */
  pace: HostPace;

  /** When the host may be asked next; null when no fetch has queued it. */
  politeness: HostPoliteness | null;

  /** Failures of the host in a row. */
  failures: number;

  /** settings.delaySeconds in milliseconds. */
  delayMs: number | null;

  /** What was set by hand. */
  settings: HostSettingsDto;

  /** Whether nothing new is fetched from it. */
  drain: boolean;

  /** Until when the host is left alone. ISO 8601, UTC. */
  blockedUntil: string | null;

  /** Who blocked it: a hand, or the failures of its servers (429, 5xx, Retry-After). */
  blockedBy: 'hand' | 'back-off' | null;

  /** Home page. */
  homepage: string | null;

  /** Metadata of the host. */
  metadata: Record<string, unknown>;

  /** What tasks wait for that have the host at work now: those that hold its fetch queue, and those that have a page of it in hand. Empty: nothing holds it up but its pace. */
  waitsFor: HostWait[];

  /** Its sitemaps, those read last first, at most 100. */
  sitemaps: HostSitemap[];

  /** What HOSTDB found out; null before its first run. */
  hostdb: Record<string, unknown> | null;
}

export interface HostChanges {
  /** Until when the host is left alone: ISO 8601 with a time zone, in the future, at most ten years ahead. null ends any block, also one that the host's failures have earned. */
  blockedUntil?: string | null;

  /** Rest after a request, instead of fetcher.server.delay. null takes it away. */
  delaySeconds?: number | null;

  /** Rest where the queue has several threads, instead of fetcher.server.min.delay (or delaySeconds). null takes it away. */
  minDelaySeconds?: number | null;

  /** Requests at once, instead of fetcher.threads.per.queue. null takes it away. */
  threads?: number | null;

  /** true: nothing new is fetched from the host until this is taken back (false or null). */
  drain?: boolean | null;
}

export interface InspectUrl {
  /** The URL as you have it: a seed, a link, whatever the scheme. */
  url: string;

  /** The crawl whose table is asked. Without it, only a page of the crawl "" is looked for, and a page that is not known is no reason. */
  crawlId?: string;

  /** The configuration whose rules decide. */
  confId?: string;

  /** Where the URL comes in: the scope of the normalizers (`inject` for seeds, `outlink` for links, `fetcher` for redirects …). Or the scope of a crawl as in POST /v1/crawls: `host`, `domain` (db.ignore.external.links by host or domain), `any` (links may leave). */
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

  /** Ask robots.txt too: from the cache of the crawl, or by at most one guarded request of its server (8 s at most). */
  robots?: boolean;

  /** The page on which you saw the link. When the crawl does not know the URL, the stored content of this page tells what became of the link; without it some pages are looked at. */
  from?: string;
}

export interface InspectedRule {
  /** Its number among the rules of the plugin, from 1; comments do not count. 0: no line but a limit or a check, told in `text`. */
  number: number;

  /** The rule as it is written. */
  text: string;
}

export interface UrlStepDto {
  /** The plugin. */
  plugin: string;

  /** What it does. */
  kind: 'normalizer' | 'filter';

  /** The URL before it. */
  before: string;

  /** The URL behind it; null when it dropped the URL. */
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
  /** `rules`: the file was read. `allow`, `deny`: its answer allows or forbids all. `wait`: it cannot be had now. `not-asked`: see why. */
  state: 'rules' | 'allow' | 'deny' | 'wait' | 'not-asked';

  /** Null when it is not known. */
  allowed: boolean | null;

  /** Crawl-delay for this crawler, seconds. */
  crawlDelay: number | null;

  /** The rest that it makes, seconds: at least fetcher.min.crawl.delay. A longer delay of the host (GET /v1/hosts/{host}) wins. */
  delaySeconds: number | null;

  /** Names in the file whose groups count together: those of this crawler, else `*`. */
  agents: string[];

  /** The line that decided. */
  line: InspectedLine | null;

  /** Why it is not allowed, in words. */
  why: string | null;

  /** True when the server was asked just now, false when the cache answered. */
  fetched: boolean;
}

/** Branch on it. MALFORMED: It is no URL that can be stored. SCHEME: Its scheme is neither http nor https. KEY_TOO_LONG: Its row key is longer than an index entry may be. URL_TOO_LONG: As a link it would be dropped: db.max.outlink.length. FILTERED: A URL filter or normalizer refuses it. TRAP: It has the shape of a trap: repeating path segments, an endless calendar, very many parameters. TEMPLATE_STOPPED: Pages of its URL template are near duplicates: trap.template.similar.after. TEMPLATE_BUDGET: URLs of its template fill their budget: trap.template.pages. HOST_BUDGET: Pages of its host fill their budget: trap.host.pages. NORMALIZED: It is stored under another spelling. AGENT_NAME: http.agent.name is not set: FETCH fails. PROTOCOL_PLUGIN: plugin.includes has no protocol-http: FETCH fails. INNER_ADDRESS: The egress guard refuses its address. FETCH_FAILED: The request failed. PORT: The egress guard refuses its port. ADDRESS_UNKNOWN: Its name could not be resolved, so its address was not checked. ROBOTS_DENIED: robots.txt forbids it, or did when it was visited. ROBOTS_DEFERRED: robots.txt cannot be had now, so its host is left alone. UNKNOWN_PAGE: The crawl does not know it. EXEMPT: Links to it may leave their host or domain: db.ignore.external.exemptions.rules. EXTERNAL: Links to it leave their host or domain: db.ignore.external.links. NOFOLLOW: The pages that link to it ask not to follow the link. LINK_DROPPED: A page links to it, and the link was dropped. LINK_KEPT: A page links to it, and UPDATEDB will bring it in. NOT_DUE: Its time has not come. RETRY: The last visit failed for now; it is tried again. GONE: The last visit found nothing there. DUPLICATE: Another page has the same content. REDIRECT: It leads to another URL. REDIRECT_REFUSED: It leads to a URL that may not join the crawl. NOT_MODIFIED: The server says that it did not change. HTTP_STATUS: The server answered no page. TRUNCATED: Only a part of it was kept. PARSE_FAILED: Its content could not be read. ORPHAN: No page links to it any more. SITEMAP: It is a sitemap: GENERATE takes it with `sitemap` only. IN_BATCH: It is in a batch already. DISTANCE: Too many links from a seed: generate.max.distance. SCORE_TOO_LOW: Its score is too low: generate.min.score. STATUS_REJECTED: Only pages of another status are taken: generate.restrict.status. INTERVAL_REJECTED: Its fetch interval is too long: generate.min.interval. HOST_LIMIT: Better pages of its host fill the batch: generate.max.count, generate.max.count.expr. PARTITION_LIMIT: Better pages fill its partition: topN divided by mapreduce.job.reduces. TOP_N: Better pages fill the batch: generate.topN. PLACE_UNKNOWN: Its position in the next batch could not be found in time. HOST_BLOCKED: Its host is left alone for a while. HOST_DRAINED: Its host is drained: nothing new is fetched from it. */
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
  | 'NOT_DUE'
  | 'RETRY'
  | 'GONE'
  | 'DUPLICATE'
  | 'REDIRECT'
  | 'REDIRECT_REFUSED'
  | 'NOT_MODIFIED'
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
  /** Branch on it. MALFORMED: It is no URL that can be stored. SCHEME: Its scheme is neither http nor https. KEY_TOO_LONG: Its row key is longer than an index entry may be. URL_TOO_LONG: As a link it would be dropped: db.max.outlink.length. FILTERED: A URL filter or normalizer refuses it. TRAP: It has the shape of a trap: repeating path segments, an endless calendar, very many parameters. TEMPLATE_STOPPED: Pages of its URL template are near duplicates: trap.template.similar.after. TEMPLATE_BUDGET: URLs of its template fill their budget: trap.template.pages. HOST_BUDGET: Pages of its host fill their budget: trap.host.pages. NORMALIZED: It is stored under another spelling. AGENT_NAME: http.agent.name is not set: FETCH fails. PROTOCOL_PLUGIN: plugin.includes has no protocol-http: FETCH fails. INNER_ADDRESS: The egress guard refuses its address. FETCH_FAILED: The request failed. PORT: The egress guard refuses its port. ADDRESS_UNKNOWN: Its name could not be resolved, so its address was not checked. ROBOTS_DENIED: robots.txt forbids it, or did when it was visited. ROBOTS_DEFERRED: robots.txt cannot be had now, so its host is left alone. UNKNOWN_PAGE: The crawl does not know it. EXEMPT: Links to it may leave their host or domain: db.ignore.external.exemptions.rules. EXTERNAL: Links to it leave their host or domain: db.ignore.external.links. NOFOLLOW: The pages that link to it ask not to follow the link. LINK_DROPPED: A page links to it, and the link was dropped. LINK_KEPT: A page links to it, and UPDATEDB will bring it in. NOT_DUE: Its time has not come. RETRY: The last visit failed for now; it is tried again. GONE: The last visit found nothing there. DUPLICATE: Another page has the same content. REDIRECT: It leads to another URL. REDIRECT_REFUSED: It leads to a URL that may not join the crawl. NOT_MODIFIED: The server says that it did not change. HTTP_STATUS: The server answered no page. TRUNCATED: Only a part of it was kept. PARSE_FAILED: Its content could not be read. ORPHAN: No page links to it any more. SITEMAP: It is a sitemap: GENERATE takes it with `sitemap` only. IN_BATCH: It is in a batch already. DISTANCE: Too many links from a seed: generate.max.distance. SCORE_TOO_LOW: Its score is too low: generate.min.score. STATUS_REJECTED: Only pages of another status are taken: generate.restrict.status. INTERVAL_REJECTED: Its fetch interval is too long: generate.min.interval. HOST_LIMIT: Better pages of its host fill the batch: generate.max.count, generate.max.count.expr. PARTITION_LIMIT: Better pages fill its partition: topN divided by mapreduce.job.reduces. TOP_N: Better pages fill the batch: generate.topN. PLACE_UNKNOWN: Its position in the next batch could not be found in time. HOST_BLOCKED: Its host is left alone for a while. HOST_DRAINED: Its host is drained: nothing new is fetched from it. */
  code: ReasonCode;

  /** False for a reason that explains and does not stand in the way. */
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

  /** The other URL that it is about. */
  url?: string;
}

export interface Fetchable {
  /** Whether the next GENERATE and FETCH would take it, as far as was asked: no reason blocks. */
  now: boolean;

  /** What stands in the way, and what explains. */
  reasons: ReasonDto[];
}

export interface InspectedUrl {
  /** The URL as it was given. */
  given: string;

  /** What the normalizers give, whatever the scheme; null when one of them drops it. */
  normalized: string | null;

  /** Its row key; null for a text without a scheme. */
  key: string | null;

  /** Its host. */
  host: string | null;

  /** The registered domain of the host. */
  domain: string | null;

  /** The verdict of normalizers and filters. */
  accepted: boolean;

  /** Its way through the plugins, up to the one that drops it. */
  steps: UrlStepDto[];

  /** Who dropped it; null when all accept it. */
  decidedBy: UrlDecision | null;

  /** What robots.txt says, when asked for. */
  robots?: UrlRobots;

  /** The page, when the crawl knows it. */
  page: PageDto | null;

  /** Whether it would be fetched now, and why not. */
  fetchable: Fetchable;
}

export interface InspectParse {
  /** The URL of the page, http or https: references resolve against it. */
  url: string;

  /** The bytes of the page in base64 (RFC 4648 section 4, padded, without line breaks). */
  contentBase64: string;

  /** The Content-Type header as the server sent it. Without it the bytes and the URL tell. */
  contentType?: string | null;

  /** The X-Robots-Tag header as the server sent it; several headers divided by line ends. */
  robotsTag?: string | null;

  /** The configuration that decides. */
  confId?: string;
}

export interface FailedParser {
  /** The id of the plugin. */
  parser: string;

  /** Why it could not read the document. */
  reason: string;
}

export interface ParsedLink {
  /** The link as found: absolute, with its fragment. */
  url: string;

  /** The text a reader clicks on. */
  anchor: string;

  /** Whether it becomes an outlink. */
  kept: boolean;

  /** The URL under which it is kept, where that differs. */
  keptAs?: string;

  /** Who dropped it: the id of a plugin, or nofollow, scheme, malformed, length (db.max.outlink.length, or the longest row key), self, external (db.ignore.external.links), duplicate (it stands in the page before), limit (db.max.outlinks.per.page), refresh (the page is a redirect). */
  droppedBy?: string;

  /** The element it is from; absent in formats without elements. */
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
  /** Seconds until then. */
  seconds: number;

  /** The other URL. */
  url: string;

  /** Whether the rules let it become the one outlink of the page. */
  kept: boolean;
}

export interface PageAlternate {
  /** A language tag, or x-default. */
  hreflang: string;

  /** The page in that language. */
  url: string;
}

export interface PageImageDto {
  /** Where the image is. */
  url: string;

  /** Its description. */
  alt: string;
}

export interface PageData {
  /** Meta elements by name or property, lower case. */
  metatags: Record<string, string[]>;

  /** Texts of the elements of property headings, by name, where the plugin headings is on. */
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

  /** The type that was found. */
  type: string;

  /** The plugin that read it; null where none could. */
  parser: string | null;

  /** Plugins that were tried before it and failed, in order. */
  tried: FailedParser[];

  /** The title. */
  title: string;

  /** The text. */
  text: string;

  /** The links as found in the page, in order, duplicates kept. */
  outlinks: ParsedLink[];

  /** Links at the end of the list that are left out of this answer: it carries 4 MiB of them. */
  outlinksLeftOut: number;

  /** What references resolve against. */
  base: string;

  /** What the page and its X-Robots-Tag ask of robots. */
  robots: ParsedRobots;

  /** The canonical URL it names. */
  canonical: string | null;

  /** Meta refresh to another URL. */
  refresh: ParsedRefresh | null;

  /** The encoding that was used. */
  charset: string | null;

  /** Fingerprint by db.signature.class, 32 hex digits (SimHashSignature: 16); null for a failed parse. */
  signature: string | null;

  /** What an HTML page says about itself, kept or not; null for other formats. */
  data: PageData | null;

  /** Metadata by name. */
  metadata: Record<string, string>;
}

export interface InspectRobots {
  /** A URL, or a path with its query. */
  url: string;

  /** The file as text. One of robotsTxt and robotsBase64 is required. */
  robotsTxt?: string;

  /** The bytes of the file in base64 (RFC 4648 section 4): for other charsets. */
  robotsBase64?: string;

  /** The crawler's product token (`orbweaver`); a version behind a slash is ignored. Several, separated by commas, count together, as http.agent.name and http.robots.agents do. */
  agent: string;
}

export interface InspectedRobots {
  /** Whether the crawler may fetch the URL. */
  allowed: boolean;

  /** Names in the file whose groups count together: those of this crawler, else `*`; empty: there is no group for it. */
  agents: string[];

  /** Crawl-delay for this crawler, seconds. */
  crawlDelay: number | null;

  /** The line that decided; null where no rule fits. */
  line: InspectedLine | null;

  /** Sitemap lines of the file, as written. */
  sitemaps: string[];
}

export interface InspectFetch {
  /** The URL, http or https. */
  url: string;

  /** The configuration: who asks, limits, addresses, redirects. */
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

  /** Where it leads, absolute. */
  target: string | null;

  /** `followed`: FETCH follows it at once (http.redirect.max). `later`: the target joins the crawl and is fetched in a later round. `dropped`: too many (http.redirect.max.exceeded.skip). `refused`: see decisions. */
  decision: 'followed' | 'later' | 'dropped' | 'refused';
}

export interface FetchHop {
  /** The URL that was asked for. */
  url: string;

  /** What its robots.txt says. */
  robots: UrlRobots;

  /** HTTP status; null when there was no answer. */
  status: number | null;

  /** What FETCH makes of it. */
  protocolStatus: PageProtocolStatus;

  /** How long it took; null when nothing was asked. */
  timings: FetchTimings | null;

  /** Where it leads, for a redirect. */
  redirect: FetchRedirect | null;
}

export interface InspectedFetch {
  /** The URL as the normalizers write it: what was asked for. */
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

  /** Bytes kept, content codings undone. */
  bytes: number | null;

  /** Bytes of the body as they were sent. */
  wireBytes: number | null;

  /** Why the body is shorter than what the server has. */
  truncated: 'length' | 'time' | 'disconnect' | 'decode' | null;

  /** What FETCH makes of the last hop. */
  protocolStatus: PageProtocolStatus;

  /** The status that FETCH would write into the row. */
  pageStatus: string;

  /** Times of the last hop. */
  timings: FetchTimings | null;

  /** What was decided on the way, and by what. */
  decisions: ReasonDto[];
}

export interface SchedulePage {
  /** When the page was due. Milliseconds since 1970, or ISO 8601. */
  fetchTime?: number;

  /** Seconds between two fetches. Default: db.fetch.interval.default. */
  fetchInterval?: number;

  /** Temporary failures in a row before this visit. */
  retries?: number;

  /** When the content last changed; 0 or absent: nobody knows. Milliseconds since 1970, or ISO 8601. */
  modifiedTime?: number;

  /** Fingerprint of its content before this visit, hex. */
  signature?: string;

  /** Content type, for MimeAdaptiveFetchSchedule. */
  contentType?: string;

  /** Its URL, or only its host: for bounds by host. */
  url?: string;

  /** Metadata that count: fixedInterval (seconds), sitemap.changefreq. */
  metadata?: Record<string, string>;
}

export interface ScheduleOutcome {
  /** When it was visited. Default: now. Milliseconds since 1970, or ISO 8601. */
  time?: number;

  /** What came of it: a status by name or number (db_fetched, fetch_retry, 3 …). One of status, protocol and httpStatus is required. */
  status?: string;

  /** The same as a protocol status: SUCCESS, NOTFOUND, 16 … */
  protocol?: string;

  /** The same as an HTTP status. */
  httpStatus?: number;

  /** Fingerprint of the content, hex. Equal to that before: not modified. */
  signature?: string;

  /** Last-Modified of the answer. Milliseconds since 1970, or ISO 8601. */
  lastModified?: number;

  /** PARSE could not read the content (parser.delete.failed.parse). */
  parseFailed?: boolean;
}

export interface InspectSchedule {
  /** The page before the visit. */
  page: SchedulePage;

  /** What the visit found. */
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

  /** When the content last changed, ms since 1970; 0: nobody knows. */
  modifiedTime: number;

  /** When it had been due before this visit, ms since 1970. */
  prevFetchTime: number;

  /** Temporary failures in a row. */
  retries: number;

  /** The next fetch asks without conditions: signature and validators are forgotten. */
  unconditional: boolean;

  /** Why, in sentences that name the properties. */
  why: string[];
}

export interface GenerateArgs {
  /** Most pages selected, over all partitions and segments. Default: generate.topN, else no limit. */
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

  /** Batches to make at most. topN counts over all of them, generate.max.count for each. */
  maxNumSegments?: number;

  /** Filter URLs (2.x). Default: generate.filter. */
  filter?: boolean;

  /** Normalize URLs (2.x). Default: generate.normalise. */
  normalize?: boolean;

  /** Do not filter URLs (1.x). */
  noFilter?: boolean;

  /** Do not normalize URLs (1.x). */
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

  /** A stored seed list, by name or as POST /seed/create answered it: the batch is made of its URLs, known or not, due or not, up to topN (freegen of 1.x). Those that are new become pages. A name of its own, because clients send the seeds of INJECT along with every later job. */
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

  /** Arguments as for the job GENERATE. `batch` and `force` change nothing, as nothing is marked. */
  args?: GenerateArgs;
}

export interface HostShare {
  /** The host. */
  host: string;

  /** Pages of it that would be selected. */
  count: number;
}

export interface InspectedBatch {
  /** Pages that would be selected. */
  count: number;

  /** By host, the largest first; at most 100. */
  byHost: HostShare[];

  /** Hosts in all. */
  hosts: number;

  /** Pages left out, by reason: the counters of GENERATE (NOT_DUE, HOST_DRAINED, HOST_BLOCKED, DISTANCE, SCORE_TOO_LOW, STATUS_REJECTED, INTERVAL_REJECTED, URL_FILTERS_REJECTED, EXPR_REJECTED, HOST_LIMIT, PARTITION_LIMIT), TOP_N (the batch was full before them) and IN_BATCH. TOP_N, NOT_DUE and IN_BATCH are counted up to 100,000. */
  leftOut: Record<string, number>;

  /** The first pages, best first; at most 100. */
  sample: string[];

  /** False when the time was over before all candidates were looked at. */
  complete: boolean;

  /** Why the batch is smaller than topN although more is due. */
  warning: string | null;
}

/** What it tells of. */
export type EventKind = 'state' | 'task' | 'progress' | 'warning';

export interface EventDto {
  /** Within a job and within a crawl ids appear in ascending order; resume behind the last one you have. */
  id: string;

  /** The job that it is of. */
  jobId: string;

  /** When it was written, ISO 8601 UTC. */
  time: string;

  /** What it tells of. */
  kind: EventKind;

  /** state: `state`, `msg`. task: `part`, `state`, `reason`, `msg`. progress: `part`, `counters`. warning: `message` and particulars. */
  data: Record<string, unknown>;
}

export interface NewWebhookDto {
  /** Where deliveries are POSTed to: http or https, no inner address, no name and password. */
  url: string;

  /** The kinds of events that are delivered. progress comes each second of each task. */
  events?: ('state' | 'task' | 'progress' | 'warning')[];

  /** Events of this crawl only (empty: the default crawl); of all when left out. */
  crawlId?: string | null;

  /** What deliveries are signed with: 16 to 200 visible characters. Made, and shown in the answer, when left out. */
  secret?: string | null;
}

export interface MadeWebhookDto {
  /** Its id. */
  id: string;

  /** Where deliveries are POSTed to. It may hold secrets: whoever is neither an admin nor the key that made the webhook sees its host alone, `https://hooks.example.org/********`. */
  url: string;

  /** The kinds of events. */
  events: ('state' | 'task' | 'progress' | 'warning')[];

  /** The crawl; null for all. */
  crawlId: string | null;

  /** OFF when its receiver answered 410. */
  state: 'ACTIVE' | 'OFF';

  /** OK, or why it is off. */
  msg: string;

  /** When it was made, ISO 8601 UTC. */
  createdAt: string;

  /** What deliveries are signed with. It is shown here, and never again. */
  secret: string;
}

export interface WebhookDto {
  /** Its id. */
  id: string;

  /** Where deliveries are POSTed to. It may hold secrets: whoever is neither an admin nor the key that made the webhook sees its host alone, `https://hooks.example.org/********`. */
  url: string;

  /** The kinds of events. */
  events: ('state' | 'task' | 'progress' | 'warning')[];

  /** The crawl; null for all. */
  crawlId: string | null;

  /** OFF when its receiver answered 410. */
  state: 'ACTIVE' | 'OFF';

  /** OK, or why it is off. */
  msg: string;

  /** When it was made, ISO 8601 UTC. */
  createdAt: string;
}

export interface WebhooksDto {
  /** Webhooks, oldest first. */
  webhooks: WebhookDto[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;
}

export interface ReplayedDto {
  /** Deliveries that were made, 10,000 at most. */
  deliveries: number;

  /** The last event among them: give it as `after` to go on. */
  last: string | null;
}

/** DEAD: given up, until it is sent again on request. */
export type DeliveryState = 'WAITING' | 'DELIVERED' | 'DEAD';

export interface DeliveryDto {
  /** Header Orbweaver-Delivery. */
  id: string;

  /** The id of the event. */
  eventId: string;

  /** DEAD: given up, until it is sent again on request. */
  state: DeliveryState;

  /** Attempts so far, 12 at most. */
  attempts: number;

  /** When it is tried next, ISO 8601 UTC; null when it is not. */
  nextAt: string | null;

  /** The status that the receiver answered last; null when it did not. */
  status: number | null;

  /** What became of the last attempt. */
  msg: string;

  /** ISO 8601 UTC. */
  createdAt: string;

  /** When it was delivered or given up, ISO 8601 UTC. */
  endedAt: string | null;
}

export interface DeliveriesDto {
  /** Deliveries, newest first. */
  deliveries: DeliveryDto[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;
}

/** `leaving`: hands back what it holds. `lost`: silent for longer than a lease. */
export type WorkerState = 'alive' | 'leaving' | 'lost';

export interface WaitDto {
  /** `parser`: a parser that takes its time (a PDF, Markdown, a plugin). `job`: another job, which holds a lock. `host`: the queue of a host that rests, is left alone, or is with another task, while no server is asked. */
  for: 'parser' | 'job' | 'host';

  /** The same in words. */
  what: string;

  /** The page in hand. */
  url: string | null;

  /** Pages that wait, the one in hand among them; null where that is not known. */
  pages: number | null;

  /** Since when; with a page in hand, since when it is. ISO 8601 UTC. */
  since: string;
}

export interface WorkerTaskDto {
  /** The job it is a part of. */
  job: string;

  /** What the job does. */
  type: JobType;

  /** The crawl it works on. */
  crawlId: string;

  /** Which part of the job, from 0. */
  part: number;

  /** Since when it is with this worker, ISO 8601 UTC. */
  since: string;

  /** Counters of this part so far, over all attempts: group, name, number. */
  progress: Record<string, Record<string, number>>;

  /** What it has waited for longer than a second; null: for nothing. */
  waitsFor: WaitDto | null;
}

export interface WorkerDto {
  /** Machine, boot, and id and start of the server and of the process. */
  id: string;

  /** Name of its machine. */
  host: string;

  /** Process id on that machine. */
  pid: number;

  /** Role of its server. */
  role: 'all' | 'worker';

  /** Version of the program. */
  version: string;

  /** `leaving`: hands back what it holds. `lost`: silent for longer than a lease. */
  state: WorkerState;

  /** Tasks that it may have at work at once (`WORKER_SLOTS`). */
  slots: number;

  /** What it has at work now, oldest first, 100 at most. */
  tasks: WorkerTaskDto[];

  /** Pages fetched, or parsed, a second in the last seconds. */
  pagesPerSecond: number;

  /** Share of the time in which its event loop was busy, 0 to 1. */
  load: number;

  /** Resident memory, bytes. */
  memoryBytes: number;

  /** ISO 8601 UTC. */
  startedAt: string;

  /** When it last said that it lives, ISO 8601 UTC. */
  lastSeen: string;
}

export interface WorkersDto {
  /** Workers, by their ids. */
  workers: WorkerDto[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;
}

export interface RuleFileDto {
  /** Its name. */
  name: string;

  /** Its size in bytes. */
  size: number;

  /** The property that takes a file of this name without being told, or null. */
  property: string | null;

  /** When it was first stored, ISO 8601 UTC. */
  createdAt: string;

  /** When it was last stored, ISO 8601 UTC. */
  updatedAt: string;
}

export interface RuleFilesDto {
  /** Rule files by name. */
  ruleFiles: RuleFileDto[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;
}

export interface PluginPoint {
  /** Nutch's name of the extension point. */
  point:
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

  /** The extension points that it serves; none for a part of a step that is only switched. */
  points: PluginPoint[];

  /** `built-in`, or the name of its file in PLUGIN_DIR. */
  origin: string;

  /** Whether this configuration switches it on. */
  active: boolean;

  /** Ids of plugins that it requires. */
  requires: string[];
}

export interface PluginList {
  /** All plugins, in the order in which they run where none is given. */
  plugins: PluginDto[];

  /** Ids in `plugin.includes` that Nutch has and this server has not: they do nothing. */
  notBuilt: string[];

  /** Ids in `plugin.includes` that no plugin has: most likely misspelt. */
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

  /** The shipped default as text; `${name}` stands for that property. */
  default: string;

  /** What it takes, in words. */
  allowed: string;

  /** What it does. */
  description: string;

  /** What it is about. */
  group:
    | 'schedule'
    | 'signature'
    | 'score'
    | 'table'
    | 'generate'
    | 'fetch'
    | 'robots'
    | 'request'
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

  /** The line of Nutch that has it; null for our own, and for those of plugins from outside. */
  nutchLine: '1.x' | '2.x' | 'both' | null;

  /** Where the default, or the meaning, is not Nutch's. */
  differs?: NutchDifference;
}

export interface MeaninglessProperty {
  /** Name of a property of Nutch. */
  name: string;

  /** Why it means nothing here. */
  reason: string;
}

export interface PropertyList {
  /** Properties, by name. */
  properties: PropertyDto[];

  /** Properties of Nutch that begin with `prefix` and mean nothing here. With the first page only. */
  withoutMeaning: MeaninglessProperty[];

  /** Give it as `cursor` to read on; null when there is nothing more. */
  cursor: string | null;
}

export interface ReaderConfig {
  /** What is read: the name of a store within a crawl, as 1.x has its paths. No path reaches the file system. */
  path: string;
}

export interface ServiceInfo {
  /** Names of dumps, for `POST /reader/sequence/read`. */
  dumpPaths: string[];
}

export interface ServiceConfig {
  /** The crawl. */
  crawlId?: string;

  /** Passed over: a dump depends on no configuration. */
  confId?: string;

  /** Passed over: paths and formats of files. */
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
  /** Batch to fetch, or `-all` for every generated page. Default: every open batch, sitemaps too. */
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
  /** Batch to parse; `-all`: every fetched page; `-reparse`: every page with content of its last visit (status 2, 6, 7, 8 or 9). Default: `-all`. */
  batch?: string;

  /** Batch to parse, as 1.x clients name it. */
  segment?: string;

  /** Accepted for 2.x clients: parsed pages of the batch are skipped in any case. */
  resume?: boolean;

  /** Parse again what was parsed in this batch. */
  force?: boolean;

  /** Outlinks are not filtered. */
  nofilter?: boolean;

  /** Outlinks are not normalized. */
  nonormalize?: boolean;

  /** As nofilter. */
  noFilter?: boolean;

  /** As nonormalize. */
  noNormalize?: boolean;

  /** Tasks to split the job into. Default: the number of workers. */
  numTasks?: number;
}

export interface UpdateDbArgs {
  /** Batch to bring into the table, or `-all`: every batch of which something was fetched. Default: `-all`. */
  batch?: string;

  /** Batches, as 1.x clients name them: a text or an array. */
  segment?: string[];

  /** New links are not added: only known pages change. Default: the opposite of db.update.additions.allowed. */
  noAdditions?: boolean;

  /** Normalize the links again by the rules of now (crawldb.url.normalizers). */
  normalize?: boolean;

  /** Filter the links again by the rules of now (crawldb.url.filters). */
  filter?: boolean;

  /** Accepted for 1.x clients: jobs that would fight wait for each other. */
  force?: boolean;

  /** The crawl to work on, in place of crawlId (2.x). */
  crawl?: string;

  /** Given by a CRAWL that keeps going, for the batches it has open: `fetched` brings in what its FETCH has done so far and keeps them open, `all` closes them. */
  ofCrawl?: 'fetched' | 'all';

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

  /** The same, as some examples of Nutch spell it. */
  segments_dir?: string;

  /** Do not normalize the links by the rules of now (scope `linkdb`). */
  noNormalize?: boolean;

  /** Do not filter the links by the rules of now. */
  noFilter?: boolean;

  /** Accepted for 1.x clients: jobs that would fight wait for each other. */
  force?: boolean;

  /** Path of 1.x that ends with `linkdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  linkdb?: string;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;
}

export interface DedupArgs {
  /** Where pages of equal content are duplicates: anywhere, on one host, or in one domain. */
  group?: 'none' | 'host' | 'domain';

  /** Which page of a group stays, first criterion first; an array, or a text with commas. The higher score, the later fetch time, https of two that differ in nothing else, the shorter URL. Default: deduplication.compare.order. */
  compareOrder?: ('score' | 'fetchTime' | 'httpsOverHttp' | 'urlLength')[];

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

  /** The same, as some examples of Nutch spell it. */
  segments_dir?: string;

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

  /** Parameters over those of every writer: `name=value&name=value`. */
  params?: string;

  /** Accepted for 1.x clients: jobs that would fight wait for each other. */
  force?: boolean;

  /** Path of 1.x that ends with `linkdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  linkdb?: string;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;
}

export interface CleanArgs {
  /** Do not tell the engine to show what was deleted. */
  noCommit?: boolean;

  /** Accepted for 1.x clients: jobs that would fight wait for each other. */
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

  /** The same, as some examples of Nutch spell it. */
  segments_dir?: string;

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

  /** Entries may stand anywhere (sitemap.strict.parsing). */
  noStrict?: boolean;

  /** Nothing is filtered (sitemap.url.filter). */
  noFilter?: boolean;

  /** Nothing is normalized (sitemap.url.normalize). */
  noNormalize?: boolean;

  /** Read sitemaps again that have not changed since they were read last. */
  force?: boolean;

  /** Path of 1.x that ends with `crawldb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  crawldb?: string;

  /** Path of 1.x that ends with `hostdb`: the folder before it is the crawl of a job whose request names none, and must be that of the request else. */
  hostdb?: string;
}

export interface HostDbArgs {
  /** Metadata of hosts, laid over what is known before anything else: one host a line, `host TAB key=value …` (2.x host injector). */
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
  /** Rounds. Default: link.analyze.num.iterations. */
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
  /** Rounds. Default: link.pagerank.max.iterations. */
  iterations?: number;
}

export interface HitsArgs {
  /** Rounds. Default: link.hits.max.iterations. */
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

  /** The same, as 1.x names it: what POST /seed/create answered. */
  url_dir?: string;

  /** The same, as 2.x names it: what POST /seed/create answered. */
  seedDir?: string;

  /** The seeds themselves, one URL a line; they are stored as a seed list. Not beside `seedName`, `url_dir` or `seedDir`. */
  seed?: string;

  /** Lines of `seed` that are no seeds are left out, and named in the header `Orbweaver-Notice`. Without it they are refused, and all others with them. */
  skipInvalid?: boolean;

  /** Rounds at most. Default: until nothing is due. */
  rounds?: number;

  /** Pages a round at most. Default: generate.topN. */
  topN?: number;

  /** Pages over all rounds at most. Default: no limit. */
  limit?: number;

  /** How far links lead: `host` and `domain` keep to those of the page, `any` goes anywhere. Default: db.ignore.external.links and db.ignore.external.links.mode. */
  scope?: 'host' | 'domain' | 'any';

  /** Pages that fall due within so many days are due now; each is visited once. */
  adddays?: number;

  /** Requests under way at once. Default: fetcher.threads.fetch. */
  threads?: number;

  /** Run SITEMAP before the first round: the sitemaps of the hosts of the crawl. */
  sitemaps?: boolean;

  /** Run INVERTLINKS in each round. */
  invertLinks?: boolean;

  /** Run DEDUP in each round. */
  dedup?: boolean;

  /** Rank pages by their links: INVERTLINKS, WEBGRAPH, LINKRANK and SCOREUPDATE in each round where rounds are strict, else at the end of the crawl. */
  ranks?: boolean;

  /** Index what was fetched: INDEX, and behind it CLEAN, in each round; rounds are strict then. */
  index?: boolean;
}

export interface DropCrawlArgs {}

/** How a INJECT ended; null until then. */
export type InjectResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Seed lines by what became of them. */
    injector?: Record<string, number>;

    /** Seeds that were new, and known ones by what was done with them. */
    injector_merge?: Record<string, number>;

    /** Pages injected, by status. */
    injector_status?: Record<string, number>;
  };
} | null;

/** How a GENERATE ended; null until then. */
export type GenerateResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages by what became of them: selected, or why not. */
    Generator?: Record<string, number>;
  };

  /** The batch that was made, or the first of them; null when nothing was due. */
  'generate.batch.id'?: string | null;

  /** Pages of all batches. */
  'generate.count'?: number;

  /** Its segment name (1.x). */
  'generate.segment'?: string | null;

  /** All batches, where there are several. */
  'generate.batch.ids'?: string[];

  /** Their segment names, in the same order. */
  'generate.segments'?: string[];

  /** What could not be done as asked. */
  warnings?: string[];
} | null;

/** How a FETCH ended; null until then. */
export type FetchResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls' | 'time-limit' | 'throughput-limit';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages selected, bytes read. */
    Fetcher?: Record<string, number>;

    /** Pages by the outcome of their visit, or why there was none. */
    FetcherStatus?: Record<string, number>;

    /** Pages by the outcome of parsing. */
    ParserStatus?: Record<string, number>;

    /** Links kept. */
    ParserOutlinks?: Record<string, number>;

    /** Links not kept, by the reason. */
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

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages by the outcome of parsing. */
    ParserStatus?: Record<string, number>;

    /** Links kept. */
    ParserOutlinks?: Record<string, number>;

    /** Links not kept, by the reason. */
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

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages by their new status; URLs added; links refused, by the reason; inlinks removed. */
    UpdateDb?: Record<string, number>;
  };
} | null;

/** How a INVERTLINKS ended; null until then. */
export type InvertLinksResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages marked as duplicates, and given back. */
    DeduplicationJobStatus?: Record<string, number>;
  };
} | null;

/** How a INDEX ended; null until then. */
export type IndexResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Documents that were written (2.x), and those of which a writer took a part only. */
    IndexerJob?: Record<string, number>;

    /** Pages by what became of them (1.x). */
    IndexerStatus?: Record<string, number>;
  };
} | null;

/** How a CLEAN ended; null until then. */
export type CleanResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Documents that were deleted, by what became of their pages. */
    CleaningJobStatus?: Record<string, number>;
  };
} | null;

/** How a MERGESEGS ended; null until then. */
export type MergeSegsResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-urls';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages that were merged, and those that stay in their segments, by the reason. */
    SegmentMerger?: Record<string, number>;
  };

  /** The batches that were made: several with `slice`. */
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

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Sitemaps and their entries, by what became of them. */
    Sitemap?: Record<string, number>;

    /** Requests by the outcome. */
    SitemapStatus?: Record<string, number>;

    /** Sitemaps that could not be read, by the reason. */
    SitemapErrors?: Record<string, number>;
  };
} | null;

/** How a HOSTDB ended; null until then. */
export type HostDbResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Hosts by what became of them; names that were looked up. */
    UpdateHostDb?: Record<string, number>;
  };
} | null;

/** How a WEBGRAPH ended; null until then. */
export type WebGraphResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages of the link graph, and those for which something else was found than before. */
    WebGraph?: Record<string, number>;
  };
} | null;

/** How a LINKRANK ended; null until then. */
export type LinkRankResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages of the link graph, and those for which something else was found than before. */
    LinkRank?: Record<string, number>;
  };
} | null;

/** How a SCOREUPDATE ended; null until then. */
export type ScoreUpdateResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'no-ranks';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages whose score changed to their link rank, or as they have none. */
    ScoreUpdater?: Record<string, number>;
  };
} | null;

/** How a PAGERANK ended; null until then. */
export type PageRankResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages of the link graph, and those for which something else was found than before. */
    PageRank?: Record<string, number>;
  };
} | null;

/** How a HITS ended; null until then. */
export type HitsResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages of the link graph, and those for which something else was found than before. */
    Hits?: Record<string, number>;
  };
} | null;

/** How a READDB ended; null until then. */
export type ReadDbResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Pages of the statistics. */
    WebTable?: Record<string, number>;
  };

  /** The numbers of the crawl, as POST /db/crawldb answers them for `stats`. */
  stats?: Record<string, unknown>;
} | null;

/** How a CRAWL ended; null until then. */
export type CrawlResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed' | 'rounds' | 'limit' | 'nothing-fetched' | 'hosts-left-alone';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Seed lines by what became of them. */
    injector?: Record<string, number>;

    /** Seeds that were new, and known ones by what was done with them. */
    injector_merge?: Record<string, number>;

    /** Pages injected, by status. */
    injector_status?: Record<string, number>;

    /** Pages by what became of them: selected, or why not. */
    Generator?: Record<string, number>;

    /** Pages selected, bytes read. */
    Fetcher?: Record<string, number>;

    /** Pages by the outcome of their visit, or why there was none. */
    FetcherStatus?: Record<string, number>;

    /** Pages by the outcome of parsing. */
    ParserStatus?: Record<string, number>;

    /** Links kept. */
    ParserOutlinks?: Record<string, number>;

    /** Links not kept, by the reason. */
    ParserOutlinksDropped?: Record<string, number>;

    /** Links not kept, by the rule against traps. */
    ParserTraps?: Record<string, number>;

    /** Pages by their new status; URLs added; links refused, by the reason; inlinks removed. */
    UpdateDb?: Record<string, number>;

    /** Pages read, links found, inlinks added, changed, removed and dropped. */
    LinkDb?: Record<string, number>;

    /** Pages marked as duplicates, and given back. */
    DeduplicationJobStatus?: Record<string, number>;

    /** Sitemaps and their entries, by what became of them. */
    Sitemap?: Record<string, number>;

    /** Requests by the outcome. */
    SitemapStatus?: Record<string, number>;

    /** Sitemaps that could not be read, by the reason. */
    SitemapErrors?: Record<string, number>;

    /** Documents that were written (2.x), and those of which a writer took a part only. */
    IndexerJob?: Record<string, number>;

    /** Pages by what became of them (1.x). */
    IndexerStatus?: Record<string, number>;

    /** Documents that were deleted, by what became of their pages. */
    CleaningJobStatus?: Record<string, number>;
  };

  /** Rounds that had pages. */
  rounds?: number;
} | null;

/** How a DROPCRAWL ended; null until then. */
export type DropCrawlResult = {
  /** 0 done, 1 nothing to do, -1 failed. */
  result: '0' | '1' | '-1';

  /** Why it ended. */
  reason: 'done' | 'stopped' | 'failed';

  /** Of a failed job: why, for programs. `cure` says what to do. */
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

  /** Group, name, number. */
  counters: {
    /** Rows that were deleted, by table. */
    DropCrawl?: Record<string, number>;
  };

  /** Pages that the crawl had. */
  pages?: number;
} | null;

export interface JobConfigBase {
  /** The crawl that the job works on; crawls never see each other. */
  crawlId?: string;

  /** The configuration that the job takes a copy of. */
  confId?: string;
}

export type InjectJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'INJECT';
  args: InjectArgs;
};

export type GenerateJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'GENERATE';
  args: GenerateArgs;
};

export type FetchJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'FETCH';
  args: FetchArgs;
};

export type ParseJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'PARSE';
  args: ParseArgs;
};

export type UpdateDbJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'UPDATEDB';
  args: UpdateDbArgs;
};

export type InvertLinksJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'INVERTLINKS';
  args: InvertLinksArgs;
};

export type DedupJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'DEDUP';
  args: DedupArgs;
};

export type IndexJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'INDEX';
  args: IndexArgs;
};

export type CleanJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'CLEAN';
  args: CleanArgs;
};

export type MergeSegsJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'MERGESEGS';
  args: MergeSegsArgs;
};

export type SitemapJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'SITEMAP';
  args: SitemapArgs;
};

export type HostDbJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'HOSTDB';
  args: HostDbArgs;
};

export type WebGraphJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'WEBGRAPH';
  args: WebGraphArgs;
};

export type LinkRankJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'LINKRANK';
  args: LinkRankArgs;
};

export type ScoreUpdateJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'SCOREUPDATE';
  args: ScoreUpdateArgs;
};

export type PageRankJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'PAGERANK';
  args: PageRankArgs;
};

export type HitsJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'HITS';
  args: HitsArgs;
};

export type ReadDbJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'READDB';
  args: ReadDbArgs;
};

export type CrawlJobConfig = JobConfigBase & {
  /** What the job does. */
  type: 'CRAWL';
  args: CrawlArgs;
};

export interface JobInfoBase {
  /** `[<crawlId>-]<confId>-<TYPE>-<number>`. */
  id: string;

  /** The configuration it was made with. */
  confId: string;

  /** Its state. */
  state: JobState;

  /** What it does or waits for; OK; or why it failed. */
  msg: string;

  /** What can be done about a job that failed, was aborted, or is a crawl that fetched no page; else it is left out. */
  cure?: JobCure;

  /** The crawl it works on. */
  crawlId: string;

  /** The CRAWL job that made it. */
  parent: string | null;

  /** The round of that crawl; 0 is what goes before the first. */
  round: number | null;

  /** Whether it is paused; `state` stays as it was. */
  paused: boolean;

  /** When it was made. */
  createdAt: string;

  /** When a worker took it; null while it waits. */
  startedAt: string | null;

  /** When it ended; null until then. */
  endedAt: string | null;
}

export type InjectJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'INJECT';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: InjectArgs | Record<string, unknown>;
  result: InjectResult;
};

export type GenerateJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'GENERATE';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: GenerateArgs | Record<string, unknown>;
  result: GenerateResult;
};

export type FetchJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'FETCH';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: FetchArgs | Record<string, unknown>;
  result: FetchResult;
};

export type ParseJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'PARSE';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: ParseArgs | Record<string, unknown>;
  result: ParseResult;
};

export type UpdateDbJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'UPDATEDB';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: UpdateDbArgs | Record<string, unknown>;
  result: UpdateDbResult;
};

export type InvertLinksJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'INVERTLINKS';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: InvertLinksArgs | Record<string, unknown>;
  result: InvertLinksResult;
};

export type DedupJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'DEDUP';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: DedupArgs | Record<string, unknown>;
  result: DedupResult;
};

export type IndexJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'INDEX';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: IndexArgs | Record<string, unknown>;
  result: IndexResult;
};

export type CleanJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'CLEAN';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: CleanArgs | Record<string, unknown>;
  result: CleanResult;
};

export type MergeSegsJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'MERGESEGS';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: MergeSegsArgs | Record<string, unknown>;
  result: MergeSegsResult;
};

export type SitemapJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'SITEMAP';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: SitemapArgs | Record<string, unknown>;
  result: SitemapResult;
};

export type HostDbJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'HOSTDB';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: HostDbArgs | Record<string, unknown>;
  result: HostDbResult;
};

export type WebGraphJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'WEBGRAPH';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: WebGraphArgs | Record<string, unknown>;
  result: WebGraphResult;
};

export type LinkRankJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'LINKRANK';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: LinkRankArgs | Record<string, unknown>;
  result: LinkRankResult;
};

export type ScoreUpdateJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'SCOREUPDATE';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: ScoreUpdateArgs | Record<string, unknown>;
  result: ScoreUpdateResult;
};

export type PageRankJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'PAGERANK';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: PageRankArgs | Record<string, unknown>;
  result: PageRankResult;
};

export type HitsJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'HITS';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: HitsArgs | Record<string, unknown>;
  result: HitsResult;
};

export type ReadDbJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'READDB';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: ReadDbArgs | Record<string, unknown>;
  result: ReadDbResult;
};

export type CrawlJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'CRAWL';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: CrawlArgs | Record<string, unknown>;
  result: CrawlResult;
};

export type DropCrawlJobInfo = JobInfoBase & {
  /** What the job does. */
  type: 'DROPCRAWL';

  /** Its arguments as they were given: numbers and flags are text where the client sent text. */
  args: DropCrawlArgs | Record<string, unknown>;
  result: DropCrawlResult;
};

export type CrawlProgress = CrawlJobInfo & {
  /** Counters so far: group, name, number. They move while the job runs. */
  counters: Record<string, Record<string, number>>;

  /** Of a CRAWL: the jobs it made, oldest first; of more than 1,000 the newest. */
  children?: JobInfo[];
};
