/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
/** What the API takes and answers. */

/** What the job does. */
export type JobType = 'INJECT' | 'GENERATE' | 'FETCH' | 'PARSE' | 'UPDATEDB';

/** Its state. */
export type JobState = 'IDLE' | 'RUNNING' | 'STOPPING' | 'KILLING' | 'FINISHED' | 'FAILED' | 'KILLED';

export interface JobInfo {
  /** `[<crawlId>-]<confId>-<TYPE>-<number>`. */
  id: string;

  /** What the job does. */
  type: JobType;

  /** The configuration it was made with. */
  confId: string;

  /** Its arguments. */
  args: Record<string, unknown>;

  /** Null until the job has ended. `result`: "0" done, "1" nothing to do, "-1" failed; `reason`: done, stopped, no-urls, time-limit …; `counters`: group, name, number. GENERATE adds `generate.batch.id` and `generate.count`. */
  result: Record<string, unknown> | null;

  /** Its state. */
  state: JobState;

  /** What it does or waits for; OK; or why it failed. */
  msg: string;

  /** The crawl it works on. */
  crawlId: string;

  /** When it was made, ms since the epoch. */
  createdAt: number;

  /** When a worker took it, ms since the epoch. */
  startedAt: number | null;

  /** When it ended, ms since the epoch. */
  endedAt: number | null;
}

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
  | 'BODY_NOT_JSON'
  | 'BODY_REFUSED'
  | 'BODY_TOO_LARGE'
  | 'CONFIG_EMPTY'
  | 'CONFIG_EXISTS'
  | 'CONFIG_ID_UNKNOWN'
  | 'CONFIG_INVALID'
  | 'CONFIG_UNKNOWN'
  | 'DATABASE_UNAVAILABLE'
  | 'DEFAULT_CONFIG_KEPT'
  | 'FIELDS_INVALID'
  | 'FOREIGN_ORIGIN'
  | 'HOST_NOT_ALLOWED'
  | 'INTERNAL_ERROR'
  | 'JOB_ARGS_INVALID'
  | 'JOB_ARGS_MISSING'
  | 'JOB_CONFIG_MISSING'
  | 'JOB_SEED_UNKNOWN'
  | 'JOB_TYPE_UNKNOWN'
  | 'JOB_UNKNOWN'
  | 'MEDIA_TYPE_UNSUPPORTED'
  | 'METHOD_NOT_ALLOWED'
  | 'NOT_AUTHENTICATED'
  | 'NOT_READY'
  | 'PAGE_UNKNOWN'
  | 'PROPERTY_GUARDED'
  | 'PROPERTY_UNKNOWN'
  | 'QUERY_INVALID'
  | 'REQUEST_MALFORMED'
  | 'ROUTE_UNKNOWN'
  | 'SCOPE_MISSING'
  | 'SEED_LIST_EMPTY'
  | 'SEED_LIST_INVALID'
  | 'SEED_LIST_UNKNOWN'
  | 'TOO_MANY_JOBS'
  | 'TOO_MANY_REQUESTS'
  | 'VALUE_MISSING';

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
}

export interface NutchConfig {
  /** Id of the configuration. Blank: the server picks a running number. */
  configId?: string;

  /** Replace a configuration that has this id. */
  force?: boolean;

  /** Properties laid over the defaults: text or JSON values by name. docs/properties.md lists them all. */
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

  /** Seeds of this list, from the place that was asked for. */
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
}

export interface SeedListJobInput {
  /** A number that the client gives; text with digits is read too. */
  id?: number | null;

  /** Name of the list. Without one the server makes `seed-<ms>`. A list of the same name is replaced. */
  name?: string;

  /** The seeds. */
  seedUrls: SeedUrl[];

  /** The crawl that is injected into. */
  crawlId?: string;

  /** Configuration of the job. */
  confId?: string;

  /** Further arguments of the INJECT job. */
  args?: Record<string, unknown>;
}

export interface JobConfig {
  /** What the job does. */
  type: JobType;

  /** The crawl that the job works on; crawls never see each other. */
  crawlId?: string;

  /** The configuration that the job takes a copy of. */
  confId?: string;

