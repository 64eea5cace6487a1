import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { loadPlugins, startPlugins } from '../../src/plugin/external.js';
import { md5Signature } from '../../src/core/page/signature.js';
import { keepingAll } from '../../src/core/score/scoring-filter.js';
import { DefaultSchedule } from '../../src/core/schedule/default-schedule.js';
import { PluginError } from '../../src/plugin/external-guard.js';
import type { PluginFor } from '../../src/plugin/extension-points.js';
import { folder, lines, load, made, useFolders } from './outside.js';

useFolders();

const filter = (id: string, more = '') =>
  `export default { id: '${id}', description: 'Keeps all.', makeFilter: () => () => true, ${more} };`;

describe('a plugin folder', () => {
  it('provides the plugins of its files, ordered by name', async () => {
    const { plugins } = await load({ 'b.mjs': filter('b'), 'a.mjs': filter('a'), 'c.js': filter('c') });
    expect(plugins.map(({ plugin, origin }) => [plugin.id, origin])).toEqual([
      ['a', 'a.mjs'],
      ['b', 'b.mjs'],
      ['c', 'c.js'],
    ]);
  });

  it('ignores files that are not modules or hidden, and folders without package.json', async () => {
    const { plugins } = await load({
      'README.md': '#',
      '.hidden.mjs': 'throw 1',
      'node_modules/x/index.js': 'throw 1',
      'parts/rule.mjs': 'export const rule = 1;',
      'a.mjs': `import { rule } from './parts/rule.mjs'; export default { id: 'a', description: String(rule), makeFilter: () => () => true };`,
    });
    expect(plugins.map(({ plugin }) => plugin.description)).toEqual(['1']);
  });

  it('provides no plugins without files, and is optional', async () => {
    expect((await load({})).plugins).toEqual([]);
    await expect(startPlugins(undefined, () => undefined)).resolves.toBeUndefined();
  });

  it.each([
    ['exports as text', { type: 'module', exports: './lib/p.js' }],
    ['exports of the entry', { type: 'module', exports: { '.': './lib/p.js' } }],
    ['conditions', { type: 'module', exports: { '.': { types: './no.d.ts', import: { default: './lib/p.js' } } } }],
    ['main', { type: 'module', main: 'lib/p.js' }],
  ])('provides the plugins of packages: %s', async (_what, manifest) => {
    const { plugins } = await load({
      'pack/package.json': JSON.stringify(manifest),
      'pack/lib/p.js': filter('packed'),
    });
    expect(plugins.map(({ plugin, origin }) => [plugin.id, origin])).toEqual([['packed', 'pack']]);
  });

  it('loads index.js when a package names no entry, also as CommonJS', async () => {
    const { plugins } = await load({
      'pack/package.json': JSON.stringify({ type: 'commonjs' }),
      'pack/index.js': `module.exports = { id: 'old', description: 'Old.', makeFilter: () => () => true };`,
    });
    expect(plugins.map(({ plugin }) => plugin.id)).toEqual(['old']);
  });

  it('loads several plugins from one file, and instances of a class', async () => {
    const { plugins } = await load({
      'many.mjs': `
        class Keep { #all = true; id = 'kept'; description = 'Keeps.'; makeFilter() { return () => this.#all; } }
        export default [new Keep(), Object.freeze({ id: 'same', description: 'Same.', makeNormalizer: () => ({ normalize: (u) => u }) })];`,
    });
    expect(plugins.map(({ plugin }) => [plugin.id, plugin.className])).toEqual([
      ['kept', 'kept'],
      ['same', 'same'],
    ]);
    expect((plugins[0]!.plugin as PluginFor<'makeFilter'>).makeFilter(defaults)('http://a.test/').accepted).toBe(true);
  });
});

