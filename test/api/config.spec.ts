import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest, rawRequest } from './api-under-test.js';

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiUnderTest();
});
afterAll(() => api?.close());

const create = (body: unknown, any = 'create') =>
  request(api.url)
    .post(`/config/${any}`)
    .send(body as object);
const read = async (path: string) => (await request(api.url).get(path)).body as Record<string, string>;

describe('GET /config', () => {
  it('lists default first', async () => {
    const answer = await request(api.url).get('/config');
    expect(answer.status).toBe(200);
    expect((answer.body as string[])[0]).toBe('default');
  });

  it('shows every property as text, sorted by name', async () => {
    const shown = await read('/config/default');
    expect(shown).toMatchObject({
      'fetcher.server.delay': '5.0',
      'db.fetch.retry.max': '3',
      'fetcher.min.crawl.delay': '5.0',
    });
    expect(Object.keys(shown)).toEqual(Object.keys(shown).toSorted());
  });

  it.each(['/config/c9', '/config/c9/http.agent.name', '/config/default/http.agent.nam'])(
    'returns 404 for %s',
    async (path) => {
      const answer = await request(api.url).get(path);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe('application/problem+json');
    },
  );

  it('suggests the nearest property for an unknown one', async () => {
    const { detail } = await read('/config/default/http.agent.nam');
    expect(detail).toContain('did you mean http.agent.name?');
  });
});

