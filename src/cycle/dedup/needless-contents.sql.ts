/** The crawls whose recorded contents no DEDUP will need, as the next one reads all contents. */
import { type Sql, count, row, rows } from '../../db/sql.js';
import { OPEN } from '../../job/states.sql.js';

const idsOf = (crawls: readonly { id: number }[]): number[] => crawls.map(({ id }) => id);

/** Crawls without rules of a DEDUP. */
export const crawlsWithoutDedup = async (db: Sql): Promise<number[]> =>
  idsOf(await rows<{ id: number }>(db)`select id from crawl where dedup_rules is null order by id`);

/** Clears the rules of crawls whose last DEDUP was deleted. */
export async function forgetDeletedDedup(db: Sql): Promise<void> {
  const abandoned = await rows<{ id: number }>(db)`
    select id from crawl where dedup_rules is not null and not exists (select from job where crawl = crawl.id and type = 'DEDUP')`;
  if (abandoned.length > 0)
    await count(db)`update crawl set dedup_rules = null where id = any(${idsOf(abandoned)}::int[])`;
}

/** Whether the next DEDUP of a crawl reads all contents, and none is open. */
export const readsAll = async (db: Sql, crawl: number): Promise<boolean> =>
  (await row(db)`
    select from crawl
     where id = ${crawl} and dedup_rules is null
       and not exists (select from job where crawl = ${crawl} and type = 'DEDUP' and state in ${OPEN})`) !== undefined;
