/** Secrets of the HTTP client in configurations: never shown, not repeated in refusals, not expanded into other properties. */
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addProperties, parseConf } from '../../src/core/conf/properties.js';
import { text } from '../../src/core/conf/property.js';
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

describe('secret properties', () => {
  it('are masked in the configuration and alone, except empty ones', async () => {
    expect((await create('s1', secrets)).status).toBe(200);
    const shown = JSON.parse(await read('/config/s1')) as Record<string, string>;
    for (const name of Object.keys(secrets)) {
      expect(shown[name]).toBe('********');
      expect(await read(`/config/s1/${name}`)).toContain('********');
    }
    expect((JSON.parse(await read('/config/default')) as Record<string, string>)['http.auth.rules']).toBe('');
    expect((await request(api.url).get('/v1/properties?limit=1000')).text).not.toContain('deep-secret');
  });

  it('shows a refused secret masked, whatever was sent', async () => {
    const { body } = await create('bad', { 'http.proxy.password': null });
    expect(body.detail).toContain(`Property http.proxy.password cannot be "********": it takes`);
  });

  it('masks stored secrets', async () => {
    await create('c5', { 'index.elastic.password': 'hush' });
    expect(JSON.parse(await read('/config/c5'))).toMatchObject({ 'index.elastic.password': '********' });
  });

  it('masks a property of another program whose value is a URL with user info, and keeps it when the mask is sent back', async () => {
    const url = 'http://indexer:deep-secret@127.0.0.1:8983/solr';
    await create('solr', { 'solr.server.url': url, 'my.page': 'http://127.0.0.1/@me' });
    const shown = JSON.parse(await read('/config/solr')) as Record<string, string>;
    expect(shown).toMatchObject({ 'solr.server.url': '********', 'my.page': 'http://127.0.0.1/@me' });
    expect(await read('/config/solr/solr.server.url')).toBe('********');
    expect((await create('solr', shown)).headers['orbweaver-notice']).toContain(
      'Property solr.server.url is left as it is',
    );
    const [stored] = await api.database.query(`select params from crawl_conf where id = 'solr'`);
    expect(stored).toHaveProperty(['params', 'solr.server.url'], url);
  });

  it('keeps the stored secret when its mask is sent back, and returns a notice', async () => {
    const before = JSON.parse(await read('/config/default')) as Record<string, string>;
    const copied = await create('copy', { ...before, 'http.proxy.password': '********' });
    expect(copied.status).toBe(200);
    expect(copied.headers['orbweaver-notice']).toContain('http.proxy.password');
    expect(JSON.parse(await read('/config/copy'))).toEqual(before);
    await create('kept', { 'http.proxy.password': 'hush' });
    const masked = await put('kept', 'http.proxy.password', '********');
    expect([masked.status, masked.headers['orbweaver-notice']]).toEqual([
      200,
      expect.stringContaining('mask of a secret'),
    ]);
    const stored = await api.database.query(`select params from crawl_conf where id in ('copy', 'kept') order by id`);
    expect(stored[0]).not.toHaveProperty(['params', 'http.proxy.password']);
    expect(stored[1]).toHaveProperty(['params', 'http.proxy.password'], 'hush');
    // The same when the configuration is replaced.
    const params = { 'http.proxy.password': '********', 'http.agent.name': 'other' };
    expect((await create('kept', params)).status).toBe(200);
    const [again] = await api.database.query(`select params from crawl_conf where id = 'kept'`);
    expect(again).toEqual({ params: { 'http.proxy.password': 'hush', 'http.agent.name': 'other' } });
    // A property that is no secret may have that value.
    await create('stars', { 'http.agent.name': '********' });
    expect(await read('/config/stars/http.agent.name')).toBe('********');
  });

  it.each(Object.keys(secrets))('%s is not expanded into other properties', async (name) => {
    const { conf } = parseConf({
      ...secrets,
      'http.agent.name': `x-\${${name}}`,
      'http.agent.description': `\${${name}}`,
    });
    expect([conf['http.agent.name'], conf['http.agent.description']]).toEqual([`x-\${${name}}`, `\${${name}}`]);
  });
});

