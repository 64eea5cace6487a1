import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { crawled } from './crawled.js';

/** `parse.readable`, `parse.markdown` and the `tika.*` properties of Nutch in a crawl. */

const sentence = 'A reader comes for this sentence, which is long enough, and has commas, to count as content. ';
const article = `<title>Story</title><nav><a href="/n1">Home</a> <a href="/n2">Shop</a></nav><article><h1>Story</h1>
  <p>${sentence.repeat(4)}<a href="next">go <b>on</b></a>.</p><p>${sentence.repeat(4)}</p></article><footer>Imprint</footer>`;
const frame = '<title>Links</title><a href=/a>a</a>';

let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite({
    '/story': page(article),
    '/links': page(frame),
    '/noindex': page(`<meta name=robots content=noindex>${article}`),
    '/moved': page(`<meta http-equiv=refresh content="0;url=/story">${article}`),
    '/plain': page('plain', { 'content-type': 'text/plain' }),
  });
});
afterAll(async () => {
  await cycle.close();
  await site.close();
});

const round = (crawlId: string, conf: Record<string, string>) =>
  crawled({ cycle, site }, crawlId, ['/story', '/links', '/noindex', '/moved', '/plain'], conf);
/** A heading that repeats the title is left out: the title has its own column. */
const text = `${sentence.repeat(4)}go on.\n${sentence.repeat(4).trim()}`;

describe('main content of pages', () => {
  it('is not extracted by default', async () => {
    const rows = await round('off', {});
    expect(rows.get('/story')?.metadata).toEqual({});
    expect(rows.get('/story')?.text).toContain('Imprint');
  });

  it('becomes metadata readable with parse.readable and markdown with parse.markdown; the text is complete', async () => {
    const rows = await round('both', { 'parse.readable': 'true', 'parse.markdown': 'true' });
    const { metadata, text: whole } = rows.get('/story')!;
    expect(metadata['readable']).toBe(text);
    expect(metadata['markdown']).toContain(`[go **on**](${site.url}/next).\n\nA reader`);
    expect(metadata['markdown']).not.toMatch(/Imprint|Shop/);
    expect(whole).toContain('Imprint');
    for (const path of ['/noindex', '/moved', '/plain'])
      expect(Object.keys(rows.get(path)!.metadata)).not.toContain('readable');
  });

  it.each<Record<string, string>>([{ 'tika.extractor': 'boilerpipe' }, { 'tika.boilerpipe': 'true' }])(
    'replaces the text with %j',
    async (conf) => {
      const rows = await round(Object.keys(conf).join(), conf);
      expect(rows.get('/story')).toMatchObject({
        text,
        metadata: {},
        links: [expect.any(String), expect.any(String), expect.any(String)],
      });
      expect(rows.get('/links')?.text).toBe('a');
    },
  );

  it('replaces the text in a Nutch configuration with parse-tika', async () => {
    const conf = {
      'plugin.includes': 'protocol-http|parse-(html|tika)|scoring-opic|urlnormalizer-basic',
      'tika.extractor': 'boilerpipe',
    };
    expect((await round('nutch', conf)).get('/story')?.text).toBe(text);
  });

  it('does not replace the text of types not in tika.extractor.boilerpipe.mime.types', async () => {
    const conf = { 'tika.extractor': 'boilerpipe', 'tika.extractor.boilerpipe.mime.types': 'application/xhtml+xml' };
    expect((await round('types', conf)).get('/story')?.text).toContain('Imprint');
  });

  it('is cut at parse.readable.limit', async () => {
    const conf = { 'parse.readable': 'true', 'parse.markdown': 'true', 'parse.readable.limit': '5' };
    expect((await round('limit', conf)).get('/story')?.metadata).toMatchObject({
      readable: 'A rea',
      markdown: 'A rea',
    });
  });
});
