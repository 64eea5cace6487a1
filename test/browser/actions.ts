import { describe, expect, it } from 'vitest';
import {
  asked,
  call,
  complaints,
  ended,
  fillCrawl,
  form,
  openGate,
  page,
  show,
  shutGate,
  startCrawl,
} from './stage.js';

/** What one click does: it creates one job, and takes nothing away from what the user does next. */

const crawlsOf = async (crawlId: string) =>
  (await call<{ crawls: { id: string }[] }>('GET', `/v1/crawls?crawlId=${crawlId}`)).crawls;

describe('the button that starts a crawl', () => {
  it('sends each of several URLs that were pasted in one line', async () => {
    await show('');
    await form().getByLabel('Seeds').fill('https://a.test/ HTTPS://b.test/x\tkey=value\nhttps://c.test/');
    await page.route('**/v1/crawls', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    const posted = page.waitForRequest(
      (request) => request.method() === 'POST' && request.url().endsWith('/v1/crawls'),
    );
    await form().getByRole('button', { name: 'Start crawl' }).click();
    const { seeds } = (await posted).postDataJSON() as { seeds: string[] };
    expect(seeds).toEqual(['https://a.test/', 'HTTPS://b.test/x\tkey=value', 'https://c.test/']);
  });

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

describe('a double click on an action of a crawl', () => {
  it('acts once: its second click does not press the button that replaced the first', async () => {
    shutGate();
    const { id } = await startCrawl('twice');
    await show('');
    const card = page.locator('.card.job').filter({ hasText: id });
    const pause = (await card.getByRole('button', { name: `pause ${id}` }).boundingBox())!;
    const click = async (clickCount: number) => {
      await page.mouse.move(pause.x + 9, pause.y + 9);
      await page.mouse.down({ clickCount });
      await page.mouse.up({ clickCount });
    };
    await click(1);
    await card.getByRole('button', { name: `resume ${id}` }).waitFor();
    await click(2);
    await card.getByRole('button', { name: `stop ${id}` }).dblclick();
    await expect.poll(() => page.locator('#status').innerText()).toBe(`${id} is being stopped.`);
    const actions = asked.filter(({ pathname }) => pathname.startsWith(`/v1/crawls/${id}/`));
    expect(actions.map(({ pathname }) => pathname.split('/').at(-1))).toEqual(['pause', 'stop']);
    openGate();
    await ended('/v1/crawls', id);
  });
});

describe('the view of a running job', () => {
  it('keeps the focus on its links while its facts change', async () => {
    shutGate();
    const { id } = await startCrawl('focused');
    const fetching = async () =>
      (
        await call<{ children: { id: string; type: string; state: string }[] }>('GET', `/v1/crawls/${id}`)
      ).children.find(({ type, state }) => type === 'FETCH' && state === 'RUNNING');
    await expect.poll(fetching).toBeDefined();
    const { id: job } = (await fetching())!;
    await show(`#/job?id=${job}`);
    const link = page.getByRole('link', { name: id });
    await link.focus();
    await call('POST', `/v1/crawls/${id}/pause`);
    await page.locator('.title').getByText('paused', { exact: true }).waitFor();
    expect(await link.evaluate((element) => element === document.activeElement)).toBe(true);
    await call('POST', `/v1/crawls/${id}/resume`);
    openGate();
    await page.locator('.title .badge.good').waitFor();
    await ended('/v1/crawls', id);
  });
});
