import { describe, expect, it } from 'vitest';
import {
  asked,
  call,
  complaints,
  db,
  ended,
  figures,
  fillCrawl,
  form,
  openGate,
  page,
  picture,
  recordOf,
  show,
  shutGate,
  site,
  startCrawl,
  whyOf,
} from './stage.js';

/** The dashboard at `/`: crawls, the form, pages, the inspector. */

describe('a crawl in the dashboard', () => {
  it('is started by the form and shown live until it has ended', async () => {
    await show('');
    await page.locator('.card.job').first().waitFor();
    await picture('start');
    shutGate();
    await fillCrawl('live');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    // All but the two slow pages.
    await expect.poll(figures).toMatchObject({ Fetched: '6', Rounds: '3' });
    await expect.poll(() => page.locator('.title .badge').innerText()).toBe('running');
    await picture('running');
    openGate();
    await page.locator('.title .badge.good').waitFor();
    // Shown together with the state.
    expect(await figures()).toMatchObject({
      Fetched: '8',
      Failed: '2',
      'Not fetched': '0',
      Redirects: '1',
      'Robots denied': '1',
    });
    await expect.poll(() => page.locator('#status').innerText()).toContain('is finished: nothing more is due');
    await expect.poll(() => page.locator('.log li').first().innerText()).toContain('finished: nothing more is due');
    await picture('finished');
    const search = page.getByRole('link', { name: 'Search this crawl' });
    expect(await search.getAttribute('href')).toBe('#/search?crawlId=live');
    expect(complaints).toEqual([]);
  });

  it('is paused and resumed, and updated in the list too', async () => {
    shutGate();
    const { id } = await startCrawl('pausing');
    await show('');
    const card = page.locator('.card.job').filter({ hasText: id });
    await expect
      .poll(() => card.innerText())
      .toMatch(/round \d+, FETCH[^]*6 fetched · 2 failed[^]* 2 waiting · [\d.]+ pages\/s/i);
    await card.getByRole('button', { name: `pause ${id}` }).click();
    await card.getByText('paused', { exact: true }).waitFor();
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.getAttribute('aria-label')))
      .toBe(`resume ${id}`);
    openGate();
    await card.getByRole('link').click();
    await page.locator('.title').getByText('paused', { exact: true }).waitFor();
    await picture('paused');
    await page.getByRole('button', { name: `resume ${id}` }).click();
    await page.locator('.title .badge.good').waitFor();
    expect(complaints).toEqual([]);
  });

  it('is aborted only after confirmation', async () => {
    shutGate();
    const { id } = await startCrawl('aborting');
    await show(`#/crawl?id=${id}`);
    expect(await call('GET', `/v1/crawls/${id}`)).toMatchObject({ state: 'RUNNING' });
    const abort = page.getByRole('button', { name: `abort ${id}` });
    await abort.click();
    await page.getByRole('dialog', { name: 'Abort this job?' }).waitFor();
    await picture('abort');
    await page.keyboard.press('Escape');
    expect(await page.getByRole('dialog').count()).toBe(0);
    // Nor may the dialog stay over another view.
    await abort.click();
    await page.evaluate(() => (location.hash = '#/search'));
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0);
    await page.goBack();
    expect(await call('GET', `/v1/crawls/${id}`)).toMatchObject({ state: 'RUNNING' });
    await abort.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Abort' }).click();
    await page.locator('.title').getByText('aborted', { exact: true }).waitFor();
    openGate();
    expect(complaints).toEqual([]);
  });

  it('shows which of its jobs ran, and what they warned of, before a long log of progress', async () => {
    shutGate();
    const shortId = (job: string) => job.split('-').slice(-2).join('-');
    const { id } = await startCrawl('long');
    const running = () =>
      db.query<{ id: string }>(`select id from job where crawl_id = 'long' and type = 'FETCH' and state = 'RUNNING'`);
    await expect.poll(running).toHaveLength(1);
    const [fetch] = await running();
    await db.query(
      `insert into job_event (job, crawl, time, kind, data)
       select id, crawl, now(), 'warning', '{"message":"a page is odd"}' from job where id = $1`,
      [fetch!.id],
    );
    await db.query(
      `insert into job_event (job, crawl, time, kind, data)
       select id, crawl, now(), 'progress', '{"part":0,"counters":{}}' from job cross join generate_series(1, 500) where id = $1`,
      [fetch!.id],
    );
    await show(`#/crawl?id=${id}`);
    const lines = async () =>
      (await page.locator('.log li').allInnerTexts()).map((line) => line.split('\n').slice(1).join(' '));
    await expect.poll(lines).toContain(`${shortId(fetch!.id)} running`);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^GENERATE-\d+ finished$/),
        `${shortId(id)} running`,
        `${shortId(fetch!.id)} warning: a page is odd`,
      ]),
    );
    openGate();
    await page.locator('.title .badge.good').waitFor();
    // Once each, although the log has them, too.
    await show('');
    await show(`#/crawl?id=${id}`);
    await expect.poll(lines).toContain(`${shortId(id)} finished: nothing more is due`);
    expect((await lines()).filter((line) => line.startsWith(`${shortId(id)} `))).toEqual([
      `${shortId(id)} finished: nothing more is due`,
      `${shortId(id)} running`,
    ]);
  });

  it('is stopped and ends as finished', async () => {
    shutGate();
    const { id } = await startCrawl('stopping');
    await show(`#/crawl?id=${id}`);
    await page.getByRole('button', { name: `stop ${id}` }).click();
    openGate();
    await page.locator('.title').getByText('finished', { exact: true }).waitFor();
    await expect.poll(() => page.locator('.doing').innerText()).toBe('Stopped on request');
  });
});

