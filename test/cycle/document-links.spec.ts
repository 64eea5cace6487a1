import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { onCluster } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { onlyWhere } from '../support/left-out.js';
import { type Handler, page, status } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { indexLines } from './index-files.js';
import { counters } from './table.js';

/** The document of a page has the texts of the links to it: in a CRAWL with index, a page with other links is recorded for INDEX. */

useCrawler();

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await temporaryFolder();
  cycle.indexDir = folder.path;
});
afterEach(() => folder.remove());

type Conf = Record<string, string>;
/** Links within a host are inlinks, too. */
const internal = { 'db.ignore.internal.links': 'false', 'linkdb.ignore.internal.links': 'false' };
const toTarget = (text: string): Handler => page(`<a href="/target">${text}</a>`);

/** A crawl of `/target`, to which `/menu` links with the text "Home": both are fetched and indexed. */
async function indexed(crawlId: string, paths: Record<string, Handler>, conf: Conf = internal): Promise<string> {
  const { url } = await crawler.site({ '/menu': toTarget('Home'), '/target': page('<p>ferry'), ...paths });
  await crawler.inject(crawlId, [`${url}/menu`, `${url}/target`]);
  await visit(crawlId, conf);
  await index(crawlId, conf);
  expect(await recorded(crawlId)).toEqual([]);
  return url;
}

/** Fetches what is due, and updates the table as a CRAWL with `index` does. */
async function visit(crawlId: string, conf: Conf = internal): Promise<void> {
  const batch = await crawler.untilParsed(crawlId, conf);
  await crawler.update(crawlId, { batch, documentsDue: true }, conf);
}

/** Visits a new page of the site. */
async function add(crawlId: string, url: string, conf: Conf = internal): Promise<void> {
  await crawler.inject(crawlId, [url]);
  await visit(crawlId, conf);
}

async function visitAgain(crawlId: string, path: string, conf: Conf = internal): Promise<void> {
  await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour' where key like $1`, [`%${path}`]);
  await visit(crawlId, conf);
}

const index = (crawlId: string, conf: Conf = internal) =>
  cycle.run('INDEX', { ofCrawl: 'updated' }, { crawlId, conf: { ...conf, 'plugin.includes.also': 'indexer-jsonl' } });

const recorded = async (crawlId: string): Promise<string[]> =>
  (
    await cycle.db.query<{ path: string }>(
      `select substring(d.key from '/.*') as path from document_due d join crawl c on c.id = d.crawl where c.name = $1 order by 1`,
      [crawlId],
    )
  ).map(({ path }) => path);

const onOneNode = onlyWhere(!onCluster, 'on a cluster all pages with a link count as changed');

