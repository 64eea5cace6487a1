import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
  const crawl = await newCrawl(api.database, 'k1');
  await addPages(api.database, crawl, [
    { url: 'http://site.test/', status: 2 },
    { url: 'http://site.test/month/1', status: 2 },
    { url: 'http://site.test/month/2', status: 1 },
  ]);
  await api.database.query(
    `insert into url_template (crawl, host, template, added, refused, seen, similar_pages, samples, stopped_at) values
       ($1, 'test.site', '/month/{n}', 20, 7, 12, 11, '{00ff}', now()), ($1, 'test.site', '/item/{n}', 9, 0, 3, 0, '{}', null)`,
    [crawl],
  );
});
afterAll(() => api?.close());

const reasons = async (url: string, params: Record<string, string> = {}) => {
  await request(api.url)
    .post('/config/create')
    .send({ configId: 'c1', force: true, params: { 'http.agent.name': 'bot', ...params } });
  const { body } = await request(api.url).post('/v1/inspect/url').send({ url, crawlId: 'k1', confId: 'c1' });
  return (body.fetchable.reasons as { code: string; message: string; property?: string }[]).filter(({ code }) =>
    ['TRAP', 'TEMPLATE_STOPPED', 'TEMPLATE_BUDGET', 'HOST_BUDGET'].includes(code),
  );
};

describe('POST /v1/inspect/url of a URL under trap budgets', () => {
  it.each([
    ['/month/3', { 'trap.template.similar.after': '10' }, 'TEMPLATE_STOPPED', 'of 12 pages that were read, 11 were'],
    ['/item/3', { 'trap.template.pages': '9' }, 'TEMPLATE_BUDGET', '9 URLs of the template /item/{n} were added'],
    ['/about', { 'trap.host.pages': '3' }, 'HOST_BUDGET', 'Its host has 3 pages: trap.host.pages is 3.'],
  ])('%s with %j is blocked by %s', async (path, params, code, says) => {
    const found = await reasons(`http://site.test${path}`, params);
    expect(found).toMatchObject([{ code, blocks: true, property: Object.keys(params)[0] }]);
    expect(found[0]?.message).toContain(says);
  });

  it.each([
    ['/month/3', {}],
    ['/item/3', { 'trap.template.similar.after': '10', 'trap.template.pages': '10' }],
    ['/about', { 'trap.host.pages': '4' }],
    ['/month/2', { 'trap.template.similar.after': '10' }],
  ])('%s with %j is not blocked', async (path, params) => {
    expect(await reasons(`http://site.test${path}`, params)).toEqual([]);
  });
});

it('POST /v1/inspect/url reports a URL with the shape of a trap and the limit', async () => {
  const [found] = await reasons('http://site.test/calendar/9999/12');
  expect(found).toMatchObject({
    code: 'TRAP',
    plugin: 'urlfilter-trap',
    rule: { number: 6, text: 'trap.calendar.years: a calendar in the year 9999' },
  });
});
