import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const create = (configId: string) => request(api.url).post('/config/create').send({ configId }).expect(200);

describe('PUT /config/{id}/{property}', () => {
  const put = (path: string) => request(api.url).put(`/config/default/${path}`);

  it.each([
    ['a text body (1.x)', 'text/plain', 'bot one', 'bot one'],
    ['a form field (2.x)', 'application/x-www-form-urlencoded', 'value=bot+two', 'bot two'],
    ['a JSON text', 'application/json', '"bot three"', 'bot three'],
    ['a JSON object with value', 'application/json', '{"value":"bot four"}', 'bot four'],
    ['a text body with its charset', 'text/plain; charset=UTF-8', 'bot five', 'bot five'],
    ['a text body in the charset of Java', 'text/plain; charset=ISO-8859-1', 'bot six', 'bot six'],
  ])('accepts %s', async (_, type, body, value) => {
    const answer = await put('http.agent.name').set('Content-Type', type).send(body);
    expect([answer.status, answer.text]).toEqual([200, '']);
    const shown = await request(api.url).get('/config/default/http.agent.name');
    expect([shown.text, shown.headers['content-type']]).toEqual([value, 'text/plain']);
  });

  it('stores an empty text as an empty value', async () => {
    expect((await put('http.agent.url').set('Content-Type', 'text/plain').send('')).status).toBe(200);
  });

  it.each([
    ['application/x-www-form-urlencoded', 'other=1', 400, 'VALUE_MISSING'],
    ['application/x-www-form-urlencoded', 'value=bot&value=other', 400, 'BODY_REFUSED'],
    ['application/x-www-form-urlencoded', 'value=https://a.test/?b=1&c=2', 400, 'BODY_REFUSED'],
    ['application/json', '', 400, 'VALUE_MISSING'],
    ['application/json', '{', 400, 'BODY_NOT_JSON'],
    ['text/plain', 'a\0b', 400, 'BODY_REFUSED'],
    ['image/png', 'x', 415, 'MEDIA_TYPE_UNSUPPORTED'],
  ])('%s with body %j returns %i %s', async (type, body, status, code) => {
    const answer = await put('http.agent.name').set('Content-Type', type).send(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('quotes a body that is no JSON as it was sent (M6)', async () => {
    const { body } = await put('http.agent.name').set('Content-Type', 'application/json').send('bot');
    expect(body.detail).toBe(`The body cannot be read as JSON: Unexpected token 'b', "bot" is not valid JSON.`);
  });

  it('names the property of which the value is missing', async () => {
    const { body } = await put('http.agent.name').type('form').send('other=1');
    expect(body.message).toBe('Missing property value! Send the value of "http.agent.name" as the body.');
  });

  it('refuses an invalid value and keeps the old one', async () => {
    const answer = await put('fetcher.threads.fetch').set('Content-Type', 'text/plain').send('0');
    expect(answer.status).toBe(400);
    expect(answer.body.errors).toEqual([
      { field: 'fetcher.threads.fetch', message: 'takes an integer from 1 to 1000' },
    ]);
    expect((await request(api.url).get('/config/default/fetcher.threads.fetch')).text).toBe('10');
  });

  it('returns 400 with the message of 1.x for an unknown configuration', async () => {
    const answer = await request(api.url).put('/config/c9/http.agent.name').set('Content-Type', 'text/plain').send('x');
    expect([answer.status, answer.body.message]).toEqual([400, "Unknown configId 'c9'"]);
    expect(answer.body.errors).toEqual([{ field: 'id', message: "Unknown configId 'c9'" }]);
  });

  it('does not change another configuration', async () => {
    await create('apart');
    await request(api.url).put('/config/apart/http.agent.name').set('Content-Type', 'text/plain').send('alone');
    expect((await request(api.url).get('/config/default/http.agent.name')).text).not.toBe('alone');
  });
});

describe('the size of a configuration', () => {
  it('is limited to 16 Mi characters over all values', async () => {
    await create('grown');
    const put = (n: number) =>
      request(api.url).put(`/config/grown/my.${n}`).set('Content-Type', 'text/plain').send('x'.repeat(1_040_000));
    expect((await put(0)).status).toBe(200);
    // As put one by one: each of them would write all before it once more.
    await api.database.query(
      `update crawl_conf set updated_at = now(), params = params ||
         (select jsonb_object_agg('my.' || n, repeat('x', 1040000)) from generate_series(1, 14) n) where id = 'grown'`,
    );
    expect((await put(15)).status).toBe(200);
    const answer = await put(16);
    expect([answer.status, answer.body.code]).toEqual([400, 'CONFIG_INVALID']);
    expect(answer.body.detail).toMatch(/may have 16777216 characters together, not \d+\.$/);
    // It is now read in a process beside the API, and is complete.
    expect((await request(api.url).get('/config/grown/my.0')).text).toHaveLength(1_040_000);
    await request(api.url).delete('/config/grown').expect(200);
  });
});
