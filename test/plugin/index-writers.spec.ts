import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { type IndexWriter, MAX_RETRY_AFTER_MS, WriteFailed } from '../../src/core/indexing/index-writer.js';
import { IndexWriters } from '../../src/cycle/index/index-writers.js';
import type { ChosenWriter } from '../../src/plugin/index-writers.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { chosenWriter, openWriter } from './chosen-writer.js';
import { EngineServer, type Fault, type Stranger } from './engine-server.js';

/** One suite for all index writers: the documents that each engine has in the end, whatever fails in between. */

let engine: EngineServer;
let folder: TemporaryFolder;
beforeEach(async () => {
  engine = await EngineServer.start();
  folder = await temporaryFolder();
});
afterEach(async () => {
  await engine.stop();
  await folder.remove();
});

interface Kind {
  plugin: string;
  parameters: () => Record<string, string>;
}
const engines: Record<string, Kind> = {
  solr: { plugin: 'indexer-solr', parameters: () => ({ url: `${engine.url}/solr/nutch`, commitSize: '7' }) },
  elasticsearch: {
    plugin: 'indexer-elastic',
    parameters: () => ({ host: '127.0.0.1', port: String(engine.port), index: 'pages', 'max.bulk.docs': '7' }),
  },
  opensearch: {
    plugin: 'indexer-opensearch-1x',
    parameters: () => ({ url: engine.url, index: 'pages', 'max.bulk.docs': '7' }),
  },
  webhook: { plugin: 'indexer-webhook', parameters: () => ({ url: `${engine.url}/hook`, batch: '7' }) },
};
const files: Record<string, Kind> = {
  jsonl: { plugin: 'indexer-jsonl', parameters: () => ({ parts: '3' }) },
  csv: { plugin: 'indexer-csv', parameters: () => ({ parts: '2', fields: 'id,title,anchor' }) },
};

const chosen = ({ plugin, parameters }: Kind, more: Record<string, string> = {}): ChosenWriter =>
  chosenWriter(
    { plugin, parameters: parameters() },
    { 'indexer.engines': `127.0.0.1:${engine.port}`, 'indexer.write.timeout': '10', ...more },
  );

const opened = (writer: ChosenWriter, position: readonly number[] | null = null): IndexWriter =>
  openWriter(writer, { folder: folder.path, position });

const open = (kind: Kind, { retries = 8, more = {} as Record<string, string> } = {}): IndexWriters => {
  const writer = chosen(kind, more);
  const limits = { retries, timeoutMs: 10_000, signal: new AbortController().signal };
  return new IndexWriters([{ id: 'w', mapping: writer.mapping, writer: opened(writer) }], limits);
};

function documentOf(n: number, title = `title ${n}`): IndexDocument {
  return {
    id: `test.a:http/${n}`,
    url: `http://a.test/${n}`,
    boost: 1 + n,
    fields: new Map<string, (string | Date)[]>([
      ['title', [title]],
      ['anchor', ['one, "two"', 'three\nfour']],
      ['tstamp', [new Date(0)]],
    ]),
    fieldBoosts: new Map(),
  };
}
const documents = (from: number, to: number): IndexDocument[] =>
  Array.from({ length: to - from }, (_, at) => documentOf(from + at));
const ids = (from: number, to: number): string[] => documents(from, to).map(({ id }) => id);