  /** Arguments of the job: text (1.x) or JSON values (2.x). Required, {} when there are none. Unknown ones are kept, change nothing, and stand in the header `Orbweaver-Notice`. */
  args: Record<string, unknown>;
}

export interface JobProgress {
  /** `[<crawlId>-]<confId>-<TYPE>-<number>`. */
  id: string;

  /** What the job does. */
  type: JobType;

  /** The configuration it was made with. */
  confId: string;

  /** Its arguments. */
  args: Record<string, unknown>;

  /** Null until the job has ended. `result`: "0" done, "1" nothing to do, "-1" failed; `reason`: done, stopped, no-urls, time-limit …; `counters`: group, name, number. GENERATE adds `generate.batch.id` and `generate.count`. */
  result: Record<string, unknown> | null;

  /** Its state. */
  state: JobState;

  /** What it does or waits for; OK; or why it failed. */
  msg: string;

  /** The crawl it works on. */
  crawlId: string;

  /** When it was made, ms since the epoch. */
  createdAt: number;

  /** When a worker took it, ms since the epoch. */
  startedAt: number | null;

  /** When it ended, ms since the epoch. */
  endedAt: number | null;

  /** Counters so far: group, name, number. They move while the job runs. */
  counters: Record<string, Record<string, number>>;
}

export interface JobEventDto {
  /** Grows with time; give the last one as `after` to go on. */
  id: string;

  /** ms since the epoch. */
  time: number;

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

  /** Fields shown; unknown names are left out. Without it: all but `text` and `content`. */
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

  /** stats: `sort` (counts by host). dump: `format` (normal, csv, json), `status`, `retry`, `regex`, `sample`. topN: `nnn`, `min`. url: `url`. Paths such as `out_dir` are ignored: the answer is the file. */
  args?: Record<string, unknown>;

  /** The crawl; empty is a crawl too. */
  crawlId: string;
}

export interface Health {
  /** `ok`. */
  status: string;
}

export interface InjectArgs {
  /** Seed list, 1.x: what POST /seed/create answered. */
  url_dir?: string;

  /** Name of a stored seed list. */
  seedName?: string;

  /** Seed list, 2.x: what POST /seed/create answered. */
  seedDir?: string;

  /** The seeds themselves: one URL a line, `URL TAB key=value …`. They are stored as a seed list whose name the job then shows. */
  seed?: string;

  /** Accepted for 1.x clients; the crawl is the job's crawlId. */
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

export interface GenerateArgs {
  /** Most pages selected, over all partitions and segments. Default: generate.topN, else no limit. */
  topN?: number;

  /** Batch id to mark with. Default: `<epoch seconds>-<random>`. */
  batch?: string;

  /** The clock that says which pages are due, ms since the epoch. Default: now. */
  curTime?: number;

  /** Days added to that clock. */
  adddays?: number;

  /** Partitions (1.x): each selects at most topN / numFetchers. Default: mapreduce.job.reduces. */
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
}

export interface FetchArgs {
  /** Batch to fetch, or `-all` for every generated page. Default: the newest batch of the crawl. */
  batch?: string;

  /** Batch to fetch, as 1.x clients name it. */
  segment?: string;

  /** Requests under way at once, over all tasks of the job. Default: fetcher.threads.fetch. */
  threads?: number;

  /** Skip pages of the batch that were fetched already. Default: they are fetched again. */
  resume?: boolean;

  /** Tasks to split the job into; all pages of a host are in one. Default: the number of workers. */
  numTasks?: number;
}

export interface ParseArgs {
  /** Batch to parse; `-all`: every fetched page; `-reparse`: every page with content. Default: the newest batch. */
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

  /** Batch, as 1.x clients name it: a text or an array with one. */
  segment?: string;

  /** New links are not added: only known pages change. Default: the opposite of db.update.additions.allowed. */
  noAdditions?: boolean;

  /** Normalize the links again by the rules of now (crawldb.url.normalizers). */
  normalize?: boolean;

  /** Filter the links again by the rules of now (crawldb.url.filters). */
  filter?: boolean;

  /** Accepted for 1.x clients: jobs that would fight wait for each other. */
  force?: boolean;
}
