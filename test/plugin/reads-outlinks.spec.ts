import { expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { readsOutlinks } from '../../src/plugin/indexing-filters.js';
import { addPlugins } from '../../src/plugin/registry.js';

/** Links of pages are read for a document only if something may look at them. */

const reads = (also: string): boolean => readsOutlinks(parseConf({ 'plugin.includes.also': also }).conf);

it('are not read for the filters that are active by default, nor for those that look at other data', () => {
  expect(['', 'index-metadata|index-static|index-replace|subcollection'].map(reads)).toEqual([false, false]);
});

it('are read for index-links', () => expect(reads('index-links')).toBe(true));

it('are read for a filter and a boost from outside, as these get whole pages, if they are active', () => {
  const named = (id: string) => ({ id, className: `test.${id}`, description: 'From outside.' });
  addPlugins([
    { plugin: { ...named('own-filter'), makeIndexingFilter: () => (document) => document }, origin: 'own.js' },
    { plugin: { ...named('own-boost'), makeIndexBoost: () => (_, _page, boost) => boost }, origin: 'own.js' },
    { plugin: { ...named('own-parser'), makeParseFilter: () => () => undefined as never }, origin: 'own.js' },
  ]);
  expect(['own-filter', 'own-boost', 'own-parser', ''].map(reads)).toEqual([true, true, false, false]);
});
