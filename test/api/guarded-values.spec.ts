/** Only an admin may change the value of a guarded property, also through another property. */
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/conf/credentials.js';
import { ConfStore } from '../../src/conf/conf.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';

const secretOf = (scope: Scope) => `secret-of-the-${scope}-key`;
const keyOf = (scope: Scope) => ({ scope, sha256: createHash('sha256').update(secretOf(scope)).digest() });
const EXCLUDE = 'http.filter.ipaddress.exclude';

let folder: string;
let database: TestDatabase;
let api: ApiUnderTest;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'guarded-'));
  const confFile = join(folder, 'conf.json');
  const overlay = { 'http.robot.rules.allowlist': '${our.hosts}', 'our.hosts': 'a.test' };
  writeFileSync(confFile, JSON.stringify(overlay));
  database = await testDatabase();
  api = await apiUnderTest({ apiKeys: [keyOf('run'), keyOf('admin')], confFile }, database);
  // Applies from the next start of the server on, also to the process for heavy requests, which starts later.
  writeFileSync(confFile, '{}');
});
afterAll(async () => {
  await api?.close();
  await database?.drop();
  await rm(folder, { recursive: true, force: true });
});

const by = (scope: Scope) => ({ Authorization: `Bearer ${secretOf(scope)}` });
const put = (scope: Scope, id: string, name: string, value: string) =>
  request(api.url).put(`/config/${id}/${name}`).set(by(scope)).type('text/plain').send(value);
const create = (scope: Scope, configId: string, params: object, force = false) =>
  request(api.url).post('/config/create').set(by(scope)).send({ configId, params, force });
const value = async (id: string, name: string) =>
  (await request(api.url).get(`/config/${id}/${name}`).set(by('admin'))).text;
const refused = (guard: string) =>
  expect.objectContaining({ code: 'PROPERTY_GUARDED', detail: expect.stringContaining(guard) });

it('directories whose files may be crawled are set by admin keys only', async () => {
  const roots = { 'file.crawl.roots': '/etc' };
  expect((await create('run', 'roots', roots)).body).toEqual(refused('file.crawl.roots'));
  expect((await put('run', 'default', 'file.crawl.roots', '/etc')).body).toEqual(refused('file.crawl.roots'));
  expect((await create('admin', 'roots', roots)).status).toBe(200);
  expect((await put('run', 'roots', 'file.crawl.roots', '/')).body).toEqual(refused('file.crawl.roots'));
});

it.each([
  ['file.crawl.roots', '/etc'],
  [EXCLUDE, 'metadata'],
  ['http.filter.ipaddress.include', 'loopback'],
  ['http.filter.ports.exclude', '22'],
  ['http.proxy.exception.list', '.a.test'],
  ['http.proxy.host', 'proxy.test'],
  ['http.proxy.port', '3128'],
  ['http.proxy.type', 'SOCKS'],
  ['http.robot.rules.allowlist', 'b.test'],
  ['indexer.engines', 'engine.test:9200'],
])('%s is set by admin keys only', async (name, given) => {
  await create('admin', 'each', {}, true);
  expect((await put('run', 'each', name, given)).body).toEqual(refused(name));
  expect((await put('admin', 'each', name, given)).status).toBe(200);
});

it('a run key sets a guarded property to no reference, even if that means what it is now', async () => {
  const params = { [EXCLUDE]: '${my.blocks}', 'my.blocks': await value('default', EXCLUDE) };
  expect((await create('run', 'refers', params)).body).toEqual(refused(EXCLUDE));
  expect((await create('admin', 'refers', params)).status).toBe(200);
  expect((await put('run', 'refers', EXCLUDE, '${my.blocks}')).body).toEqual(refused(EXCLUDE));
  expect((await put('run', 'refers', EXCLUDE, params['my.blocks'])).status).toBe(200);
});

