import { describe, expect, it } from 'vitest';
import { barriers } from './barriers.js';
import { PATIENCE_MS } from '../support/patience.js';
import { call, complaints, db, figures, page, picture, server, show, site } from './stage.js';

/** A failed job in the dashboard: its cure, and "Run again". */

interface Job {
  id: string;
  state: string;
  cure?: { code: string };
  children?: { id: string; type: string; round: number; state: string }[];
}
const stateOf = async (path: string) => (await call<Job>('GET', path)).state;

/** Creates a job and waits until it has ended. */
async function run(path: string, body: object, state = 'FINISHED'): Promise<string> {
  const { id } = await call<Job>('POST', path, body);
  await expect.poll(() => stateOf(`/job/${id}`), { timeout: PATIENCE_MS }).toBe(state);
  return id;
}

/**
 * A crawl whose FETCH failed because http.agent.name was empty, with the page of its seed in an open batch. The API refuses such
 * a crawl on creation, so its end is written directly, as a worker would write it.
 */
async function nameless(crawlId: string): Promise<Job> {
  const params = { 'http.filter.ipaddress.exclude': '', 'fetcher.server.delay': '0', 'http.agent.name': 'bot' };
  await call('POST', '/config/create', { configId: crawlId, force: true, params });
  const seeds = [`${site.url}/a`];
  const of = { crawlId, confId: crawlId };
  await run('/job/create', { ...of, type: 'INJECT', args: { seed: seeds[0] } });
  const generate = await run('/job/create', { ...of, type: 'GENERATE', args: {} });
  const fetch = await run('/job/create', { ...of, type: 'FETCH', args: { batch: 'none' } }, 'FAILED');
  const id = await run('/v1/crawls', { ...of, seeds, scope: 'host', rounds: 1 });
  await db.query(`delete from job where parent = $1 and type = 'GENERATE'`, [id]);
  await db.query(`update job set parent = $1, round = 1 where id in ($2, $3)`, [id, generate, fetch]);
  await db.query(
    `update job set state = 'FAILED', result = result || '{"result": "-1", "reason": "failed", "failure": "AGENT_NAME_MISSING"}'
      where id in ($1, $2)`,
    [id, fetch],
  );
  await setName(crawlId, '');
  return call<Job>('GET', `/v1/crawls/${id}`);
}

async function setName(confId: string, name: string): Promise<void> {
  const headers = { 'content-type': 'text/plain' };
  const answer = await fetch(`${server.url}/config/${confId}/http.agent.name`, {
    method: 'PUT',
    headers,
    body: name || ' ',
  });
  expect(answer.status).toBe(200);
}

describe('a crawl that failed for an empty http.agent.name', () => {
  it('shows the cure, accepts the name, and fetches its pages when it is run again', async () => {
    const { id } = await nameless('nameless');
    await show(`#/crawl?id=${id}`);
    const cure = page.getByRole('region', { name: 'What can be done' });
    await cure.getByText('Say who crawls: set http.agent.name in configuration "nameless"').waitFor();
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await page.evaluate(barriers)).toEqual([]);
      await picture(`cure-${colorScheme}`);
    }
    await page.setViewportSize({ width: 360, height: 740 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
    await picture('cure-narrow');
    await page.setViewportSize({ width: 1280, height: 900 });
    await cure.getByLabel('Name of the crawler').fill('mybot');
    await cure.getByRole('button', { name: 'Set the name' }).click();
    await cure.getByText('The crawler of configuration nameless is called mybot.').waitFor();
    await cure.getByRole('button', { name: `Run again: ${id}` }).click();
    await page.locator('.title .badge.good').waitFor();
    expect(await page.locator('h1').innerText()).not.toBe(id);
    // The page of the seed was still in the batch of the failed crawl.
    expect(await figures()).toMatchObject({ Fetched: '1', Failed: '0', Rounds: '1' });
    await page.getByText('Before the first round').waitFor();
    expect(await cure.count()).toBe(0);
    await picture('cured');
    expect(complaints).toEqual([]);
  });

  it('can be run again from the list and from its failed step', async () => {
    const { id, children } = await nameless('nameless-too');
    const fetch = children!.find(({ type }) => type === 'FETCH')!;
    await show('');
    const card = page.locator('.card.job').filter({ hasText: id });
    await card.getByText('Say who crawls').waitFor();
    await card.getByRole('button', { name: `Run again: ${id}` }).waitFor();
    await picture('cure-list');
    await show(`#/job?id=${fetch.id}`);
    await page.getByRole('button', { name: `Run the crawl again: ${id}` }).click();
    // The name is still empty: the request is refused with a message.
    await page.getByText('Set it with PUT /config/nameless-too/http.agent.name').waitFor();
    await setName('nameless-too', 'bot');
    await page.getByRole('button', { name: `Run the crawl again: ${id}` }).click();
    await expect.poll(() => page.locator('h1').innerText()).toMatch(/^nameless-too-nameless-too-CRAWL-\d+$/);
  });
});

describe('the cure of other jobs', () => {
  it('offers no "Run again" for an unknown batch', async () => {
    const args = { batch: 'no-such-batch' };
    const { id } = await call<Job>('POST', '/job/create', {
      type: 'PARSE',
      crawlId: 'strangers',
      confId: 'loop',
      args,
    });
    await expect.poll(() => stateOf(`/job/${id}`)).toBe('FAILED');
    await show(`#/job?id=${id}`);
    await page.getByText('GET /v1/batches?crawlId=strangers lists them').waitFor();
    expect(await page.getByRole('button', { name: /Run again/ }).count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('links a crawl denied by robots.txt to the inspector; a crawl that fetched a page has no cure', async () => {
    const { id } = await call<Job>('POST', '/v1/crawls', {
      crawlId: 'fine',
      confId: 'loop',
      seeds: [`${site.url}/a`],
      scope: 'host',
      rounds: 1,
    });
    await expect.poll(() => stateOf(`/v1/crawls/${id}`)).toBe('FINISHED');
    expect(await call<Job>('GET', `/v1/crawls/${id}`)).not.toHaveProperty('cure');
    const denied = { crawlId: 'denied', confId: 'loop', seeds: [`${site.url}/private/x`], rounds: 1 };
    const { id: other } = await call<Job>('POST', '/v1/crawls', denied);
    await expect.poll(() => stateOf(`/v1/crawls/${other}`)).toBe('FINISHED');
    await show(`#/crawl?id=${other}`);
    await page.getByText('robots.txt forbids all pages that were tried (1).').waitFor();
    await page
      .getByRole('region', { name: 'What can be done' })
      .getByRole('link', { name: 'Why was a URL (not) fetched?' })
      .click();
    await page.getByRole('form', { name: 'Question' }).waitFor();
    await expect.poll(() => page.getByLabel('Crawl id').inputValue()).toBe('denied');
    expect(complaints).toEqual([]);
  });
});
