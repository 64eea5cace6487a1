import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, startSite } from '../support/site.js';

/** Sites without end and an ordinary one, crawled until nothing is due. */

const MINUTES_2 = 120_000;
const words = 'here are the events of this month and below are links to other months that you may like to look at too';
const around = `${words} ${words.split(' ').toReversed().join(' ')}`;
const hash = (text: string) => createHash('sha256').update(text).digest('hex');

/** Each month links to the next two; all are near duplicates. */
const calendar: Handler = (req, res) => {
  const n = Number(/\d+/.exec(req.url ?? '')?.[0] ?? 0);
  const links = [n + 1, n + 2].map((m) => `<a href="/month/${m}">next</a>`).join(' ');
  return page(`<title>Month</title><p>Month ${n}. ${around}</p>${links}`)(req, res);
};
/** Each response has links with new session ids; there are four pages only. */
let sessions = 0;
const shop: Handler = (req, res) => {
  const name = /\/(\w)$/.exec(req.url ?? '')?.[1] ?? 'a';
  const links = ['a', 'b', 'c', 'd'].map(
    (other) => `<a href="/s/${hash(String(++sessions)).slice(0, 32)}/${other}">${other}</a>`,
  );
  return page(`<title>${name}</title><p>Wares of shelf ${name}. ${around}</p>${links.join(' ')}`)(req, res);
};
/** Filters that accumulate: every page links to itself with one more parameter. */
const filters: Handler = (req, res) => {
  const query = (req.url ?? '').split('?')[1] ?? '';
  const links = ['color', 'size', 'brand'].map(
    (name, i) => `<a href="/f?${query}${query && '&'}${name}=${query.length + i}">${name}</a>`,
  );
  return page(`<title>Filter</title><p>${around}</p>${links.join(' ')}`)(req, res);
};
/** Forty articles that have nothing in common but their template. */
const articles: Handler = (req, res) => {
  const n = Number(/\d+/.exec(req.url ?? '')?.[0] ?? 0);
  const text = Array.from({ length: 60 }, (_, i) => hash(`${n} ${i}`).replaceAll(/\d/g, 'x').slice(0, 7)).join(' ');
  const links = [2 * n + 1, 2 * n + 2].filter((m) => m < 40).map((m) => `<a href="/article/${m}">${m}</a>`);
  return page(`<title>Article ${n}</title><p>${text}</p>${links.join(' ')}`)(req, res);
};

let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite((req, res) => {
    const kind = (req.url ?? '').split('/')[1]?.split('?')[0] ?? '';
    return ({ month: calendar, s: shop, f: filters, article: articles }[kind] ?? page('<p>nothing', {}, 404))(req, res);
  });
});
afterAll(async () => {
  await cycle?.close();
  await site?.close();
});

const watched = {
  'urlfilter.regex.rules': '+.',
  'db.signature.class': 'SimHashSignature',
  'trap.template.similar.after': '12',
  'trap.template.similar.share': '0.7',
};

/** Crawls from a path until nothing is due, or twenty rounds; returns the number of pages, and of rounds. */
async function crawl(path: string, crawlId: string, conf: Record<string, string>) {
  await cycle.inject([site.url + path], {}, { conf, crawlId });
  let rounds = 0;
  while (rounds < 20 && (await cycle.round({ conf, crawlId })) > 0) rounds++;
  const [{ pages } = { pages: -1 }] = await cycle.db.query<{ pages: number }>(
    `select count(*)::int as pages from webpage w join crawl c on c.id = w.crawl where c.name = '${crawlId}'`,
  );
  return { rounds, pages };
}
const templates = (crawlId: string) =>
  cycle.db.query<{ template: string; stopped: boolean; added: number; refused: number; seen: number; similar: number }>(
    `select template, stopped_at is not null as stopped, added::int as added, refused::int as refused, seen::int as seen,
            similar_pages::int as similar
       from url_template t join crawl c on c.id = t.crawl where c.name = '${crawlId}' order by template`,
  );

