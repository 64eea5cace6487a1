import { describe, expect, it } from 'vitest';
import { UpdateDbJob } from '../../src/cycle/updatedb/updatedb.job.js';
import { type Handler, page, redirect, status } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';
import { batchOf, counter, passDays } from './table.js';

/** Inlinks from a page whose outlinks have changed. */

useCrawler();

type Conf = Record<string, string>;
const seedsOnly: Conf = { 'generate.max.distance': '0' };

/** Target hosts of inlinks, with the path of the source. */
async function inlinked(crawlId: string): Promise<string[]> {
  const found = await cycle.db.query<{ pair: string }>(
    `select i.host || ' < ' || substring(i.source from '/.*') as pair from inlink i join crawl c on c.id = i.crawl
      where c.name = $1 order by 1`,
    [crawlId],
  );
  return found.map(({ pair }) => pair);
}

/** Sends another response at each visit, and the last one from then on. */
function changing(...answers: Handler[]): Handler {
  let visits = 0;
  return (req, res) => answers[Math.min(visits++, answers.length - 1)]!(req, res);
}

async function site(crawlId: string, ...answers: Handler[]): Promise<void> {
  const web = await crawler.site({ '/': changing(...answers) });
  await crawler.inject(crawlId, [`${web.url}/`]);
}

/** Rounds in which the seeds are fetched, each a month later. */
async function rounds(crawlId: string, n: number, conf: Conf = {}): Promise<void> {
  for (let i = 0; i < n; i++) {
    expect(await crawler.round(crawlId, { ...seedsOnly, ...conf })).toBe(1);
    await passDays(cycle, 60, crawlId);
  }
}

const one = 'http://one.test/';
const two = 'http://two.test/';
const three = 'http://three.test/';
const kept = async (crawlId: string): Promise<unknown> =>
  (
    await cycle.db.query<{ former: unknown }>(
      `select p.former_outlink_keys as former from page_content p join crawl c on c.id = p.crawl where c.name = $1`,
      [crawlId],
    )
  ).map(({ former }) => former);

