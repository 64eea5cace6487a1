/**
 * The catalogue of problems that a request can cause.
 *
 * Each problem has a status, a stable code, a title, and a sentence for people. Clients branch on the code, which never
 * changes; the sentence says what was given and what is allowed. Documents follow RFC 9457 (application/problem+json) and
 * also have NutchServer's `exception` and `message`; they never contain a stack trace.
 */
import { MASK } from '../core/conf/properties.js';
import { maskedUserInfo } from '../core/url/url-credentials.js';

export interface FieldError {
  field: string;
  message: string;
}

export interface ProblemOptions {
  errors?: readonly FieldError[];
  headers?: Readonly<Record<string, string>>;
}

/** An entry of the catalogue: the HTTP status, the code that callers branch on, and the title. */
export interface ProblemKind {
  readonly status: number;
  readonly code: string;
  readonly title: string;
}

export class Problem extends Error implements ProblemKind {
  readonly status: number;
  readonly code: string;
  readonly title: string;

  constructor(
    { status, code, title }: ProblemKind,
    detail: string,
    readonly options: ProblemOptions = {},
  ) {
    super(detail);
    this.status = status;
    this.code = code;
    this.title = title;
  }
}

/** The body of an error answer. */
export interface ProblemDocument {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  /** NutchServer 2.x: the name of the error. */
  exception: string;
  /** NutchServer 2.x: the same text as `detail`. */
  message: string;
  errors?: readonly FieldError[];
  /** With a 5xx: the id of the request. */
  requestId?: string;
}

export const problemCodes: ProblemKind[] = [];

/** Adds a problem to the catalogue. Those of one resource are in its folder (`<resource>.problems.ts`). */
export function problem<A extends readonly unknown[]>(
  status: number,
  code: string,
  title: string,
  sentence: (...args: A) => string,
) {
  const kind: ProblemKind = { code, status, title };
  problemCodes.push(kind);
  return (...args: A) => new Problem(kind, sentence(...args));
}

/** A copy of a problem with fields or headers added. */
export const withOptions = (original: Problem, options: ProblemOptions): Problem =>
  new Problem(original, original.message, { ...original.options, ...options });

/** A problem that one field has caused: `errors` names it, with the sentence of the problem. */
export const ofField = (field: string, original: Problem): Problem =>
  withOptions(original, { errors: [{ field, message: original.message.replace(/\.$/, '') }] });

/** The problem with the seconds after which the client may retry, in a header and at the end of its sentence. */
export function retryIn(seconds: number, original: Problem, joint: '; ' | ', or ' = '; '): Problem {
  const detail = `${original.message.replace(/\.$/, '')}${joint}retry in ${seconds} s.`;
  return withOptions(withDetail(original, detail), { headers: { 'Retry-After': String(seconds) } });
}

/** A problem that passes. @param joint what precedes `retry in` in its sentence */
export const retriable =
  <A extends readonly unknown[]>(seconds: number, make: (...args: A) => Problem, joint?: '; ' | ', or ') =>
  (...args: A): Problem =>
    retryIn(seconds, make(...args), joint);

export const withDetail = (original: Problem, detail: string): Problem =>
  new Problem(original, detail, original.options);

/** A value of a request for an error sentence: JSON, truncated, without line breaks and the user info of URLs. */
export function shown(value: unknown): string {
  const text = maskedUserInfo(JSON.stringify(value) ?? 'nothing', MASK);
  return text.length > 120 ? `${text.slice(0, 120)}…` : text;
}

// Limits of one client
export const connectionsTaken = retriable(
  2,
  problem(
    429,
    'TOO_MANY_QUERIES',
    'Too many requests at the database',
    () => 'Requests of this key, or of all keys, use all the database connections that they may have.',
  ),
);

// The request as such
export const routeUnknown = problem(
  404,
  'ROUTE_UNKNOWN',
  'No such address',
  (method: string, path: string) => `There is nothing at ${method} ${shown(path)}; /docs lists all routes.`,
);
export const methodNotAllowed = problem(
  405,
  'METHOD_NOT_ALLOWED',
  'Method not allowed',
  (method: string, allowed: string) => `${method} is not allowed here; use ${allowed}.`,
);
export const bodyTooLarge = problem(
  413,
  'BODY_TOO_LARGE',
  'Body too large',
  (limit: number) => `The body is larger than ${limit} bytes.`,
);
export const mediaTypeUnsupported = problem(
  415,
  'MEDIA_TYPE_UNSUPPORTED',
  'Media type not supported',
  (given: string, allowed: string) => `A body of type ${shown(given)} is not accepted here; send ${allowed}.`,
);
export const bodyNotJson = problem(
  400,
  'BODY_NOT_JSON',
  'Body is not JSON',
  (why: string) => `The body cannot be read as JSON: ${why}.`,
);
export const bodyRefused = problem(
  400,
  'BODY_REFUSED',
  'Body refused',
  (why: string) => `The body is refused: ${why}.`,
);
export const requestMalformed = problem(
  400,
  'REQUEST_MALFORMED',
  'Malformed request',
  (why: string) => `The request is malformed: ${why}.`,
);
export const fieldsInvalid = problem(400, 'FIELDS_INVALID', 'Fields are not valid', (why: string) => why);
export const queryInvalid = problem(400, 'QUERY_INVALID', 'Query not valid', (why: string) => why);

