import { describe, expect, it } from 'vitest';
import { call, complaints, ended, fillCrawl, form, page, show } from './stage.js';

/** What one click does: it creates one job, and takes nothing away from what the user does next. */

const crawlsOf = async (crawlId: string) =>
  (await call<{ crawls: { id: string }[] }>('GET', `/v1/crawls?crawlId=${crawlId}`)).crawls;

describe('the button that starts a crawl', () => {
  it('repeats its Idempotency-Key after an answer that does not say whether the crawl was created', async () => {
    await show('');
    await fillCrawl('uncertain');
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/crawls', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push((await route.request().allHeaders())['idempotency-key']);
      const answer = await route.fetch();
      if (keys.length === 1) return route.fulfill({ status: 504, body: 'Gateway Timeout' });
      const running = { status: 409, code: 'REQUEST_RUNNING', detail: 'It is still running.' };
      if (keys.length === 2) return route.fulfill({ status: 409, json: running });
      return route.fulfill({ response: answer });
    });
    const start = form().getByRole('button', { name: 'Start crawl' });
    await start.click();
    await form().getByText('The server answered 504.').waitFor();
    await start.click();
    await form().getByText('It is still running.').waitFor();
    await start.click();
    await page.getByRole('heading', { level: 1, name: 'uncertain-loop-CRAWL-' }).waitFor();
    expect(new Set(keys).size).toBe(1);
    expect(await crawlsOf('uncertain')).toHaveLength(1);
    await ended('/v1/crawls', (await crawlsOf('uncertain'))[0]!.id);
  });

  it('does not take a user back who has opened another view before the answer', async () => {
    await show('');
    await fillCrawl('left');
    const answered = Promise.withResolvers<void>();
    await page.route('**/v1/crawls', async (route) => {
      if (route.request().method() === 'POST') await answered.promise;
      return route.continue();
    });
    const posted = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/v1/crawls'),
    );
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await posted;
    await page.getByRole('link', { name: 'Why?', exact: true }).click();
    await page.getByLabel('URL', { exact: true }).fill('https://site.test/typed');
    answered.resolve();
    await expect.poll(() => page.locator('#status').innerText()).toMatch(/^left-loop-CRAWL-\d+ was started\.$/);
    expect(new URL(page.url()).hash).toBe('#/why');
    expect(await page.getByLabel('URL', { exact: true }).inputValue()).toBe('https://site.test/typed');
    await ended('/v1/crawls', (await crawlsOf('left'))[0]!.id);
    expect(complaints).toEqual([]);
  });
});
