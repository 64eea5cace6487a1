import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startRawSite } from '../support/site.js';
import { codeOf, get, getOk, opened, raw, useClient } from './fetching.js';

useClient();

/** Servers that answer a request of HTTP/1.1 with HTTP/1.0: old ones, and small ones in devices. */
describe('a response of HTTP/1.0', () => {
  const ok = 'HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n';

  it('without a length ends with its connection (RFC 9112 §6.3, 8)', async () => {
    const { url } = await raw(`${ok}\r\n<p>to the end`);
    const { status, body, truncated, headers } = await getOk(url);
    expect([status, body.toString(), truncated]).toEqual([200, '<p>to the end', false]);
    expect(headers['content-type']).toBe('text/html');
  });

  it('with a length ends with it, and its connection is not used again', async () => {
    const { url, connections } = await raw(`${ok}Content-Length: 4\r\n\r\nbody`, true);
    for (const _ of [1, 2]) expect((await getOk(url)).body.toString()).toBe('body');
    expect(connections()).toBe(2);
  });

  it.each([
    ['a redirect', 'HTTP/1.0 302 Found\r\nLocation: /next\r\n\r\n', 302],
    ['a missing page', 'HTTP/1.0 404 Not Found\r\n\r\nnone', 404],
    ['a page that has not changed', 'HTTP/1.0 304 Not Modified\r\n\r\n', 304],
    ['an answer without a reason', 'HTTP/1.0 200\r\n\r\nx', 200],
    ['a body that is too short', `${ok}Content-Length: 100\r\n\r\nshort`, 'reset'],
    ['an end before the headers are complete', `${ok}X-A: `, 'reset'],
    ['a length twice, with two values', `${ok}Content-Length: 4\r\nContent-Length: 5\r\n\r\nbodyx`, 'protocol'],
  ])('is %s with %j as %s', async (_what, bytes, code) => {
    const { url } = await raw(bytes);
    expect(codeOf(await get(url))).toBe(code);
  });

  it('with a transfer coding is decoded, although HTTP/1.0 has none', async () => {
    const { url } = await raw(`${ok}Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n`);
    expect((await getOk(url)).body.toString()).toBe('body');
  });

  const keepAlive = 'Connection: keep-alive\r\n';
  const chunked = 'Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n';
  it.each([
    ['1.0 with a length', `${ok}${keepAlive}Content-Length: 4\r\n\r\nbody`, 1],
    ['1.0 with a transfer coding, which is faulty framing', `${ok}${keepAlive}${chunked}`, 2],
    ['1.1 with a transfer coding', `HTTP/1.1 200 OK\r\n${keepAlive}${chunked}`, 1],
  ])(
    'that asks to be kept: HTTP/%s uses a connection as often as it may (RFC 9112 §6.1)',
    async (_what, bytes, used) => {
      const { url, connections } = await eachTime([bytes]);
      for (const _ of [1, 2]) expect((await getOk(url)).body.toString()).toBe('body');
      expect(connections()).toBe(used);
    },
  );

  it('is known as such when its first bytes arrive one by one', async () => {
    const { url, connections } = await eachTime([...'HTTP/1.0', ` 200 OK\r\n${keepAlive}${chunked}`]);
    for (const _ of [1, 2]) expect((await getOk(url)).body.toString()).toBe('body');
    expect(connections()).toBe(2);
  });
});

/** Answers each request of a connection with these parts, each sent by itself. */
async function eachTime(parts: readonly string[]) {
  const answer = async (socket: Socket) => {
    for (const part of parts) {
      socket.write(part);
      await new Promise(setImmediate);
    }
  };
  const site = await startRawSite((socket) => {
    socket.setNoDelay();
    socket.on('data', () => void answer(socket));
    void answer(socket);
  });
  opened.push(site);
  return site;
}
