import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SitemapJob } from '../../src/cycle/sitemap/sitemap.job.js';
import { type Cycle, loopback, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, redirect, silence, startSite, status } from '../support/site.js';
import { runKilled } from './interrupted.js';
import { counter, counters, expectConsistent, pageAt, pages, pathOf } from './table.js';

let cycle: Cycle;
const sites: Site[] = [];

beforeAll(async () => {
  cycle = await openCycle();
});
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});
afterAll(() => cycle.close());

const xml = { 'content-type': 'application/xml' };
const entry = (loc: string, rest = '') => `<url><loc>${loc}</loc>${rest}</url>`;
const urlset = (...entries: string[]) => page(`<urlset>${entries.join('\n')}</urlset>`, xml);
const index = (...locs: string[]) =>
  page(`<sitemapindex>${locs.map((loc) => `<sitemap><loc>${loc}</loc></sitemap>`).join('')}</sitemapindex>`, xml);

/** A site whose handlers are made once its URL is known. */
async function site(handlers: (url: string) => Record<string, Handler>): Promise<Site> {
  let made: Record<string, Handler> = {};
  const started = await startSite((req, res) => {
    const path = (req.url ?? '').split('?')[0] ?? '';
    return (made[path] ?? made['*'] ?? status(404))(req, res);
  });
  made = handlers(started.url);
  sites.push(started);
  return started;
}

