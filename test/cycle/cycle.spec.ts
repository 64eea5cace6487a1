import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, startSite } from '../support/site.js';

/** A small site: three pages that link to each other, one that is missing, one that moves. */
const pages: Record<string, string> = {
  '/': '<title>Home</title><a href="/a">to a</a> <a href="/b">to b</a> <a href="/missing">gone</a> <a href="/old">moved</a>',
  '/a': '<title>A</title>about a <a href="/b">b</a>',
  '/b': '<title>B</title>about b <a href="/">home</a>',
  '/new': '<title>New</title>here now',
};

describe('the crawl cycle', () => {
  let cycle: Cycle;
  let site: Site;

  beforeAll(async () => {
    cycle = await openCycle();
    site = await startSite((request, response) => {
      const path = request.url ?? '/';
      if (path === '/old') return void response.writeHead(301, { location: '/new' }).end();
      const page = pages[path];
      response.writeHead(page ? 200 : 404, { 'content-type': 'text/html' }).end(page ?? 'not here');
    });
  });
  afterAll(async () => {
    await cycle.close();
    await site.close();
  });

  it('injects a seed as an unfetched page that is due', async () => {
    const job = await cycle.inject([`${site.url}/`]);
    expect(job).toMatchObject({
      state: 'FINISHED',
      msg: 'OK',
      result: { result: '0', counters: { injector: { urls_injected: 1 } } },
    });
    expect(await cycle.db.query('select status, score, inject_mark, distance from webpage')).toEqual([
      { status: 1, score: 1, inject_mark: 'y', distance: 0 },
    ]);
  });

  it('fetches, parses and updates the seed in one round', async () => {
    expect(await cycle.round()).toBe(1);
    const [home] = await cycle.db.query<{
      status: number;
      title: string;
      update_mark: string;
      generate_mark: string | null;
    }>(`select status, title, update_mark, generate_mark from webpage where status = 2`);
    expect(home).toMatchObject({ status: 2, title: 'Home', generate_mark: null });
    expect(home!.update_mark).toMatch(/^\d+-\d+$/);
  });

  it('divides the cash of a page among its outlinks', async () => {
    const found = await cycle.db.query('select status, score, distance, source_kind from webpage where status = 1');
    expect(found).toHaveLength(4);
    for (const page of found) expect(page).toMatchObject({ status: 1, score: 0.25, distance: 1, source_kind: 'link' });
  });

  it('ends when no page is due, with a status for each kind of response', async () => {
    expect(await cycle.round()).toBe(4);
    expect(await cycle.round()).toBe(1);
    expect(await cycle.round()).toBe(0);
    const states = await cycle.db.query<{ path: string; status: number }>(
      `select substring(key from '/.*') as path, status from webpage order by key`,
    );
    expect(Object.fromEntries(states.map(({ path, status }) => [path, status]))).toEqual({
      '/': 2,
      '/a': 2,
      '/b': 2,
      '/missing': 3,
      '/new': 2,
      '/old': 5,
    });
  });

  it('keeps counts per host that match the table', async () => {
    expect(
      await cycle.db.query('select n_unfetched::int, n_fetched::int, n_gone::int, n_redir_perm::int from host'),
    ).toEqual([{ n_unfetched: 0, n_fetched: 4, n_gone: 1, n_redir_perm: 1 }]);
  });
});
