import { createHash } from 'node:crypto';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfStore } from '../../src/conf/conf.store.js';
import type { Scope } from '../../src/conf/credentials.js';
import { MAX_RULE_FILE_BYTES } from '../../src/conf/rule-file.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const put = (name: string, content: string, type = 'text/plain') =>
  request(api.url).put(`/v1/rule-files/${name}`).set('Content-Type', type).send(content);
const createConf = (configId: string, params: object) =>
  request(api.url).post('/config/create').send({ configId, params, force: true });
const createJob = (confId: string) => request(api.url).post('/job/create').send({ type: 'GENERATE', confId, args: {} });
const verdict = async (confId: string, url: string) =>
  (await request(api.url).post('/v1/inspect/url').send({ url, confId })).body as {
    accepted: boolean;
    decidedBy: { plugin: string; rule: { number: number; text: string } } | null;
  };

describe('a rule file', () => {
  it('is stored, read, listed and deleted', async () => {
    const content = '# mine\n+^http://a\\.test/\n-.\n';
    const stored = await put('mine.txt', content);
    expect([stored.status, stored.body]).toMatchObject([200, { name: 'mine.txt', size: 28, property: null }]);
    const read = await request(api.url).get('/v1/rule-files/mine.txt');
    expect([read.headers['content-type'], read.text]).toEqual(['text/plain', content]);
    const listed = await request(api.url).get('/v1/rule-files');
    expect(listed.body).toMatchObject({ ruleFiles: [{ name: 'mine.txt' }], cursor: null });
    expect((await request(api.url).delete('/v1/rule-files/mine.txt')).status).toBe(200);
    expect((await request(api.url).get('/v1/rule-files/mine.txt')).body).toMatchObject({ code: 'RULE_FILE_UNKNOWN' });
    expect((await request(api.url).delete('/v1/rule-files/mine.txt')).status).toBe(404);
  });

  it('is listed by cursor and limit', async () => {
    for (const name of ['p1', 'p2', 'p3']) await put(name, '+.');
    const first = await request(api.url).get('/v1/rule-files?limit=2&cursor=p0');
    expect(first.body).toMatchObject({ ruleFiles: [{ name: 'p1' }, { name: 'p2' }], cursor: 'p2' });
    const second = await request(api.url).get('/v1/rule-files?limit=2&cursor=p2');
    expect(second.body).toMatchObject({ ruleFiles: [{ name: 'p3' }], cursor: null });
    for (const name of ['p1', 'p2', 'p3']) await request(api.url).delete(`/v1/rule-files/${name}`);
  });

  it.each([
    ['an empty body', 'a.txt', '', 'text/plain', 400, 'RULE_FILE_EMPTY'],
    ['NUL', 'a.txt', 'a\0b', 'text/plain', 400, 'BODY_REFUSED'],
    ['a form', 'a.txt', 'a=b', 'application/x-www-form-urlencoded', 415, 'MEDIA_TYPE_UNSUPPORTED'],
    ['a name that is no id', '..%2Fx', '+.', 'text/plain', 400, 'FIELDS_INVALID'],
    ['more than 2 MiB', 'a.txt', 'x'.repeat(MAX_RULE_FILE_BYTES + 1), 'text/plain', 413, 'BODY_TOO_LARGE'],
    ['a bad rule under a known name', 'regex-urlfilter.txt', '+ok\n-(a)\\1', 'text/plain', 400, 'RULE_FILE_INVALID'],
    ['a type without a name', 'contenttype-mapping.txt', 'text/html', 'text/plain', 400, 'RULE_FILE_INVALID'],
    ['bad XML', 'regex-normalize.xml', '<regex-normalize><no/>', 'text/plain', 400, 'RULE_FILE_INVALID'],
  ])('with %s is refused', async (_, name, content, type, status, code) => {
    const answer = await put(name, content, type);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  it('is refused with the number of the rule, the position and the reason', async () => {
    const { body } = await put('regex-urlfilter.txt', '+ok\n-(a)\\1');
    const why = 'urlfilter.regex.rules: rule 2, position 5: back-reference \\1 cannot run in linear time (-(a)\\1)';
    expect([body.detail, body.errors]).toEqual([
      `Rule file "regex-urlfilter.txt" is refused: ${why}`,
      [{ field: '', message: why }],
    ]);
  });
});

it('another rule file beside 1000 is refused with 409 TOO_MANY_RULE_FILES; one of them may still be replaced', async () => {
  await api.database.query(
    `insert into rule_file (name, content) select 'many' || n, '+.'
       from generate_series(1, 1000 - (select count(*)::int from rule_file)) n`,
  );
  const more = await put('more.txt', '+.');
  expect([more.status, more.body.code]).toEqual([409, 'TOO_MANY_RULE_FILES']);
  expect(more.body.detail).toContain('1000 rule files already; delete one');
  expect((await put('many1', '-.')).status).toBe(200);
  await api.database.query(`delete from rule_file where name like 'many%'`);
});

describe('a configuration that names a rule file', () => {
  it('applies its rules', async () => {
    await put('site.txt', '# first\n-/private\n+^http://a\\.test/');
    expect((await createConf('r1', { 'urlfilter.regex.file': 'site.txt' })).status).toBe(200);
    expect(await verdict('r1', 'http://a.test/x?y=1')).toMatchObject({ accepted: true });
    expect(await verdict('r1', 'http://a.test/private')).toMatchObject({
      accepted: false,
      decidedBy: { plugin: 'urlfilter-regex', rule: { number: 1, text: '-/private' } },
    });
  });

  it('prefers inline rules', async () => {
    await put('site.txt', '-.');
    await createConf('r2', { 'urlfilter.regex.file': 'site.txt', 'urlfilter.regex.rules': '+.' });
    expect(await verdict('r2', 'http://a.test/?')).toMatchObject({ accepted: true });
  });

  it('uses a stored file of the default name, else the shipped rules', async () => {
    expect(await verdict('default', 'http://a.test/?x')).toMatchObject({ accepted: false });
    await put('regex-urlfilter.txt', '+.');
    expect(await verdict('default', 'http://a.test/?x')).toMatchObject({ accepted: true });
    await request(api.url).delete('/v1/rule-files/regex-urlfilter.txt');
    expect(await verdict('default', 'http://a.test/?x')).toMatchObject({ accepted: false });
  });

  it('reads an XML file of normalizer rules for one scope', async () => {
    const pair = '<regex><pattern>\\$\\{x\\}|b</pattern><substitution>c</substitution></regex>';
    await put('my-normalize.xml', `<?xml version="1.0"?><regex-normalize>${pair}</regex-normalize>`, 'application/xml');
    await createConf('r3', { 'urlnormalizer.regex.file.inject': 'my-normalize.xml' });
    const ask = async (scope: string) =>
      (await request(api.url).post('/v1/inspect/url').send({ url: 'http://a.test/b', confId: 'r3', scope })).body;
    expect(await ask('inject')).toMatchObject({ normalized: 'http://a.test/c' });
    expect(await ask('outlink')).toMatchObject({ normalized: 'http://a.test/b' });
  });

  it('does not expand ${name} in a file', async () => {
    await put('dollar.txt', '-\\${http.agent.version}\n+.');
    await createConf('r4', { 'urlfilter.regex.file': 'dollar.txt', 'http.agent.version': 'a' });
    expect(await verdict('r4', 'http://a.test/a')).toMatchObject({ accepted: true });
  });

  it.each([
    ['not stored', { 'urlfilter.regex.file': 'none.txt' }, 'PUT /v1/rule-files/none.txt first'],
    ['invalid in a rule', { 'urlfilter.regex.file': 'bad.txt' }, 'urlfilter.regex.file (bad.txt): rule 2, position 1'],
    ['named by a path', { 'urlfilter.regex.file': '../x' }, 'the name of a rule file'],
  ])('that is %s is refused', async (_, params, message) => {
    await put('bad.txt', '+a\n*b');
    const answer = await createConf('r5', params);
    expect([answer.status, answer.body.code]).toEqual([400, 'CONFIG_INVALID']);
    expect(answer.body.detail).toContain(message);
    expect(answer.body.errors).toMatchObject([{ field: 'urlfilter.regex.file' }]);
    const set = await request(api.url)
      .put('/config/default/urlfilter.regex.file')
      .send({ value: params['urlfilter.regex.file'] });
    expect(set.status).toBe(400);
  });
});

describe('a rule file of secrets', () => {
  beforeAll(async () => {
    await put('site-auth.txt', 'site.test\t*\tann\tpass-of-ann');
  });

  it('cannot be read over the API', async () => {
    const read = await request(api.url).get('/v1/rule-files/site-auth.txt');
    expect([read.status, read.body.code]).toEqual([403, 'RULE_FILE_SECRET']);
  });

  it('is accepted only by secret properties, which accept no other files', async () => {
    expect((await createConf('s1', { 'http.auth.file': 'site-auth.txt' })).status).toBe(200);
    const shown = await createConf('s2', { 'urlfilter.prefix.file': 'site-auth.txt', 'plugin.includes': '.*' });
    expect([shown.status, shown.body.detail]).toEqual([400, expect.stringContaining('by its name it holds secrets')]);
    await put('site-logins.txt', 'site.test\t*\tann\tpass-of-ann');
    const plain = await createConf('s3', { 'http.auth.file': 'site-logins.txt' });
    expect([plain.status, plain.body.detail]).toEqual([400, expect.stringContaining('auth, cookies, credentials')]);
    expect(JSON.stringify([shown.body, plain.body])).not.toContain('pass-of-ann');
  });

  it('is not any file with "auth" inside a word (authors.txt)', async () => {
    await put('authors.txt', '+.');
    expect((await createConf('s4', { 'urlfilter.regex.file': 'authors.txt' })).status).toBe(200);
  });
});

describe('access to rule files', () => {
  it('allows reading with scope read, storing and deleting with scope admin only', async () => {
    const key = (scope: Scope) => ({ scope, sha256: createHash('sha256').update(scope).digest() });
    const keyed = await apiUnderTest({ apiKeys: [key('read'), key('run'), key('admin')] }, api.database);
    const statuses = async (scope: Scope) => {
      const at = (call: request.Test) => call.set('Authorization', `Bearer ${scope}`).then(({ status }) => status);
      const url = '/v1/rule-files/keyed.txt';
      return [
        await at(request(keyed.url).put(url).set('Content-Type', 'text/plain').send('+.')),
        await at(request(keyed.url).get(url)),
        await at(request(keyed.url).get('/v1/rule-files')),
        await at(request(keyed.url).delete(url)),
      ];
    };
    try {
      await put('keyed.txt', '+.');
      expect(await statuses('read')).toEqual([403, 200, 200, 403]);
      expect(await statuses('run')).toEqual([403, 200, 200, 403]);
      expect(await statuses('admin')).toEqual([200, 200, 200, 200]);
    } finally {
      await keyed.close();
    }
  });
});

describe('a job whose configuration names a rule file', () => {
  it('keeps the rules that the file contained when it was created', async () => {
    await put('kept.txt', '+^http://old/');
    await createConf('k1', { 'urlfilter.regex.file': 'kept.txt' });
    expect((await createJob('k1')).status).toBe(200);
    await put('kept.txt', '+^http://new/');
    await createJob('k1');
    await request(api.url).delete('/v1/rule-files/kept.txt');
    const stored = await api.database.pool.query(
      `select conf_hash from job where conf_id = 'k1' order by created_at, number`,
    );
    const confs = new ConfStore(await api.database.dataSource());
    const rules = await Promise.all(
      stored.rows.map(async ({ conf_hash: hash }) => (await confs.ofSnapshot(hash))['urlfilter.regex.rules']),
    );
    expect(rules).toEqual(['+^http://old/', '+^http://new/']);
  });

  it('is refused when the file was deleted or is invalid', async () => {
    await put('gone.txt', '+.');
    await createConf('k2', { 'urlfilter.regex.file': 'gone.txt' });
    await put('gone.txt', '+(');
    expect((await createJob('k2')).body).toMatchObject({ code: 'CONFIG_INVALID' });
    await request(api.url).delete('/v1/rule-files/gone.txt');
    const refused = await createJob('k2');
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('"gone.txt"')]);
  });
});
