import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { IndexWriters } from '../../src/cycle/index/index-writers.js';
import { chosenWriter, openWriter } from './chosen-writer.js';
import { EngineServer } from './engine-server.js';

/** What writers to engines conclude from an answer, beside those of `index-writers.spec.ts`. */

let engine: EngineServer;
beforeEach(async () => void (engine = await EngineServer.start()));
afterEach(() => engine.stop());

const engines: Record<string, () => Record<string, string>> = {
  'indexer-solr': () => ({ url: `${engine.url}/solr` }),
  'indexer-elastic': () => ({ url: engine.url }),
  'indexer-opensearch-1x': () => ({ url: engine.url }),
  'indexer-webhook': () => ({ url: `${engine.url}/hook` }),
};

function open(plugin: string): IndexWriters {
  const settings = { plugin, parameters: engines[plugin]!() };
  const chosen = chosenWriter(settings, { 'indexer.engines': `127.0.0.1:${engine.port}` });
  const limits = { retries: 0, timeoutMs: 10_000, signal: new AbortController().signal };
  return new IndexWriters([{ id: 'w', mapping: chosen.mapping, writer: openWriter(chosen) }], limits);
}

const ids = (count: number): string[] => Array.from({ length: count }, (_, n) => `test.a:http/${n}`);

describe.each(Object.keys(engines))('%s', (plugin) => {
  it('deletes in requests of half the size when one is too large for the engine', async () => {
    engine.maxBytes = 1_000;
    const writers = open(plugin);
    ids(100).forEach((id) => engine.documents.set(id, { id }));
    await writers.send({ documents: [], deleted: ids(90) });
    await writers.close();
    expect([...writers.givenUp]).toEqual([]);
    expect([...engine.documents.keys()]).toEqual(ids(100).slice(90));
  });

  it('is given up with the reason when the request for a single deletion is too large', async () => {
    engine.maxBytes = 10;
    const writers = open(plugin);
    await writers.send({ documents: [], deleted: ids(2) });
    await writers.close();
    expect([...writers.givenUp]).toEqual([['w', 'it did not delete test.a:http/0: it answered 413']]);
  });
});

it('the writer to a webhook sends at most `batch` deletions in a request', async () => {
  const writers = open('indexer-webhook');
  await writers.send({ documents: [], deleted: ids(250) });
  await writers.close();
  expect(engine.requests.map(({ bytes }) => bytes < 3_000)).toEqual([true, true, true]);
});
