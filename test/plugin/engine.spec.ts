import { expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import type { WriterContext } from '../../src/plugin/extension-points.js';
import { engineOf } from '../../src/plugin/index-writer/engine.js';

/** Which engine gets the credentials of its writer: one that `indexer.engines` names by host and port. */

const context = { writerId: 'w', ownPorts: [] as WriterContext['ownPorts'] } as WriterContext;

it.each([
  ['http://engine.test/solr', 'engine.test:80', true],
  ['https://engine.test/solr', 'engine.test:443', true],
  ['http://ENGINE.test:8983/solr', 'Engine.Test:8983', true],
  ['http://bücher.test:8983/solr', 'BÜCHER.test:8983', true],
  ['http://[::1]:8983/solr', '[0:0::1]:8983', true],
  ['https://engine.test/solr', 'engine.test:80', false],
  ['http://engine.test:8983/', 'engine.test:80', false],
  ['http://engine.test.other/', 'engine.test:80', false],
])('%s, where %s is named, gets credentials: %s', (url, named, isNamed) => {
  const { conf } = parseConf({ 'indexer.engines': named, 'indexer.credentials': 'w somebody pass' });
  const { credentials, agents } = engineOf(conf, url, context);
  agents.close();
  expect(credentials).toEqual(isNamed ? { user: 'somebody', password: 'pass' } : {});
});

it('the URL of an engine has no query and no fragment', () => {
  const { url, agents } = engineOf(parseConf({}).conf, 'https://engine.test/a?b=c#d', context);
  agents.close();
  expect(url.href).toBe('https://engine.test/a');
});
