import { createHash } from 'node:crypto';
import type { OpenAPIObject } from '@nestjs/swagger';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/conf/credentials.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';
import { ROUTE_SCOPES } from './route-scopes.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest();
const PASSWORD = 'pass:word of Zoë';
const user = (name: string, scope: 'admin' | 'user') =>
  ({ name, scope, sha256: sha256(`${name}:${PASSWORD}`), isUser: true }) as const;
const basic = (name: string, password: string) => ({
  Authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});
const secretOf = (scope: Scope) => `secret-of-the-${scope}-key`;
const key = (scope: Scope) => ({ scope, sha256: sha256(secretOf(scope)) });
const bearer = (scope: Scope) => ({ Authorization: `Bearer ${secretOf(scope)}` });

let database: TestDatabase;
let locked: ApiUnderTest;
let open: ApiUnderTest;
beforeAll(async () => {
  database = await testDatabase();
  locked = await apiUnderTest(
    { apiKeys: [key('read'), key('run'), key('admin'), user('zoe', 'admin'), user('bob', 'user')] },
    database,
  );
  open = await apiUnderTest({}, database);
});
afterAll(async () => {
  await locked?.close();
  await open?.close();
  await database?.drop();
});

describe('an API with keys', () => {
  it('returns 401 without a key on every documented route except /health/live', async () => {
    const document = (await request(open.url).get('/openapi.json')).body as OpenAPIObject;
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const method of Object.keys(methods)) {
        const answer = await rawRequest(locked.port, `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, 'x')}`);
        expect(answer.status, `${method} ${path}`).toBe(path === '/health/live' ? 200 : 401);
      }
    }
  });

  it('serves the dashboard files without a key by GET and HEAD only, and no other path', async () => {
    for (const path of ['/', '/?x', '/dashboard/dashboard.js', '/dashboard/dashboard.css']) {
      expect([path, (await rawRequest(locked.port, `GET ${path}`)).status]).toEqual([path, 200]);
      expect([path, (await rawRequest(locked.port, `HEAD ${path}`)).status]).toEqual([path, 200]);
      expect([path, (await rawRequest(locked.port, `POST ${path}`)).status]).toEqual([path, 401]);
    }
    const beside = ['/dashboard', '/dashboard/', '/dashboard/none.js', '/dashboard/dashboard.js/', '/dashboard/../job'];
    for (const path of [...beside, '//dashboard/dashboard.js', '/dashboard/%64ashboard.js', '/Dashboard/dashboard.js'])
      expect([path, (await rawRequest(locked.port, `GET ${path}`)).status]).toEqual([path, 401]);
  });

  it('omits Basic from the challenge for X-Requested-With: XMLHttpRequest, so no browser dialog opens', async () => {
    const ask = (headers: Record<string, string>) => rawRequest(locked.port, 'GET /job', headers);
    const script = await ask({ 'X-Requested-With': 'XMLHttpRequest' });
    expect([script.status, script.headers.get('www-authenticate')]).toEqual([
      401,
      'Bearer realm="Nutch REST API Realm"',
    ]);
    expect((await ask({})).headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('returns the scope of the key in header Orbweaver-Scope', async () => {
    const scopeOf = async (line: string, headers: Record<string, string>) =>
      (await rawRequest(locked.port, line, headers)).headers.get('orbweaver-scope');
    expect(await scopeOf('GET /job', bearer('read'))).toBe('read');
    expect(await scopeOf('GET /admin/stop', bearer('run'))).toBe('run');
    expect(await scopeOf('GET /none', basic('bob', PASSWORD))).toBe('user');
    expect(await scopeOf('GET /job', {})).toBeUndefined();
    expect((await rawRequest(open.port, 'GET /job')).headers.has('orbweaver-scope')).toBe(false);
  });

  it.each([
    '/docs',
    '/docs/swagger-ui-init.js',
    '/openapi.json',
    '/metrics',
    '/none',
    '/%61dmin',
    '//admin',
    '/ADMIN',
    '/job/../admin',
    '/health/live/../../admin',
    '/health/%6Cive',
    '/health/live%00',
    '/health/live/',
    '/health//live',
    '/health/live;a',
    '/admin%2f',
    '/%2e%2e/admin',
    '/admin/../health/live',
    '/admin?/health/live',
    '/admin#/health/live',
  ])('returns 401 for %s without a key', async (path) => {
    const answer = await rawRequest(locked.port, `GET ${path}`);
    expect(answer.status).toBe(401);
    expect(answer.headers.get('www-authenticate')).toContain('Basic');
  });

  it.each([
    ['accepts a Bearer token', `Bearer ${secretOf('read')}`, 200],
    ['accepts a key by HTTP Basic with any user name', `Basic ${btoa(`admin:${secretOf('read')}`)}`, 200],
    ['refuses a wrong key', 'Bearer secret-of-the-wrong-key', 401],
    ['refuses Basic credentials without a colon', `Basic ${btoa('admin')}`, 401],
    ['refuses the default users of NutchServer', `Basic ${btoa('admin:admin')}`, 401],
    ['refuses an empty token', 'Bearer ', 401],
    ['refuses another scheme', `Digest ${secretOf('read')}`, 401],
    ['refuses an Authorization header of 8 kB', `Bearer ${'x'.repeat(8_000)}`, 401],
  ])('%s', async (_, authorization, status) => {
    const answer = await rawRequest(locked.port, 'GET /admin', { Authorization: authorization });
    expect(answer.status).toBe(status);
  });

  it('tells a client that sent a wrong key from one that sent none', async () => {
    const wrong = await rawRequest(locked.port, 'GET /admin', { Authorization: 'Bearer secret-of-the-wrong-key' });
    const none = await rawRequest(locked.port, 'GET /admin');
    expect(JSON.parse(wrong.body)).toMatchObject({
      code: 'NOT_AUTHENTICATED',
      detail: expect.stringMatching(/^The Authorization header .* no key or user of this server/),
    });
    expect(JSON.parse(none.body)).toMatchObject({
      code: 'NOT_AUTHENTICATED',
      detail: expect.stringMatching(/^Send an API key/),
    });
    expect(wrong.body).not.toContain('secret-of-the-wrong-key');
  });

  it.each([
    ['read', 'GET', '/admin', 200],
    ['read', 'POST', '/config/create', 403],
    ['read', 'POST', '/job/create', 403],
    ['read', 'GET', '/job/x/stop', 403],
    ['read', 'GET', '/admin/stop', 403],
    ['run', 'POST', '/config/create', 400],
    ['run', 'GET', '/job/x/stop', 404],
    ['run', 'DELETE', '/config/x', 403],
    ['run', 'DELETE', '/seed/x', 403],
    ['run', 'GET', '/admin/stop', 403],
    ['admin', 'DELETE', '/config/x', 404],
    ['admin', 'GET', '/admin/stop?force=maybe', 400],
  ] as const)('a key of scope %s: %s %s returns %i', async (scope, method, path, status) => {
    expect((await rawRequest(locked.port, `${method} ${path}`, bearer(scope))).status).toBe(status);
  });

  it('returns 401 before it reads the request body', async () => {
    const answer = await rawRequest(locked.port, 'POST /seed/create', { 'Content-Length': '16000000' });
    expect(answer.status).toBe(401);
  });
});

describe('access to every documented route, by kind of caller', () => {
  interface Route {
    method: string;
    path: string;
    scope: Scope | undefined;
    forUsers: boolean;
  }
  const routes: Route[] = Object.entries(ROUTE_SCOPES).map(([name, access]) => {
    const [method = '', path = ''] = name.split(' ');
    const [scope, user] = access.split(', ');
    return { method, path, scope: scope === 'open' ? undefined : (scope as Scope), forUsers: user === 'user' };
  });
  const call = ({ method, path }: Route, headers: Record<string, string>) =>
    rawRequest(locked.port, `${method} ${path.replaceAll(/\{\w+\}/g, 'no-such-thing')}`, {
      'Content-Length': '0',
      ...headers,
    });
  const scopes: Scope[] = ['read', 'run', 'admin'];

  it('documents for each route the scope that the table states', async () => {
    const document = (await request(open.url).get('/openapi.json')).body as OpenAPIObject;
    const said = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods as Record<string, { responses: Record<string, { description?: string }> }>).map(
        ([method, { responses }]) => {
          const words = responses['403']?.description ?? '';
          const scope = /needs scope `(read|run|admin)`/.exec(words)?.[1] ?? 'open';
          return [`${method.toUpperCase()} ${path}`, words.includes('or role `user`') ? `${scope}, user` : scope];
        },
      ),
    );
    expect(Object.fromEntries(said)).toEqual(ROUTE_SCOPES);
  });

  it('gives scope read only routes that change nothing, and DELETE below admin only for webhooks', () => {
    const open = routes.filter(({ scope }) => scope === 'read').map(({ method, path }) => `${method} ${path}`);
    // Questions with a body, and readers of NutchServer.
    const questions = /^POST \/(v1\/inspect\/(url|parse|robots|schedule|generate)|db|db\/crawldb|reader\/\w+\/read)$/;
    expect(open.filter((name) => !name.startsWith('GET ') && !questions.test(name))).toEqual([]);
    expect(
      routes.filter(({ method, scope }) => method === 'DELETE' && scope !== 'admin').map(({ path }) => path),
    ).toEqual(['/v1/webhooks/{id}']);
  });

  it.each([
    ['/', ['read', 'run', 'admin', 'zoe', 'bob']],
    ['/dashboard/dashboard.js', ['read', 'run', 'admin', 'zoe', 'bob']],
    ['/docs', ['read', 'run', 'admin', 'zoe', 'bob']],
    ['/openapi.json', ['read', 'run', 'admin', 'zoe']],
  ])('%s, which is not in the document, admits %j', async (path, those) => {
    const callers = {
      read: bearer('read'),
      run: bearer('run'),
      admin: bearer('admin'),
      zoe: basic('zoe', PASSWORD),
      bob: basic('bob', PASSWORD),
    };
    const passed = [];
    for (const [name, headers] of Object.entries(callers))
      if ((await rawRequest(locked.port, `GET ${path}`, headers)).status === 200) passed.push(name);
    expect(passed).toEqual(those);
  });

  it.each([
    ['without a key', {}],
    ['with a wrong key', { Authorization: 'Bearer secret-of-the-wrong-key' }],
    ['with a wrong password', basic('zoe', 'pass:word of bob')],
    ["with another user's password under a wrong name", basic('eve', PASSWORD)],
    ['with a password as a Bearer token', { Authorization: `Bearer ${Buffer.from(PASSWORD).toString('base64')}` }],
  ])('%s every route returns 401 with the realm of NutchServer', async (_, headers) => {
    for (const route of routes) {
      if (route.path === '/health/live') continue;
      const answer = await call(route, headers as Record<string, string>);
      expect(answer.status, `${route.method} ${route.path}`).toBe(401);
      expect(answer.headers.get('www-authenticate')).toBe(
        'Basic realm="Nutch REST API Realm", charset="UTF-8", Bearer realm="Nutch REST API Realm"',
      );
    }
  });

  it.each([
    ['a read key', 'read', bearer('read')],
    ['a run key', 'run', bearer('run')],
    ['an admin key', 'admin', bearer('admin')],
    ['an admin key by Basic', 'admin', basic('anyone', secretOf('admin'))],
    ['a user of role admin', 'admin', basic('zoe', PASSWORD)],
    ['a user of role user', 'user', basic('bob', PASSWORD)],
  ] as const)('%s is admitted where its scope suffices, else gets 403', async (_, has, headers) => {
    for (const route of routes) {
      const { method, path, scope, forUsers } = route;
      const passes = scope === undefined || (has === 'user' ? forUsers : scopes.indexOf(has) >= scopes.indexOf(scope));
      const answer = await call(route, headers);
      const where = `${method} ${path}: ${answer.body.slice(0, 200)}`;
      if (passes) {
        expect([401, 403], where).not.toContain(answer.status);
        expect(answer.status, where).toBeLessThan(500);
      } else {
        expect(answer.status, where).toBe(403);
        expect(answer.body, where).toContain(`This call needs the scope \\"${scope}\\"; the key has \\"${has}\\".`);
      }
    }
  });

  it('role user has the routes that NutchServer 2.x gave it and our equivalents, no others', () => {
    const names = routes.filter(({ forUsers }) => forUsers).map(({ method, path }) => `${method} ${path}`);
    expect(names).toEqual(
      expect.arrayContaining([
        'GET /config',
        'GET /config/{id}',
        'GET /config/{id}/{property}',
        'GET /job',
        'GET /job/{id}',
        'GET /job/{id}/abort',
        'GET /job/{id}/stop',
      ]),
    );
    // Our own routes of the same kinds: crawls are jobs. Nutch has no pause.
    const kinds = /^GET \/(config|job|v1\/jobs|v1\/crawls)(\/|$)|^POST \S+\/(stop|abort)$/;
    expect(names.filter((name) => !kinds.test(name))).toEqual([]);
    expect(names).not.toContain('POST /admin/stop');
  });
});

