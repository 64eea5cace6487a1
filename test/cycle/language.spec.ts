import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { crawled } from './crawled.js';

/** The plugin language-identifier in the crawl. */

const german = 'Der Hund läuft über die Straße und bellt, weil er die Katze auf der anderen Seite gesehen hat.';
const web = {
  '/says-french': page(`<html lang="fr-CA"><title>t</title>${german}`),
  '/meta': page(`<meta http-equiv=content-language content="it, de">${german}`),
  '/dublin': page(`<meta name="DC.Language" content="pl">${german}`),
  '/header': page(german, { 'content-type': 'text/html; charset=utf-8', 'content-language': 'sv-SE' }),
  '/silent': page(`<meta charset=utf-8>${german}`),
  '/numbers': page('<table><td>1<td>2<td>3</table>'),
  '/few': page('Home About Contact'),
  '/text': page(german, { 'content-type': 'text/plain; charset=utf-8' }),
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

const on = {
  'plugin.includes': 'protocol-http|parse-(html|text)|language-identifier|scoring-opic|urlnormalizer-basic',
};
let crawls = 0;
async function languages(conf: Record<string, string>): Promise<Record<string, string | undefined>> {
  const rows = await crawled({ cycle, site }, `lang${++crawls}`, Object.keys(web), conf);
  return Object.fromEntries([...rows].map(([path, { metadata }]) => [path.slice(1), metadata['lang']]));
}

describe('language-identifier', () => {
  it('uses the language that a page declares, else the one detected in its text', async () => {
    expect(await languages(on)).toMatchObject({
      'says-french': 'fr',
      meta: 'it',
      dublin: 'pl',
      header: 'sv',
      silent: 'de',
      text: 'de',
      numbers: undefined,
    });
  });

  it.each([
    ['detect', { 'says-french': 'fr', silent: undefined }],
    ['identify', { 'says-french': 'de', silent: 'de' }],
    ['identify,detect', { 'says-french': 'de', header: 'de', meta: 'de' }],
  ])('follows lang.extraction.policy %s', async (policy, expected) => {
    expect(await languages({ ...on, 'lang.extraction.policy': policy })).toMatchObject(expected);
  });

  it('reads Content-Language when FETCH parses, also with store.http.headers false', async () => {
    const conf = { ...on, 'store.http.headers': 'false', 'fetcher.parse': 'true' };
    expect(await languages(conf)).toMatchObject({ header: 'sv' });
    const kept = await cycle.db.query(
      `select distinct headers from page_content where crawl = (select max(id) from crawl)`,
    );
    expect(kept).toEqual([{ headers: {} }]);
  });

  it('stores no uncertain language with lang.identification.only.certain', async () => {
    const policy = { 'lang.extraction.policy': 'identify' };
    expect(await languages({ ...on, ...policy })).toMatchObject({ few: 'en', silent: 'de' });
    const certain = { 'lang.identification.only.certain': 'true' };
    expect(await languages({ ...on, ...policy, ...certain })).toMatchObject({ few: undefined, silent: 'de' });
  });

  it('stores nothing unless plugin.includes names it', async () => {
    expect((await languages({}))['silent']).toBeUndefined();
  });
});
