/** `http.useHttp2`: servers that offer h2 in the TLS handshake are requested over it, with the limits of HTTP/1.1. */
import { once } from 'node:events';
import http2, { type Http2SecureServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { type TLSSocket, connect as connectTls, createServer as createTls } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import type { HttpAnswer } from '../../src/net/http-answer.js';
import type { FetchLimits, HttpClientOptions } from '../../src/net/http-client.js';
import { DEFAULT_FETCH_LIMITS, HttpClient } from '../../src/net/http-client.js';
import { Http2Session } from '../../src/net/http2-session.js';
import * as site from '../support/site.js';
import { END_HEADERS, frame, ok200, word } from './http2-frames.js';
import { selfSigned } from './self-signed.js';

type Stream = (stream: ServerHttp2Stream, headers: http2.IncomingHttpHeaders) => void;

const pair = selfSigned('h2.test', new Date('2020-01-01'), new Date('2040-01-01'));
const sessions = new Set<ServerHttp2Session>();
let server: Http2SecureServer;
let port = 0;
let opened = 0;
let answer: Stream = () => undefined;
const asked: http2.IncomingHttpHeaders[] = [];
const clients: HttpClient[] = [];

beforeAll(async () => {
  server = http2.createSecureServer({ ...pair, allowHTTP1: true, settings: { maxHeaderListSize: 65_535 } });
  server.on('session', (session) => {
    opened += 1;
    sessions.add(session);
    session.on('error', () => undefined).once('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined);
    asked.push(headers);
    answer(stream, headers);
  });
  server.on('request', (req, res) => {
    if (req.httpVersionMajor === 1) res.end('over 1.1');
  });
  port = await listen(server);
});
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
  opened = 0;
  asked.length = 0;
});
afterAll(() => {
  for (const session of sessions) session.destroy();
  server.close();
});

async function listen(started: Server | Http2SecureServer): Promise<number> {
  started.listen(0, '127.0.0.1');
  await once(started, 'listening');
  return (started.address() as AddressInfo).port;
}

const clientOf = (options: Partial<HttpClientOptions> = {}): HttpClient => {
  const guard = makeEgressGuard({ exclude: [], include: [] });
  const resolve = () => Promise.resolve(['127.0.0.1']);
  const note = { request: false, protocols: true };
  const client = new HttpClient({ guard, resolve, verifyTls: false, http2: true, note, ...options });
  clients.push(client);
  return client;
};
const get = (client: HttpClient, path = '/', limits: Partial<FetchLimits> = {}): Promise<HttpAnswer> =>
  client.fetch(
    { url: `https://h2.test:${port}${path}`, headers: { 'user-agent': 'o' } },
    { ...DEFAULT_FETCH_LIMITS, ...limits },
  );
const codeOf = (one: HttpAnswer) => (one.ok ? one.status : one.code);
const says =
  (body: string | Buffer, headers: http2.OutgoingHttpHeaders = {}): Stream =>
  (stream) => {
    stream.respond({ ':status': 200, 'content-type': 'text/plain', ...headers });
    stream.end(body);
  };

type Flood = [first: Buffer, then: string, cut: boolean];
const repeated = (one: Buffer): string => one.toString('latin1').repeat(1000);
const many = (one: Buffer, before: Buffer = Buffer.alloc(0), cut = false): Flood => [before, repeated(one), cut];

/** A server that sends raw h2 bytes: its SETTINGS, then what `then` writes. */
async function rawH2(then: (socket: TLSSocket) => void): Promise<{ port: number; close: () => void }> {
  const raw = createTls({ ...pair, ALPNProtocols: ['h2'] }, (socket) => {
    socket.on('error', () => undefined).once('data', () => then(socket.resume()));
    socket.write(frame('SETTINGS', Buffer.alloc(0)));
  });
  return { port: await listen(raw), close: () => void raw.close() };
}

