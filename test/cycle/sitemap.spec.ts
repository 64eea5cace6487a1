import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SitemapJob } from '../../src/cycle/sitemap/sitemap.job.js';
import type { CrawlPlan } from '../../src/core/job/crawl-plan.js';
import { type Cycle, loopback, openCycle } from '../support/cycle.js';
import { type Handler, page, status } from '../support/site.js';
import { runKilled } from './interrupted.js';
import { asked, entry, index, sitemapsOf, urlset, xml } from './sitemaps.js';
import { counter, counters, expectConsistent, pageAt, pages } from './table.js';

let cycle: Cycle;
let { site, closeSites, run, paths, rows: sitemaps } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, paths, rows: sitemaps } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle.close());

describe('SITEMAP for the hosts of a crawl', () => {
  it('reads the sitemaps listed in robots.txt and adds their entries as pages', async () => {
    const one = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/map.xml.gz?v=1\nSitemap: /second.txt`, { 'content-type': 'text/plain' }),
      '/map.xml.gz': urlset(
        entry(
          `${url}/a`,
          '<priority>0.8</priority><changefreq>daily</changefreq><lastmod>2005-01-01T10:00:00+02:00</lastmod>',
        ),
        entry(`${url}/b`, '<lastmod>2999-01-01</lastmod><priority>0.0</priority>'),
      ),
      '/second.txt': page(`${url}/c\n${url}/a\n`, { 'content-type': 'text/plain' }),
    }));
    await cycle.inject([`${one.url}/`], {}, { crawlId: 'robots' });
    const job = await run('robots');
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done' } });
    expect(counters(job, 'Sitemap')).toMatchObject({
      sitemaps_from_hostname: 2,
      new_sitemap_entries: 3,
      existing_sitemap_entries: 1,
    });
    expect(await paths('robots')).toEqual(['/', '/a', '/b', '/c']);
    expect(await pageAt(cycle, '/a', 'robots')).toMatchObject({
      status: 1,
      score: 0.8,
      fetch_interval: 86_400,
      modified_time: new Date('2005-01-01T08:00:00Z'),
      source_kind: 'sitemap',
      inject_mark: null,
      metadata: {
        'sitemap.changefreq': 'daily',
        'sitemap.lastmod': '2005-01-01T08:00:00.000Z',
        'sitemap.priority': '0.8',
      },
    });
    expect(await pageAt(cycle, '/b', 'robots')).toMatchObject({
      score: 0.5,
      fetch_interval: 2_592_000,
      modified_time: null,
    });
    expect(await sitemaps('robots')).toEqual([
      { path: '/map.xml.gz?v=1', source: 'robots', status: 'fetched', entries: 2, error: null, wanted_by: null },
      { path: '/second.txt', source: 'robots', status: 'fetched', entries: 2, error: null, wanted_by: null },
    ]);
    await expectConsistent(cycle);
  });

  it('requests /sitemap.xml when robots.txt lists no sitemap', async () => {
    const one = await site((url) => ({ '/sitemap.xml': urlset(entry(`${url}/a`)) }));
    await cycle.inject([`${one.url}/`], {}, { crawlId: 'usual' });
    await run('usual');
    expect(asked(one)).toEqual(['/robots.txt', '/sitemap.xml']);
    expect(await paths('usual')).toEqual(['/', '/a']);
  });

  it('does not request it with sitemap.url.default.sitemap.xml false', async () => {
    const one = await site(() => ({}));
    await cycle.inject([`${one.url}/`], {}, { crawlId: 'named' });
    await run('named', {}, { 'sitemap.url.default.sitemap.xml': 'false' });
    expect(asked(one)).toEqual(['/robots.txt']);
  });

  it('reads sitemaps of seed lines', async () => {
    const one = await site((url) => ({
      '/m1.xml': urlset(entry(`${url}/a`)),
      '/sub/m2.xml': urlset(entry(`${url}/sub/b`)),
    }));
    await cycle.inject([`${one.url}/m1.xml\t-sitemap`, `${one.url}/\tsitemaps: sub/m2.xml`], {}, { crawlId: 'seeds' });
    expect((await sitemaps('seeds')).map(({ path, source }) => [path, source])).toEqual([
      ['/m1.xml', 'seed'],
      ['/sub/m2.xml', 'seed'],
    ]);
    await run('seeds');
    expect(await paths('seeds')).toEqual(expect.arrayContaining(['/a', '/sub/b']));
  });
});

describe('SITEMAP with arguments', () => {
  it('reads the given sitemaps and hosts only', async () => {
    const [one, two, three] = [
      await site((url) => ({ '/map.xml': urlset(entry(`${url}/a`)) })),
      await site((url) => ({ '/sitemap.xml': urlset(entry(`${url}/b`)) })),
      await site(() => ({})),
    ];
    await cycle.inject([`${three.url}/`], {}, { crawlId: 'args' });
    await run('args', { sitemapUrls: `${one.url}/map.xml`, hosts: [new URL(two.url).host] });
    expect((await paths('args')).sort()).toEqual(['/', '/a', '/b']);
    expect(three.log).toEqual([]);
  });

  it('reads sitemaps and hosts from seed lists', async () => {
    const one = await site((url) => ({
      '/map.xml': urlset(entry(`${url}/a`)),
      '/sitemap.xml': urlset(entry(`${url}/b`)),
    }));
    await cycle.inject([`${one.url}/map.xml`], {}, { crawlId: 'not-this' });
    const [list] = await cycle.db.query<{ name: string }>(
      'select name from seed_list order by created_at desc limit 1',
    );
    await run('lists', { sitemapUrlDir: list!.name, hostDir: list!.name });
    expect(await paths('lists')).toEqual(['/a', '/b']);
  });

  it('follows indexes three levels deep and reads each sitemap once', async () => {
    const one = await site((url) => ({
      '/i0.xml': index(`${url}/i1.xml`, `${url}/m.xml`, `${url}/i0.xml`),
      '/i1.xml': index(`${url}/i2.xml`, `${url}/i0.xml`),
      '/i2.xml': index(`${url}/i3.xml`),
      '/i3.xml': index(`${url}/i4.xml`),
      '/i4.xml': urlset(entry(`${url}/deep`)),
      '/m.xml': urlset(entry(`${url}/a`)),
    }));
    const job = await run('index', { sitemapUrls: [`${one.url}/i0.xml`] });
    expect(asked(one)).toEqual(['/robots.txt', '/i0.xml', '/i1.xml', '/m.xml', '/i2.xml', '/i3.xml']);
    expect(counter(job, 'Sitemap', 'too_deep_sitemaps')).toBe(1);
    expect(await paths('index')).toEqual(['/a']);
  });

  it.each([
    ['of a registered domain', 'domain-max', 'sitemap.domain.max'],
    ['of a job', 'job-max', 'sitemap.job.max'],
  ])('reads at most that many sitemaps %s', async (_, crawlId, property) => {
    const one = await site((url) => ({
      '/i0': index(`${url}/i1`, `${url}/m1`, `${url}/i0`, `${url}/m1`),
      '/i1': index(`${url}/m1`, `${url}/m2`, `${url}/m3`),
      '*': (req, res) => urlset(entry(`${url}/of${req.url!.slice(1)}`))(req, res),
      '/robots.txt': status(404),
    }));
    const args = { sitemapUrls: [`${one.url}/i0`] };
    const job = await run(crawlId, args, { [property]: '4' });
    expect(await paths(crawlId)).toEqual(['/ofm1', '/ofm2']);
    expect(counter(job, 'Sitemap', 'too_many_sitemaps')).toBe(1);
    const next = await run(crawlId, args, { [property]: '5' });
    expect(await paths(crawlId)).toEqual(['/ofm1', '/ofm2', '/ofm3']);
    expect(counter(next, 'Sitemap', 'too_many_sitemaps')).toBe(0);
  });

  it.each<[string, string, Record<string, unknown>, string[]]>([
    ['strictly', 'strict', {}, ['/maps/a']],
    ['leniently with noStrict', 'lenient', { noStrict: true }, ['/b', '/maps/a']],
  ])('applies paths %s', async (_, crawlId, args, expected) => {
    const one = await site((url) => ({ '/maps/m.xml': urlset(entry(`${url}/maps/a`), entry(`${url}/b`)) }));
    const job = await run(crawlId, { sitemapUrls: [`${one.url}/maps/m.xml`], ...args });
    expect(await paths(crawlId)).toEqual(expected);
    expect(counter(job, 'SitemapErrors', 'outside-path')).toBe(2 - expected.length);
  });

  it('accepts entries of the whole origin when its robots.txt lists the sitemap', async () => {
    const one = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/maps/m.xml`),
      '/maps/m.xml': urlset(entry(`${url}/b`)),
    }));
    await run('vouched', { hosts: [one.url] });
    expect(await paths('vouched')).toEqual(['/b']);
  });

  it('accepts entries of its own origin when another robots.txt listed it first and its own disallows the path', async () => {
    let last = '';
    const robots: Handler = (req, res) => page(`Sitemap: ${last}/maps/m.xml\nUser-agent: *\nDisallow: /maps`)(req, res);
    const map: Handler = (req, res) => urlset(entry(`${last}/b`))(req, res);
    const both = [
      await site(() => ({ '/robots.txt': robots, '/maps/m.xml': map })),
      await site(() => ({ '/robots.txt': robots, '/maps/m.xml': map })),
    ];
    last = both.map(({ url }) => url).toSorted()[1]!;
    await run('own-origin', { hosts: both.map(({ url }) => url) });
    expect(await paths('own-origin')).toEqual(['/b']);
    expect(await sitemaps('own-origin')).toMatchObject([{ source: 'robots', status: 'fetched', wanted_by: null }]);
    // Another origin that lists it later changes nothing and causes no request.
    await run('own-origin', { hosts: both.map(({ url }) => url).filter((url) => url !== last), force: true });
    expect(await sitemaps('own-origin')).toMatchObject([{ source: 'robots', status: 'fetched', entries: 1 }]);
  });

  it.each([
    ['listed in robots.txt', 'known-robots', (url: string) => `${url}/maps/m.xml`],
    ['in an index listed in robots.txt', 'known-index', (url: string) => `${url}/i.xml`],
  ])('accepts them for a sitemap of a seed line that is also %s', async (_, crawlId, named) => {
    const one = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${named(url)}`),
      '/i.xml': index(`${url}/maps/m.xml`),
      '/maps/m.xml': urlset(entry(`${url}/b`)),
    }));
    await cycle.inject([`${one.url}/\tsitemaps: maps/m.xml`], {}, { crawlId });
    await run(crawlId);
    expect(await paths(crawlId)).toContain('/b');
    expect((await sitemaps(crawlId)).every(({ wanted_by: by }) => by === null)).toBe(true);
  });

  it('ignores a robots.txt that lists itself, in each job', async () => {
    const one = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/robots.txt\nSitemap: ${url}/m.xml`),
      '/m.xml': urlset(entry(`${url}/a`)),
    }));
    for (let jobs = 0; jobs < 2; jobs++) {
      const job = await run('itself', { hosts: [one.url] });
      expect(counters(job, 'Sitemap')).toMatchObject({ filtered_sitemaps_from_hostname: 1, sitemaps_from_hostname: 1 });
    }
    expect(await sitemaps('itself')).toMatchObject([{ path: '/m.xml', status: 'fetched' }]);
  });

  it('requests a sitemap unconditionally once the robots.txt of its origin lists it', async () => {
    let robots = '';
    const one = await site((url) => ({
      '/robots.txt': (req, res) => page(robots)(req, res),
      '/maps/m.xml': (req, res) =>
        req.headers['if-none-match']
          ? status(304)(req, res)
          : page(`<urlset>${entry(`${url}/b`)}</urlset>`, { ...xml, etag: '"1"' })(req, res),
    }));
    await run('named-later', { sitemapUrls: [`${one.url}/maps/m.xml`] });
    expect(await paths('named-later')).toEqual([]);
    robots = `Sitemap: ${one.url}/maps/m.xml`;
    await cycle.db.query('delete from robots');
    await run('named-later', { hosts: [one.url] });
    expect(await paths('named-later')).toEqual(['/b']);
  });

  it('reads a sitemap once that is also in an unchanged index', async () => {
    const one = await site((url) => ({
      '/a.xml': urlset(entry(`${url}/a`)),
      '/index.xml': (req, res) =>
        req.headers['if-none-match']
          ? status(304)(req, res)
          : page(`<sitemapindex><sitemap><loc>${url}/a.xml</loc></sitemap></sitemapindex>`, { ...xml, etag: '"1"' })(
              req,
              res,
            ),
    }));
    await run('same-index', { sitemapUrls: [`${one.url}/index.xml`] });
    const before = one.log.length;
    await run('same-index', { sitemapUrls: [`${one.url}/a.xml`, `${one.url}/index.xml`] });
    const asked = one.log.slice(before).map(({ path }) => path);
    expect(asked.filter((path) => path !== '/robots.txt')).toEqual(['/a.xml', '/index.xml']);
  });

  it('adds at most trap.host.pages pages of a host', async () => {
    const one = await site((url) => ({
      '/m.xml': urlset(...['a', 'b', 'c'].map((path) => entry(`${url}/${path}`, '<priority>0.9</priority>'))),
    }));
    await cycle.inject([`${one.url}/c`], {}, { crawlId: 'budget' });
    const job = await run('budget', { sitemapUrls: [`${one.url}/m.xml`] }, { 'trap.host.pages': '2' });
    expect(await paths('budget')).toEqual(['/a', '/c']);
    expect((await pageAt(cycle, '/c', 'budget')).metadata).toMatchObject({ 'sitemap.priority': '0.9' });
    expect(counter(job, 'sitemap_rejected', 'host-budget')).toBe(1);
  });

  it('normalizes and filters entries and counts the ones it skips', async () => {
    const one = await site((url) => ({
      '/m.xml': urlset(entry(`${url}/x/../a#top`), entry(`${url}/a`), entry(`${url}/no.zip`)),
    }));
    const conf = { 'urlfilter.regex.rules': '-\\.zip$\n+.' };
    const job = await run('filter', { sitemapUrls: [`${one.url}/m.xml`] }, conf);
    expect(await paths('filter')).toEqual(['/a']);
    expect(counters(job, 'Sitemap')).toMatchObject({ filtered_sitemap_entries: 1, duplicate_sitemap_entries: 1 });
    await run('filter', { sitemapUrls: [`${one.url}/m.xml`], noFilter: true }, conf);
    expect(await paths('filter')).toEqual(['/a', '/no.zip']);
  });
});

