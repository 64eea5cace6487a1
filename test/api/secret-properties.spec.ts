/** Secrets of the HTTP client in configurations: shown to nobody, repeated in no refusal, lent to no other property. */
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConf } from '../../src/conf/properties.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const create = (configId: string, params: Record<string, unknown>) =>
  request(api.url).post('/config/create').send({ configId, params, force: true });
const put = (id: string, name: string, value: string) =>
  request(api.url).put(`/config/${id}/${name}`).set('content-type', 'text/plain').send(value);
const read = async (path: string) => (await request(api.url).get(path)).text;

const secrets = {
  'http.proxy.password': 'deep-secret',
  'http.auth.rules': 'a.test\t*\tme\tdeep-secret',
  'http.agent.host.cookie.rules': 'a.test\tsid=deep-secret',
};

describe('secrets', () => {
  it('are masked, in the whole and alone, and an empty one is seen to be empty', async () => {
    expect((await create('s1', secrets)).status).toBe(200);
    const shown = JSON.parse(await read('/config/s1')) as Record<string, string>;
    for (const name of Object.keys(secrets)) {
      expect(shown[name]).toBe('********');
      expect(await read(`/config/s1/${name}`)).toContain('********');
    }
    expect((JSON.parse(await read('/config/default')) as Record<string, string>)['http.auth.rules']).toBe('');
    expect((await request(api.url).get('/v1/properties?limit=1000')).text).not.toContain('deep-secret');
  });

  it.each(Object.keys(secrets))('%s is lent to no other property', async (name) => {
    const { conf } = parseConf({
      ...secrets,
      'http.agent.name': `x-\${${name}}`,
      'http.agent.description': `\${${name}}`,
    });
    expect([conf['http.agent.name'], conf['http.agent.description']]).toEqual([`x-\${${name}}`, `\${${name}}`]);
  });
});

describe('rules that cannot be used are a 400 that names property, rule and position, and no secret', () => {
  it.each([
    ['http.auth.rules', 'a.test\t*\tme\tok\nb.test deep-secret', 'http.auth.rules: rule 2, position 1:'],
    ['http.auth.rules', 'a.test\t*\tdeep-secret', 'http.auth.rules: rule 1: a rule has four fields'],
    [
      'http.agent.host.cookie.rules',
      'a.test\tx=1\tdeep-secret',
      'http.agent.host.cookie.rules: rule 1: a rule has two',
    ],
    ['http.agent.rotate.rules', 'ok/1\nk\u00e4fer', 'http.agent.rotate.rules: rule 2, position 1: a name must be'],
    ['http.proxy.password', 'deep-secret\nsecond line', 'Property http.proxy.password cannot be "********"'],
    ['http.proxy.type', 'FTP', 'one of HTTP, SOCKS, SOCKS5, DIRECT'],
    ['http.proxy.host', 'http://proxy.test:3128', 'Property http.proxy.host cannot be'],
    ['http.cookies', 'crawl', 'one of off, task'],
  ])('%s = %j', async (name, value, words) => {
    for (const answer of [await create('s2', { [name]: value }), await put('default', name, value)]) {
      expect(answer.status).toBe(400);
      expect((answer.body as { detail: string }).detail).toContain(words);
      expect(answer.text).not.toContain('deep-secret');
    }
  });

  it('also where they came from a file', async () => {
    await request(api.url).put('/v1/rule-files/auth-bad.txt').set('content-type', 'text/plain').send('a.test only');
    const answer = await create('s3', { 'http.auth.file': 'auth-bad.txt' });
    expect([answer.status, (answer.body as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining('http.auth.file (auth-bad.txt): rule 1'),
    ]);
  });
});

describe('a rule file that holds secrets, whatever its name', () => {
  const content = 'a.test\t*\tme\tdeep-secret\n';

  it.each(['http.agent.rotate.file', 'urlfilter.regex.file'])('cannot be read by naming it in %s', async (name) => {
    await request(api.url).put('/v1/rule-files/staff.txt').set('content-type', 'text/plain').send(content);
    const answer = await create('s4', { [name]: 'staff.txt', 'http.agent.rotate': 'true' });
    expect([answer.status, (answer.body as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining(`${name} (staff.txt): rule 1`),
    ]);
    expect(answer.text).not.toContain('deep-secret');
  });
});
