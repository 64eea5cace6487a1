/** The origins of the pages of hosts: where robots.txt is to be asked for. */
import { type Sql, row, rows } from '../../db/sql.js';

/** Origins of one host at most: schemes and ports. */
const MAX_ORIGINS = 8;

export interface HostOrigin {
  host: string;
  /** A row key up to its path: `test.site:http:8080/`. */
  prefix: string;
}

/** Hosts of a crawl behind a host, in key order. */
export async function nextHosts(db: Sql, crawl: number, after: string, limit: number): Promise<string[]> {
  const found = await rows<{ host: string }>(db)`
    select host from host where crawl = ${crawl} and host > ${after} order by host limit ${limit}`;
  return found.map(({ host }) => host);
}

/**
 * The origins that a host has pages on. Each is found by the first of its keys, so the cost is that of the origins and not
 * of the pages. `0` comes right behind `/`.
 */
export async function originsOfHost(db: Sql, crawl: number, host: string): Promise<HostOrigin[]> {
  const origins: HostOrigin[] = [];
  for (let from = ''; origins.length < MAX_ORIGINS;) {
    const first = await row<{ prefix: string }>(db)`
      select substring(key from '^[^/]*') || '/' as prefix from webpage
           where crawl = ${crawl} and host = ${host} and key >= ${from} order by key limit 1`;
    if (first === undefined) break;
    origins.push({ host, prefix: first.prefix });
    from = `${first.prefix.slice(0, -1)}0`;
  }
  return origins;
}
