import type { OpenAPIObject } from '@nestjs/swagger';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiInOneProcess, nameCrawler } from './api-under-test.js';
import { addressOf, routesOf } from './route-table.js';
import { addPages, newCrawl } from './seeded-pages.js';

/** Unknown parameters and fields have no effect, and a header of the response names them. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
  await nameCrawler(api);
  await addPages(api.database, await newCrawl(api.database, 'k1'), [{ url: 'http://a.test/' }]);
});
afterAll(() => api?.close());

const get = (path: string) => request(api.url).get(path);
const said = (answer: { headers: Record<string, string> }) => answer.headers['orbweaver-notice'];

describe('a query parameter that is given twice', () => {
  it.each([
    ['/search?q=a&q=b', 'q'],
    ['/v1/pages?crawlId=k1&crawlId=k2', 'crawlId'],
    ['/v1/hosts?crawlId=k1&limit=1&limit=2', 'limit'],
    ['/v1/search?q=a&explain=true&explain=false', 'explain'],
    ['/v1/crawls/k1/pages?limit=1&limit=1', 'limit'],
    ['/v1/crawls/k1/events?after=1&after=2', 'after'],
  ])('returns 400 and says so: %s', async (path, name) => {
    const { status, body } = await get(path);
    const message = `${name} is given 2 times; give it once`;
    expect([status, body.code, body.detail]).toEqual([400, 'FIELDS_INVALID', `${message}.`]);
    expect(body.errors).toEqual([{ field: name, message }]);
  });
});

describe('an unknown query parameter', () => {
  it.each([
    [
      '/v1/pages?crawlId=k1&statu=db_gone',
      'Query parameter "statu" is not known here and changes nothing; the nearest is status.',
    ],
    ['/v1/crawls/k1/pages?crawlid=k1', 'Query parameter "crawlid" is not known here and changes nothing.'],
    [
      '/v1/hosts?crawlId=k1&limt=5',
      'Query parameter "limt" is not known here and changes nothing; the nearest is limit.',
    ],
    ['/v1/hosts/a.test?crawlId=k1&conf=x', 'Query parameter "conf" is not known here and changes nothing'],
    ['/v1/batches?crawlId=k1&a%22%0Ab=1', 'Query parameter "a\\"\\nb" is not known here and changes nothing.'],
    [
      '/v1/properties?group=trap&groups=1',
      'Query parameter "groups" is not known here and changes nothing; the nearest is group.',
    ],
  ])('is named in a notice: %s', async (path, sentence) => {
    const answer = await get(path);
    expect(answer.status).toBe(200);
    expect(said(answer)).toContain(sentence);
  });

  it('is counted if there are more than a notice names', async () => {
    const names = Array.from({ length: 23 }, (_, n) => `x${n}`);
    const notice = said(await get(`/v1/pages?crawlId=k1&${names.map((name) => `${name}=1`).join('&')}`));
    expect(notice).toContain('Query parameter "x19" is not known');
    expect(notice).not.toContain('x20');
    expect(notice).toMatch(/\. Further unknown query parameters: 3\.$/);
  });

  it('is named on every GET under /v1 except events', async () => {
    const routes = routesOf((await get('/openapi.json')).body as OpenAPIObject).filter(
      ({ method, path }) => method === 'GET' && path.startsWith('/v1/') && !path.endsWith('/events'),
    );
    expect(routes.length).toBeGreaterThan(10);
    for (const route of routes) {
      const answer = await get(`${addressOf(route, {})}?no-such-parameter=1`);
      expect([route.path, said(answer)]).toEqual([
        route.path,
        expect.stringContaining('"no-such-parameter" is not known'),
      ]);
    }
  });

  it('is read once however often it is given', async () => {
    const answer = await get('/v1/pages?crawlId=k1&statu=a&statu=b');
    expect([answer.status, said(answer)]).toEqual([200, expect.stringContaining('"statu" is not known')]);
  });

  it('precedes other warnings in the header, and at most 20 are named', async () => {
    const many = Array.from({ length: 50 }, (_, at) => `p${at}=1`).join('&');
    const notice = said(await get(`/v1/pages?crawlId=k1&${many}`))!;
    expect(notice).toContain('"p19"');
    expect(notice).not.toContain('"p20"');
    const crawl = await request(api.url)
      .post('/v1/crawls?dry=1')
      .send({ crawlId: 'k2', seeds: ['http://a.test/', 'ftp://b.test/'] });
    expect(said(crawl)).toMatch(/^Query parameter "dry" is not known .* seeds\[1\] has a scheme/);
  });

  it('is not named on routes of NutchServer unless it is a likely typo, and a known one is not named at all', async () => {
    expect(said(await get('/job?nothing=1'))).toBeUndefined();
    expect(said(await get('/job?crawlID=k1'))).toContain(
      '"crawlID" is not known here and changes nothing; the nearest is crawlId.',
    );
    expect(said(await get('/job?crawlId=k1&crawlID=k1'))).toBeUndefined();
    expect(said(await get('/v1/pages?crawlId=k1&status=db_gone'))).toBeUndefined();
  });
});

describe('an unknown field of a body', () => {
  it.each<[string, object, string[]]>([
    [
      '/v1/crawls',
      { crawlId: 'k3', seeds: ['http://a.test/'], topn: 5 },
      ['"topn" is not known here and changes nothing; the nearest is topN.'],
    ],
    ['/v1/inspect/url', { url: 'http://a.test/', conf: 'x' }, ['"conf" is not known here']],
    ['/v1/inspect/robots', { url: '/', agent: 'a', robotsTxt: '', Agent: 'b' }, ['"Agent" is not known here']],
  ])('of POST %s is named in a notice', async (path, body, sentences) => {
    const answer = await request(api.url).post(path).send(body);
    expect(answer.status).toBe(200);
    for (const sentence of sentences) expect(said(answer)).toContain(`Field ${sentence}`);
    expect(said(answer)!.match(/is not known/g)).toHaveLength(1);
  });

  it.each<[string, object, string]>([
    [
      '/config/create',
      { configId: 'typo', param: {} },
      '"param" is not known here and changes nothing; the nearest is params.',
    ],
    [
      '/job/create',
      { crawlid: 'k1', type: 'READDB', args: {} },
      '"crawlid" is not known here and changes nothing; the nearest is crawlId.',
    ],
    [
      '/seed/create',
      { Name: 'typo', seedUrls: [] },
      '"Name" is not known here and changes nothing; the nearest is name.',
    ],
    [
      '/db/crawldb',
      { crawlId: 'k1', confid: 'c', type: 'stats' },
      '"confid" is not known here and changes nothing; the nearest is confId.',
    ],
  ])('of POST %s, a call of NutchServer, is named if it is a likely typo', async (path, body, sentence) => {
    const answer = await request(api.url).post(path).send(body);
    expect([answer.status, said(answer)]).toEqual([200, `Field ${sentence}`]);
  });

  it('that clients of NutchServer send with another call is not named', async () => {
    const body = {
      id: 'x',
      crawlId: 'k1',
      confId: 'default',
      type: 'READDB',
      args: {},
      result: null,
      state: null,
      msg: null,
    };
    const answer = await request(api.url).post('/job/create').send(body);
    expect([answer.status, said(answer)]).toEqual([200, undefined]);
  });

  it('of PATCH /v1/hosts/{host} is named next to a known one', async () => {
    const answer = await request(api.url).patch('/v1/hosts/a.test?crawlId=k1').send({ drain: false, delay: 5 });
    expect([answer.status, said(answer)]).toEqual([200, expect.stringContaining('Field "delay" is not known here')]);
  });

  it('is named with the path of its object', async () => {
    const page = { status: 'db_unfetched', fetchTim: 1 };
    const answer = await request(api.url)
      .post('/v1/inspect/schedule')
      .send({ page, outcome: { fetch: 'success' } });
    expect(said(answer)).toContain(
      'Field "page.fetchTim" is not known here and changes nothing; the nearest is fetchTime.',
    );
  });

  it.each<[string, object, string]>([
    ['/v1/crawls', { crawlId: 'k4', urls: ['http://a.test/'] }, '"urls"'],
    ['/v1/inspect/url', { uri: 'http://a.test/' }, '"uri"'],
  ])('that refuses the request, POST %s, is named in the problem too', async (path, body, name) => {
    const answer = await request(api.url).post(path).send(body);
    expect([answer.status, answer.body.notice]).toEqual([400, said(answer)]);
    expect(answer.body.notice).toContain(`Field ${name} is not known here`);
  });
});

describe('an unknown property', () => {
  it('is not named if a known one refers to it (M6)', async () => {
    const params = { 'my.name': 'my${my.end}', 'my.end': 'bot', 'my.other': 'x', 'http.agent.name': '${my.name}' };
    const created = await request(api.url).post('/config/create').send({ configId: 'refers', params });
    expect(said(created)).toBe('Property my.other is not known and changes nothing here.');
    const put = (name: string) => request(api.url).put(`/config/refers/${name}`).type('text/plain').send('two');
    expect(said(await put('my.end'))).toBeUndefined();
    expect(said(await put('my.other'))).toContain('my.other is not known');
    expect((await get('/config/refers')).body['http.agent.name']).toBe('mytwo');
  });
});
