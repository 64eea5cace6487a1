import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, redirect, startSite, status } from '../support/site.js';
import { byPath, counter, counters, expectConsistent } from './table.js';

/** Arguments of FETCH as clients of both lines of Nutch give them (docs/semantics/fetch.md; docs/api.md). */

let cycle: Cycle;
let site: Site;
let handlers: Record<string, Handler> = {};

beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite((req, res) => (handlers[req.url ?? ''] ?? status(404))(req, res));
});
afterEach(async () => {
  await expectConsistent(cycle);
  site.log.length = 0;
});
afterAll(async () => {
  await cycle.close();
  await site.close();
});

const visits = () =>
  site.log
    .map(({ path }) => path)
    .filter((path) => path !== '/robots.txt')
    .sort();
const expectSum = (job: JobRow, selected: number) => {
  const sum = Object.values(counters(job, 'FetcherStatus')).reduce((all, n) => all + n, 0);
  expect([counter(job, 'Fetcher', 'selected'), sum]).toEqual([selected, selected]);
};

describe('noParsing', () => {
  it.each([
    ['prevents parsing in FETCH, whatever fetcher.parse', { noParsing: true }, 'true', null],
    ['is a flag of 1.x: present without a value, it applies', { noParsing: '' }, 'true', null],
    ['is overridden by parse', { noParsing: true, parse: true }, 'false', 1],
    ['set to false leaves the decision to fetcher.parse', { noParsing: false }, 'true', 1],
  ])('%s', async (name, args, parse, parsed) => {
    handlers = { '/a': page('<title>A</title>') };
    await cycle.inject([`${site.url}/a`], {}, { crawlId: name.slice(0, 20) });
    await cycle.run('GENERATE', {}, { crawlId: name.slice(0, 20) });
    await cycle.run('FETCH', args, { crawlId: name.slice(0, 20), conf: { 'fetcher.parse': parse } });
    expect(await byPath(cycle, (row) => row.parse_major, name.slice(0, 20))).toEqual({ '/a': parsed });
  });
});

describe('sitemap', () => {
  /** Two pages and a sitemap, each kind in a batch of its own. */
  const generated = async (crawlId: string, more: Record<string, Handler> = {}) => {
    handlers = { '/a': page('a'), '/b': page('b'), '/map.xml': page('<urlset/>'), ...more };
    const seeds = [`${site.url}/a`, `${site.url}/b`, `${site.url}/map.xml\t-sitemap`];
    await cycle.inject(seeds, {}, { crawlId });
    await cycle.run('GENERATE', { batch: 'maps', sitemap: true }, { crawlId });
    await cycle.run('GENERATE', { batch: 'pages' }, { crawlId });
  };

  it.each([1, 3])('separates sitemaps from pages with batch -all and %d tasks', async (numTasks) => {
    const crawlId = `all-${numTasks}`;
    await generated(crawlId);
    const options = { crawlId, workers: numTasks };
    expectSum(await cycle.run('FETCH', { batch: '-all', numTasks }, options), 2);
    expect(visits()).toEqual(['/a', '/b']);
    site.log.length = 0;
    expectSum(await cycle.run('FETCH', { batch: '-all', sitemap: true, numTasks }, options), 1);
    expect(visits()).toEqual(['/map.xml']);
  });

  it('selects no page of a named batch of pages, and a batch of sitemaps needs only its name', async () => {
    await generated('named');
    const none = await cycle.run('FETCH', { batch: 'pages', sitemap: true }, { crawlId: 'named' });
    expect(none).toMatchObject({ state: 'FINISHED', result: { reason: 'no-urls' } });
    expect(visits()).toEqual([]);
    expectSum(await cycle.run('FETCH', { batch: 'maps' }, { crawlId: 'named' }), 1);
    expect(visits()).toEqual(['/map.xml']);
  });

  it.each([
    ['a page does not reach a sitemap of another batch', {}, { '/a': 4, '/b': 2, '/map.xml': 1 }],
    ['a sitemap does not reach a page', { sitemap: true }, { '/a': 1, '/b': 1, '/map.xml': 4 }],
  ])('also limits redirects followed in the same FETCH: %s', async (name, args, expected) => {
    const crawlId = name.slice(0, 12);
    handlers = { '/a': redirect('/map.xml'), '/b': page('b'), '/map.xml': redirect('/c'), '/c': page('c') };
    await cycle.inject([`${site.url}/map.xml\t-sitemap`], {}, { crawlId });
    if ('sitemap' in args) await cycle.run('GENERATE', { batch: 'maps', sitemap: true }, { crawlId });
    await cycle.inject([`${site.url}/a`, `${site.url}/b`], {}, { crawlId });
    await cycle.run('GENERATE', { batch: 'pages' }, { crawlId });
    const conf = { 'http.redirect.max': '3' };
    const job = await cycle.run('FETCH', { batch: '-all', ...args }, { crawlId, conf });
    expectSum(job, 'sitemap' in args ? 1 : 2);
    expect(await byPath(cycle, (row) => row.status, crawlId)).toEqual(expected);
  });

  it('is not needed when no batch is named: pages and sitemaps are fetched', async () => {
    await generated('unnamed');
    expectSum(await cycle.run('FETCH', {}, { crawlId: 'unnamed' }), 3);
    expect(visits()).toEqual(['/a', '/b', '/map.xml']);
  });

  it('not set, a FETCH of -all with resume skips the pages that were fetched', async () => {
    await generated('again');
    await cycle.run('FETCH', { batch: '-all' }, { crawlId: 'again' });
    const job = await cycle.run('FETCH', { batch: '-all', resume: true }, { crawlId: 'again' });
    expect(counters(job, 'FetcherStatus')).toEqual({ fetched_before: 2 });
    expectSum(job, 2);
  });
});

describe('without the name of a batch', () => {
  it.each([{}, { batch: '-all' }])('FETCH (%j) fetches the batches that are open when it begins', async (args) => {
    const crawlId = `open-${Object.keys(args).length}`;
    const options = { crawlId };
    handlers = {
      '/a': (req, res) =>
        void cycle
          .inject([`${site.url}/later`], {}, options)
          .then(() => cycle.run('GENERATE', {}, options))
          .then(() => page('a')(req, res)),
      '/b': page('b'),
      '/later': page('later'),
    };
    for (const path of ['/a', '/b']) {
      await cycle.inject([`${site.url}${path}`], {}, options);
      await cycle.run('GENERATE', {}, options);
    }
    expectSum(await cycle.run('FETCH', args, options), 2);
    expect(visits()).toEqual(['/a', '/b']);
  });
});
