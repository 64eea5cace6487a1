import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { IndexWriters } from '../../src/cycle/index/index-writers.js';
import { selfSigned } from '../net/self-signed.js';
import { chosenWriter, openWriter } from './chosen-writer.js';
import { EngineServer } from './engine-server.js';

/** What writers to engines conclude from an answer, beside those of `index-writers.spec.ts`. */

let engine: EngineServer;
beforeEach(async () => void (engine = await EngineServer.start()));
afterEach(() => engine.stop());

/** The path at the engine, by plugin. */
const engines: Record<string, string> = {
  'indexer-solr': '/solr',
  'indexer-elastic': '',
  'indexer-opensearch-1x': '',
  'indexer-webhook': '/hook',
};

/** Where a writer sends to; missing: to the engine. */
interface Target {
  scheme?: 'http' | 'https';
  host?: string;
  port?: number;
  /** `indexer.write.timeout` */
  seconds?: string;
  /** Further properties. */
  conf?: Record<string, string>;
  /** Further parameters. */
  more?: Record<string, string>;
}

function open(
  plugin: string,
  {
    scheme = 'http',
    host = '127.0.0.1',
    port = engine.port,
    seconds = '60',
    more = {},
    conf: moreConf = {},
  }: Target = {},
): IndexWriters {
  const settings = { plugin, parameters: { url: `${scheme}://${host}:${port}${engines[plugin]!}`, ...more } };
  const conf = {
    'indexer.engines': `${host}:${port}`,
    'indexer.write.timeout': seconds,
    'http.tls.certificates.check': 'true',
    ...moreConf,
  };
  const chosen = chosenWriter(settings, conf);
  const limits = { retries: 0, timeoutMs: Number(seconds) * 1_000, signal: new AbortController().signal };
  return new IndexWriters([{ id: 'w', mapping: chosen.mapping, writer: openWriter(chosen) }], limits);
}

const document: IndexDocument = {
  id: 'test.a:http/',
  url: 'http://a.test/',
  boost: 1,
  fields: new Map([['title', ['a title']]]),
  fieldBoosts: new Map(),
};

