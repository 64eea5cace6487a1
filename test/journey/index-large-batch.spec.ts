import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Crawler, type Job } from '../faults/crawl.js';
import { testDatabase } from '../support/database.js';
import { Wait } from '../support/patience.js';
import { type Site, page, startSite, status } from '../support/site.js';

/** POST /v1/crawls with `index`: a batch of many hosts that has more pages than its FETCH reads ahead. */

const HOSTS = 8;
const PAGES_OF_HOST = 6;
const PAGES = HOSTS * PAGES_OF_HOST;
/** Pages that are answered at once; those after them wait. */
const AT_ONCE = 12;
/** A FETCH reports every 10 s what it has fetched of such a batch; on an idle machine UPDATEDB and INDEX take 1 s. */
const REPORTED_AND_INDEXED_MS = 30_000;

let crawler: Crawler;
let released = Promise.withResolvers<void>();
let visited = 0;
const sites: Site[] = [];

beforeAll(async () => {
  for (let host = 0; host < HOSTS; host++)
    sites.push(
      await startSite(
        async (req, res) => {
          if (req.url === '/robots.txt') return status(404)(req, res);
          if (++visited > AT_ONCE) await released.promise;
          return page(`aardvark of ${host}${req.url}`)(req, res);
        },
        { host: `127.0.2.${40 + host}` },
      ),
    );
  crawler = new Crawler(await testDatabase(), { WORKERS: '1' });
  await crawler.start();
  await crawler.configure({
    'http.timeout': '600000',
    'fetcher.threads.fetch': '2',
    'fetcher.threads.slow': '0',
    'fetcher.queue.depth.multiplier': '4',
  });
});
afterAll(async () => {
  released.resolve();
  await crawler?.close();
  await Promise.all(sites.map((site) => site.close()));
  await crawler?.db.drop();
});

const numberFound = async (crawlId: string): Promise<number> => {
  const answer = await fetch(`${crawler.running.url}/search?q=aardvark&crawlId=${crawlId}`);
  return answer.ok ? ((await answer.json()) as { total: number }).total : 0;
};

it.each([
  ['of all that is due', {}],
  ['that reaches the limit of the crawl', { limit: PAGES }],
])(
  'a search finds what was fetched of a batch %s long before its end',
  async (name, more) => {
    visited = 0;
    released = Promise.withResolvers<void>();
    const crawlId = name.replaceAll(' ', '-');
    const numbers = Array.from({ length: PAGES_OF_HOST }, (_, i) => i);
    const seeds = sites.flatMap(({ url }) => numbers.map((n) => `${url}/${n}`));
    const { id } = await crawler.call<Job>('/v1/crawls', { crawlId, confId: 'c', seeds, index: true, ...more });
    const wait = new Wait(REPORTED_AND_INDEXED_MS);
    while ((await numberFound(crawlId)) < AT_ONCE) {
      expect(wait.isOver, 'pages are found only after the end of their batch').toBe(false);
      await sleep(100);
    }
    released.resolve();
    expect(await crawler.ended(id)).toMatchObject({ state: 'FINISHED' });
    expect(await numberFound(crawlId)).toBe(PAGES);
  },
  300_000,
);
