import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Site, page, startSite } from '../support/site.js';
import { crawled } from './crawled.js';

/** `parse.extract.rules` in the crawl: values extracted from pages whose URL matches a rule, stored as metadata. */

const shop = `<base href="/pictures/"><h1>Chair, <i>red</i></h1><span class=price>1.234,50 €</span>
  <ul><li>oak<li>leather</ul><img src="red.png" alt="red"><script>document.querySelector('h1').textContent = 'run'</script>`;
const slow = `${'<b>'.repeat(40)}${'<i></i>'.repeat(120_000)}`;

/** Matches nothing, and looks for that at all pairs of 120,000 elements: minutes, on any machine. */
const SLOW = 'i:has(~ u.none)';

const rules = [
  '# what is sold',
  'name\t/shop/\tcss\th1',
  'markup\t/shop/\tcss\th1\thtml',
  'price\t/shop/\txpath\t//span[@class="price"]\tnumber',
  'material\t/shop/\tcss\tli\ttext\tall',
  'picture\t/shop/\tcss\timg\t@src',
  'items\t/shop/\txpath\tcount(//li)',
  'none\t/shop/\tcss\t.missing',
  `slow\t/slow\tcss\t${SLOW}`,
].join('\n');

let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite({
    '/shop/chair': page(shop),
    '/noindex/shop/': page(`<meta name=robots content=noindex>${shop}`),
    '/about': page(shop),
    '/shop/list.txt': page('a list', { 'content-type': 'text/plain' }),
    '/slow': page(slow),
  });
});
afterAll(async () => {
  await cycle.close();
  await site.close();
});

describe('parse.extract.rules', () => {
  it('extracts values from pages whose URL matches a rule, and from no others', async () => {
    const conf = { 'parse.extract.rules': rules };
    const rows = await crawled(
      { cycle, site },
      'shop',
      ['/shop/chair', '/about', '/shop/list.txt', '/noindex/shop/'],
      conf,
    );
    expect(rows.get('/shop/chair')?.metadata).toEqual({
      name: 'Chair, red',
      markup: 'Chair, <i>red</i>',
      price: '1234.5',
      material: 'oak\tleather',
      picture: `${site.url}/pictures/red.png`,
      items: '2',
    });
    for (const path of ['/about', '/shop/list.txt', '/noindex/shop/']) {
      expect(rows.get(path)).toMatchObject({ status: 'success' });
      expect(rows.get(path)?.metadata).not.toHaveProperty('name');
    }
  });

  it('fails a page that takes longer than parser.timeout and parses the others', async () => {
    const conf = { 'parse.extract.rules': rules, 'parser.timeout': '5' };
    const rows = await crawled({ cycle, site }, 'slow', ['/slow', '/shop/chair'], conf);
    expect(rows.get('/slow')?.status).toBe('parsefilter-extract: timeout: took longer than 5 s (parser.timeout)');
    expect(rows.get('/shop/chair')?.metadata).toMatchObject({ price: '1234.5' });
  });

  it('has no effect without the plugin parsefilter-extract', async () => {
    const conf = { 'parse.extract.rules': rules, 'plugin.excludes': 'parsefilter-extract' };
    const rows = await crawled({ cycle, site }, 'off', ['/shop/chair'], conf);
    expect(rows.get('/shop/chair')?.metadata).toEqual({});
  });
});
