import { describe, expect, it } from 'vitest';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { type Handler, page, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { entry, urlset } from './sitemaps.js';
import { batchOf, byPath, pageAt, passDays } from './table.js';

/** INJECT of known pages: overwrite also removes the results of earlier steps. */

useCrawler();

const overwrite = (crawlId: string, line: string) => cycle.inject([line], { overwrite: true }, { crawlId });

describe('INJECT with overwrite', () => {
  it('of a fetched page before UPDATEDB resets it without a retry: it is due at once', async () => {
    const web = await crawler.site({ '/': links('/a') });
    await crawler.inject('fetched', [`${web.url}/`]);
    const batch = await crawler.untilParsed('fetched');
    await overwrite('fetched', `${web.url}/`);
    await crawler.update('fetched', { batch }, { 'db.fetch.retry.max': '1' });
    const row = await pageAt(cycle, '/', 'fetched');
    expect(row).toMatchObject({ status: 1, retries_since_fetch: 0, generate_mark: null, cash: 1, spend: null });
    expect(Number(row.fetch_time)).toBeLessThan(Date.now());
    expect(await crawler.round('fetched')).toBe(1);
    expect(await pageAt(cycle, '/', 'fetched')).toMatchObject({ status: 2 });
  });

  it('of a page in a batch makes it distribute the new score, once', async () => {
    const web = await crawler.site({ '/': links('/a') });
    await crawler.inject('waits', [`${web.url}/`]);
    await cycle.run('GENERATE', {}, { crawlId: 'waits' });
    await overwrite('waits', `${web.url}/\tnutch.score=3`);
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const) await cycle.run(type, {}, { crawlId: 'waits' });
    expect(await byPath(cycle, ({ score, cash, distance }) => [score, cash, distance], 'waits')).toEqual({
      '/': [3, 0, 0],
      '/a': [3, 3, 1],
    });
  });

  it('of an orphan makes it a seed, which is no orphan before its fetch', async () => {
    const conf = { 'plugin.includes': 'protocol-http|urlfilter-regex|parse-html|scoring-(opic|orphan)' };
    const web = await crawler.site({ '/': links('/a') });
    await crawler.inject('orphan', [`${web.url}/`]);
    await crawler.round('orphan', conf);
    await cycle.db.query(
      `update webpage set last_inlink = now() - interval '41 days'
        where last_inlink is not null and crawl = (select id from crawl where name = 'orphan')`,
    );
    await crawler.update('orphan', {}, conf);
    expect(await pageAt(cycle, '/a', 'orphan')).toMatchObject({ status: 8 });
    await overwrite('orphan', `${web.url}/a`);
    await crawler.update('orphan', {}, { ...conf, 'db.update.purge.orphans': 'true' });
    expect(await pageAt(cycle, '/a', 'orphan')).toMatchObject({ status: 1 });
  });
});

describe('INJECT of a page found by a link', () => {
  it.each([
    ['update', { update: true }, 0],
    ['overwrite', { overwrite: true }, 0],
    ['plain', {}, 2],
  ])('with %s: %j leaves it at distance %d, and its outlinks one further', async (how, args, distance) => {
    const crawlId = `distance-${how}`;
    const web = await crawler.site({ '/': links('/a'), '/a': links('/b'), '/b': links('/c'), '/c': links('/d') });
    await crawler.inject(crawlId, [`${web.url}/`]);
    for (let n = 0; n < 2; n++) await crawler.round(crawlId);
    await cycle.inject([`${web.url}/b`], args, { crawlId });
    expect(await pageAt(cycle, '/b', crawlId)).toMatchObject({ distance });
    await crawler.round(crawlId);
    expect(await pageAt(cycle, '/c', crawlId)).toMatchObject({ distance: distance + 1 });
  });

  it('with update makes a page in a batch a seed, and its outlinks get distance 1', async () => {
    const web = await crawler.site({ '/': links('/a'), '/a': links('/b') });
    await crawler.inject('distance-batch', [`${web.url}/`]);
    await crawler.round('distance-batch');
    await cycle.run('GENERATE', {}, { crawlId: 'distance-batch' });
    await cycle.inject([`${web.url}/a`], { update: true }, { crawlId: 'distance-batch' });
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const)
      await cycle.run(type, {}, { crawlId: 'distance-batch' });
    expect(await byPath(cycle, (row) => row.distance, 'distance-batch')).toEqual({ '/': 0, '/a': 0, '/b': 1 });
  });
});

