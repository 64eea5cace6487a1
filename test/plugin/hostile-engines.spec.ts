import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { IndexWriters } from '../../src/cycle/index/index-writers.js';
import { chosenWriter, openWriter } from './chosen-writer.js';

/** Index writers whose engine misbehaves: what they read of an answer is bounded, and no request outlives its writer. */

let server: Server;
let answer: (socket: Socket) => void;
const sockets = new Set<Socket>();
beforeEach(async () => {
  server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((closed) => server.close(closed));
});

const port = (): number => (server.address() as AddressInfo).port;

/** Spaces before an answer of success. */
let long: Buffer;
/** 128 MiB of them. */
let bomb: Buffer;
beforeAll(() => {
  const done = JSON.stringify({ items: [{ index: { _id: 'test.a:http/', status: 201 } }] });
  long = Buffer.from(done.padStart(20 * 1_048_576));
  bomb = gzipSync(done.padStart(128 * 1_048_576));
});

const engines: Record<string, Record<string, string>> = {
  'indexer-solr': { url: 'http://127.0.0.1:PORT/solr' },
  'indexer-elastic': { host: '127.0.0.1', port: 'PORT' },
  'indexer-opensearch-1x': { url: 'http://127.0.0.1:PORT' },
  'indexer-webhook': { url: 'http://127.0.0.1:PORT/hook' },
};

function open(plugin: string, timeoutMs: number): IndexWriters {
  const parameters = Object.fromEntries(
    Object.entries(engines[plugin]!).map(([name, value]) => [name, value.replace('PORT', String(port()))]),
  );
  const chosen = chosenWriter(
    { plugin, parameters },
    { 'indexer.engines': `127.0.0.1:${port()}`, 'indexer.write.timeout': String(timeoutMs / 1_000) },
  );
  const limits = { retries: 0, timeoutMs: 600_000, signal: new AbortController().signal };
  return new IndexWriters([{ id: 'w', mapping: chosen.mapping, writer: openWriter(chosen) }], limits);
}

const document: IndexDocument = {
  id: 'test.a:http/',
  url: 'http://a.test/',
  boost: 1,
  fields: new Map([['title', ['a title']]]),
  fieldBoosts: new Map(),
};

const head = (...fields: string[]): string =>
  ['HTTP/1.1 200 OK', 'X-Elastic-Product: Elasticsearch', 'Content-Type: application/json', ...fields, '', ''].join(
    '\r\n',
  );

/** Writes something again and again, until the connection is closed. */
function drip(socket: Socket, text: string): void {
  const timer = setInterval(() => socket.write(text), 20);
  socket.on('close', () => clearInterval(timer));
}

describe.each(Object.keys(engines))('%s', (plugin) => {
  it.each([
    ['as it is', () => [head(`Content-Length: ${long.length}`), long]],
    ['without its length', () => [head('Connection: close'), long]],
    ['compressed', () => [head(`Content-Length: ${bomb.length}`, 'Content-Encoding: gzip'), bomb]],
  ])('reads no answer of 20 MiB or more, sent %s', async (_, parts) => {
    answer = (socket) => {
      for (const part of parts()) socket.write(part);
      socket.end();
    };
    const writers = open(plugin, 60_000);
    await writers.send({ documents: [document], deleted: [] });
    await writers.close();
    expect([...writers.givenUp]).toEqual([['w', 'its answer is too large']]);
  });

  it.each<[string, (socket: Socket) => void]>([
    ['no answer', () => undefined],
    [
      'a header without an end',
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nX-Name: ');
        drip(socket, 'a');
      },
    ],
    [
      'a body without an end',
      (socket) => {
        socket.write(head('Transfer-Encoding: chunked'));
        drip(socket, '1\r\n \r\n');
      },
    ],
    ['no HTTP', (socket) => void socket.write('220 ready\r\n')],
  ])('is closed with its connections after %s', async (_, act) => {
    answer = act;
    const writers = open(plugin, 200);
    await writers.send({ documents: [document], deleted: [] });
    expect([...writers.givenUp.keys()]).toEqual(['w']);
    const left = Promise.all([...sockets].map((socket) => new Promise((closed) => socket.once('close', closed))));
    await writers.close();
    await left;
  });
});