describe('POST /config/create', () => {
  it('returns the id as text and lays the properties over the defaults', async () => {
    const answer = await create({
      configId: 'c1',
      params: { 'http.agent.name': 'bot', 'fetcher.server.delay': '1.0' },
    });
    expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, 'c1', 'text/plain']);
    expect(await read('/config/c1')).toMatchObject({
      'http.agent.name': 'bot',
      'fetcher.min.crawl.delay': '1.0',
      'db.fetch.retry.max': '3',
    });
  });

  it('accepts any word in the path and takes the id from the body (2.x)', async () => {
    expect((await create({ configId: 'c2' }, 'foo')).text).toBe('c2');
    expect((await request(api.url).get('/config')).body).toContain('c2');
  });

  it('assigns the next number as id when the id is blank or absent', async () => {
    const [first, second] = [(await create({ configId: '' })).text, (await create({ params: {} })).text];
    expect(Number(second)).toBe(Number(first) + 1);
  });

  it('treats null as absent', async () => {
    const answer = await create({ configId: null, force: null, params: null });
    expect([answer.status, answer.text]).toEqual([200, expect.stringMatching(/^\d+$/)]);
    expect((await create({ configId: 'nothing', force: null, params: null })).text).toBe('nothing');
    expect((await create({ configId: 'nothing', force: null })).body).toMatchObject({ code: 'CONFIG_EXISTS' });
  });

  it('refuses an existing id with 400 unless force is set', async () => {
    await create({ configId: 'c3' });
    const again = await create({ configId: 'c3' });
    expect(again.status).toBe(400);
    expect(again.body).toMatchObject({
      code: 'CONFIG_EXISTS',
      message: 'Config already exists. "c3" is replaced only with "force": true.',
      exception: 'ConfigExists',
    });
    expect((await create({ configId: 'c3', force: true, params: { 'db.fetch.retry.max': 7 } })).status).toBe(200);
    expect(await read('/config/c3')).toMatchObject({ 'db.fetch.retry.max': '7' });
  });

  it('copies default at creation, secrets included, except properties that apply in default only', async () => {
    const put = (id: string, name: string, value: string) =>
      request(api.url).put(`/config/${id}/${name}`).type('text/plain').send(value);
    const own = { 'http.agent.name': 'bot', 'http.proxy.password': 'hush', 'my.own': 'x', 'job.event.days': '3' };
    for (const [name, value] of Object.entries(own)) await put('default', name, value);
    expect((await create({ configId: 'heir', params: { 'my.own': 'y' } })).headers['orbweaver-notice']).not.toContain(
      'days',
    );
    const days = (await read('/config/heir'))['job.event.days'];
    expect(await read('/config/heir')).toMatchObject({
      'http.agent.name': 'bot',
      'http.proxy.password': '********',
      'my.own': 'y',
    });
    expect(days).toBe('7');
    const [stored] = await api.database.query(
      `select params ->> 'http.proxy.password' as secret from crawl_conf where id = 'heir'`,
    );
    expect(stored).toEqual({ secret: 'hush' });
    // A later change of default does not change the copy.
    await put('default', 'http.agent.name', 'later');
    expect((await request(api.url).get('/config/heir/http.agent.name')).text).toBe('bot');
    // A configuration that is created again copies default again.
    await create({ configId: 'heir', force: true });
    expect(await read('/config/heir')).toMatchObject({ 'http.agent.name': 'later', 'my.own': 'x' });
    // Without an id it is the same.
    const { text } = await create({});
    expect((await request(api.url).get(`/config/${text}/http.agent.name`)).text).toBe('later');
    // default itself is made from the shipped values.
    await create({ configId: 'default', force: true, params: {} });
    expect((await request(api.url).get('/config/default/http.agent.name')).text).toBe('');
    expect(await read('/config/default')).toMatchObject({ 'job.event.days': '7' });
    expect(await read('/config/default')).not.toHaveProperty('my.own');
  });

  it.each<[Record<string, string>, string, string | undefined]>([
    [{ 'trap.template.similar.after': '50' }, 'trap.template.similar.after', 'SimHashSignature finds others'],
    [
      { 'trap.template.similar.after': '50', 'db.signature.class': 'SimHashSignature' },
      'trap.template.similar.after',
      undefined,
    ],
    [{ 'trap.template.similar.share': '0.5' }, 'trap.template.similar.share', 'trap.template.similar.after is -1'],
    [{ 'http.proxy.port': '3128' }, 'http.proxy.port', 'http.proxy.host names no proxy'],
    [{ 'http.proxy.port': '3128', 'http.proxy.host': 'gate.test' }, 'http.proxy.port', undefined],
    [{ 'db.fetch.schedule.adaptive.inc_rate': '0.5' }, 'db.fetch.schedule.adaptive.inc_rate', 'is not adaptive'],
    [{ 'db.fetch.schedule.adaptive.inc_rate': '0.4' }, 'db.fetch.schedule.adaptive.inc_rate', undefined],
    [{ 'db.fetch.schedule.score.base': '2' }, 'db.fetch.schedule.score.base', 'db.fetch.schedule.score.exponent is 0'],
    [
      { 'db.fetch.schedule.score.base': '2', 'db.fetch.schedule.score.exponent': '1' },
      'db.fetch.schedule.score.base',
      undefined,
    ],
    [{ 'db.fetch.schedule.score.exponent': '1' }, 'db.fetch.schedule.score.exponent', undefined],
    [{ 'scoring.depth.max': '3' }, 'scoring.depth.max', 'plugin scoring-depth is not active'],
    [{ 'scoring.depth.max': '3', 'plugin.includes.also': 'scoring-depth' }, 'scoring.depth.max', undefined],
    [{ 'urlfilter.prefix.rules': 'http://a.test/' }, 'urlfilter.prefix.rules', 'plugin urlfilter-prefix is not active'],
    [{ 'index.static': 'shop:a' }, 'index.static', 'plugin index-static is not active'],
    [{ 'index.static': 'shop:a', 'plugin.includes.also': 'index-static' }, 'index.static', undefined],
    [{ 'headings.multivalued': 'true' }, 'headings.multivalued', 'plugin headings is not active'],
    [{ 'index.db.md': 'colour' }, 'index.db.md', 'plugin index-metadata is not active'],
    [{ 'lang.index.languages': 'de' }, 'lang.index.languages', 'plugin language-identifier is not active'],
    [{ 'lang.extraction.policy': 'identify' }, 'lang.extraction.policy', undefined],
    [{ 'anchorIndexingFilter.deduplicate': 'true' }, 'anchorIndexingFilter.deduplicate', undefined],
  ])('with %j: notice that %s has no effect: %s', async (params, name, why) => {
    const said = (await create({ configId: 'inert', force: true, params })).headers['orbweaver-notice'] ?? '';
    const sentence = `Property ${name} changes nothing with this configuration: `;
    if (why === undefined) return expect(said).not.toContain(name);
    expect(said).toContain(sentence);
    expect(said).toContain(why);
    // PUT of the single property gives the same notice.
    const put = await request(api.url).put(`/config/inert/${name}`).type('text/plain').send(params[name]!);
    expect(put.headers['orbweaver-notice']).toContain(sentence);
  });

  it.each([
    [
      'plugin.includes.also',
      'protocol-(ftp|sftp|selenium)|headngs|headings',
      'protocol-sftp, protocol-selenium, headngs',
    ],
    ['plugin.includes', 'protocol-http|parse-(html|tika)|indexer-solr|scoring-opic', undefined],
    ['plugin.includes', 'protocol-okhttp|parse-.*', undefined],
    [
      'scoring.filter.order',
      'scoring-opic org.apache.nutch.scoring.link.LinkAnalysisScoringFilter scoring-optic',
      'scoring-optic',
    ],
    ['urlfilter.order', 'urlfilter-regex urlfilter-domain', undefined],
    [
      'urlnormalizer.scope.inject',
      'org.apache.nutch.net.urlnormalizer.pass.PassURLNormaliser',
      'org.apache.nutch.net.urlnormalizer.pass.PassURLNormaliser',
    ],
    ['parser.plugins', 'text/html parse-tika parse-htm\n* parse-text parse-htm', 'parse-htm'],
  ])('%s %s: notice of plugins that do not exist: %s (D28)', async (name, value, missing) => {
    const said = (await create({ configId: 'missing', force: true, params: { [name]: value } })).headers;
    expect(said['orbweaver-notice']).toBe(
      missing && `Property ${name} names plugins that do not exist here: ${missing}.`,
    );
  });

  it.each([
    ['without their plugins', {}, 's (org.apache.nutch.indexwriter.solr.SolrIndexWriter), t (my.Typo)'],
    ['with one of them', { 'plugin.includes.also': 'indexer-solr' }, 't (my.Typo)'],
  ])('notice of index writers that are ignored, %s', async (_, params, ignored) => {
    const writer = (id: string, name: string) =>
      `<writer id="${id}" class="${name}"><parameters><param name="url" value="http://solr.test/"/></parameters></writer>`;
    const rules = `<writers>${writer('s', 'org.apache.nutch.indexwriter.solr.SolrIndexWriter')}${writer('t', 'my.Typo')}</writers>`;
    const body = { configId: 'writers', force: true, params: { ...params, 'indexer.indexwriters.rules': rules } };
    expect((await create(body)).headers['orbweaver-notice']).toBe(
      `Property indexer.indexwriters.rules names index writers that no active plugin has, so they are ignored: ${ignored}.`,
    );
  });

  it.each([
    ['true', 'INDEX refuses these writers until the credentials are in indexer.credentials'],
    ['false', undefined],
  ])('notice of an index writer with auth %s and a password among its parameters', async (auth, notice) => {
    const parameters = Object.entries({ url: 'http://solr.test/', auth, username: 'u', password: 'p' });
    const params = parameters.map(([name, value]) => `<param name="${name}" value="${value}"/>`).join('');
    const rules = `<writers><writer id="s" class="indexer-solr"><parameters>${params}</parameters></writer></writers>`;
    const conf = { 'plugin.includes.also': 'indexer-solr', 'indexer.indexwriters.rules': rules };
    const { headers } = await create({ configId: 'writers', force: true, params: conf });
    expect(headers['orbweaver-notice']).toEqual(notice && expect.stringContaining(notice));
  });

  it.each(['db_fetched', 'DB_Gone', ''])('accepts %j for generate.restrict.status', async (status) => {
    const { status: answered } = await create({
      force: true,
      configId: 'status',
      params: { 'generate.restrict.status': status },
    });
    expect(answered).toBe(200);
  });

  it.each(['db_fetchd', 'fetched', '1'])(
    'refuses %j for generate.restrict.status and lists the allowed values',
    async (status) => {
      const { body } = await create({
        configId: 'status',
        force: true,
        params: { 'generate.restrict.status': status },
      });
      expect(body.code).toBe('CONFIG_INVALID');
      expect(body.detail).toContain('one of db_unfetched, db_fetched, ');
    },
  );

  it('refuses a missing body with the message of NutchServer', async () => {
    const answer = await request(api.url).post('/config/create');
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({
      message: 'Nutch configuration cannot be empty! Send configId and params.',
    });
  });

  it.each([
    ['fetcher.threads.fetch', 1e9, 'from 1 to 1000'],
    ['http.timeout', 0, 'from 1 to'],
    ['fetcher.queue.mode', 'byMoon', 'byHost, byDomain, byIP'],
    ['db.fetch.schedule.class', 'java.lang.Runtime', 'DefaultFetchSchedule'],
    ['db.signature.class', '../x', 'MD5Signature'],
    ['urlfilter.regex.rules', '+(', ''],
    ['parse.extract.rules', 'a\t.\tcss\th1\nb\t.\tcss\th1..x', 'parse.extract.rules: rule 2, position 12'],
    ['urlfilter.regex.rules', String.raw`-(a)\1`, 'urlfilter.regex.rules'],
    ['plugin.includes', '(', ''],
    ['fetcher.threads.fetch', { a: 1 }, 'from 1 to 1000'],
    ['fetcher.threads.fetch', null, 'from 1 to 1000'],
  ])('refuses %s = %j and names what is allowed', async (name, value, allowed) => {
    const answer = await create({ configId: 'bad', params: { [name]: value } });
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(answer.body.detail).toContain(allowed);
    expect((await request(api.url).get('/config/bad')).status).toBe(404);
  });

  it.each([
    ['urlfilter.regex.rules', '+ok\n+a(b', 'rule 2: missing closing ) (+a(b)'],
    ['urlnormalizer.regex.rules.outlink', 'a\t$1', 'rule 1, position 3: there is no group 1 (a)'],
    ['plugin.includes', '(', 'rule 1: missing closing ) (()'],
    [
      'db.signature.class',
      'NoSignature',
      'cannot be "NoSignature": it takes one of org.apache.nutch.crawl.MD5Signature,',
    ],
    ['generate.max.count.expr', '1 +', 'position 4: something is missing at the end'],
    ['file.crawl.roots', 'srv', 'cannot contain "srv": it takes absolute paths'],
    ['http.filter.ipaddress.exclude', '10.0.0.0/99', 'cannot contain "10.0.0.0/99": it takes CIDR blocks'],
    ['http.filter.ports.exclude', '99999', 'cannot contain "99999": it takes ports'],
    ['indexer.engines', 'a.test:9200 http://b.test:9200', 'cannot contain "http://b.test:9200": it takes engines as'],
    ['indexer.engines', 'engine.test', 'cannot contain "engine.test": it takes engines as host:port'],
    ['indexer.engines', 'engine.test:99999', 'cannot contain "engine.test:99999"'],
    ['urlfilter.regex.file', 'none.txt', 'names the rule file "none.txt", which is not stored'],
  ])('names the refused property %s in errors, with what was given and why', async (name, value, message) => {
    const { body } = await create({ configId: 'bad', params: { [name]: value } });
    expect(body.errors).toEqual([{ field: name, message: expect.stringContaining(message) }]);
  });

  it('names the name that no property may have', async () => {
    const { body } = await create({ configId: 'bad', params: { 'a b': 'x' } });
    expect(body.errors).toEqual([
      { field: 'a b', message: 'cannot name a property: 1 to 256 characters without spaces' },
    ]);
  });

  it.each([
    [null, 'null'],
    [{ a: 1 }, '{"a":1}'],
    ['null', '"null"'],
  ])('shows the refused value %j as the JSON that was sent', async (value, shown) => {
    const { body } = await create({ configId: 'bad', params: { 'fetcher.threads.fetch': value } });
    expect(body.detail).toContain(`Property fetcher.threads.fetch cannot be ${shown}: it takes`);
  });

  it.each(['fetch.history.months', 'job.event.days', 'job.history.days', 'webhook.attempts.max'])(
    'returns a notice that %s applies in configuration default only',
    async (name) => {
      const notice = `Property ${name} changes nothing here: it counts in configuration default only.`;
      const created = await create({ configId: 'keeps', force: true, params: { [name]: '3' } });
      expect([created.status, created.headers['orbweaver-notice']]).toEqual([200, notice]);
      const put = (id: string) => request(api.url).put(`/config/${id}/${name}`).type('text/plain').send('3');
      expect((await put('keeps')).headers['orbweaver-notice']).toBe(notice);
      expect((await put('default')).headers['orbweaver-notice']).toBeUndefined();
    },
  );

  it('stores an unknown property and suggests the nearest known one', async () => {
    const answer = await create({ configId: 'c4', params: { 'fetcher.server.delai': '1', 'my.own': 'x' } });
    expect(answer.headers['orbweaver-notice']).toContain('the nearest is fetcher.server.delay');
    expect(await read('/config/c4')).toMatchObject({ 'my.own': 'x', 'fetcher.server.delai': '1' });
  });

  it('bounds the notice to 4,000 characters for 9,000 unknown properties and stores them all', async () => {
    const names = Array.from({ length: 9_000 }, (_, n) => `property.of.my.own.${String(n).padStart(5, '0')}`);
    const answer = await create({ configId: 'many', params: Object.fromEntries(names.map((name) => [name, ''])) });
    expect(answer.headers['orbweaver-notice']).toMatch(/^Property property\.of\.my\.own\.00000 is not known/);
    expect(answer.headers['orbweaver-notice']).toHaveLength(4_000);
    expect(Object.keys(await read('/config/many'))).toContain(names.at(-1));
  });

  it.each(['', ' ', 'a/b', '../etc', '.hidden', 'a'.repeat(129), 'a b', "a'--", 'é'].slice(2))(
    'refuses the id %j',
    async (configId) => {
      const answer = await create({ configId });
      expect(answer.status).toBe(400);
      expect(answer.body.detail).toContain('configId must be a text of 1 to 128');
    },
  );

  it.each([
    { configId: { a: 1 } },
    { configId: ['a'] },
    { params: 'x' },
    { params: [1] },
    { force: 'perhaps' },
    [],
    'text',
    7,
  ])('refuses a body of the wrong shape: %j', async (body) => {
    const answer = await request(api.url)
      .post('/config/create')
      .set('Content-Type', 'application/json')
      .send(JSON.stringify(body));
    expect(answer.status).toBe(400);
  });

  it.each(['__proto__', 'constructor', 'prototype'])(
    'refuses a property called %s, and no prototype changes',
    async (name) => {
      const answer = await request(api.url)
        .post('/config/create')
        .set('Content-Type', 'application/json')
        .send(`{"configId":"p","params":{"${name}":{"polluted":true}}}`);
      expect(answer.status).toBe(400);
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      const put = await request(api.url).put(`/config/default/${name}`).set('Content-Type', 'text/plain').send('x');
      expect([put.status, put.body.detail]).toEqual([
        400,
        `"${name}" cannot name a property: it must not be one of __proto__, constructor, prototype.`,
      ]);
    },
  );
});

describe('DELETE /config/{id}', () => {
  it('deletes with 200 and an empty body, even when a JSON body is sent', async () => {
    await create({ configId: 'gone' });
    const answer = await rawRequest(api.port, 'DELETE /config/gone', { 'Content-Type': 'application/json' }, '{}');
    expect([answer.status, answer.body]).toEqual([200, '']);
    expect((await request(api.url).get('/config/gone')).status).toBe(404);
  });

  it('refuses to delete default', async () => {
    const answer = await request(api.url).delete('/config/default');
    expect([answer.status, answer.body.code]).toEqual([400, 'DEFAULT_CONFIG_KEPT']);
    expect((await request(api.url).get('/config/default')).status).toBe(200);
  });

  it('returns 404 for an unknown configuration', async () => {
    expect((await request(api.url).delete('/config/c9')).status).toBe(404);
  });
});