describe('a page over HTTP/2', () => {
  it('has status, headers (RFC 9113 §8.3), body, address and protocols', async () => {
    answer = says('hello', { etag: '"1"', 'set-cookie': ['a=1', 'b=2'], vary: 'x', 'x-utf8': 'ä' });
    const found = await get(clientOf(), '/p?q#r');
    expect(found).toMatchObject({ ok: true, status: 200, address: '127.0.0.1', protocols: 'h2,TLSv1.3', wireBytes: 5 });
    const { headers, body } = found as Extract<HttpAnswer, { ok: true }>;
    expect(body.toString()).toBe('hello');
    expect(headers).toMatchObject({ etag: '"1"', 'set-cookie': 'a=1\nb=2', vary: 'x', 'x-utf8': 'ä' });
    expect(Object.keys(headers).filter((name) => name.startsWith(':'))).toEqual([]);
    expect(asked[0]).toMatchObject({
      ':method': 'GET',
      ':path': '/p?q',
      ':authority': `h2.test:${port}`,
      ':scheme': 'https',
      'user-agent': 'o',
      'accept-encoding': 'gzip, deflate, br, zstd',
    });
  });

  it('has header fields in UTF-8 decoded as over 1.1', async () => {
    answer = says('', { location: Buffer.from('/café').toString('latin1'), 'x-latin1': 'ä' });
    expect(await get(clientOf())).toMatchObject({ headers: { location: '/café', 'x-latin1': 'ä' } });
  });

  it('has its content coding decoded (RFC 9110 §8.4)', async () => {
    answer = says(gzipSync('packed'), { 'content-encoding': 'gzip' });
    expect(await get(clientOf())).toMatchObject({ body: Buffer.from('packed') });
  });

  it.each([204, 304, 404, 503])('with status %i is a response', async (status) => {
    answer = (stream) => stream.respond({ ':status': status }, { endStream: true });
    expect(codeOf(await get(clientOf()))).toBe(status);
  });

  it('shares one connection with the following pages', async () => {
    answer = says('x');
    const client = clientOf();
    for (const path of ['/1', '/2', '/3']) expect(codeOf(await get(client, path))).toBe(200);
    expect(opened).toBe(1);
  });

  it('and a concurrent one use two connections: one stream per connection', async () => {
    answer = (stream, headers) => setTimeout(() => says('x')(stream, headers), 50);
    const client = clientOf();
    expect((await Promise.all([get(client, '/1'), get(client, '/2')])).map(codeOf)).toEqual([200, 200]);
    expect(opened).toBe(2);
  });
});

describe('without HTTP/2', () => {
  it('a server that does not offer it by ALPN (RFC 9113 §3.2) is requested in 1.1 over the same socket', async () => {
    let sockets = 0;
    const plain = createServer(pair, (_req, res) => void res.end('plain'));
    plain.on('connection', () => (sockets += 1));
    const plainPort = await listen(plain);
    const client = clientOf();
    for (let i = 0; i < 2; i++) {
      const found = await client.fetch({ url: `https://h2.test:${plainPort}/`, headers: {} });
      expect(found).toMatchObject({ status: 200, protocols: 'http/1.1,TLSv1.3' });
    }
    expect(sockets).toBe(1);
    plain.closeAllConnections();
    plain.close();
  });

  it('a server that offers both is requested in 1.1 when the property is off', async () => {
    const found = await get(clientOf({ http2: false }));
    expect(found).toMatchObject({ body: Buffer.from('over 1.1'), protocols: 'http/1.1,TLSv1.3' });
  });

  it('plain http is requested in 1.1 even when the property is on (RFC 9113 §3.3)', async () => {
    const web = await site.startSite(site.page('x'));
    const found = await clientOf().fetch({ url: web.url, headers: {} });
    expect(found).toMatchObject({ status: 200, protocols: 'http/1.1' });
    await web.close();
  });

  it('an invalid certificate is a failure, as over 1.1', async () => {
    expect(codeOf(await get(clientOf({ verifyTls: true })))).toBe('tls');
  });

  it('an address that the guard refuses is not connected to', async () => {
    const guard = makeEgressGuard({ exclude: ['loopback'], include: [] });
    expect(codeOf(await get(clientOf({ guard })))).toBe('blocked');
    expect(opened).toBe(0);
  });
});

