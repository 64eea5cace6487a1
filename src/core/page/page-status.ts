/**
 * The status of a page, as it is stored.
 *
 * The codes are those of Nutch 1.x (`CrawlDatum.STATUS_DB_*`), because they distinguish more outcomes than the 2.x
 * table did. One of them, 34 (retry), exists only between FETCH and UPDATEDB, which turns it into unfetched or gone.
 */

/** Stored page status codes by name. */
export const PAGE_STATUS = {
  unfetched: 1,
  fetched: 2,
  gone: 3,
  redirTemp: 4,
  redirPerm: 5,
  notModified: 6,
  duplicate: 7,
  orphan: 8,
  parseFailed: 9,
  retry: 34,
} as const;

/** The statuses of pages that have been fetched. */
export const FETCHED_STATUSES: readonly PageStatus[] = [PAGE_STATUS.fetched, PAGE_STATUS.notModified];

export type PageStatus = (typeof PAGE_STATUS)[keyof typeof PAGE_STATUS];

interface StatusRow {
  readonly code: PageStatus;
  /** Nutch 1.x name, as in `readdb -stats`. */
  readonly name: string;
  /** The code in the 2.x `/db` resource. Codes without a 2.x equivalent keep their number. */
  readonly legacyCode: number;
  readonly legacyName: string;
}

const row = (code: PageStatus, name: string, legacyName: string, legacyCode: number = code): StatusRow => ({
  code,
  name,
  legacyCode,
  legacyName,
});

const ROWS: readonly StatusRow[] = [
  row(1, 'db_unfetched', 'status_unfetched'),
  row(2, 'db_fetched', 'status_fetched'),
  row(3, 'db_gone', 'status_gone'),
  row(4, 'db_redir_temp', 'status_redir_temp'),
  row(5, 'db_redir_perm', 'status_redir_perm'),
  row(6, 'db_notmodified', 'status_notmodified', 38),
  row(7, 'db_duplicate', 'status_duplicate'),
  row(8, 'db_orphan', 'status_orphan'),
  row(9, 'db_parse_failed', 'status_parse_failed'),
  row(34, 'fetch_retry', 'status_retry'),
];

const BY_CODE: ReadonlyMap<number, StatusRow> = new Map(ROWS.map((r) => [r.code, r]));
const BY_NAME: ReadonlyMap<string, PageStatus> = new Map(
  ROWS.flatMap((r) => [
    [r.name, r.code],
    [r.legacyName, r.code],
  ]),
);

/** Every stored code, in order. */
export const PAGE_STATUS_CODES: readonly PageStatus[] = ROWS.map((r) => r.code);

/** The 1.x name of a stored code (`db_fetched`); `unknown` for any other number. */
export function statusName(code: number): string {
  return BY_CODE.get(code)?.name ?? 'unknown';
}

/** Code and name as Nutch's logs and dumps show them: `1 (db_unfetched)`. */
export const statusText = (code: number): string => `${code} (${statusName(code)})`;

/** The code of a 1.x or 2.x name in any letter case (`db_gone`, `status_gone`); null for any other text. */
export function statusCode(name: string): PageStatus | null {
  return BY_NAME.get(name.toLowerCase()) ?? null;
}

/** A fetch status of 1.x (`CrawlDatum.STATUS_FETCH_*`): how a visit ended. */
export interface FetchStatus {
  readonly code: number;
  readonly name: string;
}

/** Those statuses, by the status that a page gets from them. */
const FETCH_STATUS: ReadonlyMap<number, FetchStatus & { readonly status: PageStatus }> = new Map(
  [
    { code: 33, name: 'fetch_success', status: PAGE_STATUS.fetched },
    { code: 34, name: 'fetch_retry', status: PAGE_STATUS.retry },
    { code: 35, name: 'fetch_redir_temp', status: PAGE_STATUS.redirTemp },
    { code: 36, name: 'fetch_redir_perm', status: PAGE_STATUS.redirPerm },
    { code: 37, name: 'fetch_gone', status: PAGE_STATUS.gone },
    { code: 38, name: 'fetch_notmodified', status: PAGE_STATUS.notModified },
  ].map((entry) => [entry.status, entry]),
);

const BY_FETCH_STATUS: ReadonlyMap<string, PageStatus> = new Map(
  [...FETCH_STATUS.values()].flatMap(({ code, name, status }): [string, PageStatus][] => [
    [name, status],
    [String(code), status],
  ]),
);

/** The fetch status of 1.x with which a page gets a status; undefined for a status that no visit gives. */
export const fetchStatusOf = (status: number): FetchStatus | undefined => FETCH_STATUS.get(status);

/** The status that a text names: by a name of 1.x or 2.x in any letter case, or by its number; null for any other text. */
export const readStatus = (text: string): PageStatus | null =>
  statusCode(text) ?? PAGE_STATUS_CODES.find((code) => String(code) === text) ?? null;

/** As `readStatus`; also by a fetch status of 1.x. */
export const readVisitStatus = (text: string): PageStatus | null =>
  BY_FETCH_STATUS.get(text.toLowerCase()) ?? readStatus(text);

/** Code and name as 2.x `/db` returns them: 6 becomes 38 `status_notmodified`. */
export function legacyStatus(code: number): { code: number; name: string } {
  const known = BY_CODE.get(code);
  return known ? { code: known.legacyCode, name: known.legacyName } : { code, name: 'unknown' };
}
