import request from 'supertest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

/** Changes of configurations: the API makes those that are short and plain by itself, all others are heavy requests. */

const none = { atOnce: 0, max: 0, maxPerKey: 0, reserved: 0, seconds: 60 };
/** No heavy request is accepted, so the status of each shows whether it was one. */
const heavyLimits = { compute: none, query: none, network: none, job: none };

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest({ heavyLimits, lightChanges: 1e6 });
});
afterAll(() => api?.close());
afterEach(() => api.database.query('delete from crawl_conf'));

const [light, heavy] = [200, 429];
const create = async (params: object, more: object = {}): Promise<number> =>
  (
    await request(api.url)
      .post('/config/create')
      .send({ configId: 'c1', force: true, params, ...more })
  ).status;
const set = async (property: string, value: string, type = 'text/plain'): Promise<number> =>
  (await request(api.url).put(`/config/c1/${property}`).set('Content-Type', type).send(value)).status;
/** A configuration that is there already. */
const stored = (id: string, params: object) =>
  api.database.query('insert into crawl_conf (id, params) values ($1, $2)', [id, params]);

const rule = { 'urlfilter.regex.rules': '+.' };
const reference = { 'http.agent.name': 'a', 'http.agent.version': '${http.agent.name}' };
const expression = { 'plugin.includes.also': '(indexer-solr){1,900}' };
const many = { 'http.agent.description': 'x'.repeat(5_000) };
const notPlain: [string, object][] = [
  ['rules', rule],
  ['the name of a rule file', { 'urlfilter.regex.file': 'mine.txt' }],
  ['a reference', reference],
  ['an expression that repeats', expression],
  ['a class of signs', { 'plugin.excludes': '[a-z]' }],
  ['an unknown name', { 'http.agent.nam': 'a' }],
  ['an object', { 'http.agent.name': { a: 1 } }],
];

describe('a new configuration', () => {
  it.each<[string, object]>([
    ['nothing', {}],
    ['numbers, flags and names', { 'http.agent.name': 'bot', 'fetcher.server.delay': '0', 'parser.store.text': true }],
    ['lists', { 'http.filter.ipaddress.exclude': '', 'urlmeta.tags': ['a', 'b'] }],
    ['plugins', { 'plugin.includes.also': 'indexer-solr|indexer-csv' }],
  ])('of %s is plain', async (_, params) => expect(await create(params)).toBe(light));

  it.each([...notPlain, ['more than 4 KiB', many] as const])('with %s is not', async (_, params) =>
    expect(await create(params)).toBe(heavy),
  );

  it('is told by what it says, whatever stands before it and however it is written', async () => {
    const send = async (body: string) =>
      (await request(api.url).post('/config/any').set('Content-Type', 'application/json').send(body)).status;
    expect(await send(`\uFEFF${JSON.stringify({ params: {} })}`)).toBe(light);
    expect(await send(`\uFEFF${JSON.stringify({ params: rule })}`)).toBe(heavy);
    expect(await send(String.raw`{"params":{"http.agent.name":"\u0024{http.agent.version}"}}`)).toBe(heavy);
  });

  it.each([...notPlain, ['more than 16 KiB', { 'http.agent.description': 'x'.repeat(17_000) }] as const])(
    'over one with %s is not',
    async (_, params) => {
      await stored('default', params);
      expect(await create({}, { configId: 'c2' })).toBe(heavy);
    },
  );

  it('in place of one that is not plain is not', async () => {
    await stored('7', rule);
    expect([await create({}, { configId: '7' }), await create({}, { configId: 7 })]).toEqual([heavy, heavy]);
  });
});

describe('a value', () => {
  it.each([
    ['as text', 'bot', 'text/plain'],
    ['as JSON', '"bot"', 'application/json'],
    ['of a form', 'value=bot', 'application/x-www-form-urlencoded'],
  ])('%s is plain', async (_, value, type) => {
    await stored('c1', { 'fetcher.server.delay': '0' });
    expect(await set('http.agent.name', value, type)).toBe(light);
  });

  it.each([
    ['a reference', 'http.agent.name', '${http.agent.version}', 'text/plain'],
    [
      'a reference in a form',
      'http.agent.name',
      'value=%24%7Bhttp.agent.version%7D',
      'application/x-www-form-urlencoded',
    ],
    ['a reference in JSON', 'http.agent.name', String.raw`"\u0024{http.agent.version}"`, 'application/json'],
    ['rules', 'urlfilter.regex.rules', 'nothing', 'text/plain'],
    ['an unknown name', 'http.agent.nam', 'bot', 'text/plain'],
    ['more than 4 KiB', 'http.agent.description', 'x'.repeat(5_000), 'text/plain'],
  ])('with %s is not', async (_, property, value, type) => {
    await stored('c1', {});
    expect(await set(property, value, type)).toBe(heavy);
  });

  it.each(notPlain)('in a configuration with %s is not', async (_, params) => {
    await stored('c1', params);
    expect(await set('fetcher.server.delay', '1')).toBe(heavy);
  });

  it('of an unknown configuration is refused', async () => expect(await set('http.agent.name', 'bot')).toBe(400));
});

it('of one client, only some a second are made by the API', async () => {
  const limited = await apiUnderTest({ heavyLimits, lightChanges: 0.001 }, api.database);
  try {
    await stored('c1', {});
    const change = async () =>
      (await request(limited.url).put('/config/c1/http.agent.name').set('Content-Type', 'text/plain').send('bot'))
        .status;
    expect([await change(), await change()]).toEqual([light, heavy]);
  } finally {
    await limited.close();
  }
});

it('a job of a configuration with rules is not short for a byte order mark', async () => {
  await stored('c1', { 'http.agent.name': 'bot', ...rule });
  const send = async (body: string) =>
    (await request(api.url).post('/job/create').set('Content-Type', 'application/json').send(body)).status;
  const job = JSON.stringify({ type: 'GENERATE', crawlId: 'k', confId: 'c1' });
  expect([await send(job), await send(`\uFEFF${job}`)]).toEqual([heavy, heavy]);
});
