/** The hosts of a crawl, the columns of `host` that count its pages by status, and what statements make of all of them. */
import { PAGE_STATUS, PAGE_STATUS_CODES } from '../core/page/page-status.js';
import { type Fragment, type Sql, fragment, joined, numberLiteral, rows } from '../db/sql.js';

const COLUMN_OF: Readonly<Record<keyof typeof PAGE_STATUS, Fragment>> = {
  unfetched: fragment`n_unfetched`,
  fetched: fragment`n_fetched`,
  gone: fragment`n_gone`,
  redirTemp: fragment`n_redir_temp`,
  redirPerm: fragment`n_redir_perm`,
  notModified: fragment`n_notmodified`,
  duplicate: fragment`n_duplicate`,
  orphan: fragment`n_orphan`,
  parseFailed: fragment`n_parse_failed`,
  retry: fragment`n_retry`,
};
const COLUMN_OF_CODE = new Map(
  Object.entries(PAGE_STATUS).map(([name, code]) => [code, COLUMN_OF[name as keyof typeof PAGE_STATUS]]),
);

/** A fragment for each status, in the order of `PAGE_STATUS_CODES`, divided by commas. */
export const forEachStatus = (fragmentOf: (column: Fragment, code: Fragment, index: Fragment) => Fragment): Fragment =>
  joined(
    PAGE_STATUS_CODES.map((code, i) =>
      fragmentOf(COLUMN_OF_CODE.get(code)!, numberLiteral(code), numberLiteral(i + 1)),
    ),
    ', ',
  );

/** The names of the columns, and the codes of their statuses. */
export const hostCountColumns = forEachStatus((column) => column);
export const hostCountCodes = forEachStatus((_, code) => code);

/** The number of pages of a host. */
export const hostPages = fragment`(${joined(
  PAGE_STATUS_CODES.map((code) => COLUMN_OF_CODE.get(code)!),
  ' + ',
)})`;

/** The counts of a host as an object, by the codes of the statuses. */
export const hostCountsByCode = fragment`jsonb_build_object(${forEachStatus((column, code) => fragment`${code}, ${column}`)})`;

/** Sums over rows of `host`, in the order of `PAGE_STATUS_CODES`. */
export const hostSums = fragment`array[${forEachStatus((column) => fragment`sum(${column})`)}]::bigint[]`;

/** Those of these hosts that the crawl has. */
export async function knownHosts(db: Sql, crawl: number, hosts: readonly string[]): Promise<Set<string>> {
  const known = await rows<{ host: string }>(db)`
    select host from host where crawl = ${crawl} and host = any (${hosts}::text[])`;
  return new Set(known.map(({ host }) => host));
}