describe('the form of a new crawl', () => {
  it('shows each error at its field', async () => {
    await show('');
    await fillCrawl('not an id');
    await form().getByLabel('Rounds').fill('many');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await expect.poll(() => page.locator('#new-crawlId-fault').innerText()).toContain('crawlId must be');
    await form().getByLabel('Crawl id').fill('fine');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await expect.poll(() => page.locator('#new-rounds-fault').innerText()).toContain('rounds must be');
    await expect.poll(() => page.locator('#new-crawlId-fault').innerText()).toBe('');
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('new-rounds');
    await picture('problem');
    await form().getByLabel('Rounds').fill('1');
    await form().getByLabel('Seeds').fill('ftp://site.test/\nhttp://169.254.169.254/latest');
    await form().getByLabel('Configuration').selectOption('default');
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await expect
      .poll(() => page.locator('#new-seeds-fault').innerText())
      .toContain('seeds[0] has a scheme that is not crawled');
    await expect.poll(() => page.locator('#new-seeds-fault').innerText()).toContain('seeds[1] leads to an address');
    await expect.poll(() => form().getByLabel('Seeds').getAttribute('aria-invalid')).toBe('true');
  });

  it('suggests the host of the first seed as crawl id, and keeps a typed one', async () => {
    await show('');
    await form().getByLabel('Seeds').fill('https://www.site.test/docs/');
    await expect.poll(() => form().getByLabel('Crawl id').inputValue()).toBe('www.site.test');
    await form().getByLabel('Crawl id').fill('mine');
    await form().getByLabel('Seeds').fill('https://other.test/');
    await expect.poll(() => form().getByLabel('Crawl id').inputValue()).toBe('mine');
  });

  it('asks for index and ranks if they are checked', async () => {
    await show('');
    await fillCrawl('searched');
    const wanted: unknown[] = [];
    await page.route('**/v1/crawls', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      wanted.push(route.request().postDataJSON());
      return route.abort();
    });
    const start = async (): Promise<void> => {
      const count = wanted.length;
      await form().getByRole('button', { name: 'Start crawl' }).click();
      await expect.poll(() => wanted.length).toBeGreaterThan(count);
    };
    await start();
    await form().getByLabel('Index the pages, so that Search finds them').check();
    await form().getByLabel('Rank the pages by their links').check();
    await picture('form');
    await start();
    const plain = { crawlId: 'searched', confId: 'loop', scope: 'host', seeds: [`${site.url}/`] };
    expect(wanted).toEqual([plain, { ...plain, index: true, ranks: true }]);
  });

  it('repeats a request without a response under the same Idempotency-Key, so one crawl is created', async () => {
    await show('');
    await fillCrawl('once');
    const keys: (string | undefined)[] = [];
    await page.route('**/v1/crawls', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      keys.push((await route.request().allHeaders())['idempotency-key']);
      if (keys.length > 1) return route.continue();
      await route.fetch();
      return route.abort();
    });
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await page.getByText('The server does not answer.').first().waitFor();
    await form().getByRole('button', { name: 'Start crawl' }).click();
    await page.locator('.figures').waitFor();
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), keys[0]]);
    expect(await call('GET', '/v1/crawls?crawlId=once')).toMatchObject({ crawls: [{ crawlId: 'once' }], cursor: null });
  });

  it('shows the cure for a missing crawler name and sets it', async () => {
    await call('POST', '/config/create', { configId: 'unnamed', params: {} });
    await show('');
    await form().getByText('Limits and configuration').click();
    await form().getByLabel('Configuration').selectOption('unnamed');
    await form().getByLabel('Name of the crawler').fill('mybot');
    await page.keyboard.press('Enter');
    await page.getByText('The crawler of configuration unnamed is called mybot.').waitFor();
    expect(await call('GET', '/config/unnamed/http.agent.name')).toBe('mybot');
  });

  it('asks for the name of the selected configuration, also if responses arrive late', async () => {
    await call('POST', '/config/create', { configId: 'silent', params: {} });
    const { promise: named, resolve: answerNow } = Promise.withResolvers<void>();
    await page.route('**/config/*/http.agent.name', async (route) => {
      if (route.request().url().includes('/default/')) await named;
      // The page may have aborted the request.
      await route.continue().catch(() => undefined);
    });
    await show('');
    await form().getByText('Limits and configuration').click();
    const isLate = (request: { url: () => string }) => request.url().includes('/default/http.agent.name');
    const over = Promise.race([
      page.waitForEvent('requestfinished', isLate),
      page.waitForEvent('requestfailed', isLate),
    ]);
    await form().getByLabel('Configuration').selectOption('silent');
    await form().getByLabel('Name of the crawler').fill('otherbot');
    answerNow();
    await over;
    await expect.poll(() => form().getByLabel('Name of the crawler').inputValue()).toBe('otherbot');
    await page.getByRole('button', { name: 'Set the name' }).click();
    await page.getByText('The crawler of configuration silent is called otherbot.').waitFor();
  });
});