describe('limits over HTTP/2 (RFC 9113 §10.5)', () => {
  it('cut a body at http.content.limit and close its connection', async () => {
    answer = (stream) => {
      stream.respond({ ':status': 200 });
      const write = (): void => void (stream.destroyed || stream.write(Buffer.alloc(65_536), write));
      write();
    };
    const client = clientOf();
    expect(await get(client, '/', { contentLimit: 100_000 })).toMatchObject({
      truncated: 'length',
      wireBytes: 100_000,
    });
    answer = says('next');
    expect(codeOf(await get(client))).toBe(200);
    expect(opened).toBe(2);
  });

  it.each([
    ['one header of 40 kB', { 'x-a': 'a'.repeat(40_000) }],
    [
      '400 headers of 100 bytes',
      Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`x-${i}`, 'a'.repeat(100)])),
    ],
    [
      '120 headers of 200 bytes',
      Object.fromEntries(Array.from({ length: 120 }, (_, i) => [`x-${i}`, 'a'.repeat(200)])),
    ],
  ])('refuse %s (RFC 9113 §10.5.1)', async (_what, headers) => {
    answer = says('x', headers);
    expect(['protocol', 'reset']).toContain(codeOf(await get(clientOf())));
  });

  it('end requests to a silent, a stalled and a trickling server', async () => {
    answer = () => undefined;
    expect(codeOf(await get(clientOf(), '/', { headersTimeout: 200 }))).toBe('timeout');
    answer = (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('x');
    };
    expect(codeOf(await get(clientOf(), '/', { idleTimeout: 200 }))).toBe('timeout');
    answer = (stream) => {
      stream.respond({ ':status': 200 });
      const timer = setInterval(() => stream.write('x'), 50);
      stream.once('close', () => clearInterval(timer));
    };
    expect(await get(clientOf(), '/', { totalTimeout: 400 })).toMatchObject({ ok: true, truncated: 'time' });
  });

  it('allow 16 informational responses (RFC 9113 §8.1) and no more', async () => {
    const hints =
      (count: number): Stream =>
      (stream, headers) => {
        for (let i = 0; i < count; i++) stream.additionalHeaders({ ':status': 103, link: '</s.css>' });
        says('x')(stream, headers);
      };
    answer = hints(16);
    expect(codeOf(await get(clientOf()))).toBe(200);
    answer = hints(17);
    expect(codeOf(await get(clientOf()))).toBe('protocol');
  });

  it.each([
    ['unknown frames of 16 kB', many(frame('UNKNOWN', Buffer.alloc(16_384)))],
    ['PING that each require a reply', many(frame('PING', Buffer.alloc(8)))],
    ['SETTINGS', many(frame('SETTINGS', Buffer.alloc(0)))],
    [
      'CONTINUATION with fields in it',
      many(
        frame('CONTINUATION', Buffer.from([0, 1, 97, 1, 98]), { stream: 1 }),
        frame('HEADERS', Buffer.from([0x88]), { stream: 1 }),
      ),
    ],
    ['RST_STREAM of the stream, before a response', many(frame('RST_STREAM', word(8), { stream: 1 }))],
    ['RST_STREAM of the stream, after a header section', many(frame('RST_STREAM', word(8), { stream: 1 }), ok200)],
    ['RST_STREAM of unknown streams', many(frame('RST_STREAM', word(8), { stream: 9 }))],
    [
      'HEADERS of unknown streams, each reset',
      many(
        Buffer.concat([
          frame('HEADERS', Buffer.from([0x88]), { stream: 2, flags: END_HEADERS }),
          frame('RST_STREAM', word(8), { stream: 2 }),
        ]),
      ),
    ],
    [
      'PUSH_PROMISE, although push is disabled',
      many(frame('PUSH_PROMISE', Buffer.concat([word(2), Buffer.from([0x82])]), { stream: 1, flags: END_HEADERS })),
    ],
    ['empty DATA', many(frame('DATA', Buffer.alloc(0), { stream: 1 }), ok200)],
    [
      'padding',
      many(frame('DATA', Buffer.concat([Buffer.from([255]), Buffer.alloc(255)]), { stream: 1, flags: 8 }), ok200, true),
    ],
    ['PRIORITY', many(frame('PRIORITY', Buffer.alloc(5), { stream: 3 }))],
    ['WINDOW_UPDATE', many(frame('WINDOW_UPDATE', word(1), { stream: 1 }))],
    ['GOAWAY', many(frame('GOAWAY', Buffer.alloc(8)))],
  ])('count frames without page data: a flood of %s ends the connection', async (_what, [first, bytes, cut]) => {
    const flood = await rawH2((socket) => {
      socket.write(first);
      const more = (error?: Error | null): void =>
        void (error || socket.destroyed || socket.write(bytes, 'latin1', more));
      more();
    });
    const request = { url: `https://h2.test:${flood.port}/`, headers: {} };
    const limits = { ...DEFAULT_FETCH_LIMITS, contentLimit: 1000, headersTimeout: 20_000 };
    const found = await clientOf().fetch(request, limits);
    // After a header section it is a truncated response.
    expect(found.ok && found.truncated).toBe(cut ? 'length' : false);
    expect(codeOf(found)).not.toBe('timeout');
    flood.close();
  });
});