describe('SITEMAP of a known page', () => {
  const rest = '<priority>0.9</priority><changefreq>weekly</changefreq><lastmod>2005-01-01</lastmod>';
  const known = async (crawlId: string, conf: Record<string, string> = {}) => {
    const one = await site((url) => ({ '/sitemap.xml': urlset(entry(`${url}/`, rest)) }));
    await cycle.inject([`${one.url}/\tnutch.score=7\tmine=1`], {}, { crawlId });
    const job = await run(crawlId, {}, conf);
    return { job, page: await pageAt(cycle, '/', crawlId) };
  };

  it('stores its metadata and keeps score, interval and times', async () => {
    const { job, page: found } = await known('known');
    expect(counters(job, 'Sitemap')).toMatchObject({ existing_sitemap_entries: 1, updated_sitemap_entries: 1 });
    expect(found).toMatchObject({ score: 7, fetch_interval: 2_592_000, modified_time: null, source_kind: 'seed' });
    expect(found.metadata).toMatchObject({ mine: '1', 'sitemap.changefreq': 'weekly', 'sitemap.priority': '0.9' });
    const again = await run('known', { force: true });
    expect(counter(again, 'Sitemap', 'updated_sitemap_entries')).toBe(0);
  });

  it.each([
    ['after its last fetch makes it due', () => new Date(), true],
    ['before its last fetch changes nothing', () => new Date('2005-01-01'), false],
    ['in the future changes nothing', () => new Date('2999-01-01'), false],
  ])('with a lastmod %s', async (words, changed, due) => {
    const crawlId = words.split(' ')[0]!;
    const one = await site((url) => ({
      '/': page('<title>t</title>'),
      '/sitemap.xml': (req, res) => urlset(entry(`${url}/`, `<lastmod>${changed().toISOString()}</lastmod>`))(req, res),
    }));
    await cycle.inject([`${one.url}/`], {}, { crawlId });
    await cycle.round({ crawlId });
    const before = await pageAt(cycle, '/', crawlId);
    expect(before).toMatchObject({ status: 2 });
    await run(crawlId);
    const after = await pageAt(cycle, '/', crawlId);
    if (due) expect(Number(after.fetch_time)).toBeLessThan(Date.now());
    else expect(after.fetch_time).toEqual(before.fetch_time);
  });

  it('overwrites score, interval and modified time with sitemap.url.overwrite.existing', async () => {
    const { page: found } = await known('overwrite', { 'sitemap.url.overwrite.existing': 'true' });
    expect(found).toMatchObject({ score: 0.9, fetch_interval: 604_800, modified_time: new Date('2005-01-01') });
    expect(found.rank).not.toBeNull();
  });
});