export const headTooLarge = problem(
  431,
  'HEAD_TOO_LARGE',
  'Request head too large',
  (limit: number) => `The request line and the headers together are larger than ${limit} bytes.`,
);
export const requestTooSlow = problem(
  408,
  'REQUEST_TOO_SLOW',
  'Request too slow',
  (headSeconds: number, seconds: number) =>
    `The request head must arrive within ${headSeconds} s, the whole request within ${seconds} s.`,
);
export const expectationFailed = problem(
  417,
  'EXPECTATION_FAILED',
  'Expectation failed',
  (given: string) => `The header Expect: ${shown(given)} cannot be met; send "100-continue" or no Expect at all.`,
);

// Configurations
const unknownConf = problem(
  400,
  'CONFIG_ID_UNKNOWN',
  'Unknown configuration',
  (id: string) => `Unknown configId '${id}'`,
);
/** @param field what names the configuration in the request */
export const confIdUnknown = (id: string, field = 'confId'): Problem => ofField(field, unknownConf(id));
export const confInvalid = problem(400, 'CONFIG_INVALID', 'Configuration not valid', (why: string) => why);

// Seed lists
export const seedListInvalid = problem(400, 'SEED_LIST_INVALID', 'Seed list not valid', (why: string) => why);

// Jobs
export const jobArgsInvalid = problem(
  400,
  'JOB_ARGS_INVALID',
  'Job args not valid',
  (type: string, why: string) => `${type} cannot run with these args: ${why}`,
);
export const jobSeedUnknown = problem(
  400,
  'JOB_SEED_UNKNOWN',
  'Unknown seed list',
  /** @param lines the field that takes the lines themselves, if there is one */
  (given: string, lines?: string) =>
    `There is no seed list ${shown(given)}; create one with POST /seed/create${lines ? `, or send the lines as ${lines}` : ''}.`,
);
export const jobUnknown = problem(
  404,
  'JOB_UNKNOWN',
  'Unknown job',
  (id: string) => `There is no job ${shown(id)}; GET /job lists all jobs.`,
);
export const tooManyJobs = retriable(
  10,
  problem(
    429,
    'TOO_MANY_JOBS',
    'Too many waiting jobs',
    (max: number, whose = '') => `${max} jobs${whose} are waiting already.`,
  ),
);
export const jobsTooFast = retriable(
  2,
  problem(
    429,
    'JOBS_TOO_FAST',
    'Too many jobs at once',
    (jobs: number, whose = '') => `${jobs} jobs${whose} are being created at this moment.`,
  ),
);

// Crawls, their batches and pages
export const crawlUnknown = problem(
  404,
  'CRAWL_UNKNOWN',
  'Unknown crawl',
  (crawl: string) => `No job has ever written to a crawl ${shown(crawl)}; GET /job lists all jobs with their crawls.`,
);
export const batchUnknown = problem(
  404,
  'BATCH_UNKNOWN',
  'Unknown batch',
  (batch: string, crawl?: string) =>
    `No GENERATE of ${crawl === undefined ? 'this crawl' : `crawl ${shown(crawl)}`} has created a batch or segment ${shown(batch)}; GET /v1/batches lists all batches.`,
);
export const pageUnknown = problem(
  404,
  'PAGE_UNKNOWN',
  'Unknown page',
  (url: string, crawl: string) => `Crawl ${shown(crawl)} does not know the URL ${shown(url)}.`,
);

// The server
export const databaseUnavailable = retriable(
  2,
  problem(503, 'DATABASE_UNAVAILABLE', 'Database unavailable', (reason?: string) =>
    reason === undefined ? 'The database does not respond now.' : `The database cannot do this now: ${reason}.`,
  ),
);
export const queryTooLong = retriable(
  10,
  problem(
    503,
    'QUERY_TOO_LONG',
    'Query took too long',
    () => 'The database query was cancelled after the time that one request may use; ask for less.',
  ),
  ', or ',
);
export const dataLocked = retriable(
  10,
  problem(
    503,
    'DATA_LOCKED',
    'Data is locked',
    () => 'Another session of the database, such as an ALTER TABLE, holds a lock that this request needs.',
  ),
);
export const bodiesTooMany = retriable(
  5,
  problem(503, 'BODIES_TOO_MANY', 'Too many bodies at once', () => 'Too many large bodies are being received at once.'),
);
export const tooManyExports = retriable(
  10,
  problem(
    503,
    'TOO_MANY_EXPORTS',
    'Too many large answers at once',
    (max: number) => `${max} large answers are being read already; ask for less at a time.`,
  ),
  ', or ',
);
export const notReady = retriable(
  2,
  problem(503, 'NOT_READY', 'Not ready', (why: string) => `The server is not ready: ${why}.`),
);
export const internalError = problem(
  500,
  'INTERNAL_ERROR',
  'Internal error',
  (reference: string) => `Something went wrong inside the server; its log has details under ${reference}.`,
);

/** The document of a problem, as it is sent. */
export function documentOf(thrown: Problem): ProblemDocument {
  const { status, code, title, message, options } = thrown;
  const exception = code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
  const type = `urn:orbweaver:problem:${code.toLowerCase().replaceAll('_', '-')}`;
  return {
    type,
    title,
    status,
    code,
    detail: message,
    exception,
    message,
    ...(options.errors && { errors: options.errors }),
  };
}
