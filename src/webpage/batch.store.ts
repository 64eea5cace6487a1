/**
 * The batches that GENERATE made. Each has a second name, that of a segment of Nutch 1.x: the time of its creation in 14
 * digits, UTC (`20251121093000`). Clients may name a batch by either.
 */
import { rowList } from '../db/row-list.js';
import { type Fragment, type Sql, fragment, joined, row, rows, sql } from '../db/sql.js';

export interface NewBatch {
  id: string;
  pages: number;
  /** Number of partitions into which its pages are divided. */
  partitions: number;
  /** Its number among the batches that one job makes, from 1. Default: its position in the given list. */
  segnum?: number;
  /** When its pages were generated. Default: now. */
  generatedAt?: Date;
}

/**
 * Records the batches of one GENERATE or MERGESEGS, in order; returns their segment names, unique in the crawl. Clients give
 * one batch id to all rounds of a crawl: a batch that is made again keeps its name and time, and its pages are added up. Call it
 * after pages are locked.
 */
export async function recordBatches(tx: Sql, crawl: number, batches: NewBatch[], now: Date): Promise<string[]> {
  // A GENERATE may run beside a MERGESEGS: each waits for the names of the other.
  await tx.query(sql`select from crawl where id = ${crawl} for no key update`);
  const last = (await row<{ segment: string | null }>(tx)`
    select max(segment) as segment from batch where crawl = ${crawl}`)!.segment;
  const first = Math.max(Math.floor(now.getTime() / 1_000) * 1_000, last === null ? 0 : momentOf(last) + 1_000);
  const written = await rows<{ id: string; segment: string }>(tx)`
    insert into batch (crawl, id, segment, segnum, generated_at, pages, partitions)
    select ${crawl}, id, segment, segnum, generated_at, pages, partitions
      from ${rowList('new_batch', batches, {
        id: ['text', ({ id }) => id],
        segment: ['text', (_, i) => segmentName(first + i * 1_000)],
        segnum: ['int', ({ segnum }, i) => segnum ?? i + 1],
        generated_at: ['timestamptz', ({ generatedAt = now }) => generatedAt],
        pages: ['int', ({ pages }) => pages],
        partitions: ['int', ({ partitions }) => partitions],
      })}
    on conflict (crawl, id) do update set pages = batch.pages + excluded.pages, partitions = excluded.partitions
    returning batch.id, batch.segment`;
  const segments = new Map(written.map(({ id, segment }) => [id, segment]));
  return batches.map(({ id }) => segments.get(id)!);
}

const SEGMENT = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/;

/**
 * The id of the batch with this segment name; any other name is returned as it is. An id comes first: clients of 2.x choose
 * their own, such as times of 14 digits, and another batch may have that name as a segment.
 */
export async function batchNamed(db: Sql, crawl: number, name: string): Promise<string> {
  if (!SEGMENT.test(name) || (await findBatch(db, crawl, name)) !== undefined) return name;
  const batch = await row<{ id: string }>(db)`
    select id from batch where crawl = ${crawl} and segment = ${name} order by generated_at desc limit 1`;
  return batch?.id ?? name;
}

/**
 * Whether a crawl has had a batch of this id: one that GENERATE made, or was asked to make and found nothing for, or that
 * pages are or were in. Otherwise an id that never existed would look like a batch without work.
 */
export async function isKnownBatch(db: Sql, crawl: number, id: string): Promise<boolean> {
  if ((await findBatch(db, crawl, id)) !== undefined) return true;
  const batch = await row<{ known: boolean }>(db)`
    select exists (select 1 from webpage where crawl = ${crawl} and generate_mark = ${id})
        or exists (select 1 from webpage where crawl = ${crawl} and update_mark = ${id})
        or exists (select 1 from job join crawl on crawl.name = job.crawl_id
                    where crawl.id = ${crawl} and job.type = 'GENERATE' and job.args ->> 'batch' = ${id}) as known`;
  return batch!.known;
}

export interface BatchRow {
  id: string;
  /** 14 digits. */
  segment: string;
  segnum: number;
  generatedAt: Date;
  pages: number;
}

/** The batch with this id, or undefined. */
export const findBatch = (db: Sql, crawl: number, id: string): Promise<BatchRow | undefined> =>
  row<BatchRow>(db)`
    select id, segment, segnum, generated_at as "generatedAt", pages from batch where crawl = ${crawl} and id = ${id}`;

