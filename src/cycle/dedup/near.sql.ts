/**
 * The statements of DEDUP for contents that are nearly equal: they are found by the bands of their SimHash, which have a table of
 * their own (docs/semantics/dedup.md).
 */
import { bandsOf, probesOf } from '../../core/page/simhash.js';
import { rowList } from '../../db/row-list.js';
import { type Sql, count, rows, sql } from '../../db/sql.js';
import { type Content, type Near, contentName } from '../../core/page/near-duplicates.js';
import { crawlColumn } from '../../webpage/crawl-column.sql.js';
import { COMPARED } from '../../webpage/page-status.sql.js';

/** Near contents read for one content. */
const MAX_NEAR = 1_000;

/** Columns of a content, and of one of its bands. */
const CONTENT = {
  place: ['text', ({ place }: Content) => place],
  signature: ['text', ({ signature }: Content) => signature],
} as const;
const BAND = { ...CONTENT, band: ['text', ({ band }: { band: string }) => band] } as const;

/**
 * The contents near to some, without these: those whose pages stay, or those whose pages are duplicates. They are looked
 * up by their bands, so the cost depends on the given and the found contents, not on the table.
 */
export function nearTo(
  db: Sql,
  crawl: number,
  contents: readonly Content[],
  q: { distance: number; kept: boolean },
): Promise<Near[]> {
  const probes = contents.flatMap(({ signature }, number) =>
    probesOf(signature, q.distance).map((band) => ({ number, band })),
  );
  return rows<Near>(db)`
    with content as (
      select * from ${rowList('content', contents, { ...CONTENT, number: ['int', (_, number) => number] })}
    ), probe as (
      select content.number, content.place, content.signature, probe.band
        from ${rowList('probe', probes, { number: ['int', ({ number }) => number], band: ['text', ({ band }) => band] })}
        join content on content.number = probe.number
    )
    select distinct probe.number as "contentIndex", probe.place, near.signature, hashtext(near.signature) as hash
      from probe
     cross join lateral (
       select signature from simhash_band
        where crawl = ${crawl} and place = probe.place and band = probe.band and kept = ${q.kept} and signature <> probe.signature
          and bit_count(('x' || signature)::bit(64) # ('x' || probe.signature)::bit(64)) <= ${q.distance}::int
        limit ${MAX_NEAR}) near`;
}

/** Which of some contents stay, by the last decision of DEDUP. */
export async function keptAmong(db: Sql, crawl: number, contents: readonly Content[]): Promise<Set<string>> {
  const kept = await rows<Content>(db)`
    select simhash_band.place, simhash_band.signature
      from ${rowList('content', contents, {
        crawl: crawlColumn(crawl, contents.length),
        ...CONTENT,
        band: ['text', ({ signature }) => bandsOf(signature)[0]],
      })}
      join simhash_band on simhash_band.crawl = content.crawl and simhash_band.place = content.place and simhash_band.band = content.band and simhash_band.signature = content.signature
     where simhash_band.kept`;
  return new Set(kept.map(contentName));
}

/** Writes which contents there are, and whether their pages stay. */
export async function putBands(
  tx: Sql,
  crawl: number,
  contents: readonly (Content & { kept: boolean })[],
): Promise<void> {
  const bands = contents.flatMap(({ place, signature, kept }) =>
    bandsOf(signature).map((band) => ({ place, signature, kept, band })),
  );
  await tx.query(sql`
    insert into simhash_band (crawl, kept, place, band, signature)
    select ${crawl}::int, kept, place, band, signature
      from ${rowList('new_band', bands, { ...BAND, kept: ['bool', ({ kept }) => kept] })}
     order by place collate "C", band collate "C", signature collate "C"
    on conflict (crawl, place, band, signature) do update set kept = excluded.kept where simhash_band.kept <> excluded.kept`);
}

/** Deletes contents that no page has any more. */
export async function dropBands(tx: Sql, crawl: number, contents: readonly Content[]): Promise<void> {
  const bands = contents.flatMap((content) => bandsOf(content.signature).map((band) => ({ ...content, band })));
  await tx.query(sql`
    delete from simhash_band
     using ${rowList('gone', bands, { crawl: crawlColumn(crawl, bands.length), ...BAND })}
     where simhash_band.crawl = gone.crawl and simhash_band.place = gone.place and simhash_band.band = gone.band and simhash_band.signature = gone.signature`);
}

/** Deletes some contents of a crawl, as they have to be distinguished by other rules. @returns how many rows, at most `limit` */
export const dropSomeBands = (tx: Sql, crawl: number, limit: number): Promise<number> =>
  count(tx)`
    delete from simhash_band
     where crawl = ${crawl}
       and (place, band, signature) <= (select place, band, signature
                                          from (select place, band, signature from simhash_band
                                                 where crawl = ${crawl} order by place, band, signature limit ${limit}) as old
                                         order by place desc, band desc, signature desc limit 1)`;

/** Records the SimHashes among the contents of these hashes: DEDUP decides each of them. */
export async function recordSimHashes(tx: Sql, crawl: number, hashes: readonly number[]): Promise<void> {
  await tx.query(sql`
    insert into signature_due (crawl, host, signature, noted_at)
    select distinct ${crawl}::int, host, signature collate "C", now()
      from webpage
     where crawl = ${crawl} and hashtext(signature) = any (${hashes}::int[]) and signature is not null
       and status in ${COMPARED} and length(signature) = 16
     order by 2, 3
    on conflict (crawl, host, signature) do update set noted_at = excluded.noted_at`);
}
