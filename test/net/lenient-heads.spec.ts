import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { startRawSite } from '../support/site.js';
import { codeOf, get, getOk, opened, raw, useClient } from './fetching.js';

useClient();

/** Servers whose header a client has to read, or may, although the parser of undici does not (core/http/answer-head.ts). */
describe('an answer', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  const chunked = `${ok}Transfer-Encoding: chunked\r\n\r\n`;
  const whole = 'Content-Length: 4\r\n\r\nbody';
  const answers: [string, string][] = [
    ['after a 100 that nobody asked for (RFC 9110 §15.2)', `HTTP/1.1 100 Continue\r\n\r\n${ok}${whole}`],
    ['with a folded field (RFC 9112 §5.2)', `${ok}X-A: b\r\n c\r\n${whole}`],
    ['with lines that end in LF (RFC 9112 §2.2)', 'HTTP/1.1 200 OK\nContent-Length: 4\n\nbody'],
    ['with a blank before a colon (RFC 9112 §5.1)', `${ok}Content-Type : text/html\r\n${whole}`],
    ['with a name that is none', `${ok}X A: b\r\n${whole}`],
    ['with a control in a value (RFC 9110 §5.5)', `${ok}X-A: b\x01\r\n${whole}`],
    ['with its length twice (RFC 9110 §8.6)', `${ok}Content-Length: 4\r\n${whole}`],
    ['with blanks beside a size (RFC 9112 §7.1.1)', `${chunked}2  \r\nbo\r\n2 ; a=b\r\ndy\r\n0 \r\n\r\n`],
    ['with lines of chunks that end in LF (RFC 9112 §2.2)', `${chunked}2\nbo\n2\ndy\n0\nX-A: b\n\n`],
  ];

  it.each(answers)('%s is read', async (_what, bytes) => {
    const { url } = await raw(bytes);
    expect((await getOk(url)).body.toString()).toBe('body');
  });

  it.each(answers)('%s is read byte by byte, and its connection is not used again', async (_what, bytes) => {
    const site = await startRawSite((socket) => void slowly(socket, bytes));
    opened.push(site);
    for (const _ of [1, 2]) expect((await getOk(site.url)).body.toString()).toBe('body');
    expect(site.connections()).toBe(2);
  });

  it('of many chunks with blanks beside their sizes is read whole (RFC 9112 §7.1.1)', async () => {
    const data = Array.from({ length: 300 }, (_, n) => String(n).repeat(3_000));
    const chunks = data.map((text) => `${text.length.toString(16).padEnd(8)}\r\n${text}\r\n`);
    const { url } = await raw(`${chunked}${chunks.join('')}0\r\n\r\n`);
    expect((await getOk(url, { contentLimit: 10_000_000 })).body.toString() === data.join('')).toBe(true);
  });

  it('that stops in a header of this kind ends at the headers timeout', async () => {
    const { url } = await raw('HTTP/1.1 200 OK\nX-A: b\n', true);
    expect(codeOf(await get(url, { headersTimeout: 200 }))).toBe('timeout');
  });

  it('of 100s without end fails', async () => {
    const flood = 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(1000);
    const site = await startRawSite((socket) => {
      const more = (): void => void (socket.destroyed || socket.write(flood, more));
      more();
    });
    opened.push(site);
    expect(codeOf(await get(site.url))).toBe('protocol');
  });
});

async function slowly(socket: Socket, bytes: string): Promise<void> {
  socket.setNoDelay();
  for (const byte of bytes) {
    socket.write(byte, 'latin1');
    await new Promise(setImmediate);
  }
}
