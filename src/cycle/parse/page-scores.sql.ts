import { type Sql, fragment, sql } from '../../db/sql.js';
import { rankOf } from '../../webpage/rank.sql.js';
import type { ParsedColumns } from '../parsed-page.sql.js';
import { pageRows, samePage } from '../../webpage/page-key.sql.js';

/**
 * Replaces the part of the scores of pages that scoring filters gave for their content: so a page that is
 * parsed twice has it once. Nothing is sent if no scoring filter scored the pages.
 */
export async function writePageScores(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string; parse: ParsedColumns | null }[],
): Promise<void> {
  const scored = pages.flatMap(({ host, key, parse }) =>
    parse?.contentScore === undefined ? [] : [{ host, key, score: parse.contentScore }],
  );
  if (scored.length === 0) return;
  const score = fragment`(w.score - coalesce(w.content_score, 0) + page.score)`;
  await tx.query(sql`
    update webpage w
       set score = ${score}, content_score = page.score, rank = case when w.rank is not null then ${rankOf(score)} end
      from ${pageRows(crawl, scored, { score: 'float8' })}
     where ${samePage}`);
}
