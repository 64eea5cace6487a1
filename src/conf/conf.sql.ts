/** Reads of `crawl_conf` that need less than whole rows, or more than entities have. */
import type { Params } from '../core/conf/properties.js';
import { type Sql, row } from '../db/sql.js';

/**
 * Params of a configuration, and the transaction that wrote them (`xmin`): if a change finds another one, its check is out of
 * date.
 */
export interface StoredParams {
  params: Params;
  version: string | null;
}

/** The params of a configuration with a row. */
export const storedParams = (db: Sql, id: string): Promise<StoredParams | undefined> =>
  row<StoredParams>(db)`
    select params, xmin::text as version from crawl_conf where id = ${id}`;

/** Whether a configuration has a row. */
export async function hasRow(db: Sql, id: string): Promise<boolean> {
  return (await row(db)`select from crawl_conf where id = ${id}`) !== undefined;
}

/** Bytes of the params of a configuration; 0 for one without a row. */
export async function sizeOfParams(db: Sql, id: string): Promise<number> {
  const conf = await row<{ size: number }>(db)`
    select octet_length(params::text) as size from crawl_conf where id = ${id}`;
  return conf?.size ?? 0;
}

/** Whether one of these rule files is stored, or a configuration sets one of these properties or has more bytes than this. */
export async function hasRulesOrIsLong(
  db: Sql,
  id: string,
  than: { files: readonly string[]; properties: readonly string[]; bytes: number },
): Promise<boolean> {
  const conf = await row<{ long: boolean }>(db)`
    select exists (select from rule_file where name = any(${than.files}::text[]))
        or exists (select from crawl_conf
                    where id = ${id} and (params ?| ${than.properties}::text[] or octet_length(params::text) > ${than.bytes})) as long`;
  return conf!.long;
}