describe('SITEMAP that is interrupted', () => {
  it('adds every page once and reads the remaining sitemaps after each kill', async () => {
    const one = await site((url) => ({
      '/i': index(`${url}/m1`, `${url}/m2`),
      '/m1': urlset(...Array.from({ length: 4_500 }, (_, i) => entry(`${url}/${i}`))),
      '/m2': urlset(entry(`${url}/last`)),
    }));
    const [crawl] = await cycle.db.query<{ id: number }>(`insert into crawl (name) values ('killed') returning id`);
    const { attempts, counted } = await runKilled(new SitemapJob(), {
      pool: cycle.pool,
      crawl: crawl!.id,
      args: { sitemapUrls: [`${one.url}/i`] },
      writes: 2,
      conf: { ...loopback, 'fetcher.server.delay': 0, 'http.filter.ipaddress.exclude': [] },
    });
    expect(attempts).toBeGreaterThan(3);
    expect(counted['new_sitemap_entries']).toBe(4_501);
    expect(counted['existing_sitemap_entries']).toBe(0);
    expect(await pages(cycle, 'killed')).toHaveLength(4_501);
    expect((await sitemaps('killed')).every(({ wanted_by: by }) => by === null)).toBe(true);
    await expectConsistent(cycle);
  });

  it('requests robots.txt again after a stop during that request and reads its sitemaps', async () => {
    const stop = new AbortController();
    let requests = 0;
    const one = await site((url) => ({
      '/robots.txt': (req, res) => {
        // The first request is cut by the stop.
        if (++requests === 1) return stop.abort();
        return page(`Sitemap: ${url}/named.xml`, { 'content-type': 'text/plain' })(req, res);
      },
      '/named.xml': urlset(entry(`${url}/a`)),
    }));
    const { crawl } = await cycle.inject([`${one.url}/`], {}, { crawlId: 'stopped' });
    const { attempts } = await runKilled(new SitemapJob(), {
      pool: cycle.pool,
      crawl,
      args: {},
      writes: Infinity,
      conf: { ...loopback, 'fetcher.server.delay': 0, 'http.filter.ipaddress.exclude': [] },
      stopping: stop.signal,
    });
    expect(attempts).toBe(2);
    expect(await paths('stopped')).toContain('/a');
  });
});