describe('invalid rules return 400 that names property, rule and position, and no secret', () => {
  it.each([
    ['http.auth.rules', 'a.test\t*\tme\tok\nb.test deep-secret', 'http.auth.rules: rule 2, position 1:'],
    ['http.auth.rules', 'a.test\t*\tdeep-secret', 'http.auth.rules: rule 1: a rule has four fields'],
    // A line break in the password.
    ['http.auth.rules', 'a.test\t*\tme\ttop\ndeep-secret', 'http.auth.rules: rule 2: a rule has four fields'],
    [
      'http.agent.host.cookie.rules',
      'a.test\tx=1\ndeep-secret',
      'http.agent.host.cookie.rules: rule 2: a rule has two',
    ],
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

  it('also if they came from a file', async () => {
    await request(api.url).put('/v1/rule-files/auth-bad.txt').set('content-type', 'text/plain').send('a.test only');
    const answer = await create('s3', { 'http.auth.file': 'auth-bad.txt' });
    expect([answer.status, (answer.body as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining('http.auth.file (auth-bad.txt): rule 1'),
    ]);
  });
});

describe('a password in a URL that is refused', () => {
  const url = 'http://me:deep-secret@a.test/';

  it.each<[what: string, call: () => request.Test]>([
    ['an unknown page', () => request(api.url).get(`/v1/pages/${encodeURIComponent(url)}`)],
    ['a page that is listed', () => request(api.url).get('/v1/pages').query({ cursor: url })],
    [
      'a job',
      () =>
        request(api.url)
          .post('/job/create')
          .send({ type: 'GENERATE', args: { topN: url } }),
    ],
    ['a property of a configuration', () => create('s7', { 'http.proxy.host': url })],
    ['seeds', () => request(api.url).post('/v1/crawls').send({ crawlId: 's7', seeds: { url } })],
  ])('is not repeated by the refusal: %s', async (_, call) => {
    const answer = await call();
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).toContain('a.test');
    expect(answer.text).not.toContain('deep-secret');
  });
});

describe('a rule file with secrets under any name', () => {
  const content = 'a.test\t*\tme\tdeep-secret\n';

  it.each(['http.agent.rotate.file', 'urlfilter.regex.file'])('cannot be read by a refusal of %s', async (name) => {
    await request(api.url).put('/v1/rule-files/staff.txt').set('content-type', 'text/plain').send(content);
    const answer = await create('s4', { [name]: 'staff.txt', 'http.agent.rotate': 'true' });
    expect([answer.status, (answer.body as { detail: string }).detail]).toEqual([
      400,
      expect.stringContaining(`${name} (staff.txt): rule 1`),
    ]);
    expect(answer.text).not.toContain('deep-secret');
  });
});

describe('an unknown property whose name marks it as secret', () => {
  const secret = 'deep-secret-of-elastic';
  const params = { 'elastic.password': secret, 'my.alias': '${elastic.password}' };
  const written = (reference: string) => `x-${reference}`;

  it.each(['${elastic.password}', '${my.alias}', '${${my.name}}', '${elastic.${my.part}}'])(
    'is not expanded by %s into a property that is shown or sent to hosts',
    (reference) => {
      const more = { ...params, 'my.name': 'elastic.password', 'my.part': 'password' };
      for (const name of [
        'http.agent.name',
        'http.agent.rotate.rules',
        'urlfilter.regex.rules',
        'urlfilter.regex.file',
        'http.agent.host.cookie.rules',
        'http.auth.rules',
      ] as const) {
        const { conf, withheld } = parseConf({ [name]: written(reference) }, more);
        expect(JSON.stringify(conf), name).not.toContain(secret);
        expect(withheld.map((one) => [one.property, one.secret])).toContainEqual([name, 'elastic.password']);
      }
    },
  );

  it('may be expanded into http.proxy.password', () => {
    const { conf } = parseConf({ ...params, 'http.proxy.password': '${my.alias}' });
    expect(conf['http.proxy.password']).toBe(secret);
  });

  it('is in no refusal of rules that refer to it; a notice says that it is not expanded', async () => {
    await create('s5', params);
    const refused = await put('s5', 'urlfilter.regex.rules', '${elastic.password}');
    expect(refused.status).toBe(400);
    expect(refused.text).not.toContain(secret);
    const set = await put('s5', 'http.agent.description', '${elastic.password}');
    expect([set.status, set.headers['orbweaver-notice']]).toEqual([
      200,
      'Property http.agent.description refers to the secret elastic.password, which is not inserted: the reference is kept as written.',
    ]);
    const named = await put('s5', 'urlfilter.regex.file', '${elastic.password}');
    expect([named.status, named.text.includes(secret)]).toEqual([400, false]);
    for (const path of ['/config/s5', '/config/s5/http.agent.description'])
      expect(await read(path)).not.toContain(secret);
  });

  it('is not in jobs, their events or responses of /v1/inspect', async () => {
    await create('s6', {
      ...params,
      'http.agent.name': 'bot-${my.alias}',
      'urlfilter.regex.rules': '-${my.alias}\n+.',
    });
    const ofUrls = { mine: [`see http://user:${secret}@a.test/`], startKey: `http://${secret}@a.test/` };
    const args = { url: '${elastic.password}', expr: 'score > 0', 'my.password': secret, ...ofUrls };
    const made = await request(api.url)
      .post('/job/create')
      .send({ type: 'GENERATE', crawlId: 's6', confId: 's6', args });
    expect(made.status).toBe(200);
    const asked = await request(api.url)
      .post('/v1/inspect/url')
      .send({ url: 'http://a.test/deep', crawlId: 's6', confId: 's6' });
    const answers = [made.text, asked.text];
    for (const path of ['/job', '/admin', `/v1/jobs/${made.body.id}`]) answers.push(await read(path));
    answers.push(
      (await request(api.url).get(`/v1/jobs/${made.body.id}/events`).set('Accept', 'application/json')).text,
    );
    expect(answers.join('\n')).not.toContain(secret);
  });
});

describe('property names that mark a secret', () => {
  it.each([
    'elastic.password',
    'ELASTIC.PASSWORD',
    'db.pwd',
    'smtp.pass',
    'aws.access_key',
    'solr.auth.token',
    'proxy.authorization',
  ])('%s is masked and not expanded', async (name) => {
    const params = {
      [name]: 'deep-secret',
      'my.chain': `\${${name}}`,
      'http.agent.name': 'x-${my.chain}',
      'my.part': `\${\${my.prefix}${name.slice(1)}}`,
      'my.prefix': name[0],
      'http.agent.description': '${my.part}',
      'urlfilter.regex.rules': '+.',
    };
    expect((await create('by-name', params)).status).toBe(200);
    const refusals = [
      await put('by-name', 'urlfilter.regex.rules', `+(\${${name}}`),
      await put('by-name', 'http.timeout', `\${${name}}`),
      await put('by-name', 'http.accept', '${my.chain}\u0001'),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([400, 400, 400]);
    const answers = [
      await read('/config/by-name'),
      await read(`/config/by-name/${name}`),
      await read('/config/by-name/my.part'),
    ];
    expect([...refusals.map(({ text }) => text), ...answers].join('')).not.toContain('deep-secret');
    const { conf } = parseConf(params);
    expect(JSON.stringify(conf)).not.toContain('deep-secret');
  });

  it('also mark the declared properties of plugins', async () => {
    addProperties({ 'index.password': text('', 'Password of an index.'), 'index.name': text('', 'Name of an index.') });
    const params = {
      'index.password': 'deep-secret',
      'index.name': 'n-${index.password}',
      'my.own': '${index.password}',
    };
    expect((await create('plugin', params)).status).toBe(200);
    expect(await read('/config/plugin')).not.toContain('deep-secret');
    expect(await read('/config/plugin/index.password')).toBe('********');
    const conf = parseConf(params).conf as unknown as Record<string, unknown>;
    expect([conf['index.password'], conf['index.name']]).toEqual(['deep-secret', 'n-${index.password}']);
  });
});
