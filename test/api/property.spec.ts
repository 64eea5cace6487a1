import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { propertyNames } from '../../src/core/conf/properties.js';
import { namesWithoutMeaning } from '../../src/core/conf/unsupported-properties.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

interface Listed {
  properties: { name: string; description: string; group: string; nutchLine: string | null }[];
  withoutMeaning: { name: string; reason: string }[];
  cursor: string | null;
}

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
});
afterAll(() => api?.close());

const list = async (query: Record<string, string | number> = {}): Promise<Listed> => {
  const answer = await request(api.url).get('/v1/properties').query(query);
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/json']);
  return answer.body as Listed;
};

describe('GET /v1/properties', () => {
  it('returns all properties, sorted by name', async () => {
    const { properties, withoutMeaning, cursor } = await list();
    expect(properties.map(({ name }) => name)).toEqual(propertyNames);
    expect(withoutMeaning.map(({ name }) => name)).toEqual(namesWithoutMeaning);
    expect(cursor).toBeNull();
  });

  it('returns kind, unit, default, range, description and differences of a property', async () => {
    const { properties } = await list({ prefix: 'http.time.limit' });
    expect(properties).toEqual([
      {
        name: 'http.time.limit',
        kind: 'int',
        unit: 's',
        default: '60',
        allowed: 'an integer from -1 to 86400',
        description: 'Longest time of one whole download. -1 or 0: 600 s.',
        group: 'request',
        nutchLine: '1.x',
        differs: { nutch: '-1', here: '60 s', reason: 'a body that trickles would hold its connection forever' },
      },
    ]);
  });

  it('returns the same names as GET /config/default', async () => {
    const shown = (await request(api.url).get('/config/default')).body as Record<string, string>;
    expect(Object.keys(shown).sort()).toEqual(propertyNames);
  });

  it('filters by prefix, words and group', async () => {
    const names = async (query: Record<string, string>) => (await list(query)).properties.map(({ name }) => name);
    expect(await names({ prefix: 'job.' })).toEqual(['job.event.days', 'job.history.days']);
    expect(await names({ q: 'IDNA' })).toEqual(['urlnormalizer.basic.host.idna2008']);
    expect(await names({ group: 'history' })).toEqual(['fetch.history.months', 'job.event.days', 'job.history.days']);
    expect(await names({ prefix: 'no.such' })).toEqual([]);
  });

  it('returns why a property of Nutch has no effect here', async () => {
    const { properties, withoutMeaning } = await list({ prefix: 'ftp.s' });
    expect(properties).toEqual([]);
    expect(withoutMeaning).toEqual([
      { name: 'ftp.server.timeout', reason: expect.stringContaining('a session of its own') },
    ]);
  });

  it('returns every property once when read by cursor', async () => {
    const seen: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: Listed = await list({ limit: 40, ...(cursor === '' ? {} : { cursor }) });
      seen.push(...page.properties.map(({ name }) => name));
      cursor = page.cursor;
    }
    expect(seen).toEqual(propertyNames);
  });

  it.each([
    ['limit', '1001'],
    ['limit', 'many'],
    ['group', 'none'],
    ['prefix', 'x'.repeat(257)],
    ['cursor', 'garbage'],
  ])('%s=%s returns 400 that names the field', async (field, value) => {
    const answer = await request(api.url)
      .get('/v1/properties')
      .query({ [field]: value });
    expect([answer.status, answer.body.code]).toEqual([400, 'FIELDS_INVALID']);
    expect(answer.body.detail).toContain(field);
  });
});

describe('setting a property of Nutch that has no effect here', () => {
  it.each([
    ['ftp.server.timeout', 'a session of its own'],
    ['storage.schema.webpage', 'PostgreSQL'],
    ['plugin.folders', 'PLUGIN_DIR'],
  ])('%s is stored, and a notice says why it has no effect', async (name, why) => {
    const created = await request(api.url)
      .post('/config/create')
      .send({ configId: 'c1', force: true, params: { [name]: 'x' } });
    expect(created.status).toBe(200);
    expect(created.headers['orbweaver-notice']).toContain(`Property ${name} changes nothing here.`);
    expect(created.headers['orbweaver-notice']).toContain(why);
    const set = await request(api.url).put(`/config/c1/${name}`).type('text/plain').send('y');
    expect(set.headers['orbweaver-notice']).toContain(why);
    expect((await request(api.url).get(`/config/c1/${name}`)).text).toBe('y');
  });
});
