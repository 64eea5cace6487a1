/** The origins of the pages of hosts that are fetched by HTTP: where robots.txt has to be fetched. */
import { type Sql, rows } from '../../db/sql.js';

/** Maximum number of origins of one host: schemes and ports. */
const MAX_ORIGINS = 8;

export interface HostOrigin {
  host: string;
  /** A row key up to its path: `test.site:http:8080/`. */
  prefix: string;
}

/** Hosts of a crawl after a host, in key order. */
export async function nextHostNames(db: Sql, crawl: number, after: string, limit: number): Promise<string[]> {
  const hosts = await rows<{ host: string }>(db)`
    select host from host where crawl = ${crawl} and host > ${after} order by host limit ${limit}`;
  return hosts.map(({ host }) => host);
}

/**
 * The origins of the pages of a host, in order. Read from all its keys, as no index has them in order.
 */
export async function originsOfHost(db: Sql, crawl: number, host: string): Promise<HostOrigin[]> {
  return rows<HostOrigin>(db)`
    select host, prefix
      from (select distinct host, substring(key from '^[^/]*') || '/' as prefix from webpage
             where crawl = ${crawl} and host = ${host} and key ~ '^[^:/]+:https?[:/]') origin
     order by prefix collate "C" limit ${MAX_ORIGINS}`;
}