describe('secrets in configurations, jobs and responses', () => {
  const shown = '********';
  const params = {
    'my.password': 'hidden-1',
    'api.token': 'hidden-2',
    'some.Secret.thing': 'hidden-3',
    'restapi.auth.users': 'ann|hidden-4|admin',
    'restapi.auth.ssl.keypass': 'hidden-5',
    'my.header': 'Bearer ${api.token}',
    'my.plain': 'plain',
  };

  it('are masked in GET /config/{id} and GET /config/{id}/{property}, also where other properties refer to them', async () => {
    await request(open.url).post('/config/create').send({ configId: 'secrets', params });
    const { body } = await request(open.url).get('/config/secrets');
    expect(body).toMatchObject({
      'my.password': shown,
      'api.token': shown,
      'some.Secret.thing': shown,
      'restapi.auth.users': shown,
      'restapi.auth.ssl.keypass': shown,
      'my.header': `Bearer ${shown}`,
      'my.plain': 'plain',
      'db.signature.text_profile.min_token_len': '2',
    });
    expect((await request(open.url).get('/config/secrets/api.token')).text).toBe(shown);
  });

  it('are masked in job arguments, in /job, /v1/jobs and /admin', async () => {
    const inner = { proxies: [{ name: 'a', password: 'hidden-7' }], login: { 'api.key': { value: 'hidden-8' } } };
    const args = { topN: 5, 'db.password': 'hidden-6', inner };
    const { body } = await request(open.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'sec', args });
    const shownInner = { proxies: [{ name: 'a', password: shown }], login: { 'api.key': shown } };
    expect(body.args).toEqual({ topN: 5, 'db.password': shown, inner: shownInner });
    const paths = ['/admin', '/job', `/job/${body.id}`, `/v1/jobs/${body.id}`];
    const all = await Promise.all(paths.map((path) => request(open.url).get(path)));
    expect(all.map(({ text }) => text).join('')).not.toMatch(/hidden-[678]/);
  });

  it('are masked in the parameters that INDEX gives its index writers', async () => {
    const params = 'parts=4&password=hidden-9=%26&api.token=hidden-9&url=http://hidden-9:hidden-9@a.test/?q=1';
    const job = { type: 'INDEX', crawlId: 'sec', args: { batch: '-all', params } };
    const { body } = await request(open.url).post('/job/create').send(job);
    expect(body.args.params).toBe(`parts=4&password=${shown}&api.token=${shown}&url=http://${shown}@a.test/?q=1`);
    const all = await Promise.all(['/admin', '/job', `/job/${body.id}`].map((path) => request(open.url).get(path)));
    expect(all.map(({ text }) => text).join('')).not.toContain('hidden-9');
  });

  it('of callers appear in no response', async () => {
    for (const path of ['/admin', '/config', '/config/default', '/metrics', '/openapi.json', '/none']) {
      const { body } = await rawRequest(locked.port, `GET ${path}`, bearer('admin'));
      for (const scope of ['read', 'run', 'admin'] as const) expect(body).not.toContain(secretOf(scope));
      expect(body).not.toContain(PASSWORD);
    }
  });
});