describe('a template is stopped when its pages are near duplicates', () => {
  it.each([
    ['a calendar', '/month/0', '/month/{n}'],
    ['a shop with session ids', `/s/${'0a'.repeat(16)}/a`, '/s/{id}/'],
    ['filters that accumulate', '/f?color=0', '/f?'],
  ])('%s is exhausted', { timeout: MINUTES_2 }, async (_what, path, template) => {
    const id = `trap${path.slice(1, 2)}`;
    const { rounds, pages } = await crawl(path, id, watched);
    expect(rounds).toBeLessThan(20);
    // Pages linked before the template was stopped are still fetched.
    expect(pages).toBeLessThan(200);
    const known = (await templates(id)).filter((one) => one.template.startsWith(template));
    expect(known.length).toBeGreaterThan(0);
    expect(known.some(({ stopped, refused }) => stopped && refused > 0)).toBe(true);
  });

  it('an ordinary site of that size is crawled completely', { timeout: MINUTES_2 }, async () => {
    const { pages } = await crawl('/article/0', 'ordinary', watched);
    expect(pages).toBe(40);
    expect(await templates('ordinary')).toEqual([
      { template: '/article/{n}', stopped: false, added: 39, refused: 0, seen: 40, similar: 0 },
    ]);
  });

  it.each([
    ['0', { seen: 12, similar: 0, stopped: false }],
    ['64', { seen: 12, similar: 11, stopped: true }],
  ])('trap.template.similar.bits %s: articles without a common word are %j', async (bits, counts) => {
    const crawlId = `bits-${bits}`;
    const conf = { ...watched, 'trap.template.similar.bits': bits };
    const seeds = Array.from({ length: 12 }, (_, n) => `${site.url}/article/${n}`);
    await cycle.inject(seeds, {}, { conf, crawlId });
    await cycle.round({ conf, crawlId });
    expect(await templates(crawlId)).toMatchObject([{ template: '/article/{n}', ...counts }]);
  });

  it('rejected links are counted by reason', { timeout: MINUTES_2 }, async () => {
    const [{ n } = { n: 0 }] = await cycle.db.query<{ n: number }>(
      `select coalesce(sum((t.counters -> 'UpdateDb' ->> 'refused_template_stopped')::int), 0)::int as n
         from job_task t join job j on j.id = t.job where j.crawl_id = 'trapm'`,
    );
    expect(n).toBeGreaterThan(0);
  });
});

describe('links that look like a trap', () => {
  it('are counted by the limit that they exceed', { timeout: MINUTES_2 }, async () => {
    const deep = Array.from({ length: 50 }, (_, i) => i).join('/');
    const links = ['/calendar/9999/01', '/calendar/9999/02', `/${deep}`, '/ok'].map(
      (path) => `<a href="${path}">x</a>`,
    );
    const trap = await startSite({ '/': page(links.join(' ')) });
    await cycle.inject([`${trap.url}/`], {}, { crawlId: 'shape' });
    await cycle.round({ crawlId: 'shape' });
    await trap.close();
    const [{ traps } = { traps: null }] = await cycle.db.query<{ traps: unknown }>(
      `select t.counters -> 'ParserTraps' as traps from job_task t join job j on j.id = t.job
        where j.crawl_id = 'shape' and j.type = 'PARSE'`,
    );
    expect(traps).toEqual({ 'trap.calendar.years': 2, 'trap.path.segments': 1 });
  });
});

describe('a budget', () => {
  it('of a template (trap.template.pages) bounds the URLs added', { timeout: MINUTES_2 }, async () => {
    const conf = { ...watched, 'trap.template.similar.after': '-1', 'trap.template.pages': '9' };
    expect((await crawl('/month/0', 'tpl', conf)).pages).toBe(10);
    expect(await templates('tpl')).toMatchObject([{ template: '/month/{n}', added: 9, stopped: false }]);
  });

  it('of a host (trap.host.pages) bounds its pages', { timeout: MINUTES_2 }, async () => {
    const conf = { 'urlfilter.regex.rules': '+.', 'trap.host.pages': '15' };
    expect((await crawl('/month/0', 'host', conf)).pages).toBe(15);
    expect(await templates('host')).toMatchObject([{ template: '', added: 0 }]);
  });

  it('is off by default: no templates are stored', { timeout: MINUTES_2 }, async () => {
    await cycle.inject([`${site.url}/article/20`], {}, { crawlId: 'off' });
    await cycle.round({ crawlId: 'off' });
    expect(await templates('off')).toEqual([]);
  });
});
