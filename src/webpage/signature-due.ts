/**
 * Which contents DEDUP has to look at: those whose group of equal pages may have changed since it last looked. UPDATEDB notes
 * what its pages have and had, INJECT what the known pages had that it changes, in the transaction that changes them; so DEDUP
 * need not read the table.
 */
import { type Sql, prepared, row, sql } from '../db/sql.js';

/**
 * Notes the contents that pages have, or had, if any: DEDUP looks at their groups. One that is noted already gets a new time, so
 * that a DEDUP which has read it before does not take it away.
 */
export async function noteSignatures(
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

export async function lastRules(db: Sql, crawl: number): Promise<string | null> {
  return (
    (await row<{ rules: string | null }>(db)`select dedup_rules as rules from crawl where id = ${crawl}`)?.rules ?? null
  );
}

/** A DEDUP begins to walk all contents. Its name stands for rules until it ends: they are nobody's. */
export const beginWalk = async (tx: Sql, crawl: number, walk: string): Promise<void> =>
  void (await tx.query(sql`update crawl set dedup_rules = ${walk} where id = ${crawl}`));

/** All contents were walked by these rules; not kept where contents have changed meanwhile without being noted. */
export const keepRules = async (tx: Sql, crawl: number, { walk, rules }: { walk: string; rules: string }) =>
  void (await tx.query(sql`update crawl set dedup_rules = ${rules} where id = ${crawl} and dedup_rules = ${walk}`));

/** Contents have changed without being noted: the next DEDUP looks at all. */
export const forgetRules = async (tx: Sql, crawl: number): Promise<void> =>
  void (await tx.query(sql`update crawl set dedup_rules = null where id = ${crawl}`));
