/**
 * SITEMAP: the URLs that sites list in sitemaps become pages of the crawl (Nutch 1.x `SitemapProcessor`).
 *
 * First it fills a list: sitemaps and hosts of the arguments, or all that the crawl knows (list-sitemaps.ts). Then it reads the
 * list, host by host, several hosts concurrently: an origin gives the sitemaps of its robots.txt, an index gives sitemaps, a
 * sitemap gives pages. The list is in the table, and a sitemap leaves it in the transaction that writes the last of its entries,
 * so after a kill the next attempt continues where it was and finds completed work done.
 */
import { Injectable } from '@nestjs/common';
import { unlessNegated } from '../../core/conf/negated-flag.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { makeHttpClient, fetchLimitsOf } from '../../plugin/http-protocol.js';
import { requireHttpCrawler } from '../require-crawler.js';
import { RobotsCache } from '../../politeness/robots-cache.js';
import { type Run, type Step } from '../step.js';
import { refuseUnwritten } from '../require-pages.js';
import { requestHeaders } from '../../core/http/request-headers.js';
import { fillList } from './list-sitemaps.js';
import { OrderedRequests } from '../../politeness/ordered-requests.js';
import type { SitemapArgs } from './sitemap.args.js';
import { SitemapFetch } from './sitemap-fetch.js';
import { SitemapHosts } from './sitemap-hosts.js';
import { SitemapReader } from './sitemap-reader.js';
import { SitemapRules } from '../../core/sitemap/sitemap-rules.js';

interface Plan extends Record<string, unknown> {
  parts: number;
}

@Injectable()
export class SitemapJob implements Step<SitemapArgs> {
  async run(run: Run<SitemapArgs>): Promise<TaskOutcome> {
    const { conf, args } = run;
    requireHttpCrawler(conf);
    const plan = await run.plan<Plan>(async () => {
      if (!(await run.lock('SITEMAP'))) return null;
      const { sitemapUrls, sitemapUrlDir, hosts, hostDir } = args;
      // The sitemaps named here may be the first pages of the crawl.
      if (!sitemapUrls && !sitemapUrlDir && !hosts && !hostDir) await refuseUnwritten(run);
      return { parts: 1 };
    });
    if (plan === null) return { reason: 'stopped' };
    const rules = new SitemapRules(makeUrlRules(conf), {
      normalize: unlessNegated(args.noNormalize, conf['sitemap.url.normalize']),
      filter: unlessNegated(args.noFilter, conf['sitemap.url.filter']),
    });
    if (!(await fillList(run, rules))) return { reason: 'stopped' };
    return { reason: await readList(run, rules) };
  }
}

/** Reads everything on the list; returns why it ended. */
async function readList(run: Run<SitemapArgs>, rules: SitemapRules): Promise<'done' | 'stopped'> {
  const { conf, args, pool } = run;
  const signal = AbortSignal.any([run.stopping, run.aborted]);
  const http = makeHttpClient(conf, run.ownPorts);
  const queues = new OrderedRequests(pool, {
    owner: run.task,
    mode: conf['fetcher.queue.mode'],
    delayMs: conf['fetcher.server.delay'] * 1000,
    backOff: { base: conf['fetcher.exceptions.per.queue.delay'] * 1000, max: conf['fetcher.backoff.max'] * 1000 },
    maxWaitMs: conf['fetcher.backoff.max.wait'] * 1000,
    signal,
  });
  const client = queues.clientOf(http);
  const robots = new RobotsCache({
    db: pool,
    client,
    conf,
    headers: requestHeaders(conf),
    limits: fetchLimitsOf(conf),
    signal,
    runExclusive: (url, work) => queues.exclusive(url, work),
  });
  const admit = (url: string): string | null => rules.admit(url);
  const fetch = new SitemapFetch({ conf, client, queues, robots, signal, force: args.force ?? false, admit });
  const reader = new SitemapReader(run, { rules, fetch });
  try {
    const threads = args.threads ?? conf['fetcher.threads.fetch'];
    return await new SitemapHosts(run, { reader, queues, threads, signal }).readAll();
  } finally {
    robots.close();
    await queues.close();
    http.close();
  }
}