describe('INJECT with overwrite during a step', () => {
  const conditional: Handler = (req, res) => {
    const headers = { etag: '"v1"', 'content-type': 'text/html' };
    if (req.headers['if-none-match']) return void res.writeHead(304, headers).end();
    res.writeHead(200, headers).end('<title>once</title><a href="/a">a</a>');
  };

  it('discards a conditional visit in progress, and the next one is unconditional', async () => {
    let visits = 0;
    const web = await crawler.site({
      '/': async (req, res) => {
        if (++visits === 2) await overwrite('asked', `${web.url}/\tnutch.score=3`);
        return conditional(req, res);
      },
      '*': status(404),
    });
    await crawler.inject('asked', [`${web.url}/`]);
    await crawler.round('asked');
    await passDays(cycle, 31, 'asked');
    const batch = batchOf(await cycle.run('GENERATE', { topN: 1 }, { crawlId: 'asked' }));
    const fetch = await cycle.run('FETCH', { batch }, { crawlId: 'asked' });
    expect(fetch.result?.counters['FetcherStatus']).toEqual({ pending: 1 });
    expect(await pageAt(cycle, '/', 'asked')).toMatchObject({ status: 1, fetch_mark: null, signature: null });
    await crawler.update('asked', { batch });
    expect(await pageAt(cycle, '/', 'asked')).toMatchObject({ generate_mark: null, cash: 3 });
    await crawler.round('asked');
    expect(web.log.findLast(({ path }) => path === '/')!.headers).not.toHaveProperty('if-none-match');
    const row = await pageAt(cycle, '/', 'asked');
    expect(row).toMatchObject({ status: 2, title: 'once', http_status: 200, cash: 0 });
    expect(row.signature).not.toBeNull();
  });

  it('discards the result of a PARSE that has read the page and not written it', async () => {
    const web = await crawler.site({ '/': links('/a') });
    await crawler.inject('read', [`${web.url}/`]);
    await cycle.run('GENERATE', {}, { crawlId: 'read' });
    await cycle.run('FETCH', {}, { crawlId: 'read' });
    armFaultPoints(async (point) => {
      if (point === 'parse.read') await overwrite('read', `${web.url}/`);
    });
    await cycle.run('PARSE', {}, { crawlId: 'read' }).finally(() => armFaultPoints(undefined));
    expect(await pageAt(cycle, '/', 'read')).toMatchObject({ status: 1, signature: null, parse_mark: null });
  });
});

describe('scoring-similarity adds the content score to the score', () => {
  const conf = {
    'plugin.includes': 'protocol-http|urlfilter-regex|parse-html|scoring-(opic|similarity)',
    'scoring.similarity.gold.text': 'coffee roasting and coffee beans',
  };
  const near = page('<title>Roasting</title>Coffee beans and coffee roasting');
  const scoreOf = async (crawlId: string) => (await pageAt(cycle, '/near', crawlId)).score;
  /** A page fetched and parsed with score 1; returns its site and the score of its content. */
  const scored = async (crawlId: string) => {
    const web = await crawler.site({
      '/near': near,
      '/map': (...asked) => urlset(entry(`${web.url}/near`, '<priority>0.5</priority>'))(...asked),
      '*': status(404),
    });
    await crawler.inject(crawlId, [`${web.url}/near`]);
    await crawler.round(crawlId, conf);
    const worth = (await scoreOf(crawlId)) - 1;
    expect(worth).toBeGreaterThan(0.8);
    return { url: web.url, worth };
  };
  const reparsed = async (crawlId: string) => {
    await cycle.run('PARSE', { batch: '-reparse' }, { crawlId, conf });
    return scoreOf(crawlId);
  };

  it('of a seed that overwrites the page', async () => {
    const { url, worth } = await scored('anew');
    await overwrite('anew', `${url}/near\tnutch.score=3`);
    await crawler.round('anew', conf);
    expect(await scoreOf('anew')).toBeCloseTo(3 + worth, 9);
  });

  it('of a seed that updates the page', async () => {
    const { url, worth } = await scored('updated');
    await cycle.inject([`${url}/near\tnutch.score=3`], { update: true }, { crawlId: 'updated' });
    expect(await reparsed('updated')).toBeCloseTo(3 + worth, 9);
  });

  it('of the page once, when an update sets no score', async () => {
    const { url, worth } = await scored('bare');
    await cycle.inject([`${url}/near\tk=v`], { update: true }, { crawlId: 'bare' });
    expect(await reparsed('bare')).toBeCloseTo(1 + worth, 9);
  });

  it('of a sitemap entry that overwrites the score', async () => {
    const { url, worth } = await scored('map');
    const over = { ...conf, 'sitemap.url.overwrite.existing': 'true' };
    const job = await cycle.run('SITEMAP', { sitemapUrls: [`${url}/map`] }, { crawlId: 'map', conf: over });
    expect(job.state).toBe('FINISHED');
    expect(await scoreOf('map')).toBe(0.5);
    await passDays(cycle, 31, 'map');
    await crawler.round('map', conf);
    expect(await scoreOf('map')).toBeCloseTo(0.5 + worth, 9);
  });
});
