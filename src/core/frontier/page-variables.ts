/** The variables of a page from its row. URL, host and domain are computed only when used. */
import { statusName } from '../page/page-status.js';
import { domainOf } from '../url/domain.js';
import { unreverseHost, unreverseUrl } from '../url/row-key.js';
import type { PageVariables } from './expression.js';

/** The columns that expressions use. */
export interface FactRow {
  readonly host: string;
  readonly key: string;
  readonly status: number;
  readonly score: number;
  readonly distance: number;
  readonly fetchTime: Date;
  readonly modifiedTime: Date | null;
  readonly fetchInterval: number;
  readonly retriesSinceFetch: number;
  readonly signature: string | null;
}

export const factsOf = (row: FactRow): PageVariables => ({
  get url() {
    return unreverseUrl(row.key);
  },
  get host() {
    return unreverseHost(row.host);
  },
  get domain() {
    return domainOf(unreverseHost(row.host));
  },
  status: statusName(row.status),
  statusCode: row.status,
  score: row.score,
  fetchTime: row.fetchTime.getTime(),
  modifiedTime: row.modifiedTime?.getTime() ?? 0,
  fetchInterval: row.fetchInterval,
  retries: row.retriesSinceFetch,
  distance: row.distance,
  signature: row.signature ?? '',
});
