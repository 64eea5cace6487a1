import { describe, expect, it } from 'vitest';
import { page, redirect, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { byPath, pageAt, pages, pathOf } from './table.js';

/** Scoring plugins in the steps of a crawl (docs/semantics/updatedb.md; feature rows G12 to G22, N8). */

useCrawler();
const { site, inject, round, update } = crawler;

/** Plugins in addition to those that every crawl of these tests needs. */
const withPlugins = (ids: string, more: Record<string, string> = {}) => ({
  'plugin.includes': `protocol-http|urlfilter-regex|parse-html|urlnormalizer-basic|${ids}`,
  ...more,
});
const sumOfScores = async (crawlId: string) => (await pages(cycle, crawlId)).reduce((sum, { score }) => sum + score, 0);
const metadataOf = (crawlId: string) => byPath(cycle, ({ metadata }) => metadata ?? {}, crawlId);

describe('scoring.opic.mode textbook', () => {
  const conf = { 'scoring.opic.mode': 'textbook' };
  const graph = {
    '/a': links('/b', '/c'),
    '/b': links('/c'),
    '/c': links('/a', '/d'),
    '/d': page('nothing'),
  };

  it('keeps the sum of scores at 1 and the total cash constant in every round (G12, G13)', async () => {
    const web = await site(graph);
    await inject(
      'book',
      ['/a', '/b', '/c'].map((path) => `${web.url}${path}\tnutch.score=0.3333333333333333`),
    );
    for (let n = 0; n < 4; n++) {
      await round('book', conf);
      expect(await sumOfScores('book')).toBeCloseTo(1, 9);
      const cash = (await pages(cycle, 'book')).reduce((sum, row) => sum + row.cash + (row.spend ?? 0), 0);
      expect(cash).toBeCloseTo(1, 9);
      await cycle.db.query(
        `update webpage set fetch_time = now() - interval '1 s', rank = 0 where crawl = (select id from crawl where name = 'book')`,
      );
    }
  });

  it('computes (C + H) / (G + 1), as calculated by hand for one round', async () => {
    const web = await site(graph);
    await inject(
      'hand',
      ['/a', '/b'].map((path) => `${web.url}${path}\tnutch.score=0.5`),
    );
    await round('hand', conf);
    // a and b are visited: H 1/2 each, G 1. C: b 1/4, c 1/4 + 1/2. Importance: (C + H) / 2.
    expect(await byPath(cycle, ({ score }) => score, 'hand')).toEqual({
      '/a': expect.closeTo(1 / 4, 12),
      '/b': expect.closeTo(3 / 8, 12),
      '/c': expect.closeTo(3 / 8, 12),
    });
  });

  it('gives a page an importance of 0 whose cash is too small to be divided', async () => {
    const web = await site(graph);
    await inject('far', [`${web.url}/a\tnutch.score=9`, `${web.url}/d`]);
    await cycle.db.query(
      `update webpage set cash = 5e-324 where key like '%/d' and crawl = (select id from crawl where name = 'far')`,
    );
    await round('far', { ...conf, 'generate.max.count': '1' });
    expect(await pageAt(cycle, '/d', 'far')).toMatchObject({ score: 0 });
  });

  it('leaves the scores as they are when the total is too small to divide by', async () => {
    const web = await site(graph);
    // The history of a and the cash of b and c add up to 0.
    await inject('zero', [
      `${web.url}/a\tnutch.score=1e38`,
      `${web.url}/b\tnutch.score=-2e38`,
      `${web.url}/d\tnutch.score=5e-324`,
    ]);
    await round('zero', { ...conf, 'generate.max.count': '1' });
    expect(await pageAt(cycle, '/d', 'zero')).toMatchObject({ score: 5e-324 });
    // Only seeds can have cash below 0; the invariants of all crawls exclude it.
    await cycle.run('DROPCRAWL', {}, { crawlId: 'zero' });
  });
});

describe('a page that is not due', () => {
  it('accumulates cash over the rounds that link to it and distributes the sum (G14)', async () => {
    const web = await site({ '/1': links('/p'), '/2': links('/p'), '/p': links('/x') });
    await inject('g14', [`${web.url}/1`]);
    await round('g14');
    await cycle.db.query(
      `update webpage set fetch_time = now() + interval '9 days', rank = null where key like '%/p' and crawl = (select id from crawl where name = 'g14')`,
    );
    await inject('g14', [`${web.url}/2`]);
    await round('g14');
    expect(await pageAt(cycle, '/p', 'g14')).toMatchObject({ status: 1, cash: 2 });
    await cycle.db.query(
      `update webpage set fetch_time = now() - interval '1 day' where key like '%/p' and crawl = (select id from crawl where name = 'g14')`,
    );
    await round('g14');
    expect(await pageAt(cycle, '/x', 'g14')).toMatchObject({ score: 2, cash: 2 });
  });
});

describe('db.score.count.filtered', () => {
  it.each([
    ['false', 0.5],
    ['true', 0.25],
  ])('%s: a page with two accepted and two filtered links contributes %d to each', async (counted, share) => {
    const web = await site({ '/': links('/a', '/b', '/a.gif', '/b.gif') });
    await inject(`cf-${counted}`, [`${web.url}/`]);
    await round(`cf-${counted}`, { 'db.score.count.filtered': counted });
    expect(await pageAt(cycle, '/a', `cf-${counted}`)).toMatchObject({ score: share });
  });

  it.each([
    ['a redirect', redirect('/new')],
    ['a meta refresh', page('<meta http-equiv=refresh content="0;url=/new">')],
  ])('does not count the links of the content before the page became %s', async (name, moved) => {
    let at = links('/a', '/b', '/a.gif', '/b.gif');
    const web = await site({ '/': (...asked) => at(...asked) });
    const conf = { 'db.score.count.filtered': 'true' };
    await inject(name, [`${web.url}/`]);
    await round(name, conf);
    at = moved;
    await cycle.db.query(
      `update webpage set fetch_time = now() - interval '1 s', cash = 1 where distance = 0 and crawl = (select id from crawl where name = $1)`,
      [name],
    );
    await round(name, conf);
    expect(await pageAt(cycle, '/new', name)).toMatchObject({ score: 1 });
  });
});

describe('scoring-depth', () => {
  const chain = Object.fromEntries([0, 1, 2, 3, 4, 5].map((n) => [`/${n}`, links(`/${n + 1}`)]));

  it('adds no pages linked from one at scoring.depth.max: a page four links away is not added (N8)', async () => {
    const web = await site(chain);
    await inject('depth', [`${web.url}/0`]);
    for (let n = 0; n < 6; n++) await round('depth', withPlugins('scoring-(opic|depth)', { 'scoring.depth.max': '3' }));
    expect((await pages(cycle, 'depth')).map(({ key, status }) => [pathOf(key), status])).toEqual([
      ['/0', 2],
      ['/1', 2],
      ['/2', 2],
    ]);
    expect((await pages(cycle, 'depth')).reduce((sum, { cash }) => sum + cash, 0)).toBeCloseTo(1, 9);
  });

  it('applies _maxdepth_ of a seed line to all pages found from the seed', async () => {
    const web = await site(chain);
    await inject('own', [`${web.url}/0\t_maxdepth_=2`]);
    for (let n = 0; n < 4; n++) await round('own', withPlugins('scoring-(opic|depth)'));
    expect(await metadataOf('own')).toEqual({ '/0': { _maxdepth_: '2' }, '/1': { _maxdepth_: '2' } });
  });

  it('makes GENERATE select pages nearer to their seeds first, whatever their score', async () => {
    const conf = withPlugins('scoring-(opic|depth)', { 'scoring.depth.max': '3' });
    await inject('near', ['http://a.test/deep\tnutch.score=2', 'http://a.test/near\tnutch.score=1']);
    await cycle.db.query(
      `update webpage set distance = 2 where key like '%/deep' and crawl = (select id from crawl where name = 'near')`,
    );
    const job = await cycle.run('GENERATE', { topN: 1 }, { crawlId: 'near', conf });
    expect(job.result?.['generate.count']).toBe(1);
    expect(
      (await pages(cycle, 'near')).filter((row) => row.generate_mark !== null).map(({ key }) => pathOf(key)),
    ).toEqual(['/near']);
  });
});

describe('a redirect followed in the same FETCH', () => {
  const now = { 'http.redirect.max': '2' };

  it('counts as a link: at the maximum depth it adds no page', async () => {
    const web = await site({ '/a': redirect('/b'), '/b': page('b') });
    await inject('hop', [`${web.url}/a`]);
    await round('hop', withPlugins('scoring-(opic|depth)', { ...now, 'scoring.depth.max': '1' }));
    expect(await byPath(cycle, ({ status, cash }) => [status, cash], 'hop')).toEqual({ '/a': [4, 1] });
    expect(web.log.map(({ path }) => path)).not.toContain('/b');
  });

  it('does not fetch a known page beyond the maximum depth, which stays for its own batch', async () => {
    const web = await site({ '/a': redirect('/b'), '/b': page('b') });
    await inject('known', [`${web.url}/a`, `${web.url}/b\tnutch.score=0.1`]);
    const conf = withPlugins('scoring-(opic|depth)', { ...now, 'scoring.depth.max': '1' });
    await cycle.run('GENERATE', { topN: 1, batch: 'one' }, { crawlId: 'known', conf });
    await cycle.run('FETCH', { batch: 'one' }, { crawlId: 'known', conf });
    expect(await byPath(cycle, ({ status }) => status, 'known')).toEqual({ '/a': 4, '/b': 1 });
  });

  it('passes metadata on, hop by hop', async () => {
    const web = await site({ '/a': redirect('/b'), '/b': redirect('/c'), '/c': links('/d'), '/d': page('d') });
    const conf = withPlugins('scoring-(opic|depth)|urlmeta', { ...now, 'urlmeta.tags': 'topic' });
    await inject('carried', [`${web.url}/a\t_maxdepth_=3\ttopic=sport`]);
    await round('carried', conf);
    const carried = { _maxdepth_: '3', topic: 'sport' };
    const redirected = { ...carried, _repr_: `${web.url}/a` };
    expect(await metadataOf('carried')).toEqual({ '/a': carried, '/b': redirected, '/c': redirected });
    expect(await byPath(cycle, ({ score, distance }) => [score, distance], 'carried')).toEqual({
      '/a': [1, 0],
      '/b': [1, 1],
      '/c': [1, 2],
    });
  });

  it('gives its target the same score as a target that UPDATEDB adds', async () => {
    let at = page('<title>Roasting</title>Coffee beans and coffee roasting');
    const web = await site({ '/a': (...asked) => at(...asked), '/b': page('Football') });
    const conf = withPlugins('scoring-(opic|similarity)', {
      'scoring.similarity.gold.text': 'coffee roasting and coffee beans',
    });
    for (const [id, more] of [
      ['start-later', {}],
      ['start-now', now],
    ] as const) {
      at = page('<title>Roasting</title>Coffee beans and coffee roasting');
      await inject(id, [`${web.url}/a`]);
      await round(id, conf);
      at = redirect('/b');
      await cycle.db.query(
        `update webpage set fetch_time = now() - interval '1 s' where crawl = (select id from crawl where name = $1)`,
        [id],
      );
      await round(id, { ...conf, ...more });
    }
    const [later, atOnce] = [await pageAt(cycle, '/b', 'start-later'), await pageAt(cycle, '/b', 'start-now')];
    expect(later.score).toBeGreaterThan(1.8);
    expect(atOnce).toMatchObject({ status: 2, score: later.score, cash: later.cash });
  });
});

describe('metadata of a seed', () => {
  it.each([
    ['urlmeta', 'urlmeta', { 'urlmeta.tags': 'topic' }],
    ['scoring-metadata', 'scoring-metadata', { 'scoring.parse.md': 'topic' }],
  ])('listed for %s are passed to all pages found from it; known pages keep theirs', async (id, plugin, lists) => {
    const web = await site({ '/': links('/a', '/b'), '/a': links('/c'), '/b': page('b') });
    await inject(id, [`${web.url}/\ttopic=sport\tother=x`, `${web.url}/b\ttopic=own`]);
    for (let n = 0; n < 2; n++) await round(id, withPlugins(plugin, lists));
    expect(await metadataOf(id)).toEqual({
      '/': { topic: 'sport', other: 'x' },
      '/a': { topic: 'sport' },
      '/b': { topic: 'own' },
      '/c': { topic: 'sport' },
    });
  });

  it('are taken from the nearer of two linking pages of a batch, once, also after a second UPDATEDB', async () => {
    const web = await site({ '/far': links('/t'), '/near': links('/t') });
    await inject('two', [`${web.url}/far\ttopic=far`, `${web.url}/near\ttopic=near`]);
    await cycle.db.query(
      `update webpage set distance = 5 where key like '%/far' and crawl = (select id from crawl where name = 'two')`,
    );
    const conf = withPlugins('scoring-opic|urlmeta', { 'urlmeta.tags': 'topic' });
    await round('two', conf);
    await update('two', {}, conf);
    expect(await pageAt(cycle, '/t', 'two')).toMatchObject({ metadata: { topic: 'near' }, score: 2, cash: 2 });
  });
});

describe('scoring-similarity', () => {
  const conf = withPlugins('scoring-(opic|similarity)', {
    'scoring.similarity.gold.text': 'coffee roasting and coffee beans',
  });
  const handlers = {
    '/': links('/near', '/far'),
    '/near': page('<title>Roasting</title>Coffee beans and coffee roasting <a href="/x">x</a>'),
    '/far': page('Football tonight <a href="/y">y</a>'),
  };

  it('raises the score of a page similar to the gold text and of its outlinks (G19)', async () => {
    const web = await site(handlers);
    await inject('sim', [`${web.url}/near`, `${web.url}/far`]);
    await round('sim', conf);
    const scores = await byPath(cycle, ({ score }) => score, 'sim');
    expect(scores['/near']).toBeGreaterThan(1.8);
    expect(scores['/far']).toBe(1);
    expect(scores['/x']).toBeGreaterThan(1.8);
    expect(scores['/y']).toBe(1);
  });

  it('adds the content score once, although the page is parsed and fetched again', async () => {
    const web = await site(handlers);
    await inject('again', [`${web.url}/near`]);
    await round('again', conf);
    const first = await pageAt(cycle, '/near', 'again');
    await cycle.run('PARSE', { batch: '-reparse' }, { crawlId: 'again', conf });
    await cycle.db.query(
      `update webpage set fetch_time = now() - interval '1 s' where key like '%/near' and crawl = (select id from crawl where name = 'again')`,
    );
    await round('again', conf);
    expect((await pageAt(cycle, '/near', 'again')).score).toBeCloseTo(first.score, 12);
  });

  it('is added anew to a score that SCOREUPDATE has set', async () => {
    const web = await site(handlers);
    await inject('ranked', [`${web.url}/near`]);
    await round('ranked', conf);
    await cycle.db.query(
      `insert into webgraph_node (crawl, host, key, link_rank) select crawl, host, key, 0.25 from webpage where key like '%/near'`,
    );
    await cycle.run('SCOREUPDATE', {}, { crawlId: 'ranked', conf });
    await cycle.run('PARSE', { batch: '-reparse' }, { crawlId: 'ranked', conf });
    expect((await pageAt(cycle, '/near', 'ranked')).score).toBeGreaterThan(1);
  });

  it('raises the score when FETCH parses, too', async () => {
    const web = await site(handlers);
    await inject('inline', [`${web.url}/near`]);
    await round('inline', { ...conf, 'fetcher.parse': 'true' });
    expect((await pageAt(cycle, '/near', 'inline')).score).toBeGreaterThan(1.8);
  });
});

describe('db.update.purge.404', () => {
  const conf = { 'db.update.purge.404': 'true' };

  it('does not add a purged page again for links of the same batch or of later ones', async () => {
    const web = await site({ '/1': links('/lost', '/2'), '/2': links('/lost', '/3') });
    await inject('purged', [`${web.url}/lost`, `${web.url}/1`]);
    for (let n = 0; n < 3; n++) await round('purged', conf);
    expect(Object.keys(await byPath(cycle, () => 0, 'purged'))).toEqual(['/1', '/2']);
  });

  it('adds it again when its last visit is longer ago than db.fetch.interval.max', async () => {
    const web = await site({ '/1': links('/lost') });
    await inject('later', [`${web.url}/lost`]);
    await round('later', conf);
    await cycle.db.query(
      `with earlier as materialized (select crawl, host, key, time, time - interval '2 s' as at from fetch_history
                                     where crawl = (select id from crawl where name = 'later'))
       update fetch_history f set time = e.at
         from earlier e where f.crawl = e.crawl and f.host = e.host and f.key = e.key and f.time = e.time`,
    );
    await inject('later', [`${web.url}/1`]);
    await round('later', { ...conf, 'db.fetch.interval.max': '1' });
    expect(Object.keys(await byPath(cycle, () => 0, 'later'))).toEqual(['/1', '/lost']);
  });

  it('adds it again when its newest visit succeeded', async () => {
    let now = status(404);
    const web = await site({ '/1': links('/lost'), '/lost': (...visit) => now(...visit) });
    await inject('fine', [`${web.url}/lost`]);
    await round('fine', conf);
    now = page('there again');
    await inject('fine', [`${web.url}/lost`]);
    await round('fine', conf);
    expect(await pageAt(cycle, '/lost', 'fine')).toMatchObject({ status: 2 });
    for (const table of ['webpage', 'host'])
      await cycle.db.query(`delete from ${table} where crawl = (select id from crawl where name = 'fine')`);
    await inject('fine', [`${web.url}/1`]);
    await round('fine', conf);
    expect(Object.keys(await byPath(cycle, () => 0, 'fine'))).toEqual(['/1', '/lost']);
  });
});