describe('a property that a guarded one refers to', () => {
  it('can be changed by admin keys only, also through a chain of references', async () => {
    const params = { [EXCLUDE]: '${my.blocks}', 'my.blocks': '${my.more}', 'my.more': 'loopback,private' };
    expect((await create('admin', 'chain', params)).status).toBe(200);
    for (const name of ['my.blocks', 'my.more']) {
      const answer = await put('run', 'chain', name, '192.0.2.0/24');
      expect([answer.status, answer.body]).toEqual([403, refused(EXCLUDE)]);
      expect(answer.body.detail).toContain(`"${name}" changes what it says`);
    }
    expect(await value('chain', EXCLUDE)).toBe('loopback,private');
    expect((await put('admin', 'chain', 'my.more', 'loopback')).status).toBe(200);
    expect(await value('chain', EXCLUDE)).toBe('loopback');
  });

  it('accepts its current value from a run key, as do properties that no guarded one refers to', async () => {
    expect((await put('run', 'chain', 'my.more', 'loopback')).status).toBe(200);
    expect((await put('run', 'chain', 'my.unrelated', 'b')).status).toBe(200);
    expect((await put('run', 'chain', 'http.agent.name', 'bot')).status).toBe(200);
  });

  it('is protected also if it is a known property', async () => {
    await create('admin', 'table', { [EXCLUDE]: 'loopback,${http.agent.name}', 'http.agent.name': 'private' });
    expect((await put('run', 'table', 'http.agent.name', 'metadata')).status).toBe(403);
  });

  it('cannot be set to a circular reference, which would reset the guarded one to its default', async () => {
    await create('admin', 'circle', { 'http.proxy.host': '${my.proxy}', 'my.proxy': 'proxy.test' });
    expect((await put('run', 'circle', 'my.proxy', '${http.proxy.host}')).status).toBe(403);
    expect(await value('circle', 'http.proxy.host')).toBe('proxy.test');
  });

  it('from CONF_FILE is protected in `default`, in new and in replaced configurations', async () => {
    const guard = 'http.robot.rules.allowlist';
    expect((await put('run', 'default', 'our.hosts', 'b.test')).body).toEqual(refused(guard));
    expect((await create('run', 'over', { 'our.hosts': 'b.test' })).body).toEqual(refused(guard));
    expect((await create('run', 'over', { 'http.agent.name': 'bot' })).status).toBe(200);
    expect((await create('run', 'over', { 'our.hosts': 'b.test' }, true)).body).toEqual(refused(guard));
    expect((await create('admin', 'over', { 'our.hosts': 'b.test' }, true)).status).toBe(200);
  });

  it.each(['kept-closed', 'default'])('is not removed when a run key replaces %s', async (id) => {
    const closed = `\${my.blocks},203.0.113.0/24`;
    await put('admin', id === 'default' ? id : 'none', 'my.blocks', 'loopback,private');
    if (id === 'default') await put('admin', id, EXCLUDE, closed);
    else await create('admin', id, { 'my.blocks': 'loopback,private', [EXCLUDE]: closed });
    const before = await value(id, EXCLUDE);
    const opening = [{}, { 'http.agent.name': 'bot' }, { [EXCLUDE]: 'loopback' }, { 'my.blocks': 'metadata' }];
    for (const params of opening)
      expect((await create('run', id, params, true)).body, JSON.stringify(params)).toEqual(refused(EXCLUDE));
    expect(await value(id, EXCLUDE)).toBe(before);
    const same = await create('run', id, { 'http.agent.name': 'bot', [EXCLUDE]: before }, true);
    expect([same.status, await value(id, EXCLUDE), await value(id, 'http.agent.name')]).toEqual([200, before, 'bot']);
    expect((await create('admin', id, {}, true)).status).toBe(200);
  });

  it('is checked again when another process changes the configuration during the check', async () => {
    const dataSource = await database.dataSource();
    const [confs, elsewhere] = [new ConfStore(dataSource), new ConfStore(dataSource)];
    await confs.create('anew', { 'my.blocks': 'loopback' }, false);
    const seen: (object | undefined)[] = [];
    const made = await confs.create('anew', { 'http.agent.name': 'bot' }, true, {
      permit: async (before) => {
        seen.push(before);
        if (seen.length === 1) await elsewhere.setProperty('anew', EXCLUDE, 'loopback');
      },
    });
    expect([made, seen.length, seen[1]]).toEqual(['anew', 2, { 'my.blocks': 'loopback', [EXCLUDE]: 'loopback' }]);
  });

  it('may come from a rule file, which a run key cannot replace by another file', async () => {
    for (const [name, content] of [
      ['inner.txt', 'loopback'],
      ['outer.txt', 'metadata'],
    ] as const)
      await request(api.url).put(`/v1/rule-files/${name}`).set(by('admin')).type('text/plain').send(content);
    const params = { [EXCLUDE]: '${urlfilter.domain.rules}', 'urlfilter.domain.file': 'inner.txt' };
    expect((await create('admin', 'files', params)).status).toBe(200);
    expect((await put('run', 'files', 'urlfilter.domain.file', 'outer.txt')).body).toEqual(refused(EXCLUDE));
    expect((await put('run', 'files', 'urlfilter.domain.file', 'inner.txt')).status).toBe(200);
  });

  it('is copied from `default` into a new configuration, where a run key cannot change it', async () => {
    const own = { 'http.proxy.host': '${my.gate}', 'my.gate': 'gate.test', 'http.proxy.password': 'hush' };
    for (const [name, text] of Object.entries(own)) await put('admin', 'default', name, text);
    expect((await create('run', 'heir', { 'http.agent.name': 'bot' })).status).toBe(200);
    expect(await value('heir', 'http.proxy.host')).toBe('gate.test');
    expect(await value('heir', 'http.proxy.password')).toBe('********');
    for (const params of [{ 'my.gate': 'evil.test' }, { 'http.proxy.host': '' }, { 'http.proxy.host': 'evil.test' }]) {
      expect((await create('run', 'heir-2', params)).body).toEqual(refused('http.proxy.host'));
      expect((await create('run', 'heir', params, true)).body).toEqual(refused('http.proxy.host'));
    }
    expect((await put('run', 'heir', 'my.gate', 'evil.test')).body).toEqual(refused('http.proxy.host'));
    // A run key cannot remove it from `default` either.
    expect((await create('run', 'default', {}, true)).body).toEqual(refused('http.proxy.host'));
    for (const name of Object.keys(own)) await put('admin', 'default', name, '');
  });

  it('is checked again when an admin adds the reference by another process during the check', async () => {
    const dataSource = await database.dataSource();
    const [confs, elsewhere] = [new ConfStore(dataSource), new ConfStore(dataSource)];
    await confs.create('race', { 'my.blocks': 'loopback' }, false);
    let judged = 0;
    const allowed = await confs
      .setProperty('race', 'my.blocks', '192.0.2.0/24', async (_before, after) => {
        judged += 1;
        if (Object.hasOwn(after, EXCLUDE)) throw new Error('guarded');
        await elsewhere.setProperty('race', EXCLUDE, '${my.blocks}');
      })
      .catch((error: Error) => error.message);
    expect([judged, allowed]).toEqual([2, 'guarded']);
    expect((await confs.find('race'))!.conf[EXCLUDE]).toEqual(['loopback']);
  });

  it('is not changed by the arguments of a job', async () => {
    const confs = new ConfStore(await database.dataSource());
    await confs.create('args', { [EXCLUDE]: '${my.blocks}', 'my.blocks': 'loopback' }, false);
    await expect(confs.snapshot('args', { 'my.blocks': '192.0.2.0/24' })).rejects.toThrow(EXCLUDE);
    expect((await confs.snapshot('args', { 'http.agent.name': 'bot' }))!.conf[EXCLUDE]).toEqual(['loopback']);
  });
});