describe.each(Object.entries(engines))('the writer to %s', (_, kind) => {
  it('adds, replaces and deletes documents by their ids (N4)', async () => {
    const writers = open(kind);
    await writers.send({ documents: documents(0, 30), deleted: [] });
    await writers.send({ documents: [documentOf(3, 'another')], deleted: [...ids(0, 3), 'test.never:http/'] });
    await writers.commit();
    await writers.close();
    expect([...writers.givenUp]).toEqual([]);
    expect([...engine.documents.keys()].sort()).toEqual(ids(3, 30).sort());
    expect(engine.documents.get('test.a:http/3')).toMatchObject({
      title: 'another',
      anchor: ['one, "two"', 'three\nfour'],
      tstamp: '1970-01-01T00:00:00.000Z',
      boost: 4,
    });
    expect(engine.requests.length).toBeGreaterThan(4);
  });

  it('deletes documents from an index that does not exist yet', async () => {
    engine.hasNoIndex = true;
    const writers = open(kind);
    await writers.send({ documents: [], deleted: ids(0, 3) });
    await writers.send({ documents: documents(0, 2), deleted: [] });
    await writers.close();
    expect([...writers.givenUp]).toEqual([]);
    expect([...engine.documents.keys()].sort()).toEqual(ids(0, 2).sort());
  });

  it.each<Fault>([
    'busy',
    'unavailable',
    'request-timeout',
    'item-busy',
    'half-then-cut',
    'cut',
    'restart',
    'answer-lost',
    'answer-cut',
  ])('delivers all documents, each once, despite the fault %s', async (fault) => {
    const writers = open(kind);
    engine.faults = [fault, fault];
    await writers.send({ documents: documents(0, 20), deleted: [] });
    engine.faults = [fault];
    await writers.send({ documents: documents(20, 25), deleted: [] });
    await writers.close();
    expect([...writers.givenUp]).toEqual([]);
    expect([...engine.documents.keys()].sort()).toEqual(ids(0, 25).sort());
  });

  it('reports a document that is refused, and writes all others', async () => {
    const writers = open(kind);
    const bad = documentOf(100, engine.badTitle);
    const { refused } = await writers.send({ documents: [...documents(0, 9), bad, ...documents(9, 20)], deleted: [] });
    await writers.close();
    expect(refused.get('w')).toEqual([{ id: bad.id, reason: expect.stringMatching(/title/) }]);
    expect([...engine.documents.keys()].sort()).toEqual(ids(0, 20).sort());
  });

  it('sends fewer documents at once where a request is too large, and names one that is too large alone', async () => {
    engine.maxBytes = 900;
    const writers = open(kind);
    const large = documentOf(100, 'large '.repeat(200));
    const { refused } = await writers.send({
      documents: [...documents(0, 9), large, ...documents(9, 20)],
      deleted: [],
    });
    await writers.close();
    expect([...writers.givenUp]).toEqual([]);
    expect(refused.get('w')).toEqual([{ id: large.id, reason: expect.stringContaining('413') }]);
    expect([...engine.documents.keys()].sort()).toEqual(ids(0, 20).sort());
  });

  it('is given up with the reason when all retries fail', async () => {
    const writers = open(kind, { retries: 1 });
    engine.faults = Array.from({ length: 50 }, () => 'unavailable' as const);
    await writers.send({ documents: documents(0, 3), deleted: [] });
    await writers.close();
    expect([...writers.givenUp]).toEqual([['w', expect.stringContaining('answered 503')]]);
  });

  describe('reads Retry-After', () => {
    const asked = async (retryAfter: string): Promise<number | null> => {
      engine.retryAfter = retryAfter;
      engine.faults = ['busy'];
      const writer = opened(chosen(kind));
      const failed = await writer.write(documents(0, 1)).then(
        () => writer.flush?.(),
        (error: unknown) => error,
      );
      await writer.close();
      expect(failed).toBeInstanceOf(WriteFailed);
      return (failed as WriteFailed).retryAfter;
    };

    it.each([
      ['3', 3_000],
      ['0', 0],
      ['99999999999', MAX_RETRY_AFTER_MS],
      ['soon', null],
      ['-5', null],
      // A form of ISO 8601, which RFC 9110 does not have.
      ['2126-11-26T08:00:00Z', null],
      ['2126', MAX_RETRY_AFTER_MS],
    ])('%s as %j', async (given, ms) => expect(await asked(given)).toBe(ms));

    it('of a date as the time until then, at most the maximum', async () => {
      const ms = await asked(new Date(Date.now() + 90_000).toUTCString());
      expect(ms).toBeGreaterThan(0);
      expect(ms).toBeLessThanOrEqual(90_000);
      expect(await asked('Fri, 01 Jan 2100 00:00:00 GMT')).toBe(MAX_RETRY_AFTER_MS);
    });
  });

  it('sends credentials to an engine in indexer.engines, and to no other', async () => {
    const secret = { 'indexer.credentials': 'w somebody pass' };
    for (const more of [secret, { ...secret, 'indexer.engines': '', 'http.filter.ipaddress.exclude': '' }]) {
      const writers = open(kind, { more });
      await writers.send({ documents: documents(0, 1), deleted: [] });
      await writers.close();
    }
    const sent = engine.requests.map(({ authorization }) => authorization);
    expect(sent).toEqual([`Basic ${Buffer.from('somebody:pass').toString('base64')}`, undefined]);
  });

  it('connects to no inner address that is not in indexer.engines', async () => {
    const writers = open(kind, { more: { 'indexer.engines': '' } });
    await writers.send({ documents: documents(0, 1), deleted: [] });
    await writers.close();
    expect([...writers.givenUp]).toEqual([['w', expect.stringContaining('refused by the egress rule')]]);
    expect(engine.requests).toEqual([]);
  });
});

