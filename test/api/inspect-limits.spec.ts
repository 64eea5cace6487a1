import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeSeeds } from '../../src/api/crawl/judge-seeds.js';
import { redirectReasons, rulesReasons } from '../../src/api/inspect/fetch-decisions.js';
import { parseConf } from '../../src/core/conf/properties.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';
import { addPages, newCrawl } from './seeded-pages.js';

/** Filters that refuse by a limit or a check, not by a numbered line of a rule file. */

const params = {
  'http.agent.name': 'bot',
  'plugin.includes.also': 'urlfilter-fast',
  'urlfilter.fast.url.max.length': '30',
};
const limit = { number: 0, text: 'urlfilter.fast.url.max.length=30' };
const long = `http://site.test/${'x'.repeat(30)}`;

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
  await request(api.url).post('/config/create').send({ configId: 'c1', params });
  await addPages(api.database, await newCrawl(api.database, 'k1'), [
    { url: `${long}/stored` },
    {
      url: 'http://site.test/',
      status: 2,
      row: { content_type: 'text/html' },
      content: { content: Buffer.from(`<a href="${long}">x</a>`) },
    },
  ]);
});
afterAll(() => api?.close());

const reasons = async (url: string) => {
  const { body } = await request(api.url).post('/v1/inspect/url').send({ url, crawlId: 'k1', confId: 'c1' });
  return (body.fetchable.reasons as { code: string; message: string }[]).map(({ message }) => message);
};

describe('a limit that refuses a URL is named without a rule number', () => {
  it('for the URL', async () => {
    expect(await reasons(long)).toContain(`urlfilter-fast refuses it: ${limit.text}.`);
  });

  it('for a page that GENERATE leaves out', async () => {
    expect(await reasons(`${long}/stored`)).toContain(
      `GENERATE applies normalizers and filters again (generate.filter, scope generate_host_count), and urlfilter-fast refuses it: ${limit.text}.`,
    );
  });

  it('for a link that was dropped', async () => {
    expect(await reasons(long)).toContain(
      `http://site.test/ links to it as ${long}, and the link was dropped, because urlfilter-fast refuses it: ${limit.text}.`,
    );
  });

  it('for a seed', async () => {
    const { refused } = await judgeSeeds([long], parseConf(params).conf, (at) => `seeds[${at}]`);
    expect(refused).toMatchObject([
      { field: 'seeds[0]', message: `seeds[0] is refused by urlfilter-fast, "${limit.text}" (given: "${long}")` },
    ]);
  });

  it('for a URL to fetch, and for its redirect', () => {
    expect(rulesReasons(makeUrlRules(parseConf(params).conf), long)).toMatchObject([
      {
        message: `urlfilter-fast refuses it: ${limit.text}. FETCH applies it only with fetcher.filter.urls.`,
        rule: limit,
      },
    ]);
    const admission = { rejected: 'filter', plugin: 'urlfilter-fast', rule: limit } as const;
    const verdict = { target: long, refused: 'rules', admission } as never;
    expect(redirectReasons('http://a.test/', verdict, 'refused')).toMatchObject([
      { message: `http://a.test/ redirects to ${long}, and urlfilter-fast refuses it: ${limit.text}.`, rule: limit },
    ]);
  });
});
