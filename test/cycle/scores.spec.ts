import { describe, expect, it } from 'vitest';
import { incompressible } from '../support/incompressible.js';
import { page, redirect, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { byPath, pageAt, pages } from './table.js';

/** Effects of links: OPIC contributions, inlinks, distance (docs/semantics/updatedb.md; feature rows F2, F3, F5, F6, F8). */

useCrawler();
const { site, inject, round, untilParsed, update } = crawler;

const inlinks = (crawlId: string, path: string) =>
  cycle.db.query<{ source: string; anchor: string; score: number }>(
    `select source, anchor, score from inlink
      where crawl = (select id from crawl where name = $1) and substring(key from '/.*') = $2 order by score desc, source`,
    [crawlId, path],
  );
const total = async (crawlId: string) =>
  (await pages(cycle, crawlId)).reduce((sum, row) => sum + row.cash + (row.spend ?? 0), 0);

describe('scores', () => {
  it('of a page of score 1 contribute 0.25 to each of its 4 outlinks (F2, F3)', async () => {
    const web = await site({ '/': links('/a', '/b', '/c', '/d') });
    await inject('f2', [`${web.url}/`]);
    await round('f2');
    for (const path of ['/a', '/b', '/c', '/d'])
      expect(await pageAt(cycle, path, 'f2')).toMatchObject({
        status: 1,
        score: 0.25,
        cash: 0.25,
        distance: 1,
        source_kind: 'link',
      });
    expect(await pageAt(cycle, '/', 'f2')).toMatchObject({ score: 1, cash: 0, spend: null });
  });

  it('0.5 from one page and 0.25 from another add up to 0.75 (F8)', async () => {
    const web = await site({ '/two': links('/t', '/x'), '/four': links('/t', '/x', '/y', '/z') });
    await inject('f8', [`${web.url}/two`, `${web.url}/four`]);
    await round('f8');
    expect(await byPath(cycle, (row) => row.score, 'f8')).toEqual({
      '/two': 1,
      '/four': 1,
      '/t': 0.75,
      '/x': 0.75,
      '/y': 0.25,
      '/z': 0.25,
    });
  });

  it('of a page linked again increase, and its status stays', async () => {
    const web = await site({ '/': links('/a', '/b'), '/a': links('/b', '/'), '/b': links('/a') });
    await inject('grow', [`${web.url}/`]);
    await round('grow');
    await round('grow');
    expect(await pageAt(cycle, '/', 'grow')).toMatchObject({ status: 2, score: 1.25, cash: 0.25, distance: 0 });
    expect(await pageAt(cycle, '/a', 'grow')).toMatchObject({ status: 2, score: 1, cash: 0.5, distance: 1 });
    expect(await total('grow')).toBeCloseTo(1, 9);
  });

  it('stay finite where a factor multiplies them in each round', async () => {
    const conf = { 'db.score.link.internal': '1000000' };
    const web = await site({ '/one': links('/t'), '/two': links('/t') });
    await inject('large', [`${web.url}/one`, `${web.url}/two`]);
    // As after fifty rounds with this factor.
    await cycle.db.query(
      `update webpage set score = 1.7e302, cash = 1.7e302 where crawl = (select id from crawl where name = 'large')`,
    );
    await round('large', conf);
    expect(await pageAt(cycle, '/t', 'large')).toMatchObject({ score: 2e100, cash: 2e100 });
  });

  it('keep the total cash over rounds: failed pages and pages without links keep theirs', async () => {
    const web = await site({
      '/': links('/gone', '/dead', '/moved', '/none'),
      '/dead': status(503),
      '/none': page('no links'),
    });
    await inject('sum', [`${web.url}/`, `${web.url}/other\tnutch.score=4`]);
    for (let n = 0; n < 3; n++) {
      await round('sum');
      expect(await total('sum')).toBeCloseTo(5, 9);
    }
  });

  it('are multiplied by db.score.link.internal and db.score.link.external', async () => {
    const web = await site({ '/': links('/in', 'http://127.0.0.7/out') });
    await inject('factors', [`${web.url}/`]);
    await round('factors', { 'db.score.link.internal': '0.5', 'db.score.link.external': '2' });
    expect(await byPath(cycle, (row) => row.score, 'factors')).toEqual({ '/': 1, '/in': 0.25, '/out': 1 });
  });

  it('do not depend on the order of UPDATEDBs, since GENERATE freezes the cash to distribute', async () => {
    const handlers = { '/': links('/a', '/b'), '/a': links('/b', '/c'), '/b': links('/a', '/c', '/d') };
    const web = await site(handlers);
    const scores: Record<string, number>[] = [];
    for (const order of ['12', '21']) {
      await inject(`order${order}`, [`${web.url}/a`, `${web.url}/b`]);
      const batches = [
        await untilParsed(`order${order}`, {}, { topN: 1 }),
        await untilParsed(`order${order}`, {}, { topN: 1 }),
      ];
      for (const n of order) await update(`order${order}`, { batch: batches[Number(n) - 1] });
      scores.push(await byPath(cycle, (row) => row.score, `order${order}`));
    }
    expect(scores[1]).toEqual(scores[0]);
  });
});

describe('inlinks', () => {
  const target = 'http://127.0.0.8/t';

  it('have source, anchor and contribution of links from other hosts only', async () => {
    const web = await site({ '/': links(target, '/own') });
    await inject('f3', [`${web.url}/`]);
    await round('f3');
    expect(await inlinks('f3', '/t')).toEqual([
      { source: `127.0.0.1:http:${web.port}/`, anchor: 'link 0', score: 0.5 },
    ]);
    expect(await inlinks('f3', '/own')).toEqual([]);
  });

  it('inside a host are stored with db.ignore.internal.links false', async () => {
    const web = await site({ '/': links('/own') });
    await inject('internal', [`${web.url}/`]);
    await round('internal', { 'db.ignore.internal.links': 'false' });
    expect(await inlinks('internal', '/own')).toHaveLength(1);
  });

  it('are limited to the db.update.max.inlinks best by score, also over rounds (F5, F6)', async () => {
    const web = await site({
      '/1': links(target, '/x', '/y', '/z'),
      '/2': links(target, '/x'),
      '/3': links(target),
      '/4': links(target),
    });
    const conf = { 'db.update.max.inlinks': '2' };
    const of = (path: string) => `127.0.0.1:http:${web.port}${path}`;
    await inject(
      'f6',
      ['/1', '/2', '/3'].map((path) => web.url + path),
    );
    await round('f6', conf);
    const kept = await inlinks('f6', '/t');
    expect(kept.map(({ source, score }) => [source, score])).toEqual([
      [of('/3'), 1],
      [of('/2'), 0.5],
    ]);
    await inject('f6', [`${web.url}/4\tnutch.score=2`]);
    await round('f6', conf);
    expect((await inlinks('f6', '/t')).map(({ source }) => source)).toEqual([of('/4'), of('/3')]);
  });

  it('of earlier rounds stay', async () => {
    const web = await site({ '/1': links(target), '/2': links(target) });
    for (const path of ['/1', '/2']) {
      await inject('merge', [web.url + path]);
      await round('merge');
    }
    expect(await inlinks('merge', '/t')).toHaveLength(2);
  });

  it('with two keys too long for one index entry are not stored, and the contribution is made', async () => {
    const source = `/${incompressible('source', 1_400)}`;
    const web = await site({ [source]: (...asked) => links(...targets)(...asked) });
    const beside = `127.0.0.8127.0.0.8:http127.0.0.1:http:${web.port}${source}`.length;
    const fits = `/${incompressible('target', 2_649 - beside)}`;
    const targets = ['/t', fits, `${fits}x`].map((path) => `http://127.0.0.8${path}`);
    await inject('long', [web.url + source]);
    const job = await update('long', { batch: await untilParsed('long') });
    expect(job).toMatchObject({ state: 'FINISHED' });
    const share = expect.closeTo(1 / 3, 9) as number;
    expect(await byPath(cycle, (row) => row.score, 'long')).toEqual({
      [source]: 1,
      '/t': share,
      [fits]: share,
      [`${fits}x`]: share,
    });
    expect(await inlinks('long', '/t')).toHaveLength(1);
    expect(await inlinks('long', fits)).toHaveLength(1);
    expect(await inlinks('long', `${fits}x`)).toEqual([]);
  });

  it('of unknown targets are not stored with db.update.additions.allowed false', async () => {
    const web = await site({ '/': links(target) });
    await inject('noinlink', [`${web.url}/`]);
    await round('noinlink', { 'db.update.additions.allowed': 'false' });
    expect(await inlinks('noinlink', '/t')).toEqual([]);
  });
});

describe('a redirect of an earlier round', () => {
  it('that is not fetched in this batch keeps its cash and does not pay its target again', async () => {
    const web = await site({ '/old': redirect('/new', 301), '/new': links('/a') });
    await inject('redirkeep', [`${web.url}/old`]);
    await round('redirkeep');
    await cycle.db.query(
      `update webpage set cash = 1, fetch_time = now() - interval '1 day'
        where crawl = (select id from crawl where name = 'redirkeep') and substring(key from '/.*') = '/old'`,
    );
    const generated = await cycle.run('GENERATE', {}, { crawlId: 'redirkeep' });
    await update('redirkeep', { batch: generated.result?.['generate.batch.id'] });
    expect(await pageAt(cycle, '/old', 'redirkeep')).toMatchObject({ status: 5, cash: 1, spend: null });
    expect(await pageAt(cycle, '/new', 'redirkeep')).toMatchObject({ status: 1, score: 1 });
  });
});

describe('distance from the seeds', () => {
  it('is one more than the smallest of the linking pages, and never increases', async () => {
    const web = await site({ '/': links('/1', '/3'), '/1': links('/2'), '/2': links('/3', '/'), '/3': links('/4') });
    await inject('dist', [`${web.url}/`]);
    for (let n = 0; n < 4; n++) await round('dist');
    expect(await byPath(cycle, (row) => row.distance, 'dist')).toEqual({ '/': 0, '/1': 1, '/2': 2, '/3': 1, '/4': 2 });
  });
});