describe('an invalid plugin is reported with its file and the reason', () => {
  const plugin = (fields: string) => `export default { id: 'x', description: 'X.', ${fields} };`;
  it.each<[string, string, RegExp]>([
    ['no default export', 'export const a = 1;', /no default export/],
    ['a default export that is not an object', 'export default 7;', /is number: it must be a plugin/],
    ['null as default export', 'export default null;', /is null/],
    ['an empty array', 'export default [];', /0 plugins/],
    ['no id', `export default { description: 'X.', makeFilter: () => () => true };`, /its id is undefined/],
    ['an id with spaces', filter('a b'), /its id is "a b"/],
    ['a path as id', filter('../a'), /its id is "\.\.\/a"/],
    ['the id of a built-in plugin', filter('urlfilter-regex'), /urlfilter-regex is taken by a built-in plugin/],
    ['no description', `export default { id: 'x', makeFilter: () => () => true };`, /x has no description/],
    ['no maker', plugin(''), /none of the makers makeNormalizer, makeFilter/],
    [
      'writesWithoutParameters that is neither true nor false',
      filter('x', `writesWithoutParameters: 'yes'`),
      /writesWithoutParameters must be true or false/,
    ],
    [
      'writesConcurrently that is neither true nor false',
      filter('x', 'writesConcurrently: 1'),
      /writesConcurrently must be true or false/,
    ],
    ['a protocol', plugin('makeProtocol: () => 1'), /makeProtocol is no maker/],
    ['a misspelt maker', plugin('makeFliter: () => 1'), /makeFliter is no maker \(makeFilter\?\)/],
    ['a maker that is not a function', plugin(`makeFilter: 'regex'`), /makeFilter is string, not a function/],
    ['requires that is not an array', plugin(`makeFilter: () => 1, requires: 'a'`), /requires must be an array/],
    [
      'requires that names an unknown plugin',
      filter('x', `requires: ['nobody']`),
      /requires nobody, which does not exist/,
    ],
    ['a syntax error', 'export default {', /./],
    ['a module that throws', `throw new Error('boom');`, /boom/],
    ['an import that does not exist', `import './none.mjs';`, /none\.mjs/],
    ['a bad property name', filter('x', `properties: { 'a b': { default: '', description: 'A.' } }`), /cannot name a/],
    [
      'a property that exists',
      filter('x', `properties: { 'http.timeout': { default: '', description: 'A.' } }`),
      /http\.timeout exists/,
    ],
    ['a property without default', filter('x', `properties: { a: { description: 'A.' } }`), /property a: its default/],
    [
      'a property with an invalid default',
      filter('x', `properties: { a: { kind: 'int', default: 'many', description: 'A.' } }`),
      /an integer/,
    ],
    [
      'a property with an unknown kind',
      filter('x', `properties: { a: { kind: 'date', default: '', description: 'A.' } }`),
      /kind "date"/,
    ],
  ])('%s', async (_what, content, reason) => {
    const refused = load({ 'bad.mjs': content });
    await expect(refused).rejects.toMatchObject({ failure: 'plugin', exitCode: 11 });
    await expect(refused).rejects.toThrow(/^plugin file bad\.mjs: [^\n]+$/);
    await expect(refused).rejects.toThrow(reason);
  });

  it('an id in two files, both of which are named', async () => {
    await expect(load({ 'a.mjs': filter('x'), 'b.mjs': filter('x') })).rejects.toThrow(
      'plugin file b.mjs: the id x is taken by a.mjs',
    );
  });

  it.each<[string, object, RegExp]>([
    ['an entry that does not exist', { main: 'gone.js' }, /gone\.js, which does not exist/],
    ['an entry outside its folder', { main: '../out.mjs' }, /outside of its folder/],
    ['no entry', { exports: { './other': './p.js' } }, /names no entry/],
  ])('a package with %s', async (_what, manifest, reason) => {
    const files = { 'pack/package.json': JSON.stringify(manifest), 'pack/p.js': '', 'out.mjs': filter('o') };
    await expect(load(files)).rejects.toThrow(reason);
  });

  it('a folder that does not exist', async () => {
    await expect(loadPlugins(join(await folder({}), 'none'), [], () => undefined)).rejects.toMatchObject({
      failure: 'plugin',
    });
  });
});

