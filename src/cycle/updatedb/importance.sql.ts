/**
 * The scores of the OPIC paper: (C + H) / (G + C of all), for every page, from cash and history alone. So they can be
 * written again at any time, and pages that left the table no longer count. This reads and writes the whole table, because
 * each visit changes the importance of all pages.
 */
import { type Sql, fragment, row, rows } from '../../db/sql.js';
import { lockInOrder } from '../../db/row-locks.js';
import { rankOf } from '../../webpage/rank.sql.js';
import { isAfter } from '../../webpage/page-key.sql.js';
import { scoreQuotient } from '../../webpage/score-quotient.sql.js';

/** Cash and history of all pages together. */
export async function allCash(db: Sql, crawl: number): Promise<number> {
  const cash = await row<{ total: number }>(db)`
    select coalesce(sum(cash + coalesce(spend, 0) + coalesce(history, 0)), 0)::float8 as total
          from webpage where crawl = ${crawl}`;
  return cash!.total;
}

/** Writes the importance of the next pages in the order of the table; returns the last of them, undefined at the end. */
export async function writeImportance(
  tx: Sql,
  crawl: number,
  q: { total: number; after: { host: string; key: string }; limit: number },
): Promise<{ host: string; key: string } | undefined> {
  const score = scoreQuotient(
    fragment`(w.cash + coalesce(w.spend, 0) + coalesce(w.history, 0))`,
    fragment`${q.total}::float8`,
  );
  const written = await rows<{ host: string; key: string }>(tx)`
    with page as materialized (
      select crawl, host, key_hash, key from webpage w
       where crawl = ${crawl} and ${isAfter(q.after)}
       order by host, key_hash limit ${q.limit} ${lockInOrder()}
    ), put as (
      update webpage w
         set score = ${score}, rank = case when w.rank is not null then ${rankOf(score)} end
        from page where w.crawl = page.crawl and w.host = page.host and w.key_hash = page.key_hash
    )
    select host, key from page order by host desc, key_hash desc limit 1`;
  return written[0];
}