describe('an inlink whose link was removed from its page', () => {
  it.each<[string, Conf]>([
    ['in PARSE', {}],
    ['in FETCH', { 'fetcher.parse': 'true' }],
  ])('is deleted by UPDATEDB when pages are parsed %s', async (how, conf) => {
    const id = how.replaceAll(' ', '-');
    await site(id, links(one, two), links(two, three), links(two, three, one));
    await rounds(id, 1, conf);
    expect(await inlinked(id)).toEqual(['test.one < /', 'test.two < /']);
    await rounds(id, 1, conf);
    expect(await inlinked(id)).toEqual(['test.three < /', 'test.two < /']);
    await rounds(id, 1, conf);
    expect(await inlinked(id)).toEqual(['test.one < /', 'test.three < /', 'test.two < /']);
    expect(await kept(id)).toEqual([null]);
  });

  it('is counted, and inlinks from other pages stay', async () => {
    const web = await crawler.site({ '/a': changing(links(one, two), links(two)), '/b': links(one) });
    await crawler.inject('counted', [`${web.url}/a`, `${web.url}/b`]);
    expect(await crawler.round('counted', seedsOnly)).toBe(2);
    await passDays(cycle, 60, 'counted');
    await crawler.untilParsed('counted', seedsOnly);
    const job = await crawler.update('counted');
    expect(counter(job, 'UpdateDb', 'inlinks_removed')).toBe(1);
    expect(await inlinked('counted')).toEqual(['test.one < /b', 'test.two < /a']);
  });

  it('is deleted inside a host, too, with db.ignore.internal.links false', async () => {
    await site('inside', links('/x', '/y'), links('/y'));
    await rounds('inside', 2, { 'db.ignore.internal.links': 'false' });
    const found = await cycle.db.query<{ path: string }>(
      `select substring(i.key from '/.*') as path from inlink i join crawl c on c.id = i.crawl where c.name = 'inside'`,
    );
    expect(found).toEqual([{ path: '/y' }]);
  });

  it('is deleted when the page becomes a redirect, whose target is its only link', async () => {
    await site('moved', links(one, two), redirect('http://three.test/'));
    await rounds('moved', 2, { 'http.redirect.max': '0' });
    expect(await inlinked('moved')).toEqual(['test.three < /']);
  });

  it.each<[string, Handler, Conf]>([
    ['not found', status(404), {}],
    ['unavailable', status(503), {}],
    ['of a type without a parser', page('\0\u0001', { 'content-type': 'application/x-none' }), {}],
  ])('stays while the page is %s, as its links are not parsed', async (how, answer, conf) => {
    const id = how.replaceAll(' ', '-');
    await site(id, links(one, two), answer, links(two));
    await rounds(id, 2, conf);
    expect(await inlinked(id)).toEqual(['test.one < /', 'test.two < /']);
    await rounds(id, 1, conf);
    expect(await inlinked(id)).toEqual(['test.two < /']);
  });

  it('is deleted when the batch has fetched the page twice', async () => {
    await site('twice', links(one), links(two), links(three));
    await rounds('twice', 1);
    const batch = await crawler.untilParsed('twice', seedsOnly);
    await cycle.run('FETCH', { batch, force: true }, { crawlId: 'twice' });
    await cycle.run('PARSE', { batch }, { crawlId: 'twice' });
    await crawler.update('twice');
    expect(await inlinked('twice')).toEqual(['test.three < /']);
  });

  it('is counted once when UPDATEDB is killed after its first transaction and continued', async () => {
    await site('killed', links(one), links(two));
    await rounds('killed', 1);
    await crawler.untilParsed('killed', seedsOnly);
    const [{ id: crawl }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'killed'`)) as [
      { id: number },
    ];
    const { counted } = await runKilled(new UpdateDbJob(), { pool: cycle.pool, crawl, args: {}, writes: 1 });
    expect(counted['inlinks_removed']).toBe(1);
    expect(await inlinked('killed')).toEqual(['test.two < /']);
  });
});

describe('INVERTLINKS for removed links', () => {
  const byNumber = {
    'urlnormalizer.scope.linkdb': 'urlnormalizer-regex',
    'urlnormalizer.regex.rules.linkdb':
      '<regex-normalize><regex><pattern>-\\d</pattern><substitution></substitution></regex></regex-normalize>',
  };

  it('deletes their inlinks before UPDATEDB, which then deletes none', async () => {
    await site('inverted', links(one, two), links(two, three));
    await rounds('inverted', 1);
    const batch = await crawler.untilParsed('inverted', seedsOnly);
    const job = await cycle.run('INVERTLINKS', { batch }, { crawlId: 'inverted' });
    expect(counter(job, 'LinkDb', 'inlinks_removed')).toBe(1);
    expect(await inlinked('inverted')).toEqual(['test.three < /', 'test.two < /']);
    const again = await cycle.run('INVERTLINKS', { batch }, { crawlId: 'inverted' });
    expect(counter(again, 'LinkDb', 'inlinks_removed')).toBe(0);
    expect(counter(await crawler.update('inverted'), 'UpdateDb', 'inlinks_removed')).toBe(0);
    expect(await inlinked('inverted')).toEqual(['test.three < /', 'test.two < /']);
  });

  it('deletes those of pages parsed again with other rules (-reparse)', async () => {
    await site('reparsed', links(one, two));
    await rounds('reparsed', 1);
    const conf = { 'urlfilter.regex.rules': '-one\n+.' };
    await cycle.run('PARSE', { batch: '-reparse' }, { crawlId: 'reparsed', conf });
    expect(await inlinked('reparsed')).toEqual(['test.one < /', 'test.two < /']);
    await cycle.run('INVERTLINKS', { batch: '-all' }, { crawlId: 'reparsed' });
    expect(await inlinked('reparsed')).toEqual(['test.two < /']);
  });

  it('deletes them by normalized URL and keeps one that a current link normalizes to', async () => {
    await site('written', links('http://one.test/a-1', 'http://two.test/b-1'), links('http://two.test/b-2'));
    const invert = () => cycle.run('INVERTLINKS', { batch: '-all' }, { crawlId: 'written', conf: byNumber });
    await rounds('written', 1, { 'db.update.max.inlinks': '0' });
    await invert();
    expect(await inlinked('written')).toEqual(['test.one < /', 'test.two < /']);
    await crawler.untilParsed('written', seedsOnly);
    await invert();
    const found = await cycle.db.query<{ key: string }>(
      `select i.key from inlink i join crawl c on c.id = i.crawl where c.name = 'written'`,
    );
    expect(found).toEqual([{ key: 'test.two:http/b' }]);
  });

  it.each([
    ['links', links('http://two.test/b-2')],
    ['page', status(404)],
  ])('leaves them to UPDATEDB, which finds them by their normalized URLs (gone: the %s)', async (what, answer) => {
    const crawlId = `normalized-${what}`;
    const web = await crawler.site({ '/x-1': changing(links('http://one.test/a-1', 'http://two.test/b-1'), answer) });
    await crawler.inject(crawlId, [`${web.url}/x-1`]);
    const conf = { ...byNumber, 'db.update.max.inlinks': '0', 'db.update.purge.404': 'true' };
    await rounds(crawlId, 1, conf);
    await cycle.run('INVERTLINKS', { batch: '-all' }, { crawlId, conf });
    expect(await inlinked(crawlId)).toEqual(['test.one < /x', 'test.two < /x']);
    await rounds(crawlId, 1, conf);
    expect(await inlinked(crawlId)).toEqual(what === 'links' ? ['test.two < /x'] : []);
  });

  it('keeps those of a page whose new content is not parsed', async () => {
    await site('unparsed', links(one), links(two));
    await rounds('unparsed', 1);
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'unparsed', conf: seedsOnly }));
    await cycle.run('FETCH', { batch }, { crawlId: 'unparsed' });
    await cycle.run('INVERTLINKS', { batch: '-all' }, { crawlId: 'unparsed' });
    expect(await inlinked('unparsed')).toEqual(['test.one < /']);
    await cycle.run('PARSE', { batch }, { crawlId: 'unparsed' });
    await crawler.update('unparsed');
    expect(await inlinked('unparsed')).toEqual(['test.two < /']);
  });

  it('keeps those of a page that was a redirect, and failed, before its next content is parsed', async () => {
    await site('failing', links(one), links(two), redirect(three), status(503), links(two));
    await rounds('failing', 1);
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'failing', conf: seedsOnly }));
    const fetch = () => cycle.run('FETCH', { batch }, { crawlId: 'failing' });
    for (let visit = 0; visit < 3; visit++) await fetch();
    await cycle.run('INVERTLINKS', { batch: '-all' }, { crawlId: 'failing' });
    expect(await inlinked('failing')).toEqual(['test.one < /']);
    await fetch();
    await cycle.run('PARSE', { batch }, { crawlId: 'failing' });
    await crawler.update('failing');
    expect(await inlinked('failing')).toEqual(['test.two < /']);
  });
});

it('a page removed from the table takes the inlinks it gave with it', async () => {
  const web = await crawler.site({ '/a': changing(links(one, two), status(404)), '/b': links(two) });
  await crawler.inject('purged', [`${web.url}/a`, `${web.url}/b`]);
  for (let round = 0; round < 2; round++) {
    expect(await crawler.round('purged', { ...seedsOnly, 'db.update.purge.404': 'true' })).toBe(2);
    await passDays(cycle, 60, 'purged');
  }
  expect(await inlinked('purged')).toEqual(['test.two < /b']);
});