describe('UPDATEDB of a CRAWL with index records a fetched page', () => {
  it('that gets a link with a new text, and INDEX adds the text', async () => {
    const url = await indexed('new', { '/a': toTarget('Ferry timetable') });
    await add('new', `${url}/a`);
    expect(await recorded('new')).toEqual(['/a', '/target']);
    const lines = await indexLines(folder.path, await index('new'));
    expect(lines.find(({ id }) => id.endsWith('/target'))).toMatchObject({ anchor: ['Ferry timetable', 'Home'] });
  });

  it('but not one that gets a link with the text of another link of its host, as menus have', onOneNode, async () => {
    const url = await indexed('menu', { '/a': toTarget('Home'), '/b': toTarget(' ') });
    await add('menu', `${url}/a`);
    await add('menu', `${url}/b`);
    expect(await recorded('menu')).toEqual(['/a', '/b']);
  });

  it('that gets such a text from another host', async () => {
    const url = await indexed('host', {});
    const other = await crawler.site({ '/a': page(`<a href="${url}/target">Home</a>`) });
    await add('host', `${other.url.replace('127.0.0.1', 'localhost')}/a`);
    expect(await recorded('host')).toEqual(['/a', '/target']);
  });

  it('to which a link has another text, or no longer leads', async () => {
    let text: string | null = 'Boats';
    const url = await indexed('changed', {
      '/a': (req, res) => (text === null ? page('<p>none') : toTarget(text))(req, res),
    });
    await add('changed', `${url}/a`);
    for (text of ['Home', null]) {
      await index('changed');
      await visitAgain('changed', '/a');
      expect(await recorded('changed')).toEqual(['/a', '/target']);
    }
    const lines = await indexLines(folder.path, await index('changed'));
    expect(lines.find(({ id }) => id.endsWith('/target'))).toMatchObject({ anchor: 'Home' });
  });

  it.each(['in its batch', 'later'])('to which a page linked that is removed from the table %s', async (when) => {
    const crawlId = when.replaceAll(' ', '-');
    const purging = { ...internal, 'db.update.purge.404': 'true' };
    let isGone = false;
    const url = await indexed(crawlId, {
      '/a': (req, res) => (isGone ? status(404) : toTarget('Ferry timetable'))(req, res),
    });
    await add(crawlId, `${url}/a`);
    await index(crawlId);
    isGone = true;
    await visitAgain(crawlId, '/a', when === 'later' ? internal : purging);
    if (when === 'later') {
      expect(await recorded(crawlId)).toEqual([]);
      await crawler.update(crawlId, { documentsDue: true }, purging);
    }
    expect(await recorded(crawlId)).toEqual(['/target']);
    const lines = await indexLines(folder.path, await index(crawlId));
    expect(lines.map(({ anchor }) => anchor)).toEqual(['Home']);
  });

  it('but not one whose links have not changed', onOneNode, async () => {
    await indexed('same', {});
    await visitAgain('same', '/menu');
    expect(await recorded('same')).toEqual(['/menu']);
  });

  it('but no page that was never fetched', async () => {
    const url = await indexed('known', { '/a': page('<a href="/later">Later</a>') });
    await add('known', `${url}/a`);
    expect(await recorded('known')).toEqual(['/a']);
  });

  it('with any new link, if documents have the links themselves', async () => {
    const conf = { ...internal, 'plugin.includes.also': 'index-links' };
    const url = await indexed('links', { '/a': toTarget('Home') }, conf);
    await add('links', `${url}/a`, conf);
    expect(await recorded('links')).toEqual(['/a', '/target']);
  });

  it('only if documents have something of its links', async () => {
    const conf = { ...internal, 'plugin.excludes': 'index-anchor' };
    const url = await indexed('without', { '/a': toTarget('Ferry timetable') }, conf);
    await add('without', `${url}/a`, conf);
    expect(await recorded('without')).toEqual(['/a']);
  });
});

describe('INVERTLINKS of a CRAWL with index', () => {
  it('records the pages that get links with new texts', async () => {
    const conf = { ...internal, 'db.update.max.inlinks': '0' };
    await indexed('inverted', {}, conf);
    const invert = (args: object) =>
      cycle.run('INVERTLINKS', { batch: '-all', ...args }, { crawlId: 'inverted', conf: internal });
    expect(counters(await invert({ documentsDue: true }), 'LinkDb')).toMatchObject({ inlinks_added: 1 });
    expect(await recorded('inverted')).toEqual(['/target']);
    await index('inverted');
    await invert({ documentsDue: true });
    expect(await recorded('inverted')).toEqual([]);
  });

  it('records none as a job of its own', async () => {
    const conf = { ...internal, 'db.update.max.inlinks': '0' };
    await indexed('own', {}, conf);
    await cycle.run('INVERTLINKS', { batch: '-all' }, { crawlId: 'own', conf: internal });
    expect(await recorded('own')).toEqual([]);
  });
});

describe('DEDUP of a CRAWL with index', () => {
  it('records a page that it restores: as a duplicate it has no document', async () => {
    let body = '<p>ferry of the harbour';
    const site = await crawler.site({
      '/a': (req, res) => page(body)(req, res),
      '/a-twin': page('<p>ferry of the harbour'),
    });
    const dedup = () =>
      cycle.run('DEDUP', { compareOrder: ['urlLength'], documentsDue: true }, { crawlId: 'restored' });
    await crawler.inject('restored', [`${site.url}/a`, `${site.url}/a-twin`]);
    await visit('restored');
    await dedup();
    expect(counters(await index('restored'), 'IndexerStatus')).toEqual({
      'indexed (add/update)': 1,
      'skipped (duplicates)': 1,
    });
    expect(await recorded('restored')).toEqual([]);
    body = '<p>another page';
    await visitAgain('restored', '/a');
    await dedup();
    expect(await recorded('restored')).toEqual(['/a', '/a-twin']);
    expect(counters(await index('restored'), 'IndexerStatus')).toEqual({ 'indexed (add/update)': 2 });
  });
});
