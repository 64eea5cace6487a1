/**
 * The contents that DEDUP has to process: those whose group of equal pages may have changed since its last run. UPDATEDB records
 * the present and former contents of its pages, INJECT those of the pages that it changes, in the transaction that changes
 * them; so DEDUP need not read the table.
 */
import { type Sql, prepared, row, sql } from '../db/sql.js';

/**
 * Records the present or former contents of pages, if any: DEDUP processes their groups. One that is recorded already gets a
 * new time, so that a DEDUP which has read it before does not delete it.
 */
export async function recordSignatures(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; signature: string | null }[],
): Promise<void> {
  const signed = pages.filter(({ signature }) => signature !== null);
  if (signed.length === 0) return;
  await prepared(tx).query(sql`
    insert into signature_due (crawl, host, signature, noted_at)
    select distinct ${crawl}::int, host collate "C", signature collate "C", now()
      from unnest(${signed.map((p) => p.host)}::text[], ${signed.map((p) => p.signature)}::text[]) as s (host, signature)
     order by 2, 3
    on conflict (crawl, host, signature) do update set noted_at = excluded.noted_at`);
}

/** The rules by which all contents were read last; null: they must be read again. */
export async function lastRules(db: Sql, crawl: number): Promise<string | null> {
  return (
    (await row<{ rules: string | null }>(db)`select dedup_rules as rules from crawl where id = ${crawl}`)?.rules ?? null
  );
}

/** A DEDUP begins to read all contents. Its id is stored in place of rules until it ends, and equals no rules. */
export const beginWalk = async (tx: Sql, crawl: number, walk: string): Promise<void> =>
  void (await tx.query(sql`update crawl set dedup_rules = ${walk} where id = ${crawl}`));

/** All contents were read by these rules; not stored if contents have changed meanwhile without being recorded. */
export const saveRules = async (tx: Sql, crawl: number, { walk, rules }: { walk: string; rules: string }) =>
  void (await tx.query(sql`update crawl set dedup_rules = ${rules} where id = ${crawl} and dedup_rules = ${walk}`));

/** Contents have changed without being recorded: the next DEDUP reads all. */
export const clearRules = async (tx: Sql, crawl: number): Promise<void> =>
  void (await tx.query(sql`update crawl set dedup_rules = null where id = ${crawl}`));
