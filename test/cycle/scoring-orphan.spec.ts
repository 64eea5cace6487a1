import { describe, expect, it } from 'vitest';
import { page } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { byPath, counter, counters, pageAt } from './table.js';

/** Pages to which no fetched page links any more (docs/semantics/updatedb.md, "Orphans"). */

useCrawler();
const { site, inject, round, update } = crawler;

describe('scoring-orphan', () => {
  const conf = {
    'plugin.includes': 'protocol-http|urlfilter-regex|parse-html|urlnormalizer-basic|scoring-(opic|orphan)',
  };
  const lastInlink = (crawlId: string, days: number) =>
    cycle.db.query(
      `update webpage set last_inlink = now() - make_interval(days => $2) where last_inlink is not null and crawl = (select id from crawl where name = $1)`,
      [crawlId, days],
    );

  it.each([
    [29, 1, 'urls_added'],
    [31, 3, 'marked_gone'],
    [41, 8, 'marked_orphan'],
  ])(
    '%i days without an inlink: status %i; a page that never had an inlink keeps its status',
    async (days, status, counted) => {
      const id = `orphan${days}`;
      const web = await site({ '/': links('/a') });
      await inject(id, [`${web.url}/`]);
      await round(id, conf);
      await lastInlink(id, days);
      const job = await update(id, {}, conf);
      expect(await byPath(cycle, (row) => row.status, id)).toEqual({ '/': 2, '/a': status });
      if (counted !== 'urls_added') expect(counter(job, 'UpdateDb', counted)).toBe(1);
      expect(counters(await update(id, {}, conf), 'UpdateDb')['marked_gone'] ?? 0).toBe(0);
    },
  );

  it('updates the time of the last inlink with every batch that links to the page', async () => {
    const web = await site({ '/1': links('/a'), '/2': links('/a'), '/a': page('a') });
    await inject('dated', [`${web.url}/1`]);
    await round('dated', conf);
    await lastInlink('dated', 39);
    await inject('dated', [`${web.url}/2`]);
    await round('dated', conf);
    expect(await pageAt(cycle, '/a', 'dated')).toMatchObject({ status: 2 });
    await lastInlink('dated', 39);
    await update('dated', {}, conf);
    expect(await pageAt(cycle, '/a', 'dated')).toMatchObject({ status: 3 });
  });

  it('counts the links of a page that has not changed (304): a fetched page links to these pages, too', async () => {
    const web = await site({
      '/': (req, res) => {
        const headers = { etag: '"v1"', 'content-type': 'text/html' };
        if (req.headers['if-none-match'] === '"v1"') return void res.writeHead(304, headers).end();
        res.writeHead(200, headers).end('<a href="/a">a</a>');
      },
      '/a': page('a'),
    });
    await inject('unchanged', [`${web.url}/`]);
    for (let n = 0; n < 2; n++) await round('unchanged', conf);
    await lastInlink('unchanged', 50);
    await cycle.db.query(
      `update webpage set fetch_time = now() - interval '1 s', rank = 0
        where key like '%/' and crawl = (select id from crawl where name = 'unchanged')`,
    );
    expect(await round('unchanged', conf)).toBe(1);
    expect(await byPath(cycle, (row) => row.status, 'unchanged')).toEqual({ '/': 6, '/a': 2 });
  });

  it('removes orphans with db.update.purge.orphans', async () => {
    const web = await site({ '/': links('/a') });
    await inject('purge', [`${web.url}/`]);
    await round('purge', conf);
    await lastInlink('purge', 50);
    await update('purge', {}, { ...conf, 'db.update.purge.orphans': 'true' });
    expect(await byPath(cycle, (row) => row.status, 'purge')).toEqual({ '/': 2 });
  });

  it('removes pages that it marks as gone in the same UPDATEDB with db.update.purge.404', async () => {
    const web = await site({ '/': links('/a') });
    await inject('purge-gone', [`${web.url}/`]);
    await round('purge-gone', conf);
    await lastInlink('purge-gone', 39);
    const job = await update('purge-gone', {}, { ...conf, 'db.update.purge.404': 'true' });
    expect(counters(job, 'UpdateDb')).toMatchObject({ marked_gone: 1, purged_gone: 1 });
    expect(await byPath(cycle, (row) => row.status, 'purge-gone')).toEqual({ '/': 2 });
  });

  it('stores no time of the last inlink when it is off', async () => {
    const web = await site({ '/': links('/a') });
    await inject('off', [`${web.url}/`]);
    await round('off');
    const [{ n }] = (await cycle.db.query<{ n: number }>(
      `select count(last_inlink)::int as n from webpage where crawl = (select id from crawl where name = 'off')`,
    )) as [{ n: number }];
    expect(n).toBe(0);
  });
});