/** Batches of a crawl in the order of their creation, after the one with a segment name, and before another name. */
export const listBatches = (
  db: Sql,
  crawl: number,
  { after, before, limit }: { after: string; before?: string; limit: number },
): Promise<BatchRow[]> =>
  rows<BatchRow>(db)`
    select id, segment, segnum, generated_at as "generatedAt", pages from batch
     where crawl = ${crawl} and segment > ${after}${before === undefined ? fragment`` : fragment` and segment < ${before}`}
     order by segment limit ${limit}`;

/** Those of some batches that have pages which UPDATEDB has not closed. */
export async function openBatchesAmong(db: Sql, crawl: number, batches: readonly string[]): Promise<string[]> {
  if (batches.length === 0) return [];
  const openBatches = await rows<{ batch: string }>(db)`
    select w.generate_mark as batch from webpage w
     where w.crawl = ${crawl} and w.generate_mark = any (${[...batches]}::text[]) group by w.generate_mark`;
  return openBatches.map(({ batch }) => batch);
}

/** Whether one of some batches has pages which UPDATEDB has not closed. The first page that is found is enough. */
export async function isAnyOpen(db: Sql, crawl: number, batches: readonly string[]): Promise<boolean> {
  if (batches.length === 0) return false;
  const page = await row(db)`
    select from webpage where crawl = ${crawl} and generate_mark = any (${[...batches]}::text[]) limit 1`;
  return page !== undefined;
}

/** The first segment name of so many days ago. */
export async function segmentBefore(db: Sql, days: number): Promise<string> {
  const then = await row<{ then: Date }>(db)`select now() - make_interval(days => ${days}) as then`;
  return segmentName(then!.then.getTime());
}

/** Those of some batches that have pages: they are in them, or were visited in them last. */
export const batchesOfPages = (db: Sql, crawl: number, batches: readonly string[]): Promise<string[]> =>
  batchesWhere(
    db,
    batches,
    (batch) => fragment`${isSomePage(crawl, fragment`w.generate_mark = ${batch}`)}
        or ${isSomePage(crawl, fragment`w.update_mark = ${batch}`)} or ${isSomePage(crawl, closedUnparsed(batch))}`,
  );

/**
 * Those of some batches, at most 500, in their order, for which a condition holds; an index is probed for each. Each batch is
 * a part of the statement: one part for all would read the pages of all batches, or be refused by Citus as a correlated
 * subquery.
 */
export async function batchesWhere(
  db: Sql,
  batches: readonly string[],
  condition: (batch: string) => Fragment,
): Promise<string[]> {
  if (batches.length === 0) return [];
  const parts = batches.map((batch) => fragment`select ${batch}::text as id where ${condition(batch)}`);
  const matching = await rows<{ id: string }>(db)`${joined(parts, ' union all ')}`;
  const ids = new Set(matching.map(({ id }) => id));
  return batches.filter((batch) => ids.has(batch));
}

/** Pages `w` that UPDATEDB has closed, of any batch, without a parse mark. */
export const isClosedUnparsed = fragment`w.generate_mark is null and w.batch_id is not null
       and w.update_mark is distinct from w.batch_id collate "C"`;

/** Pages `w` of a batch that UPDATEDB has closed without a parse mark: they have no mark of it. Read by webpage_unparsed. */
export const closedUnparsed = (batch: string) => fragment`${isClosedUnparsed} and w.batch_id collate "C" = ${batch}`;

/** Pages `w` of several batches that UPDATEDB has closed without a parse mark. */
export const closedUnparsedIn = (batches: readonly string[]) =>
  fragment`${isClosedUnparsed} and w.batch_id collate "C" = any (${[...batches]}::text[])`;

/** Whether there is a page `w` like that. */
export const isSomePage = (crawl: number, like: Fragment) =>
  fragment`exists (select 1 from webpage w where w.crawl = ${crawl} and ${like})`;

const segmentName = (ms: number): string => new Date(ms).toISOString().replace(/\D/g, '').slice(0, 14);

const momentOf = (segment: string): number => {
  const [year, month, day, hour, minute, second] = SEGMENT.exec(segment)!.slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return Date.UTC(year, month - 1, day, hour, minute, second);
};
