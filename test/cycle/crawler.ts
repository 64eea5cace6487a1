/** Steps of a crawl and sites for it, as the specs of UPDATEDB and of scores take them. */
import type { JobRow } from '../../src/job/job-row.js';
import type { Cycle } from '../support/cycle.js';
import { type Handler, type Site, page, startSite } from '../support/site.js';
import { batchOf } from './table.js';

type Conf = Record<string, string>;
type Args = Record<string, unknown>;

export interface Crawler {
  /** Starts a site that `closeSites` ends. */
  site(handlers: Record<string, Handler>): Promise<Site>;
  closeSites(): Promise<void>;
  inject(crawlId: string, lines: string[]): Promise<JobRow>;
  /** One round; answers the number of pages generated. */
  round(crawlId: string, conf?: Conf): Promise<number>;
  /** GENERATE, FETCH and PARSE; answers the batch. */
  untilParsed(crawlId: string, conf?: Conf, args?: Args): Promise<string>;
  update(crawlId: string, args?: Args, conf?: Conf): Promise<JobRow>;
}

export function crawlerOf(cycle: Cycle): Crawler {
  const sites: Site[] = [];
  return {
    async site(handlers) {
      const started = await startSite(handlers);
      sites.push(started);
      return started;
    },
    async closeSites() {
      for (const site of sites.splice(0)) await site.close();
    },
    inject: (crawlId, lines) => cycle.inject(lines, {}, { crawlId }),
    round: (crawlId, conf = {}) => cycle.round({ crawlId, conf }),
    async untilParsed(crawlId, conf = {}, args = {}) {
      const batch = batchOf(await cycle.run('GENERATE', args, { crawlId, conf }));
      for (const type of ['FETCH', 'PARSE'] as const) await cycle.run(type, { batch }, { crawlId, conf });
      return batch;
    },
    update: (crawlId, args = {}, conf = {}) => cycle.run('UPDATEDB', args, { crawlId, conf }),
  };
}

/** A page that links to these URLs, in order. */
export const links = (...urls: string[]): Handler =>
  page(urls.map((url, i) => `<a href="${url}">link ${i}</a>`).join(' '));
