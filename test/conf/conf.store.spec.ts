import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { confFileNotices, readConfFile } from '../../src/conf/conf-file.js';
import { ConfRefused } from '../../src/conf/conf-texts.js';
import { ConfStore } from '../../src/conf/conf.store.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

let database: TestDatabase;
let folder: string;
beforeAll(async () => {
  database = await testDatabase();
  folder = await mkdtemp(join(tmpdir(), 'conf-'));
});
afterAll(async () => {
  await database?.drop();
  await rm(folder, { recursive: true });
});

const store = async (options = {}) => new ConfStore(await database.dataSource(), options);
const file = async (content: string) => {
  const path = join(folder, 'conf.yaml');
  await writeFile(path, content);
  return path;
};

describe('layers of a configuration', () => {
  it('CONF_FILE overrides the defaults, and params override CONF_FILE', async () => {
    const confs = await store({ overlay: { 'http.timeout': 5_000, 'fetcher.parse': true } });
    await confs.create('layers', { 'http.timeout': '7000' }, false);
    expect((await confs.find('layers'))?.conf).toMatchObject({
      'http.timeout': 7_000,
      'fetcher.parse': true,
      'db.fetch.retry.max': 3,
    });
    expect(await confs.shown('default')).toMatchObject({ 'http.timeout': '5000', 'fetcher.parse': 'true' });
  });

  it('properties of CONF_FILE are expanded in params', async () => {
    const confs = await store({ overlay: { 'my.delay': '2' } });
    await confs.create('expanded', { 'fetcher.server.delay': '${my.delay}' }, false);
    expect((await confs.find('expanded'))?.conf['fetcher.min.crawl.delay']).toBe(2);
  });

  it('an invalid CONF_FILE is refused at the start', async () => {
    await expect(store({ overlay: { 'http.timeout': 0 } })).rejects.toThrow('Property http.timeout cannot be "0"');
  });

  it('a configuration that the check refuses is not stored', async () => {
    const confs = await store({
      check: (conf: { 'plugin.includes': string }) => {
        if (conf['plugin.includes'] === 'evil') throw new Error('plugin.includes: no');
      },
    });
    await expect(confs.create('checked', { 'plugin.includes': 'evil' }, false)).rejects.toThrow(ConfRefused);
    expect(await confs.find('checked')).toBeUndefined();
  });
});

describe('references between properties', () => {
  it('a configuration is shown in bounded length; values beyond the bound are shown unexpanded', async () => {
    const confs = await store();
    const long = 'a'.repeat(200_000);
    const names = Array.from({ length: 50 }, (_, n) => `a${n}`);
    const written = '${x}'.repeat(20);
    const params = { x: long, ...Object.fromEntries(names.map((name) => [name, written])) };
    await confs.create('doubling', params, false);
    const shown = (await confs.shown('doubling'))!;
    expect(Object.values(shown).join('').length).toBeLessThan(5_000_000);
    expect(shown['a0']).toHaveLength(20 * long.length);
    expect(shown['a1']).toBe(written);
    expect(shown['fetcher.min.crawl.delay']).toBe('5.0');
  });

  it('a property that is requested alone is expanded, however long the others are', async () => {
    const confs = await store();
    const params = { x: 'a'.repeat(200_000), y: '${x}'.repeat(20), z: '${x}'.repeat(20) };
    await confs.create('alone', params, false);
    const shown = (await confs.shown('alone', 'z'))!;
    expect(Object.entries(shown).map(([name, value]) => [name, value.length])).toEqual([['z', 4_000_000]]);
    expect(await confs.shown('alone', 'none')).toEqual({});
  });

  it('known properties that expand beyond the bound are refused by name', async () => {
    const names = ['automaton', 'domain', 'fast', 'prefix', 'regex', 'suffix'].map((name) => `urlfilter.${name}.rules`);
    const params = {
      x: 'a'.repeat(100_000),
      ...Object.fromEntries(names.map((name) => [name, '${x}'.repeat(10)])),
    };
    const refused = (await store()).create('beyond', params, false);
    await expect(refused).rejects.toThrow(/^Property urlfilter\.\w+\.rules cannot be "\$\{x\}/);
  });
});

describe('snapshots of a configuration', () => {
  it('are equal for equal content, and are not affected by later changes', async () => {
    const confs = await store();
    await confs.create('one', { 'http.agent.name': 'bot', 'my.own': 'x' }, false);
    await confs.create('two', { 'my.own': 'x', 'http.agent.name': 'bot' }, false);
    const [one, two] = [await confs.snapshot('one'), await confs.snapshot('two')];
    expect(one?.hash).toBe(two?.hash);
    await confs.setProperty('one', 'http.agent.name', 'other');
    const again = await (await store()).ofSnapshot(one?.hash ?? '');
    expect(again).toEqual(two?.conf);
    expect(again['http.agent.name']).toBe('bot');
  });

  it('include CONF_FILE: a worker needs only the hash', async () => {
    const snapshot = await (await store({ overlay: { 'http.timeout': 5_000 } })).snapshot('default');
    expect((await (await store()).ofSnapshot(snapshot?.hash ?? ''))['http.timeout']).toBe(5_000);
  });

  it('do not exist for an unknown configuration or hash', async () => {
    expect(await (await store()).snapshot('none')).toBeUndefined();
    await expect((await store()).ofSnapshot('none')).rejects.toThrow('no configuration snapshot none');
  });
});

it('characters that PostgreSQL cannot store are replaced by U+FFFD', async () => {
  const confs = await store();
  await confs.create('odd', { 'my.own': 'a\0b\ud800' }, false);
  expect(await confs.shown('odd')).toMatchObject({ 'my.own': 'a\ufffdb\ufffd' });
});

it('concurrent changes of many properties are all kept, and a refused one stops none', async () => {
  const confs = await store();
  await confs.create('both', {}, false);
  const values = Object.fromEntries(Array.from({ length: 60 }, (_, n) => [`my.own${n}`, String(n)]));
  const changes = Object.entries(values).map(([name, value]) => confs.setProperty('both', name, value));
  const refused = confs.setProperty('both', 'fetcher.threads.fetch', '0');
  const last = confs.setProperty('both', 'http.agent.url', 'b');
  await expect(refused).rejects.toThrow('fetcher.threads.fetch');
  expect(await Promise.all([...changes, last])).toEqual(Array.from({ length: 61 }, () => true));
  expect(await confs.shown('both')).toMatchObject({ ...values, 'http.agent.url': 'b' });
});

describe('a configuration without an id', () => {
  it.each([false, true])(
    'gets a number of its own, also when several are created concurrently (force %s)',
    async (force) => {
      const confs = await store();
      const names = Array.from({ length: 8 }, (_, n) => `bot${n}`);
      const ids = await Promise.all(names.map((name) => confs.create(undefined, { 'http.agent.name': name }, force)));
      const shown = await Promise.all(ids.map((id) => confs.shown(id!, 'http.agent.name')));
      expect(shown.map((one) => one?.['http.agent.name'])).toEqual(names);
    },
  );

  it.each(['999999999', '999999999999999', '1000000000000000'])('gets a free number when %s exists', async (large) => {
    const confs = await store();
    await confs.create(large, {}, false);
    const before = await confs.ids();
    const made = [await confs.create(undefined, {}, false), await confs.create(undefined, {}, false)];
    expect(await confs.ids()).toHaveLength(before.length + 2);
    expect(await confs.ids()).toEqual(expect.arrayContaining(made));
  });
});

it('setting a property while its configuration is deleted does not restore it', async () => {
  const confs = await store();
  await confs.create('going', { 'my.own': 'x' }, false);
  const deleting = await database.pool.connect();
  await deleting.query(`begin; delete from crawl_conf where id = 'going'`);
  const set = confs.setProperty('going', 'http.agent.name', 'bot');
  const isWaiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await database.query(isWaiting)).length === 0) await new Promise((wake) => setTimeout(wake, 20));
  await deleting.query('commit');
  deleting.release();
  expect(await set).toBe(false);
  expect(await confs.find('going')).toBeUndefined();
});

