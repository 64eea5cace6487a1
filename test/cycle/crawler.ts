/** Steps of a crawl and sites for it, used by the specs of FETCH, UPDATEDB and scores. */
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, startSite } from '../support/site.js';
import { batchOf, expectConsistent } from './table.js';

type Conf = Record<string, string>;
type Args = Record<string, unknown>;

/** The cycle of a spec, once it called `useCrawler`. */
export let cycle: Cycle;
const sites: Pick<Site, 'close'>[] = [];

/**
 * A cycle for the tests of a spec; after each of them the table is checked for consistency and its sites are closed.
 * @param uncounted the tests write pages that no job has counted: the table is not checked
 */
export function useCrawler({ uncounted = false } = {}): void {
  beforeAll(async () => {
    cycle = await openCycle();
  });
  afterEach(async () => {
    if (!uncounted) await expectConsistent(cycle);
    for (const site of sites.splice(0)) await site.close();
  });
  afterAll(() => cycle.close());
}

/** Returns this site, which is closed at the end of the test. */
export function untilTestEnds<T extends Pick<Site, 'close'>>(site: T): T {
  sites.push(site);
  return site;
}

export const crawler = {
  /** Starts a site that is closed when the test ends. */
  site: async (handlers: Record<string, Handler>): Promise<Site> => untilTestEnds(await startSite(handlers)),
  inject: (crawlId: string, lines: string[]): Promise<JobRow> => cycle.inject(lines, {}, { crawlId }),
  /** One round; returns the number of pages generated. */
  round: (crawlId: string, conf: Conf = {}): Promise<number> => cycle.round({ crawlId, conf }),
  /** GENERATE, FETCH and PARSE; returns the batch. */
  async untilParsed(crawlId: string, conf: Conf = {}, args: Args = {}): Promise<string> {
    const batch = batchOf(await cycle.run('GENERATE', args, { crawlId, conf }));
    for (const type of ['FETCH', 'PARSE'] as const) await cycle.run(type, { batch }, { crawlId, conf });
    return batch;
  },
  update: (crawlId: string, args: Args = {}, conf: Conf = {}): Promise<JobRow> =>
    cycle.run('UPDATEDB', args, { crawlId, conf }),
};

/** A page that links to these URLs, in order. */
export const links = (...urls: string[]): Handler =>
  page(urls.map((url, i) => `<a href="${url}">link ${i}</a>`).join(' '));