describe('an external plugin', () => {
  it.each([
    ['true', { accepted: true, rule: null }],
    ['false', { accepted: false, rule: null }],
    ['({ accepted: true })', { accepted: true, rule: null }],
    [`({ accepted: false, rule: { number: 2, text: '-x' } })`, { accepted: false, rule: { number: 2, text: '-x' } }],
    [`({ accepted: false, rule: 'x' })`, { accepted: false, rule: null }],
  ])('may filter URLs by %s', async (answer, verdict) => {
    const plugin = await made<'makeFilter'>(`makeFilter: () => () => ${answer}`);
    expect(plugin.makeFilter(defaults)('http://a.test/')).toEqual(verdict);
  });

  it.each([
    [`{ throw new Error('boom'); }`, 'boom'],
    ['{ throw null; }', 'null'],
    ['{ throw { toString() { throw 1; } }; }', 'something that has no words'],
    ['undefined', 'it answered undefined'],
    [`'yes'`, 'it answered string'],
    ['Promise.reject(new Error())', 'it answered a promise'],
  ])('whose filter returns %s rejects the URL with the reason', async (answer, reason) => {
    const plugin = await made<'makeFilter'>(`makeFilter: () => () => ${answer}`);
    expect(plugin.makeFilter(defaults)('http://a.test/')).toEqual({
      accepted: false,
      rule: { number: 0, text: `the plugin failed: ${reason}` },
    });
  });

  it.each([`{ throw new Error('boom'); }`, '7', `''`, 'undefined', `'x'.repeat(1e6)`])(
    'whose normalizer returns %s leaves the URL unchanged',
    async (answer) => {
      const plugin = await made<'makeNormalizer'>(`makeNormalizer: () => ({ normalize: () => ${answer} })`);
      expect(plugin.makeNormalizer(defaults, 'default').normalize('http://a.test/')).toBe('http://a.test/');
    },
  );

  it('gets lists of its own: changing them in place does not change the configuration', async () => {
    const { makeFilter } = await made<'makeFilter'>(
      `makeFilter: (conf) => (conf['hostdb.percentiles'].reverse(), (url) => conf['hostdb.percentiles'][0] === '99')`,
    );
    const { 'hostdb.percentiles': before } = structuredClone(defaults);
    expect(makeFilter(defaults)('u').accepted).toBe(true);
    expect(defaults['hostdb.percentiles']).toEqual(before);
  });

  it('whose schedule or signature fails is replaced by the default one', async () => {
    const usual = new DefaultSchedule(defaults);
    const page = { fetchTime: 1_000, fetchInterval: 60, retries: 0, modifiedTime: 0 };
    const plugin = await made<'makeSchedule' | 'makeSignature'>(
      `makeSchedule: () => ({ initial: (now) => ({ fetchTime: now + 1, fetchInterval: 1, retries: 0, modifiedTime: 0 }),
         afterFetch: () => ({ fetchTime: NaN }), afterGone() { throw 1; } }),
       makeSignature: () => ({ text }) => (text === 'good' ? '00ff' : 'no hex')`,
    );
    const schedule = plugin.makeSchedule(defaults);
    expect(schedule.initial(5)).toEqual({ fetchTime: 6, fetchInterval: 1, retries: 0, modifiedTime: 0 });
    expect(schedule.afterFetch(page, 'modified')).toEqual(usual.afterFetch(page));
    expect(schedule.afterGone(page)).toEqual(usual.afterGone(page));
    expect(schedule.due(page, 5)).toEqual(usual.due(page, 5));
    const sign = plugin.makeSignature(defaults);
    const signed = { content: new Uint8Array([1]), url: 'http://a.test/', text: 'good' };
    expect(sign(signed)).toBe('00ff');
    expect(sign({ ...signed, text: 'bad' })).toBe(md5Signature({ ...signed, text: 'bad' }));
  });

  it.each([
    [
      { fetchTime: 6.5, fetchInterval: 1.4, modifiedTime: 2.6 },
      { fetchTime: 7, fetchInterval: 1, modifiedTime: 3 },
    ],
    [{ fetchTime: 8.64e15 + 0.4 }, { fetchTime: 8.64e15 }],
    [{ fetchInterval: 2_147_483_647.4 }, { fetchInterval: 2_147_483_647 }],
    [{ fetchInterval: 2_147_483_647.6 }, null],
    [{ fetchInterval: '60' }, null],
    [{ retries: 0.5 }, null],
  ])('whose schedule returns %j is rounded to integers, or ignored if null: %j', async (answer, read) => {
    const whole = { fetchTime: 6, fetchInterval: 1, retries: 0, modifiedTime: 0 };
    const plugin = await made<'makeSchedule'>(
      `makeSchedule: () => { const timing = () => (${JSON.stringify({ ...whole, ...answer })});
         return { initial: timing, due: () => ({ due: false, timing: timing() }) }; }`,
    );
    const schedule = plugin.makeSchedule(defaults);
    const usual = new DefaultSchedule(defaults);
    expect(schedule.initial(5)).toEqual(read === null ? usual.initial(5) : { ...whole, ...read });
    expect(schedule.due(whole, 5)).toEqual(
      read === null ? usual.due(whole, 5) : { due: false, timing: { ...whole, ...read } },
    );
  });

  it('whose scoring filters fail leaves scores unchanged', async () => {
    const plugin = await made<
      'makeSeedScore' | 'makeSortValue' | 'makePageScore' | 'makeDistribute' | 'makeOrphanLimits'
    >(
      `makeSeedScore: () => (seed, score) => (seed.url === 'good' ? score * 2 : NaN),
       makeSortValue: () => ({ value: (page, sort) => (page.url === 'good' ? sort * 2 : 'high') }),
       makePageScore: () => () => { throw 1; },
       makeDistribute: () => (page, so) => (page.url === 'good' ? { start: 3, carried: { a: 'b' } } : { ...so, start: 'x' }),
       makeOrphanLimits: (conf) => (conf['http.agent.name'] === '' ? { goneAfter: 1, orphanAfter: 2 } : 7)`,
    );
    const seedScore = plugin.makeSeedScore(defaults);
    expect(['good', 'bad'].map((url) => seedScore({ url, score: 1, metadata: {} }, 5))).toEqual([10, 5]);
    const sort = plugin.makeSortValue(defaults);
    const page = { score: 1, distance: 0, status: 1, metadata: {} };
    expect(['good', 'bad'].map((url) => sort.value({ ...page, url }, 5))).toEqual([10, 5]);
    expect(sort.followsScore).toBe(false);
    expect(plugin.makePageScore(defaults)({ url: 'u', title: '', text: '', metadata: {} }, 5)).toBe(5);
    const so = keepingAll(1);
    const paying = { spend: 1, outlinks: 1, links: 1, distance: 0, contentScore: 0, metadata: {}, headers: {} };
    const distribute = plugin.makeDistribute(defaults);
    expect(distribute({ ...paying, url: 'good' }, so)).toEqual({ ...so, start: 3, carried: { a: 'b' } });
    expect(distribute({ ...paying, url: 'bad' }, so)).toBe(so);
    expect(plugin.makeOrphanLimits(defaults)).toEqual({ goneAfter: 1, orphanAfter: 2 });
    expect(() => plugin.makeOrphanLimits({ ...defaults, 'http.agent.name': 'x' })).toThrow(/orphanedScore/);
  });

  it('that returns promises from synchronous methods counts as failed, and their rejections are handled', async () => {
    const plugin = await made<'makeSeedScore' | 'makeSortValue' | 'makePageScore' | 'makeDistribute' | 'makeSchedule'>(
      `makeSeedScore: () => async () => { throw 1; },
       makeSortValue: () => ({ value: async () => { throw 2; } }),
       makePageScore: () => async () => { throw 3; },
       makeDistribute: () => async () => { throw 4; },
       makeSchedule: () => ({ initial: async () => { throw 5; } })`,
    );
    const page = { url: 'u', title: '', text: '', score: 1, distance: 0, status: 1, metadata: {}, headers: {} };
    const so = keepingAll(1);
    const paying = { ...page, spend: 1, outlinks: 1, links: 1, contentScore: 0 };
    lines.length = 0;
    expect([
      plugin.makeSeedScore(defaults)(page, 5),
      plugin.makeSortValue(defaults).value(page, 5),
      plugin.makePageScore(defaults)(page, 5),
    ]).toEqual([5, 5, 5]);
    expect(plugin.makeDistribute(defaults)(paying, so)).toBe(so);
    expect(plugin.makeSchedule(defaults).initial(5)).toEqual(new DefaultSchedule(defaults).initial(5));
    // Vitest fails when a rejection is not handled.
    await new Promise(setImmediate);
    expect(lines).toHaveLength(5);
  });

  it('whose exemption fails exempts nothing', async () => {
    const plugin = await made<'makeExemption'>(`makeExemption: () => (from, to) => (to === 'good' ? true : to)`);
    const exempt = plugin.makeExemption(defaults);
    expect(exempt('from', 'good')).toEqual({ accepted: true, rule: null });
    expect(exempt('from', 'bad')).toEqual({ accepted: false, rule: null });
  });

  it('that fails is logged at the first, the tenth and the hundredth failure', async () => {
    const plugin = await made<'makeFilter'>(`makeFilter: () => () => { throw new Error('boom'); }`);
    const run = plugin.makeFilter(defaults);
    lines.length = 0;
    for (let i = 0; i < 200; i++) run('http://a.test/');
    expect(lines).toEqual([
      'plugin p, makeFilter failed: boom',
      'plugin p, makeFilter failed 10 times: boom',
      'plugin p, makeFilter failed 100 times: boom',
    ]);
  });

  it.each([
    [`{ throw new Error('no rules'); }`, /Plugin p \(makeFilter\): no rules/],
    ['7', /Plugin p \(makeFilter\) made no URLFilter/],
    ['null', /made no URLFilter/],
    ['Promise.reject(new Error())', /a maker must not return a promise/],
  ])('whose maker returns %s causes a configuration error', async (answer, reason) => {
    const plugin = await made<'makeFilter'>(`makeFilter: () => ${answer}`);
    expect(() => plugin.makeFilter(defaults)).toThrow(PluginError);
    expect(() => plugin.makeFilter(defaults)).toThrow(reason);
  });

  it('cannot change the configuration that it is given', async () => {
    const plugin = await made<'makeFilter'>(`makeFilter: (conf) => { conf['http.timeout'] = 1; return () => true; }`);
    expect(() => plugin.makeFilter(defaults)).toThrow(PluginError);
    expect(defaults['http.timeout']).toBe(10_000);
  });
});
