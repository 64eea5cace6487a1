/** How the pages that a FETCH has yet to visit are distributed: by queue, and by partition. */
import { type Sql, row, rows } from '../../db/sql.js';
import { inBatches, queuePartition, ofKind } from '../batch-chunks.sql.js';
import type { Partition, Waits, ThreadWork } from '../../core/frontier/divide-partition.js';
import { type ChunkQuery, isDone } from './fetch.sql.js';

/** Largest queues of a partition that are considered for its division. */
const MAX_QUEUES = 1_000;

/** Waiting pages of a partition by the hash of the queue: the largest queues. */
export function waitingByQueue(db: Sql, q: ChunkQuery): Promise<Waits[]> {
  return rows<Waits>(db)`
    select coalesce(w.partition_hash, 0) as hash, count(*)::int as n from webpage w
     where w.crawl = ${q.crawl} and ${inBatches(q.batches)} and ${queuePartition(q.part, q.parts)} and ${ofKind(q.sitemap)}
       and not ${isDone(q)}
     group by 1 order by 2 desc, 1 limit ${MAX_QUEUES}`;
}

/**
 * The work in each of `parts` equal classes of a batch.
 * @param max maximum of pages counted per queue
 * @param perQueue threads per queue
 */
export async function workByPartition(
  db: Sql,
  { crawl, batches, sitemap }: Pick<ChunkQuery, 'crawl' | 'batches' | 'sitemap'>,
  { parts, max, perQueue }: { parts: number; max: number; perQueue: number },
): Promise<ThreadWork[]> {
  const partitions = await rows<ThreadWork & { part: number }>(db)`
    select hash % ${parts}::int as part, sum(least(n, ${max}::float8))::float8 as pages, (count(*) * ${perQueue}::int)::int as sustainable
      from (select coalesce(w.partition_hash, 0) as hash, count(*) as n from webpage w
             where w.crawl = ${crawl} and ${inBatches(batches)} and ${ofKind(sitemap)} group by 1) as queue
     group by 1`;
  const byPartition = new Map(partitions.map((work) => [work.part, work]));
  return Array.from({ length: parts }, (_, part) => byPartition.get(part) ?? { pages: 0, sustainable: 0 });
}

/** The partitions of a job that are not done, from the `progress` of their tasks; null for a task that was never divided. */
export function openPartitions(db: Sql, job: string): Promise<{ part: number; kept: Partition | null }[]> {
  return rows<{ part: number; kept: Partition | null }>(db)`
    select part, case when progress ? 'threads' then progress end as kept from job_task
     where job = ${job} and state <> 'DONE' order by part`;
}

/**
 * Reads the open partitions under a lock of the job row: of two tasks that divide concurrently, the second sees the division of
 * the first.
 */
export async function lockedPartitions(tx: Sql, job: string): ReturnType<typeof openPartitions> {
  await row(tx)`select 1 from job where id = ${job} for no key update`;
  return openPartitions(tx, job);
}
