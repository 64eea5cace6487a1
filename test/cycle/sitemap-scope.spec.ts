import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { page, redirect } from '../support/site.js';
import { entry, index, sitemapsOf, urlset } from './sitemaps.js';
import { counters } from './table.js';

let cycle: Cycle;
let { site, closeSites, run, paths } = {} as ReturnType<typeof sitemapsOf>;

beforeAll(async () => {
  cycle = await openCycle();
  ({ site, closeSites, run, paths } = sitemapsOf(cycle));
});
afterEach(() => closeSites());
afterAll(() => cycle.close());

describe('SITEMAP with db.ignore.external.links', () => {
  const within = { 'db.ignore.external.links': 'true' };

  it.each([
    ['robots.txt', 'scope-robots', (_: string, other: string) => ({ '/robots.txt': page(`Sitemap: ${other}/m.xml`) })],
    ['an index', 'scope-index', (_: string, other: string) => ({ '/sitemap.xml': index(`${other}/m.xml`) })],
    [
      'an index listed in robots.txt',
      'scope-vouched',
      (url: string, other: string) => ({
        '/robots.txt': page(`Sitemap: ${url}/i.xml`),
        '/i.xml': index(`${other}/m.xml`),
      }),
    ],
    ['a redirect', 'scope-redirect', (_: string, other: string) => ({ '/sitemap.xml': redirect(`${other}/m.xml`) })],
  ])('adds no pages of other hosts through %s', async (_, crawlId, handlers) => {
    let own = '';
    const other = await site((url) => ({
      '/m.xml': (req, res) => urlset(entry(`${url.replace('127.0.0.1', 'localhost')}/b`), entry(`${own}/a`))(req, res),
    }));
    const elsewhere = other.url.replace('127.0.0.1', 'localhost');
    const one = await site((url) => handlers((own = url), elsewhere));
    await cycle.inject([`${one.url}/`], {}, { crawlId });
    const job = await run(crawlId, {}, within);
    const isVouched = crawlId === 'scope-robots' || crawlId === 'scope-vouched';
    expect(await paths(crawlId)).toEqual(isVouched ? ['/', '/a'] : ['/']);
    const { external_sitemap_entries: entries = 0, external_sitemaps: maps = 0 } = counters(job, 'Sitemap');
    expect(entries + maps).toBe(1);
    await run(`${crawlId}-any`, { hosts: [one.url] });
    expect(await paths(`${crawlId}-any`)).toContain('/b');
    // Nor from sitemaps stored before the property was set.
    await cycle.db.query(`delete from webpage where key like '%/b'`);
    await run(`${crawlId}-any`, { force: true }, within);
    expect(await paths(`${crawlId}-any`)).not.toContain('/b');
  });

  it('adds pages of exempted hosts', async () => {
    const other = await site((url) => ({ '/m.xml': urlset(entry(`${url.replace('127.0.0.1', 'localhost')}/b`)) }));
    const elsewhere = other.url.replace('127.0.0.1', 'localhost');
    const one = await site(() => ({ '/robots.txt': page(`Sitemap: ${elsewhere}/m.xml`) }));
    await run(
      'scope-exempt',
      { hosts: [one.url] },
      {
        ...within,
        'plugin.includes.also': 'urlfilter-ignoreexempt',
        'db.ignore.external.exemptions.rules': '+localhost',
      },
    );
    expect(await paths('scope-exempt')).toEqual(['/b']);
  });
});
