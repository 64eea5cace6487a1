/** Results of jobs about one host: its sitemaps (SITEMAP) and the facts of HOSTDB. */
import { hostKeyOf, reverseUrl } from '../../core/url/row-key.js';
import { type Sql, row, rows } from '../../db/sql.js';
import type { TaskWait } from '../../core/job/task-wait.js';
import { waitColumn, waitFields } from '../../job/task-wait.sql.js';
import { sitemapsOfHost } from '../../webpage/sitemap.store.js';
import type { HostDetailDto, HostWait } from './host-detail.dto.js';
import { queuesOfKey } from './host.query.js';

const MAX_SITEMAPS = 100;

interface FactsRow {
  facts: Record<string, unknown> | null;
  updatedAt: Date | null;
  dnsFailures: number;
  dnsCheckedAt: Date | null;
}

/** @param host a reversed host */
export async function hostDetail(
  db: Sql,
  crawl: number,
  host: string,
): Promise<Pick<HostDetailDto, 'sitemaps' | 'hostdb' | 'waitsFor'>> {
  const [waitsFor, sitemaps, known] = await Promise.all([
    waitsOf(db, crawl, host),
    sitemapsOfHost(db, crawl, host, MAX_SITEMAPS),
    row<FactsRow>(db)`
      select hostdb as facts, hostdb_at as "updatedAt", dns_failures as "dnsFailures", dns_checked_at as "dnsCheckedAt"
        from host where crawl = ${crawl} and host = ${host}`,
  ]);
  return {
    waitsFor,
    sitemaps: sitemaps.map((sitemap) => ({ ...sitemap, fetchedAt: sitemap.fetchedAt?.toISOString() ?? null })),
    hostdb: known?.updatedAt ? factsView(known, known.updatedAt) : null,
  };
}

const factsView = ({ facts, dnsFailures, dnsCheckedAt }: FactsRow, updatedAt: Date): Record<string, unknown> => ({
  updatedAt: updatedAt.toISOString(),
  dnsFailures,
  dnsCheckedAt: dnsCheckedAt?.toISOString() ?? null,
  ...facts,
});

/** The waits of tasks that have the lease of a fetch queue of the host, or are processing one of its pages. */
async function waitsOf(db: Sql, crawl: number, host: string): Promise<HostWait[]> {
  const queues = queuesOfKey(host);
  const waits = await rows<TaskWait & { job: string; holds: boolean }>(db)`
    select waiting.job, ${waitFields},
           exists (select 1 from politeness
                    where politeness.queue_id = any (${queues}::text[]) and politeness.owner = 'task ' || waiting.id || '#' || waiting.token) as holds
      from (select task.id, task.token, task.job, ${waitColumn} as wait
              from job_task task join job on job.id = task.job
             where task.state = 'RUNNING' and task.waits is not null and job.crawl = ${crawl}) waiting
     where waiting.wait is not null order by waiting.id`;
  const isOfHost = ({ url, holds }: { url: string | null; holds: boolean }): boolean =>
    holds || (url !== null && URL.canParse(url) && hostKeyOf(reverseUrl(url)) === host);
  return waits
    .filter(isOfHost)
    .map(({ job, for: kind, what, url, pages, since }) => ({ job, for: kind, what, url, pages, since }));
}
