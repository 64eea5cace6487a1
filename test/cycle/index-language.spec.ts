import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Searcher } from '../../src/search/searcher.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { SEARCH_DEFAULTS } from '../support/search-request.js';
import { crawled } from './crawled.js';

/**
 * Language in which the built-in index analyzes a page: declared by the page, else detected in its text, by
 * `lang.extraction.policy`.
 */

const german = 'Der Hund läuft über die Straße und bellt, weil er die Katze auf der anderen Seite gesehen hat.';
/** A manual that repeats the name of its program. */
const manual = `<h1>NAME</h1>gcloud-alloydb delete - delete one gcloud-alloydb cluster<h1>SYNOPSIS</h1>${'gcloud alloydb clusters delete CLUSTER [--async] '.repeat(8)}
  <h1>DESCRIPTION</h1>Deletes the cluster that was named on the command line. Without the option it waits until the operation has finished, and then
  it prints what became of each of them.`;
const titled = (html: string) => `<title>Seite</title>${html}`;
const web = {
  '/html': page(`<html lang="de-AT">${titled('Fähren')}`),
  '/meta': page(`<meta http-equiv=content-language content="de">${titled('Fähren')}`),
  '/dublin': page(`<meta name="DC.Language" content="de">${titled('Fähren')}`),
  '/header': page(titled('Fähren'), { 'content-type': 'text/html; charset=utf-8', 'content-language': 'de' }),
  '/few': page(titled('Fähren')),
  '/text': page(titled(german)),
  '/says-french': page(`<html lang="fr">${titled(german)}`),
  '/manual': page(titled(manual)),
};

let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite(web);
});
afterAll(async () => {
  await cycle.close();
  await site.close();
});

let crawls = 0;
/** The language of each page as it was indexed; empty where it is not known. */
async function languages(conf: Record<string, string>): Promise<Record<string, string>> {
  const crawlId = `lang${++crawls}`;
  await crawled({ cycle, site }, crawlId, Object.keys(web), conf);
  await cycle.run('INDEX', { batch: '-reindex' }, { crawlId, conf });
  const [{ crawl }] = (await cycle.db.query(`select id as crawl from crawl where name = $1`, [crawlId])) as [
    { crawl: number },
  ];
  const { hits } = await new Searcher(cycle.pool, 1_000_000).search({
    crawl,
    query: 'title:seite',
    ...SEARCH_DEFAULTS,
    weights: [1, 1, 1, 1, 1, 1],
  });
  return Object.fromEntries(hits.map(({ url, language }) => [url.split('/').at(-1)!, language]));
}

describe('INDEX', () => {
  it('analyzes a page in the language it declares, else in the one detected in its text', async () => {
    expect(await languages({})).toEqual({
      html: 'de',
      meta: 'de',
      dublin: 'de',
      header: 'de',
      few: '',
      text: 'de',
      'says-french': 'fr',
      manual: 'en',
    });
  });

  it.each([
    ['detect', { html: 'de', text: '', 'says-french': 'fr' }],
    ['identify', { html: '', text: 'de', 'says-french': 'de' }],
    ['identify,detect', { html: 'de', text: 'de', 'says-french': 'de' }],
  ])('follows lang.extraction.policy %s', async (policy, expected) => {
    expect(await languages({ 'lang.extraction.policy': policy })).toMatchObject(expected);
  });

  it('uses the language found by the plugin language-identifier', async () => {
    const conf = { 'plugin.includes.also': 'language-identifier', 'lang.extraction.policy': 'identify' };
    expect(await languages(conf)).toMatchObject({ 'says-french': 'de' });
  });
});
