/**
 * The statements of DEDUP for contents that are nearly equal: they are found by the bands of their SimHash, which have a table of
 * their own (docs/semantics.md).
 */
import { bandsOf, probesOf } from '../../core/page/simhash.js';
import { type Sql, rows, sql } from '../../db/sql.js';
import { type Content, type Near, contentName } from '../../core/page/near-contents.js';
import { crawlColumn } from '../../webpage/crawl-column.js';
import { COMPARED } from '../../webpage/page-status.sql.js';

/** Near contents read for one content. */
const MAX_NEAR = 1_000;

const columns = (contents: readonly Content[]) => ({
  places: contents.map(({ place }) => place),
  signatures: contents.map(({ signature }) => signature),
});

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
  const probes = contents.flatMap(({ signature }, of) => probesOf(signature, q.distance).map((band) => ({ of, band })));
  const { places, signatures } = columns(contents);
  return rows<Near>(db)`
    with wanted as (
      select * from unnest(${places}::text[], ${signatures}::text[]) with ordinality as w (place, signature, number)
    ), probe as (
      select w.number, w.place, w.signature, p.band
        from unnest(${probes.map(({ of }) => of + 1)}::int[], ${probes.map(({ band }) => band)}::text[]) as p (number, band)
        join wanted w on w.number = p.number
    )
    select distinct (p.number - 1)::int as of, p.place, b.signature, hashtext(b.signature) as hash
      from probe p
     cross join lateral (
       select signature from simhash_band
        where crawl = ${crawl} and place = p.place and band = p.band and kept = ${q.kept} and signature <> p.signature
          and bit_count(('x' || signature)::bit(64) # ('x' || p.signature)::bit(64)) <= ${q.distance}::int
        limit ${MAX_NEAR}) b`;
}

/** Which of some contents stay, by the last decision of DEDUP. */
export async function keptAmong(db: Sql, crawl: number, contents: readonly Content[]): Promise<Set<string>> {
  const { places, signatures } = columns(contents);
  const found = await rows<Content>(db)`
    select b.place, b.signature
      from unnest(${crawlColumn(crawl, contents.length)}, ${places}::text[], ${signatures}::text[], ${contents.map(({ signature }) => bandsOf(signature)[0])}::text[])
           as w (crawl, place, signature, band)
      join simhash_band b on b.crawl = w.crawl and b.place = w.place and b.band = w.band and b.signature = w.signature
     where b.kept`;
  return new Set(found.map(contentName));
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
      from unnest(${bands.map((b) => b.kept)}::bool[], ${bands.map((b) => b.place)}::text[], ${bands.map((b) => b.band)}::text[],
                  ${bands.map((b) => b.signature)}::text[]) as b (kept, place, band, signature)
     order by place collate "C", band collate "C", signature collate "C"
    on conflict (crawl, place, band, signature) do update set kept = excluded.kept where simhash_band.kept <> excluded.kept`);
}

/** Deletes contents that no page has any more. */
export async function dropBands(tx: Sql, crawl: number, contents: readonly Content[]): Promise<void> {
  const bands = contents.flatMap((content) => bandsOf(content.signature).map((band) => ({ ...content, band })));
  await tx.query(sql`
    delete from simhash_band b
     using unnest(${crawlColumn(crawl, bands.length)}, ${bands.map((b) => b.place)}::text[], ${bands.map((b) => b.band)}::text[], ${bands.map((b) => b.signature)}::text[])
           as gone (crawl, place, band, signature)
     where b.crawl = gone.crawl and b.place = gone.place and b.band = gone.band and b.signature = gone.signature`);
}

/** Deletes all contents of a crawl: they have to be distinguished by other rules. */
export const dropAllBands = async (tx: Sql, crawl: number): Promise<void> =>
  void (await tx.query(sql`delete from simhash_band where crawl = ${crawl}`));

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