it('a CRAWL with sitemaps fetches their pages in its first round', async () => {
  const one = await site((url) => ({
    '/': page('home'),
    '/sitemap.xml': urlset(entry(`${url}/`), entry(`${url}/a`), entry(`${url}/b`)),
    '*': page('a page'),
  }));
  const { confId, confHash } = await cycle.inject([`${one.url}/`], {}, { crawlId: 'crawl' });
  const plan: CrawlPlan = {
    seedName: null,
    sitemaps: true,
    rounds: 1,
    topN: null,
    limit: null,
    adddays: 0,
    threads: 2,
    invertLinks: false,
    dedup: false,
    parsesWhileFetching: false,
  };
  const crawl = await cycle.jobs.create({ type: 'CRAWL', crawlId: 'crawl', confId, confHash, args: {}, plan });
  // Running any job runs all waiting ones.
  await cycle.run('DEDUP', {}, { crawlId: 'crawl' });
  expect(await cycle.jobs.find(crawl.id)).toMatchObject({ state: 'FINISHED', result: { reason: 'rounds' } });
  expect((await pages(cycle, 'crawl')).map(({ status }) => status)).toEqual([2, 2, 2]);
  expect(asked(one).slice(0, 2)).toEqual(['/robots.txt', '/sitemap.xml']);
});