describe('CONF_FILE', () => {
  it.each([
    ['YAML', 'http.agent.name: bot\nfetcher.parse: true\n'],
    ['JSON', '{"http.agent.name":"bot","fetcher.parse":true}'],
  ])('is read as %s', async (_, content) => {
    expect(readConfFile(await file(content))).toEqual({ 'http.agent.name': 'bot', 'fetcher.parse': true });
  });

  it.each([
    [
      'a value that is not allowed',
      'fetcher.threads.fetch: 0',
      'property fetcher.threads.fetch cannot be "0": it takes an integer from 1 to 1000',
    ],
    ['a list', '- a', 'one object'],
    ['no content', '', 'one object'],
    ['broken YAML', 'a: b\nc: [', /cannot be read: .* at line 2, column \d+$/],
    ['an unknown tag', 'http.agent.name: !!js/function "x"', 'Unresolved tag'],
    ['two documents', 'http.agent.name: a\n---\nhttp.agent.name: b', 'it has more than one document'],
    ['aliases, which could expand to gigabytes', 'a: &x [1]\nb: *x', 'cannot be read'],
  ])('with %s is refused with a message of one line', async (_, content, why) => {
    const path = await file(content);
    expect(() => readConfFile(path)).toThrow(why);
    try {
      readConfFile(path);
    } catch (error) {
      expect((error as Error).message).not.toContain('\n');
    }
  });

  it('names properties that have no effect', async () => {
    const path = await file('http.agent.nam: bot\nhttp.agent.name: bot\n');
    expect(confFileNotices(path, readConfFile(path))).toEqual([
      `CONF_FILE ${path}: Property http.agent.nam is not known and changes nothing here; the nearest is http.agent.name.`,
    ]);
  });

  it('counts the properties without effect that are not named', async () => {
    const path = await file(Array.from({ length: 22 }, (_, n) => `my.property.${n}: x`).join('\n'));
    const notices = confFileNotices(path, readConfFile(path));
    expect(notices).toHaveLength(21);
    expect(notices.at(-1)).toBe(`CONF_FILE ${path}: Further properties without effect: 2.`);
  });

  it('that does not exist is refused with a message of one line', () => {
    expect(() => readConfFile(join(folder, 'none.yaml'))).toThrow(/^CONF_FILE .*none\.yaml cannot be read: ENOENT/);
  });
});
