import { describe, expect, it } from 'vitest';
import { call, complaints, hostileTitle, page, picture, searchOf, show, site } from './stage.js';

/** The search page of the dashboard: hits, snippets, explanations and keyboard. */

const hits = () => page.locator('.hit h2').allInnerTexts();
const found = async (q: string) => {
  await show(searchOf(q));
  await page.locator('.hit').first().waitFor();
};

describe('a search in the dashboard', () => {
  it('shows the pages with the typed words, which are marked', async () => {
    await show('#/search');
    await page.getByLabel('Crawl id').fill('strangers');
    await page.getByLabel('Words').fill('front');
    await page.keyboard.press('Enter');
    await page.locator('.hit').first().waitFor();
    expect(await hits()).toEqual(['The front page']);
    expect(await page.locator('.hit mark').first().innerText()).toBe('front');
    expect(await page.locator('.hit h2 a').getAttribute('href')).toBe(`${site.url}/`);
    await picture('search');
    expect(complaints).toEqual([]);
  });

  it('without a crawl id searches the only crawl with an index', async () => {
    await show('#/search?q=front');
    await page.locator('.hit').first().waitFor();
    expect(await page.getByRole('link', { name: 'record' }).getAttribute('href')).toContain('crawlId=strangers');
  });

  it('shows a title with a script as text', async () => {
    await found('owned');
    expect(await hits()).toEqual([hostileTitle]);
    expect(complaints).toEqual([]);
  });

  it('without hits says so', async () => {
    await show(searchOf('nowhere'));
    await page.getByText('Nothing was found.').waitFor();
  });

  it('offers to index the pages of a crawl without an index', async () => {
    const seeds = [`${site.url}/a/1`];
    await call('POST', '/v1/crawls', { crawlId: 'unsearched', confId: 'loop', seeds, limit: 1 });
    const wanted: unknown[] = [];
    await page.route('**/job/create', async (route) => {
      wanted.push(route.request().postDataJSON());
      await route.abort();
    });
    await show(`#/search?${new URLSearchParams({ q: 'front', crawlId: 'unsearched' })}`);
    await page.getByRole('button', { name: 'Index the pages of this crawl' }).click();
    await page.getByText('The server does not answer.').first().waitFor();
    await picture('search-unindexed');
    expect(wanted).toEqual([{ type: 'INDEX', crawlId: 'unsearched', confId: 'loop', args: { batch: '-all' } }]);
    await show(searchOf('nowhere'));
    await page.getByText('Nothing was found.').waitFor();
    expect(await page.getByRole('button', { name: 'Index the pages of this crawl' }).count()).toBe(0);
  });

  it('suggests another spelling', async () => {
    await show(searchOf('pgae'));
    await page.getByRole('link', { name: 'page', exact: true }).click();
    await page.locator('.hit').first().waitFor();
    expect(await page.getByLabel('Words').inputValue()).toBe('page');
  });
});

describe('a hit of a search', () => {
  it('links to its record and to the inspector', async () => {
    await found('front');
    await page.locator('.hit').getByRole('link', { name: 'record' }).click();
    await page.getByRole('heading', { name: 'What is known' }).waitFor();
    await page.goBack();
    await page.locator('.hit').getByRole('link', { name: 'why?' }).click();
    await page.locator('.verdict').waitFor();
  });

  it.each([
    [1, '1 near duplicate'],
    [2, '2 near duplicates'],
  ])('says how many near duplicates it has, which are hidden: %i', async (duplicates, text) => {
    await page.route('**/v1/search?*', async (route) => {
      const response = await route.fetch();
      const found = (await response.json()) as { hits: object[] };
      const hits = found.hits.map((hit) => ({ ...hit, duplicates }));
      await route.fulfill({ response, json: { ...found, hits, total: 1 + duplicates } });
    });
    await found('front');
    await page.getByText(`and ${text}`, { exact: true }).waitFor();
    await page.getByText(`1 of ${1 + duplicates} pages, ${text} hidden`, { exact: true }).waitFor();
    await page.unroute('**/v1/search?*');
  });

  it('leads to its near duplicates and back', async () => {
    const asked: (string | null)[] = [];
    await page.route('**/v1/search?*', async (route) => {
      asked.push(new URL(route.request().url()).searchParams.get('collapse'));
      const response = await route.fetch();
      const found = (await response.json()) as { hits: object[] };
      const duplicates = asked.at(-1) === 'false' ? 0 : 1;
      await route.fulfill({ response, json: { ...found, hits: found.hits.map((hit) => ({ ...hit, duplicates })) } });
    });
    await found('front');
    await page.getByRole('link', { name: 'and 1 near duplicate' }).click();
    await page.getByRole('link', { name: 'Hide them' }).click();
    await page.getByRole('link', { name: 'and 1 near duplicate' }).waitFor();
    expect(asked).toEqual([null, 'false', null]);
    await page.unroute('**/v1/search?*');
  });

  it('shows the explanation of its score as bars', async () => {
    await found('front');
    await page.locator('.explanation > summary').click();
    await page.locator('.explanation meter').first().waitFor();
    expect(await page.locator('.explanation').innerText()).toContain('title coverage');
    await picture('search-explained');
  });
});

describe('facets of a search', () => {
  it('add a filter to the query and remove it again', async () => {
    await found('page');
    const all = (await hits()).length;
    const type = page.getByRole('complementary', { name: 'Narrow down' }).getByRole('link', { name: 'text/html' });
    await type.click();
    await page.locator('.facets a[aria-current]').waitFor();
    expect(await page.getByLabel('Words').inputValue()).toBe('page type:text/html');
    expect((await hits()).length).toBe(all);
    await type.click();
    await expect.poll(() => page.getByLabel('Words').inputValue()).toBe('page');
  });
});

describe('the keyboard on the search page', () => {
  it('/ focuses the words, arrow keys move between hits', async () => {
    await found('page');
    await page.locator('h1').focus();
    await page.keyboard.press('/');
    const focused = () => page.evaluate(() => document.activeElement?.id || document.activeElement?.textContent);
    expect(await focused()).toBe('search-q');
    const titles = await hits();
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(titles[0]);
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe(titles[1]);
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('search-q');
  });
});
