/** GENERATE of injected pages. Each case of a spec has its own crawl id. */
import type { JobRow } from '../../src/job/job-row.js';
import { crawler, cycle } from './crawler.js';
import { pages } from './table.js';

type Args = Record<string, unknown>;
type Conf = Record<string, string>;

export const inject = crawler.inject;
export const generate = (crawlId: string, args: Args = {}, conf: Conf = {}): Promise<JobRow> =>
  cycle.run('GENERATE', args, { crawlId, conf });

/** Seed lines of `n` pages of a host, each with `line` after its URL. */
export const urls = (host: string, n: number, line = ''): string[] =>
  Array.from({ length: n }, (_, i) => `http://${host}/${String(i).padStart(4, '0')}${line}`);

/** Number of pages that one GENERATE selects. */
export const countOf = async (crawlId: string, args: Args = {}, conf: Conf = {}): Promise<unknown> =>
  (await generate(crawlId, args, conf)).result?.['generate.count'];

/** Pages of all batches, by host. */
export const marked = async (crawlId: string): Promise<Record<string, number>> => {
  const perHost: Record<string, number> = {};
  for (const page of await pages(cycle, crawlId))
    if (page.generate_mark) perHost[page.host] = (perHost[page.host] ?? 0) + 1;
  return perHost;
};
