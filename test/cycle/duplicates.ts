/** Crawls with pages of equal content, and their state after DEDUP. */
import type { JobRow } from '../../src/job/job-row.js';
import { type Handler, page, type Site } from '../support/site.js';
import { crawler, cycle } from './crawler.js';
import { byPath, counter, pages } from './table.js';

export const dedup = (
  crawlId: string,
  args: Record<string, unknown> = {},
  conf: Record<string, string> = {},
): Promise<JobRow> => cycle.run('DEDUP', args, { crawlId, conf });

export const marked = 'Documents marked as duplicate';
export const unmarked = 'Documents no longer marked as duplicate';
export const numberOf = (job: JobRow, name = marked): number => counter(job, 'DeduplicationJobStatus', name);

export const statuses = (crawlId: string): Promise<Record<string, number>> =>
  byPath(cycle, ({ status }) => status, crawlId);

/** Keys of the pages that are not marked. */
export const kept = async (crawlId: string): Promise<string[]> =>
  (await pages(cycle, crawlId)).filter(({ status }) => status !== 7).map(({ key }) => key);

export const same = page('the same words');

/** Crawls these paths of one site, with their scores. */
export async function crawled(
  crawlId: string,
  scores: Record<string, number>,
  handlers: Record<string, Handler> = {},
): Promise<Site> {
  const paths = Object.keys(scores);
  const site = await crawler.site({ ...Object.fromEntries(paths.map((path) => [path, same])), ...handlers });
  await crawler.inject(
    crawlId,
    paths.map((path) => `${site.url}${path}\tnutch.score=${scores[path]}`),
  );
  await crawler.round(crawlId);
  return site;
}
