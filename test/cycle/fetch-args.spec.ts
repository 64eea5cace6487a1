import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, redirect, startSite, status } from '../support/site.js';
import { byPath, counter, counters, expectConsistent } from './table.js';

/** Arguments of FETCH as clients of both lines of Nutch give them (crawl-semantics section 4; rest-contract section 4). */

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
    ['says that FETCH does not parse, whatever fetcher.parse', { noParsing: true }, 'true', null],
    ['is a flag of 1.x: it counts by being there', { noParsing: '' }, 'true', null],
    ['gives way to parse', { noParsing: true, parse: true }, 'false', 1],
    ['that is false leaves it to fetcher.parse', { noParsing: false }, 'true', 1],
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

  it.each([1, 3])('keeps sitemaps and pages of -all apart, with %d tasks', async (numTasks) => {
    const crawlId = `all-${numTasks}`;
    await generated(crawlId);
    const options = { crawlId, workers: numTasks };
    expectSum(await cycle.run('FETCH', { batch: '-all', numTasks }, options), 2);
    expect(visits()).toEqual(['/a', '/b']);
    site.log.length = 0;
    expectSum(await cycle.run('FETCH', { batch: '-all', sitemap: true, numTasks }, options), 1);
    expect(visits()).toEqual(['/map.xml']);
  });

  it('takes no sitemap out of a named batch of pages, and a batch of sitemaps is fetched by its name alone', async () => {
    await generated('named');
    const none = await cycle.run('FETCH', { batch: 'pages', sitemap: true }, { crawlId: 'named' });
    expect(none).toMatchObject({ state: 'FINISHED', result: { reason: 'no-urls' } });
    expect(visits()).toEqual([]);
    expectSum(await cycle.run('FETCH', { batch: 'maps' }, { crawlId: 'named' }), 1);
    expect(visits()).toEqual(['/map.xml']);
  });

  it.each([
    ['a page does not lead to a sitemap that waits', {}, { '/a': 4, '/b': 2, '/map.xml': 1 }],
    ['a sitemap does not lead to a page', { sitemap: true }, { '/a': 1, '/b': 1, '/map.xml': 4 }],
  ])('holds for redirects that are followed at once: %s', async (name, args, expected) => {
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

  it('is fetched with the pages where no batch is named', async () => {
    await generated('unnamed');
    expectSum(await cycle.run('FETCH', {}, { crawlId: 'unnamed' }), 3);
    expect(visits()).toEqual(['/a', '/b', '/map.xml']);
  });

  it('that is asked for again by resume skips what was fetched', async () => {
    await generated('again');
    await cycle.run('FETCH', { batch: '-all' }, { crawlId: 'again' });
    const job = await cycle.run('FETCH', { batch: '-all', resume: true }, { crawlId: 'again' });
    expect(counters(job, 'FetcherStatus')).toEqual({ fetched_before: 2 });
    expectSum(job, 2);
  });
});