describe('the inspector in the dashboard', () => {
  it('names the line of robots.txt for a URL from the search box', async () => {
    await show('#/pages?crawlId=strangers');
    await page.getByRole('textbox', { name: /Why was this URL/ }).fill(`${site.url}/private/plans`);
    await page.keyboard.press('Enter');
    await page.locator('.verdict').waitFor();
    const said = await page.locator('main').innerText();
    expect(said).toContain('It is not fetched now.');
    expect(said).toContain('robots.txt line 3: Disallow: /private/');
    expect(said).toContain('Judged by configuration loop.');
    await expect.poll(() => page.locator('.reasons .bad code').first().innerText()).toBe('ROBOTS_DENIED');
    await picture('why');
    expect(complaints).toEqual([]);
  });

  it.each([
    ['a crawl', /\/job\?crawlId=/, () => whyOf('/a').replace('confId=loop&', '')],
    ['a record', /\/job\/strangers-/, () => recordOf('/a')],
  ])('gives no verdict by another configuration if that of %s cannot be read', async (_, read, hash) => {
    await page.route(read, (route) => route.abort());
    await show(hash());
    const fault = page.getByText('The configuration to judge by could not be read: The server does not answer.');
    await fault.waitFor();
    expect(await page.locator('.verdict').count()).toBe(0);
    expect(asked.some(({ pathname }) => pathname === '/v1/inspect/url')).toBe(false);
  });

  it('sends the same question again', async () => {
    await show(whyOf('/a'));
    await page.locator('.verdict').waitFor();
    const questions = () => asked.filter(({ pathname }) => pathname === '/v1/inspect/url').length;
    const before = questions();
    await page.getByRole('form', { name: 'Question' }).getByRole('button', { name: 'Ask' }).click();
    await expect.poll(questions).toBe(before + 1);
  });

  it('shows the normalizer steps, the filter and its rule', async () => {
    await show(whyOf('/a/../b?session=1'));
    await page.locator('.verdict').waitFor();
    const steps = await page.locator('ol.reasons').innerText();
    expect(steps).toMatch(/Normalizer urlnormalizer-basic makes it \S+\/b\?session=1/);
    expect(steps).toMatch(/Filter urlfilter-regex drops it\.\s+rule \d+: -/);
    await picture('why-filter');
  });

  it('fetches robots.txt for a record on demand only', async () => {
    const before = site.log.length;
    await show(recordOf('/a'));
    await page.locator('.verdict').waitFor();
    expect(site.log.length).toBe(before);
    await page.getByRole('button', { name: 'Ask robots.txt too' }).click();
    await page.getByText(/robots.txt allows it/).waitFor();
    expect(complaints).toEqual([]);
  });
});

