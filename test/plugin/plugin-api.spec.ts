import { expect, expectTypeOf, it } from 'vitest';
import { guardedIndexWriter } from '../../src/plugin/external-index.js';
import { shapePlugins } from '../../src/plugin/external-shape.js';
import type { ExternalPlugin, GivenPage, GivenWriter, PluginConf } from '../../src/plugin/plugin-api.js';

/** A plugin written in TypeScript: the types describe the arguments and accept the results that are allowed. */
const typed: ExternalPlugin = {
  id: 'typed',
  description: 'Serves what it can.',
  properties: { 'typed.words': { kind: 'list', default: ['a'], description: 'Words.' } },
  makeNormalizer: (_conf, scope) => ({ normalize: (url) => (scope === 'inject' ? url : null) }),
  makeFilter: (conf) => {
    expectTypeOf(conf).toEqualTypeOf<PluginConf>();
    expectTypeOf(conf['http.timeout']).toEqualTypeOf<number>();
    expectTypeOf(conf['typed.words']).toEqualTypeOf<unknown>();
    return (url) => (url.length < conf['http.timeout'] ? true : { accepted: false, rule: { number: 1, text: 'long' } });
  },
  makeParser: () => ({
    types: ['text/x-log'],
    parse: ({ content }) => ({ text: String(content.length), outlinks: ['http://a.test/'], metadata: { lines: 3 } }),
  }),
  makeParseFilter: () => async (page) => ({ title: page.title.trim() }),
  makePageScore: (conf) => {
    expectTypeOf(conf).toEqualTypeOf<PluginConf>();
    return (page, score) => score + page.text.length;
  },
  makeIndexingFilter: (conf) => (document) => (conf['typed.words'] === document.id ? null : document),
  makeExemption: () => (from, to) => from === to,
  makeSchedule: () => ({
    afterGone: (page) => ({ fetchTime: page.fetchTime, fetchInterval: 60, retries: 0, modifiedTime: 0 }),
  }),
  makeDistribute: () => (_page, so) => ({ start: so.start + 1 }),
  makeIndexWriter: (conf, parameters, { writerId }) => ({
    write: async (documents) => {
      expectTypeOf(conf).toEqualTypeOf<PluginConf>();
      return parameters['refuse'] ? documents.map(({ id }) => ({ id, reason: writerId })) : null;
    },
    delete: async () => {},
    commit: async () => {},
    close: async () => {},
  }),
  makeSignature:
    () =>
    ({ text }) =>
      text.length.toString(16).padStart(8, '0'),
};

it('a plugin of the exported types is accepted with all its makers and properties (L15)', () => {
  const [shaped] = shapePlugins(typed);
  expect(Object.keys(shaped?.plugin ?? {}).filter((name) => name.startsWith('make'))).toHaveLength(11);
  expect(Object.keys(shaped?.properties ?? {})).toEqual(['typed.words']);
});

it('the types accept whatever the program accepts of a page and of a writer', () => {
  const nothing = async (): Promise<void> => {};
  const writer: GivenWriter = { write: nothing, delete: nothing, commit: nothing, close: nothing };
  const pages: GivenPage[] = [
    { status: { major: 2, args: ['broken'] } },
    { robots: { noindex: true } },
    { refresh: { url: 'http://a.test/' } },
    { refresh: null },
  ];
  expect([guardedIndexWriter(writer, String) === undefined, pages.length]).toEqual([false, 4]);
});
