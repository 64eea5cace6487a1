import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { makeSchedule, makeSignature } from '../../src/plugin/chosen-by-class.js';
import { chosenWriters } from '../../src/plugin/index-writers.js';
import { startPlugins } from '../../src/plugin/external.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';

/** External plugins after registration: chosen, ordered and configured like built-in ones. */

const files: Record<string, string> = {
  'no-drafts.mjs': `export default {
        id: 'no-drafts', className: 'test.NoDrafts', description: 'Drops drafts.', requires: ['lower-case'],
        properties: { 'test.drafts': { kind: 'list', default: 'draft', description: 'Words that mark a draft.' } },
        makeFilter: (conf) => (url) => !conf['test.drafts'].some((word) => url.includes(word)),
      };`,
  'lower-case.mjs': `export default {
        id: 'lower-case', description: 'Small letters.',
        makeNormalizer: () => ({ normalize: (url) => url.toLowerCase() }),
      };`,
  'friends.mjs': `export default {
        id: 'friends', description: 'Friends may be linked to.', makeExemption: () => (from, to) => to.includes('friend'),
      };`,
  'by-length.mjs': `export default [
        { id: 'by-length', description: 'Equal lengths are equal contents.', makeSignature: () => ({ text }) => String(text.length).padStart(4, '0') },
        { id: 'every-hour', description: 'Every hour.', makeSchedule: () => ({ initial: () => ({ fetchTime: 3600, fetchInterval: 3600, retries: 0, modifiedTime: 0 }) }) },
        { id: 'own', className: 'test.DefaultFetchSchedule', description: 'Named like a built-in one.', makeSchedule: () => ({ initial: () => ({ fetchTime: 60, fetchInterval: 60, retries: 0, modifiedTime: 0 }) }) },
      ];`,
  'writer.mjs': `const writer = { write: async () => [], delete: async () => {}, commit: async () => {}, close: async () => {} };
        export default [
          { id: 'to-all', description: 'Needs no parameters.', writesWithoutParameters: true, makeIndexWriter: () => writer },
          { id: 'to-some', description: 'Needs parameters.', writesConcurrently: true, makeIndexWriter: () => writer },
        ];`,
  'no-zip.mjs': `export default {
        id: 'no-zip', description: 'But not to their archives.', makeExemption: () => (from, to) => !to.endsWith('.zip'),
      };`,
};
let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plugins-'));
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir, name), content);
  await startPlugins(dir, () => undefined);
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const rules = (params: Record<string, string>) => makeUrlRules(parseConf(params).conf);
const admit = (url: string, params: Record<string, string>) =>
  rules(params).admit(url, 'default', { normalize: true, filter: true });

describe('registered external plugins', () => {
  it('are inactive until plugin.includes names them', () => {
    expect(admit('http://a.test/DRAFT', {})).toMatchObject({ url: 'http://a.test/DRAFT' });
  });

  it('are activated together with those that they require', () => {
    const params = { 'plugin.includes': 'urlfilter-regex|no-drafts' };
    expect(admit('http://a.test/DRAFT', params)).toEqual({ rejected: 'filter', plugin: 'no-drafts' });
    expect(admit('http://a.test/OTHER', params)).toMatchObject({ url: 'http://a.test/other' });
  });

  it('do not run without those that they require', () => {
    const admitted = { url: 'http://a.test/DRAFT' };
    const params = { 'plugin.includes': 'no-drafts' };
    expect(admit('http://a.test/DRAFT', { ...params, 'plugin.auto-activation': 'false' })).toMatchObject(admitted);
    expect(admit('http://a.test/DRAFT', { ...params, 'plugin.excludes': 'lower-.*' })).toMatchObject(admitted);
  });

  it('run in the configured order, by id or class', () => {
    const ids = (order: string) =>
      rules({ 'plugin.includes': 'urlfilter-regex|no-drafts', 'urlfilter.order': order }).filters.map(({ id }) => id);
    expect(ids('')).toEqual(['urlfilter-regex', 'no-drafts']);
    expect(ids('no-drafts')).toEqual(['no-drafts', 'urlfilter-regex']);
    expect(ids('test.NoDrafts')).toEqual(['no-drafts', 'urlfilter-regex']);
  });

  it('are chosen by their id where a class is asked for and they name none', () => {
    const { conf, problems } = parseConf({
      'db.signature.class': 'by-length',
      'db.fetch.schedule.class': 'every-hour',
    });
    expect(problems).toEqual([]);
    expect(makeSignature(conf)({ content: Buffer.alloc(0), url: 'http://a.test/', text: 'seven' })).toBe('0005');
    expect(makeSchedule(conf).initial(1_000)).toMatchObject({ fetchInterval: 3_600 });
  });

  it('write documents without an entry among the writers if they need no parameters', () => {
    const { conf } = parseConf({ 'plugin.includes': 'to-all|to-some' });
    expect(chosenWriters(conf).map(({ id }) => id)).toEqual(['to-all']);
    const named = `<writers><writer id="one" class="to-all"/><writer id="two" class="to-some"/></writers>`;
    const both = parseConf({ 'plugin.includes': 'to-all|to-some', 'indexer.indexwriters.rules': named });
    expect(chosenWriters(both.conf).map(({ writesConcurrently }) => writesConcurrently)).toEqual([false, true]);
  });

  it.each([
    ['test.DefaultFetchSchedule', 60],
    ['TEST.defaultfetchschedule', 60],
    ['org.apache.nutch.crawl.DefaultFetchSchedule', 2_592_000],
    ['DefaultFetchSchedule', 2_592_000],
    ['other.Default', 2_592_000],
  ])('are chosen by their whole class name, else by the name without its package: %s', (name, interval) => {
    const { conf } = parseConf({ 'db.fetch.schedule.class': name });
    expect(makeSchedule(conf).initial(1_000).fetchInterval).toBe(interval);
  });

  it('read the properties that they declare', () => {
    const params = { 'plugin.includes': 'no-drafts', 'test.drafts': 'wip, todo' };
    expect(parseConf(params).extra).toEqual({});
    expect(admit('http://a.test/todo', params)).toMatchObject({ rejected: 'filter' });
    expect(admit('http://a.test/draft', params)).toMatchObject({ url: 'http://a.test/draft' });
  });
});

describe('several exemptions from db.ignore.external.links', () => {
  it.each([
    ['http://friend.test/', 'friends|no-zip', true, 'no-zip'],
    ['http://friend.test/a.zip', 'friends|no-zip', false, 'no-zip'],
    ['http://other.test/', 'friends|no-zip', false, 'friends'],
    ['http://other.test/', 'no-zip', true, 'no-zip'],
    ['http://friend.test/', 'urlfilter-regex', false, null],
  ])(
    '%s by %s is exempt only if all of them agree (%s); the last one called is reported',
    (to, includes, accepted, plugin) => {
      const verdict = rules({ 'plugin.includes': includes }).exempt('http://site.test/', to);
      expect(verdict).toMatchObject({ accepted, plugin });
    },
  );
});