const run = (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
  cycle.run('SITEMAP', args, { crawlId, conf });
const paths = async (crawlId: string) => (await pages(cycle, crawlId)).map(({ key }) => pathOf(key));
const asked = (one: Site) => one.log.map(({ path }) => path);

interface Row extends Record<string, unknown> {
  path: string;
  source: string;
  status: string | null;
  entries: number | null;
  error: string | null;
  wanted_by: string | null;
}
const sitemaps = (crawlId: string) =>
  cycle.db.query<Row>(
    `select regexp_replace(url, '^[^/]*//[^/]*', '') as path, source, s.status, entries, error, wanted_by
       from sitemap s join crawl c on c.id = s.crawl where c.name = $1 order by url`,
    [crawlId],
  );

describe('SITEMAP of the hosts of a crawl', () => {
  it('reads what robots.txt names, and makes pages of the entries', async () => {
    const one = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/map.xml\nSitemap: /second.txt`, { 'content-type': 'text/plain' }),
      '/map.xml': urlset(
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
      { path: '/map.xml', source: 'robots', status: 'fetched', entries: 2, error: null, wanted_by: null },
      { path: '/second.txt', source: 'robots', status: 'fetched', entries: 2, error: null, wanted_by: null },
    ]);
    await expectConsistent(cycle);
  });

  it('tries /sitemap.xml where robots.txt names none', async () => {
    const one = await site((url) => ({ '/sitemap.xml': urlset(entry(`${url}/a`)) }));
    await cycle.inject([`${one.url}/`], {}, { crawlId: 'usual' });
    await run('usual');
    expect(asked(one)).toEqual(['/robots.txt', '/sitemap.xml']);
    expect(await paths('usual')).toEqual(['/', '/a']);
  });

  it('does not with sitemap.url.default.sitemap.xml=false', async () => {
    const one = await site(() => ({}));
    await cycle.inject([`${one.url}/`], {}, { crawlId: 'named' });
    await run('named', {}, { 'sitemap.url.default.sitemap.xml': 'false' });
    expect(asked(one)).toEqual(['/robots.txt']);
  });

  it('reads what seed lines name as sitemaps', async () => {
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

describe('SITEMAP of its arguments', () => {
  it('reads sitemaps, and hosts, and nothing else', async () => {
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

  it('reads them from seed lists', async () => {
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

  it('knows where each sitemap was found, and follows indexes, but not in circles and not too deep', async () => {
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

  it.each<[string, string, Record<string, unknown>, string[]]>([
    ['strictly', 'strict', {}, ['/maps/a']],
    ['leniently with noStrict', 'lenient', { noStrict: true }, ['/b', '/maps/a']],
  ])('reads %s', async (_, crawlId, args, expected) => {
    const one = await site((url) => ({ '/maps/m.xml': urlset(entry(`${url}/maps/a`), entry(`${url}/b`)) }));
    const job = await run(crawlId, { sitemapUrls: [`${one.url}/maps/m.xml`], ...args });
    expect(await paths(crawlId)).toEqual(expected);
    expect(counter(job, 'SitemapErrors', 'outside-path')).toBe(2 - expected.length);
  });

  it('takes entries of the whole origin whose robots.txt names the sitemap', async () => {
    const one = await site((url) => ({
      '/robots.txt': page(`Sitemap: ${url}/maps/m.xml`),
      '/maps/m.xml': urlset(entry(`${url}/b`)),
    }));
    await run('vouched', { hosts: [one.url] });
    expect(await paths('vouched')).toEqual(['/b']);
  });

  it('normalizes and filters entries, and says how many it left out', async () => {
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

describe('a page that is known', () => {
  const rest = '<priority>0.9</priority><changefreq>weekly</changefreq><lastmod>2005-01-01</lastmod>';
  const known = async (crawlId: string, conf: Record<string, string> = {}) => {
    const one = await site((url) => ({ '/sitemap.xml': urlset(entry(`${url}/`, rest)) }));
    await cycle.inject([`${one.url}/\tnutch.score=7\tmine=1`], {}, { crawlId });
    const job = await run(crawlId, {}, conf);
    return { job, page: await pageAt(cycle, '/', crawlId) };
  };

  it('keeps all but its hints', async () => {
    const { job, page: found } = await known('known');
    expect(counters(job, 'Sitemap')).toMatchObject({ existing_sitemap_entries: 1, updated_sitemap_entries: 1 });
    expect(found).toMatchObject({ score: 7, fetch_interval: 2_592_000, modified_time: null, source_kind: 'seed' });
    expect(found.metadata).toMatchObject({ mine: '1', 'sitemap.changefreq': 'weekly', 'sitemap.priority': '0.9' });
    const again = await run('known', { force: true });
    expect(counter(again, 'Sitemap', 'updated_sitemap_entries')).toBe(0);
  });

  it('takes over score, interval and modified time with sitemap.url.overwrite.existing', async () => {
    const { page: found } = await known('overwrite', { 'sitemap.url.overwrite.existing': 'true' });
    expect(found).toMatchObject({ score: 0.9, fetch_interval: 604_800, modified_time: new Date('2005-01-01') });
    expect(found.rank).not.toBeNull();
  });
});

describe('what servers answer', () => {
  it.each<[string, (url: string) => Record<string, Handler>, Partial<Row>, string[]]>([
    [
      'gzip',
      (url) => ({
        '/m': page(gzipSync(`<urlset>${entry(`${url}/a`)}</urlset>`), { 'content-type': 'application/x-gzip' }),
      }),
      { status: 'fetched', entries: 1 },
      ['/a'],
    ],
    [
      'redirects',
      (url) => ({ '/m': redirect('/n'), '/n': redirect(`${url}/o`), '/o': urlset(entry(`${url}/a`)) }),
      { status: 'fetched' },
      ['/a'],
    ],
    [
      'redirects without end',
      () => ({ '*': (req, res) => redirect(`${req.url}x`)(req, res), '/robots.txt': status(404) }),
      { status: 'failed', error: 'more than 3 redirects (sitemap.redir.max)' },
      [],
    ],
    [
      'redirects in a circle',
      () => ({ '/m': redirect('/n'), '/n': redirect('/m') }),
      { status: 'failed', error: 'its redirects lead in a circle' },
      [],
    ],
    [
      'a redirect to another scheme',
      () => ({ '/m': redirect('file:///etc/passwd') }),
      { status: 'failed', error: 'a redirect leads to file:///etc/passwd' },
      [],
    ],
    ['404', () => ({}), { status: 'gone', entries: null }, []],
    ['500', () => ({ '/m': status(500) }), { status: 'failed', error: 'the server answered 500' }, []],
    [
      'a page',
      () => ({ '/m': page('<!doctype html><p>Not found') }),
      { status: 'not_a_sitemap', entries: 0, error: 'html 1' },
      [],
    ],
    [
      'half a document',
      (url) => ({ '/m': page(`<urlset>${entry(`${url}/a`)}<url><lo`, xml) }),
      { status: 'fetched', entries: 1, error: 'missing-loc 1, truncated 1' },
      ['/a'],
    ],
    [
      'what robots.txt forbids',
      (url) => ({ '/robots.txt': page('User-agent: *\nDisallow: /m'), '/m': urlset(entry(`${url}/a`)) }),
      { status: 'robots_denied' },
      [],
    ],
  ])('%s', async (name, handlers, expected, found) => {
    const one = await site(handlers);
    const crawlId = `answer-${name.replaceAll(' ', '-')}`;
    await run(crawlId, { sitemapUrls: [`${one.url}/m`] });
    expect(await sitemaps(crawlId)).toMatchObject([{ path: '/m', wanted_by: null, ...expected }]);
    expect(await paths(crawlId)).toEqual(found);
  });

  it('fetches what robots.txt both names and forbids', async () => {
    const one = await site((url) => ({
      '/robots.txt': page(`User-agent: *\nDisallow: /\nSitemap: ${url}/m`),
      '/m': urlset(entry(`${url}/a`)),
    }));
    await run('announced', { hosts: [one.url] });
    expect(await paths('announced')).toEqual(['/a']);
  });

  it('reads no further than sitemap.size.max', async () => {
    const one = await site((url) => ({
      '/m': urlset(...Array.from({ length: 1_000 }, (_, i) => entry(`${url}/${i}`))),
    }));
    await run('size', { sitemapUrls: [`${one.url}/m`] }, { 'sitemap.size.max': '2048' });
    const [row] = await sitemaps('size');
    expect(row).toMatchObject({ status: 'fetched' });
    expect(row!.entries).toBeGreaterThan(10);
    expect(row!.entries).toBeLessThan(60);
  });

  it('asks again only for what has changed', async () => {
    const one = await site((url) => ({
      '/i': (req, res) =>
        req.headers['if-none-match'] === '"1"'
          ? status(304)(req, res)
          : page(index0(url), { ...xml, etag: '"1"' })(req, res),
      '/m': urlset(entry(`${url}/a`)),
    }));
    const index0 = (url: string) => `<sitemapindex><sitemap><loc>${url}/m</loc></sitemap></sitemapindex>`;
    const args = { sitemapUrls: [`${one.url}/i`] };
    await run('again', args);
    await run('again', args);
    expect(asked(one)).toEqual(['/robots.txt', '/i', '/m', '/i', '/m']);
    expect((await sitemaps('again')).map(({ status: s }) => s)).toEqual(['not_modified', 'fetched']);
    await run('again', { ...args, force: true });
    expect((await sitemaps('again')).map(({ status: s }) => s)).toEqual(['fetched', 'fetched']);
  });

  it('leaves a host alone that fails again and again', async () => {
    const one = await site((url) => ({
      '/i': index(...Array.from({ length: 20 }, (_, i) => `${url}/m${i}`)),
      '*': status(503),
      '/robots.txt': status(404),
    }));
    const job = await run('failing', { sitemapUrls: [`${one.url}/i`] }, { 'fetcher.max.exceptions.per.queue': '3' });
    expect(one.log).toHaveLength(5);
    expect(counter(job, 'Sitemap', 'given_up_sitemaps')).toBe(17);
  });

  it('keeps the delay between two requests to a host', async () => {
    const one = await site((url) => ({
      '/i': index(`${url}/m1`, `${url}/m2`),
      '*': urlset(entry(`${url}/a`)),
      '/robots.txt': page('User-agent: *\nCrawl-delay: 0.3'),
    }));
    await run('delay', { sitemapUrls: [`${one.url}/i`] });
    const [, ...times] = one.log.map(({ time }) => time);
    const gaps = times.slice(1).map((time, i) => time - times[i]!);
    expect(gaps).toHaveLength(2);
    for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(300);
  });

  it('keeps the delay of the host, and leaves hosts alone that are drained or blocked', async () => {
    const one = await site((url) => ({
      '/i': index(`${url}/m1`),
      '*': urlset(entry(`${url}/a`)),
      '/robots.txt': status(404),
    }));
    const args = { sitemapUrls: [`${one.url}/i`], force: true };
    await cycle.inject([`${one.url}/`], {}, { crawlId: 'settings' });
    const change = (columns: string) =>
      cycle.db.query(`update host set ${columns} where crawl = (select id from crawl where name = 'settings')`);
    await change('delay_ms = 250');
    await run('settings', args);
    const times = one.log.map(({ time }) => time);
    expect(times).toHaveLength(3);
    for (const [i, time] of times.slice(1).entries()) expect(time - times[i]!).toBeGreaterThanOrEqual(250);
    for (const held of [
      'drain = true',
      `drain = false, blocked_until = now() + interval '1 day', blocked_by = 'hand'`,
    ]) {
      await change(held);
      expect(counter(await run('settings', args), 'Sitemap', 'held_back_sitemaps')).toBe(1);
    }
    expect(one.log).toHaveLength(3);
  });

  it('waits for a queue that another task holds', async () => {
    const one = await site((url) => ({ '/m': urlset(entry(`${url}/a`)) }));
    await cycle.db.query(
      `insert into politeness (queue_id, owner, lease_until, next_at) values ('127.0.0.1', 'another', now() + interval '1.5 s', now())
       on conflict (queue_id) do update set owner = 'another', lease_until = excluded.lease_until`,
    );
    const [row] = await cycle.db.query<{ until: Date }>(
      `select lease_until as until from politeness where queue_id = '127.0.0.1'`,
    );
    await run('leased', { sitemapUrls: [`${one.url}/m`] });
    expect(await paths('leased')).toEqual(['/a']);
    expect(one.log[0]!.time).toBeGreaterThanOrEqual(row!.until.getTime());
  });

  it('does not reach what the guard shuts off', async () => {
    const one = await site(() => ({ '*': redirect('http://10.0.0.1/map.xml'), '/robots.txt': status(404) }));
    await run('guard', { sitemapUrls: [`${one.url}/m`] }, { 'http.filter.ipaddress.exclude': '10.0.0.0/8' });
    expect(await sitemaps('guard')).toMatchObject([{ status: 'failed' }]);
  });
});

describe('a job that is killed', () => {
  it('writes every page once, and reads what is left', async () => {
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
});

it('takes requests that are not answered for failures', async () => {
  const one = await site(() => ({ '/m': silence }));
  await run('silence', { sitemapUrls: [`${one.url}/m`] }, { 'http.timeout': '300' });
  expect(await sitemaps('silence')).toMatchObject([{ status: 'failed', error: 'no answer in time' }]);
});