it('the writer to a webhook reads what it refuses beside entries that name no document', async () => {
  engine.refusedBefore = [
    null,
    'x',
    { id: null },
    { reason: 'y' },
    { id: 'z', reason: { toString: 1 } },
    { id: 'w'.repeat(1_000_000) },
  ];
  const writers = open(engines['webhook']!);
  const bad = documentOf(100, engine.badTitle);
  const { refused } = await writers.send({ documents: [documentOf(1), bad], deleted: [] });
  await writers.close();
  expect(refused.get('w')).toEqual([
    { id: 'z', reason: '{"toString":1}' },
    { id: expect.stringMatching(/^w{1,2000}$/), reason: 'no reason given' },
    { id: bad.id, reason: 'bad title' },
  ]);
});

it.each(['/hook?key=a%20b&c', '/hook/', '/hook'])(
  'the writer to a webhook posts to its URL as it is: %s',
  async (path) => {
    const writers = open({ plugin: 'indexer-webhook', parameters: () => ({ url: `${engine.url}${path}` }) });
    await writers.send({ documents: documents(0, 1), deleted: ids(1, 2) });
    await writers.close();
    expect(engine.requests.map(({ target }) => target)).toEqual([path, path]);
  },
);

/** A webhook may answer anything with a status of success. */
describe.each(Object.entries(engines).filter(([name]) => name !== 'webhook'))('the writer to %s', (_, kind) => {
  it.each<[Stranger, RegExp]>([
    ['page', /answered 200, but not with/],
    ['moved', /answered 302/],
    ['broken', /not with the JSON of Solr|no valid JSON/],
  ])('is given up when another server answers: %s', async (stranger, reason) => {
    const writers = open(kind, { retries: 1 });
    engine.faults = Array.from({ length: 50 }, () => stranger);
    await writers.send({ documents: documents(0, 3), deleted: [] });
    await writers.close();
    expect([...writers.givenUp]).toEqual([['w', expect.stringMatching(reason)]]);
  });

  it('says which parameter is missing or wrong', () => {
    const openedWith = (parameters: Record<string, string>) => () =>
      opened(chosen({ plugin: kind.plugin, parameters: () => parameters }));
    expect(openedWith({})).toThrow('its parameter url is missing');
    expect(openedWith({ url: 'engine.test' })).toThrow('its parameter url is no URL');
    if (kind.plugin === 'indexer-solr') return;
    expect(openedWith({ host: 'engine.test', port: 'x' })).toThrow('its parameters scheme, host and port make no URL');
  });
});

describe.each(Object.entries(engines).filter(([, { plugin }]) => /elastic|opensearch/.test(plugin)))(
  'the writer to %s',
  (_, kind) => {
    it('replaces an id of more than 512 bytes by its hash, and deletes it by that', async () => {
      const [fitting, long] = ['é'.repeat(256), 'é'.repeat(257)];
      const writers = open(kind);
      const both = [fitting, long].map((id) => ({ ...documentOf(1), id }));
      await writers.send({ documents: both, deleted: [] });
      expect([...engine.documents.keys()]).toEqual([fitting, expect.stringMatching(/^sha256:[\da-f]{64}$/)]);
      await writers.send({ documents: [], deleted: [long] });
      await writers.close();
      expect([...engine.documents.keys()]).toEqual([fitting]);
    });

    it('is given up when its engine refuses a deletion', async () => {
      engine.deletesNothing = true;
      const writers = open(kind);
      await writers.send({ documents: [], deleted: ids(0, 2) });
      await writers.close();
      const reason = 'it answered 403: cluster_block_exception: index is read-only';
      expect([...writers.givenUp]).toEqual([['w', reason]]);
    });

    it('is given up when there is no index, and its engine makes none', async () => {
      Object.assign(engine, { hasNoIndex: true, makesIndexes: false });
      const writers = open(kind);
      await writers.send({ documents: documents(0, 2), deleted: [] });
      await writers.close();
      const reason = 'it answered 404: index_not_found_exception: no such index [pages]';
      expect([...writers.givenUp]).toEqual([['w', reason]]);
    });

    it('is given up when an answer has fewer items than documents', async () => {
      const writers = open(kind, { retries: 1 });
      engine.faults = ['no-items', 'no-items'];
      await writers.send({ documents: documents(0, 3), deleted: [] });
      await writers.close();
      expect([...writers.givenUp]).toEqual([['w', 'it answered 0 items to 3 documents']]);
    });
  },
);