describe('a server that breaks off', () => {
  const half =
    (then: (stream: ServerHttp2Stream) => void): Stream =>
    (stream) => {
      stream.respond({ ':status': 200, 'content-length': 1000 });
      stream.write('half', () => setTimeout(() => then(stream), 20));
    };

  it.each([
    ['by RST_STREAM', half((stream) => stream.close(http2.constants.NGHTTP2_INTERNAL_ERROR))],
    ['by RST_STREAM without an error', half((stream) => stream.close(http2.constants.NGHTTP2_NO_ERROR))],
    ['by CANCEL', half((stream) => stream.close(http2.constants.NGHTTP2_CANCEL))],
    ['by GOAWAY', half((stream) => stream.session?.destroy(undefined, http2.constants.NGHTTP2_ENHANCE_YOUR_CALM))],
    ['by closing the socket', half((stream) => stream.session?.destroy())],
    ['with less than its Content-Length (RFC 9113 §8.1.1)', half((stream) => stream.end())],
  ])('%s gives no page, or a partial page with keepPartial', async (_how, how) => {
    answer = how;
    expect(['reset', 'protocol']).toContain(codeOf(await get(clientOf())));
    const partial = await get(clientOf(), '/', { keepPartial: true });
    expect(partial).toMatchObject({ ok: true, truncated: 'disconnect', body: Buffer.from('half') });
  });

  it.each([
    ['REFUSED_STREAM', (stream: ServerHttp2Stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)],
    ['GOAWAY', (stream: ServerHttp2Stream) => stream.session?.destroy(undefined, 1)],
    ['the end of the socket', (stream: ServerHttp2Stream) => stream.session?.destroy()],
  ])('before the response, by %s (RFC 9113 §6.4, 6.8), is a failure', async (_how, how) => {
    answer = how;
    expect(['reset', 'protocol']).toContain(codeOf(await get(clientOf())));
  });

  it.each([
    ['REFUSED_STREAM', (stream: ServerHttp2Stream) => stream.close(http2.constants.NGHTTP2_REFUSED_STREAM)],
    ['CANCEL', (stream: ServerHttp2Stream) => stream.close(http2.constants.NGHTTP2_CANCEL)],
    ['GOAWAY', (stream: ServerHttp2Stream) => stream.session?.goaway(0, 0)],
    ['HTTP_1_1_REQUIRED', (stream: ServerHttp2Stream) => stream.close(http2.constants.NGHTTP2_HTTP_1_1_REQUIRED)],
  ])('at each request, by %s, receives a bounded number of requests', async (_how, how) => {
    answer = how;
    const client = clientOf();
    for (let n = 1; n <= 20; n++) {
      await get(client, '/', { headersTimeout: 100 });
      expect(asked.length).toBeLessThanOrEqual(3 * n);
      expect(opened).toBeLessThanOrEqual(3 * n);
    }
  });

  it('between two pages is requested over a new connection (RFC 9110 §9.2.2)', async () => {
    answer = says('x');
    const client = clientOf();
    expect(codeOf(await get(client))).toBe(200);
    for (const session of sessions) session.destroy();
    expect(codeOf(await get(client))).toBe(200);
    expect(opened).toBe(2);
  });

  it('at the second request receives it again (RFC 9110 §9.2.2); with resend off it fails as stale', async () => {
    const client = clientOf();
    let served = 0;
    answer = (stream, headers) => {
      served += 1;
      if (served % 2 === 0) stream.session?.destroy();
      else says('x')(stream, headers);
    };
    expect(codeOf(await get(client))).toBe(200);
    expect(codeOf(await get(client))).toBe(200);
    const stale = await client.fetch({ url: `https://h2.test:${port}/`, headers: {}, resend: false });
    expect(stale).toMatchObject({ ok: false, stale: true });
  });

  it('or a session destroyed before its setup causes no later exception', async () => {
    const socket = connectTls({ host: '127.0.0.1', port, ALPNProtocols: ['h2'], rejectUnauthorized: false });
    await once(socket, 'secureConnect');
    const limits = { maxHeaderSize: 16_384, keepAliveMs: 1000 };
    await new Promise<void>((ended) => {
      const session = new Http2Session(socket, `https://h2.test:${port}`, limits, ended);
      session.destroy();
      expect(session.closed).toBe(true);
    });
    // A late exception of the session would end the process, and so this run.
    await new Promise((later) => setImmediate(later));
  });

  it('with HTTP_1_1_REQUIRED (RFC 9113 §7) is requested in 1.1 from then on', async () => {
    answer = (stream) => stream.close(http2.constants.NGHTTP2_HTTP_1_1_REQUIRED);
    const client = clientOf();
    for (let i = 0; i < 2; i++) expect(await get(client)).toMatchObject({ body: Buffer.from('over 1.1') });
    expect(asked).toHaveLength(1);
    const polite = await clientOf().fetch({ url: `https://h2.test:${port}/`, headers: {}, resend: false });
    expect(polite).toMatchObject({ ok: false, stale: true });
  });

  it('by sending something other than the h2 preface (RFC 9113 §3.4) is a failure', async () => {
    const liar = createTls({ ...pair, ALPNProtocols: ['h2'] }, (socket) => {
      socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\n\r\nhello');
    });
    const liarPort = await listen(liar);
    const found = await clientOf().fetch({ url: `https://h2.test:${liarPort}/`, headers: {} });
    // HTTP/1.1, which it is offered next, it does not accept.
    expect(codeOf(found)).toBe('tls');
    liar.close();
  });
});