describe('properties that allow internal addresses', () => {
  const params = { 'http.filter.ipaddress.exclude': '' };
  const create = (api: ApiUnderTest, configId: string) =>
    request(api.url).post('/config/create').send({ configId, params });

  it('require an admin key', async () => {
    const refused = await create(locked, 'g1').set(bearer('run'));
    expect([refused.status, refused.body.code]).toEqual([403, 'PROPERTY_GUARDED']);
    expect((await create(locked, 'g1').set(bearer('admin'))).status).toBe(200);
  });

  it('are accepted from a run key only with the values in force, as in a copy of default', async () => {
    const ask = (verb: 'post' | 'put', path: string) => request(locked.url)[verb](path).set(bearer('run'));
    const shown = (await request(locked.url).get('/config/default').set(bearer('run'))).body as Record<string, string>;
    const copied = await ask('post', '/config/create').send({ configId: 'g4', params: shown });
    expect([copied.status, copied.text]).toEqual([200, 'g4']);
    const put = (value: string) =>
      ask('put', '/config/g4/http.filter.ports.exclude').set('Content-Type', 'text/plain').send(value);
    expect((await put(shown['http.filter.ports.exclude']!)).status).toBe(200);
    expect((await put('')).body).toMatchObject({ code: 'PROPERTY_GUARDED' });
    // Of properties that act together one alone may allow more than all of them.
    const opened = { 'http.filter.ipaddress.exclude': '', 'http.filter.ipaddress.include': '10.0.0.0/8' };
    for (const [name, value] of Object.entries(opened))
      await request(locked.url).put(`/config/default/${name}`).set(bearer('admin')).type('text/plain').send(value);
    expect((await ask('post', '/config/create').send({ configId: 'g5', params: opened })).status).toBe(200);
    const half = { ...params, 'http.filter.ipaddress.include': '' };
    const part = await ask('post', '/config/create').send({ configId: 'g6', params: half });
    expect([part.status, part.body.code]).toEqual([403, 'PROPERTY_GUARDED']);
    // Shipped values are refused too: they may be less strict than what an admin has written into `default`.
    const shipped = Object.fromEntries(Object.keys(opened).map((name) => [name, shown[name]]));
    expect((await ask('post', '/config/create').send({ configId: 'g6', params: shipped })).status).toBe(403);
    const anew = { configId: 'default', force: true, params: {} };
    expect((await ask('post', '/config/create').send(anew)).body).toMatchObject({ code: 'PROPERTY_GUARDED' });
    // A reference is resolved when it is read, so it never counts as the same value.
    const hidden = { 'http.proxy.host': '${my.proxy}', 'my.proxy': 'evil.test' };
    await request(locked.url)
      .put('/config/default/http.proxy.host')
      .set(bearer('admin'))
      .type('text/plain')
      .send('${my.proxy}');
    const refused = await ask('post', '/config/create').send({ configId: 'g7', params: hidden });
    expect([refused.status, refused.body.code]).toEqual([403, 'PROPERTY_GUARDED']);
    expect((await ask('put', '/config/none/http.proxy.host').type('text/plain').send('x')).status).toBe(403);
    const anewByAdmin = request(locked.url).post('/config/create').set(bearer('admin')).send(anew);
    expect((await anewByAdmin).status).toBe(200);
  });

  it('are accepted without keys on a loopback bind', async () => {
    expect((await create(open, 'g2')).status).toBe(200);
  });

  it('are refused without keys on any other bind', async () => {
    const wide = await apiUnderTest({ host: '0.0.0.0' }, database);
    const answer = await request(`http://127.0.0.1:${wide.port}`)
      .post('/config/create')
      .send({ configId: 'g3', params });
    await wide.close();
    expect([answer.status, answer.body.code]).toEqual([403, 'PROPERTY_GUARDED']);
  });
});