/** A server with a certificate that nobody trusts. */
async function secureServer(): Promise<{ port: number; close: () => Promise<void> }> {
  const server = createServer(selfSigned('localhost', new Date('2020-01-01'), new Date('2040-01-01')));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
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

  it('is not given up when only all requests of a call together take longer than indexer.write.timeout', async () => {
    engine.delay = 600;
    const writers = open(plugin, { seconds: '4', more: { commitSize: '1', batch: '1', 'max.bulk.docs': '1' } });
    const documents = ids(8).map((id) => ({ ...document, id }));
    await writers.send({ documents, deleted: [] });
    await writers.close();
    expect([...writers.givenUp]).toEqual([]);
    expect([...engine.documents.keys()]).toEqual(ids(8));
  });

  it('says that credentials were not sent to an engine that asks for them, as indexer.engines does not name it', async () => {
    engine.asksForCredentials = true;
    const unnamed = {
      'indexer.engines': '',
      'http.filter.ipaddress.exclude': '',
      'indexer.credentials': 'w somebody secret',
    };
    const reason = 'it answered 401: its credentials were not sent, as indexer.engines does not name it';
    expect(await reasonOf(plugin, { conf: unnamed })).toBe(reason);
    expect(await reasonOf(plugin, { conf: { ...unnamed, 'indexer.credentials': '' } })).toMatch(
      /^it answered 401(?!.*sent)/,
    );
    expect(engine.requests.map(({ authorization }) => authorization)).toEqual([undefined, undefined]);
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

/** The reason for which a writer is given up after one document. */
async function reasonOf(plugin: string, at: Target = {}): Promise<string | undefined> {
  const writers = open(plugin, at);
  await writers.send({ documents: [document], deleted: [] });
  await writers.close();
  return writers.givenUp.get('w');
}

describe.each(Object.keys(engines))('%s without an answer says why:', (plugin) => {
  it('nobody listens', async () => {
    await engine.stop();
    expect(await reasonOf(plugin)).toBe('no answer: ECONNREFUSED');
  });

  it('its name has no address', async () => {
    expect(await reasonOf(plugin, { host: 'engine.invalid' })).toMatch(/^no answer: (ENOTFOUND|EAI_AGAIN)$/);
  });

  it('it speaks no TLS', async () => {
    expect(await reasonOf(plugin, { scheme: 'https' })).toMatch(
      /^no answer: (EPROTO|ERR_SSL_WRONG_VERSION_NUMBER|wrong version number)$/,
    );
  });

  it('its certificate is not trusted', async () => {
    const { port, close } = await secureServer();
    const reason = await reasonOf(plugin, { scheme: 'https', port });
    await close();
    expect(reason).toMatch(/^no answer: (DEPTH_ZERO_SELF_SIGNED_CERT|self-signed certificate)$/);
  });

  it('the connection was cut before it', async () => {
    engine.faults = ['cut'];
    expect(await reasonOf(plugin)).toBe('no answer: ECONNRESET');
  });

  it('the connection was cut within it', async () => {
    engine.faults = ['answer-cut'];
    expect(await reasonOf(plugin)).toBe('no answer: the connection was cut within it');
  });

  it('it took too long', async () => {
    engine.delay = 600_000;
    expect(await reasonOf(plugin, { seconds: '2' })).toBe('no answer: ETIMEDOUT');
  });
});

describe('the writer to Solr', () => {
  const bad = { ...document, id: 'test.a:http/bad', fields: new Map([['title', ['a mapping error']]]) };

  it('reports the documents that an answer of success names as refused', async () => {
    engine.isTolerant = true;
    const writers = open('indexer-solr');
    const { refused } = await writers.send({ documents: [document, bad], deleted: [] });
    await writers.close();
    expect(refused.get('w')).toEqual([{ id: bad.id, reason: `[doc=${bad.id}] bad title` }]);
    expect([...engine.documents.keys()]).toEqual([document.id]);
  });

  it('reports a document with another version than its field asks for, and writes all others', async () => {
    engine.refusal = 409;
    const writers = open('indexer-solr');
    const { refused } = await writers.send({ documents: [document, bad], deleted: [] });
    await writers.close();
    expect(refused.get('w')).toEqual([{ id: bad.id, reason: `ERROR: [doc=${bad.id}] bad title` }]);
    expect([...engine.documents.keys()]).toEqual([document.id]);
  });

  it('is given up when an answer of success names a deletion as refused', async () => {
    engine.deletesNothing = true;
    const writers = open('indexer-solr');
    await writers.send({ documents: [], deleted: [document.id] });
    await writers.close();
    const reason = `it did not delete ${document.id}: [doc=${document.id}] bad title`;
    expect([...writers.givenUp]).toEqual([['w', reason]]);
  });

  it('is given up for a failure in an answer of success', async () => {
    engine.faults = ['failure'];
    expect(await reasonOf('indexer-solr')).toBe('it answered 500: no leader');
  });
});

it.each(['indexer-elastic', 'indexer-opensearch-1x'])(
  '%s is given up when the items of an answer are none of a bulk request',
  async (plugin) => {
    engine.faults = ['items'];
    expect(await reasonOf(plugin)).toBe('it answered 200, but not with the items of a bulk request');
  },
);

it.each(['indexer-elastic', 'indexer-opensearch-1x'])(
  '%s is given up when it may not write to the index, as on a full disk: no document is at fault',
  async (plugin) => {
    engine.addsNothing = true;
    expect(await reasonOf(plugin)).toBe('it answered 403: cluster_block_exception: index is read-only');
  },
);

it.each(['indexer-elastic', 'indexer-opensearch-1x'])('%s says why it is busy', async (plugin) => {
  engine.isBusy = true;
  const writers = open(plugin);
  await writers.send({ documents: ids(2).map((id) => ({ ...document, id })), deleted: [] });
  await writers.close();
  const reason = 'it is too busy for 2 documents: es_rejected_execution_exception: full';
  expect([...writers.givenUp]).toEqual([['w', reason]]);
});