it('the writer to solr encodes the name of its collection', async () => {
  const parameters = () => ({ url: `${engine.url}/solr/`, collection: 'a/b?c' });
  const writers = open({ plugin: 'indexer-solr', parameters });
  await writers.send({ documents: documents(0, 1), deleted: [] });
  await writers.close();
  expect(engine.requests.map(({ path }) => path)).toEqual(['/solr/a%2Fb%3Fc/update']);
});

const linesOf = async (): Promise<string[]> =>
  (await Promise.all((await readdir(folder.path)).map((name) => readFile(join(folder.path, name), 'utf8'))))
    .join('')
    .split(/(?<=\n)/);

describe.each(Object.entries(files))('the writer to files of %s', (_, kind) => {
  it('writes each document once, also when an attempt ended before its position was stored', async () => {
    const writer = chosen(kind);
    const first = opened(writer);
    await first.write(documents(0, 10));
    const kept = first.position!();
    await first.write(documents(10, 20));
    await first.close();
    const second = opened(writer, kept);
    await second.write(documents(10, 20));
    await second.commit();
    await second.close();
    const texts = (await linesOf()).join('');
    for (let n = 0; n < 20; n++)
      expect(texts.split(`test.a:http/${n}${kind.plugin.endsWith('csv') ? ',' : '"'}`)).toHaveLength(2);
  });
});

it('a writer that hangs is given up, and the others receive all documents', async () => {
  const slow = opened(chosen(engines['webhook']!, { 'indexer.write.timeout': '0.3' }));
  const quick = opened(chosen(files['jsonl']!));
  engine.delay = 600_000;
  const limits = { retries: 0, timeoutMs: 600_000, signal: new AbortController().signal };
  const mapping = { copy: [], rename: [], remove: [] };
  const writers = new IndexWriters(
    [
      { id: 'slow', mapping, writer: slow },
      { id: 'quick', mapping, writer: quick },
    ],
    limits,
  );
  for (let part = 0; part < 3; part++)
    await writers.send({ documents: documents(part * 5, part * 5 + 5), deleted: [] });
  await writers.close();
  expect([...writers.givenUp]).toEqual([['slow', 'no answer: ETIMEDOUT']]);
  expect((await linesOf()).filter((line) => line.includes('test.a'))).toHaveLength(15);
});

it('a writer with time limits of its own is not given up', async () => {
  const gate = Promise.withResolvers<[]>();
  const nothing = () => Promise.resolve();
  const writer = { hasOwnLimits: true, write: () => gate.promise, delete: nothing, commit: nothing, close: nothing };
  const limits = { retries: 0, timeoutMs: 1, signal: new AbortController().signal };
  const writers = new IndexWriters([{ id: 'merging', mapping: { copy: [], rename: [], remove: [] }, writer }], limits);
  const sent = writers.send({ documents: documents(0, 1), deleted: [] });
  setTimeout(() => gate.resolve([]), 50);
  await sent;
  expect([...writers.givenUp]).toEqual([]);
});

it('a writer that never closes delays the end by the time of one call', async () => {
  const nothing = () => Promise.resolve();
  const forever = {
    write: () => Promise.resolve([]),
    delete: nothing,
    commit: nothing,
    close: () => new Promise<void>(() => undefined),
  };
  const limits = { retries: 0, timeoutMs: 50, signal: new AbortController().signal };
  const mapping = { copy: [], rename: [], remove: [] };
  await new IndexWriters([{ id: 'stuck', mapping, writer: forever }], limits).close();
});
