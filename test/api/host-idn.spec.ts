import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';

/** Non-ASCII hosts are stored as the normalizers wrote them: `urlnormalizer.basic.host.idn` may be toUnicode. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await addPages(api.database, await newCrawl(api.database, 'k1'), [
    { url: 'http://münchen.de/a' },
    { url: 'http://xn--bcher-kva.test/b' },
    { url: 'http://site.test/c' },
  ]);
});
afterAll(() => api?.close());

const get = (path: string) => request(api.url).get(path);
const hostOf = (name: string) => `/v1/hosts/${encodeURIComponent(name)}?crawlId=k1`;
const asked = (field: string, text: string) => `crawlId=k1&${field}=${encodeURIComponent(text)}`;

describe.each([
  ['in Unicode', 'de.münchen', 'http://münchen.de/a', ['münchen.de', 'MÜNCHEN.de', 'xn--mnchen-3ya.de', 'de.münchen']],
  ['in ASCII', 'test.xn--bcher-kva', 'http://xn--bcher-kva.test/b', ['bücher.test', 'xn--bcher-kva.test']],
])('a host stored %s', (_, key, url, names) => {
  it.each(names)('is read by the name %s', async (name) => {
    const { status, body } = await get(hostOf(name));
    expect([status, body.key]).toEqual([200, key]);
  });

  it.each(names)('is changed by the name %s, without a new row', async (name) => {
    const { status, body } = await request(api.url).patch(hostOf(name)).send({ delaySeconds: name.length });
    expect([status, body.key, body.settings.delaySeconds]).toEqual([200, key, name.length]);
    expect(await api.database.query('select host from host')).toHaveLength(3);
  });

  const inUrls = names.filter((name) => name !== key);
  it.each(inUrls)('is matched by the filters host and prefix of /v1/pages with %s', async (name) => {
    for (const query of [asked('host', name), asked('prefix', `http://${name}/`)]) {
      const { body } = await get(`/v1/pages?${query}`);
      expect(body.pages.map((page: { url: string }) => page.url)).toEqual([url]);
    }
  });

  it.each(inUrls)('bounds a range of POST /db as %s', async (name) => {
    const [startKey, endKey] = [`http://${name}/`, `http://${name}/z`];
    const { body } = await request(api.url)
      .post('/db')
      .send({ crawlId: 'k1', startKey, endKey, fields: ['url'] });
    expect(body.values).toEqual([{ url }]);
  });

  it.each(inUrls)('is matched by the filter domain of /v1/hosts with %s', async (name) => {
    const { body } = await get(`/v1/hosts?${asked('domain', name)}`);
    expect(body.hosts.map((host: { key: string }) => host.key)).toEqual([key]);
  });
});

it('the host of a URL prefix is not read as a reversed name', async () => {
  expect((await get(`/v1/pages?${asked('prefix', 'http://de.münchen/')}`)).body.pages).toEqual([]);
  expect((await get(`/v1/pages?${asked('prefix', 'http://test.site/')}`)).body.pages).toEqual([]);
});

it('of two hosts with the same name the one stored in the given spelling is returned', async () => {
  const crawl = await newCrawl(api.database, 'both');
  await addPages(api.database, crawl, [{ url: 'http://münchen.de/' }, { url: 'http://xn--mnchen-3ya.de/' }]);
  for (const name of ['münchen.de', 'xn--mnchen-3ya.de'])
    expect((await get(hostOf(name).replace('k1', 'both'))).body.host).toBe(name);
});
