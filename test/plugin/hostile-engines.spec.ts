import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { Deliveries } from '../../src/cycle/index/deliveries.js';
import { chosenWriters } from '../../src/plugin/index-writers.js';

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

const DONE = JSON.stringify({ items: [{ index: { _id: 'test.a:http/', status: 201 } }] });
const engines: Record<string, Record<string, string>> = {
  'indexer-solr': { url: 'http://127.0.0.1:PORT/solr' },
  'indexer-elastic': { host: '127.0.0.1', port: 'PORT' },
  'indexer-opensearch-1x': { url: 'http://127.0.0.1:PORT' },
  'indexer-webhook': { url: 'http://127.0.0.1:PORT/hook' },
};

function open(plugin: string, timeoutMs: number): Deliveries {
  const params = Object.entries(engines[plugin]!)
    .map(([name, value]) => `<param name="${name}" value="${value.replace('PORT', String(port()))}"/>`)
    .join('');
  const { conf } = parseConf({
    'plugin.includes.also': plugin,
    'indexer.indexwriters.rules': `<writers><writer id="w" class="${plugin}"><parameters>${params}</parameters></writer></writers>`,
    'indexer.engines': `127.0.0.1:${port()}`,
  });
  const [writer] = chosenWriters(conf);
  const opened = writer!.open({
    crawlId: 'k',
    job: 'j',
    part: 0,
    ownPorts: [],
    openBuiltIn: () => {
      throw new Error('none of these is the built-in index');
    },
    folder: null,
    position: null,
  });
  const limits = { retries: 0, timeoutMs, halt: new AbortController().signal };
  return new Deliveries([{ id: 'w', mapping: writer!.mapping, writer: opened }], limits);
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
  const long = `${' '.repeat(20 * 1_048_576)}${DONE}`;
  it.each([
    ['as it is', (): [string, Buffer] => [head(`Content-Length: ${long.length}`), Buffer.from(long)]],
    ['without its length', (): [string, Buffer] => [head('Connection: close'), Buffer.from(long)]],
    [
      'compressed',
      (): [string, Buffer] => {
        const bomb = gzipSync(`${' '.repeat(128 * 1_048_576)}${DONE}`);
        return [head(`Content-Length: ${bomb.length}`, 'Content-Encoding: gzip'), bomb];
      },
    ],
  ])('reads no answer of 20 MiB or more, sent %s', async (_, made) => {
    answer = (socket) => {
      const [fields, body] = made();
      socket.write(fields);
      socket.end(body);
    };
    const deliveries = open(plugin, 60_000);
    await deliveries.send({ documents: [document], deleted: [] });
    await deliveries.close();
    expect([...deliveries.givenUp]).toEqual([['w', 'its answer is too large']]);
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
    const deliveries = open(plugin, 200);
    await deliveries.send({ documents: [document], deleted: [] });
    expect([...deliveries.givenUp.keys()]).toEqual(['w']);
    const left = Promise.all([...sockets].map((socket) => new Promise((closed) => socket.once('close', closed))));
    await deliveries.close();
    await left;
  });
});