describe('a link to a URL from a crawled page', () => {
  it.each([
    ['http://site.test/a', 'A'],
    ['HTTPS://site.test/a', 'A'],
    ['javascript:document.title="owned"', 'SPAN'],
    [' javascript:alert(1)', 'SPAN'],
    ['java\nscript:alert(1)//http://', 'SPAN'],
    ['data:text/html,<script>alert(1)</script>', 'SPAN'],
    ['ftp://site.test/a', 'SPAN'],
    ['//site.test/a', 'SPAN'],
    ['httpx://site.test/', 'SPAN'],
  ])('%j becomes an element %s', async (url, name) => {
    await show('');
    const made = await page.evaluate(`import('/dashboard/element.js').then(({ outward }) => {
      const element = outward(${JSON.stringify(url)});
      document.body.append(element);
      if (element.localName === 'span') element.click();
      return [element.tagName, element.getAttribute('href'), element.getAttribute('rel'), element.textContent];
    })`);
    expect(made).toEqual([name, name === 'A' ? url : null, name === 'A' ? 'noopener noreferrer' : null, url]);
    expect(complaints).toEqual([]);
  });
});

describe('the list of pages', () => {
  it('is filtered and continued by cursor', async () => {
    const seed = Array.from({ length: 60 }, (_, n) => `http://site${n % 2}.test/${n}`).join('\n');
    const { id } = await call<{ id: string }>('POST', '/job/create', {
      type: 'INJECT',
      crawlId: 'many',
      confId: 'loop',
      args: { seed },
    });
    await ended('/job', id);
    await show('#/pages?crawlId=many');
    const rows = page.locator('tbody tr');
    await expect.poll(() => rows.count()).toBe(50);
    await page.getByRole('button', { name: 'More' }).click();
    await expect.poll(() => rows.count()).toBe(60);
    expect(await page.getByRole('button', { name: 'More' }).isVisible()).toBe(false);
    await page.getByLabel('Host', { exact: true }).fill('site1.test');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => rows.count()).toBe(30);
    await page.getByLabel('Status').selectOption('db_fetched');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No page is like that.').waitFor();
    await page.getByLabel('URL begins with').fill('http://');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => page.locator('#filter-prefix-fault').innerText()).toContain('prefix must be');
  });
});

describe('a search without a crawl id, if several crawls have an index', () => {
  it('offers the crawls, the one without an id among them', async () => {
    const crawl = { confId: 'loop', seeds: [`${site.url}/b`], scope: 'host', rounds: 1, index: true };
    await ended('/v1/crawls', (await call<{ id: string }>('POST', '/v1/crawls', crawl)).id);
    await show('#/search?q=page');
    await page.getByRole('link', { name: 'the crawl without an id' }).click();
    await page.locator('.hit').first().waitFor();
    expect(await page.locator('.hit h2').allInnerTexts()).toEqual(['Page B']);
    expect(await page.getByRole('link', { name: 'record' }).getAttribute('href')).toContain('crawlId=&');
    await page.getByLabel('Words').fill('nowhere');
    await page.keyboard.press('Enter');
    await page.getByText('Nothing was found.').waitFor();
  });
});
