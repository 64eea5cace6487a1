import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import * as site from '../support/site.js';
import { KIB, client, codeOf, get, getOk, opened, raw, web, useClient } from './fetching.js';

useClient();

describe('a plain fetch', () => {
  it('returns status, headers, body, wire bytes and remote address', async () => {
    const { url } = await web(site.page('<p>hello</p>', { etag: '"1"' }));
    const answer = await getOk(`${url}/a?b=c#d`);
    expect(answer).toMatchObject({ status: 200, truncated: false, wireBytes: 12, address: '127.0.0.1' });
    expect(answer.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', etag: '"1"' });
    expect(answer.body.toString()).toBe('<p>hello</p>');
    expect(Object.getPrototypeOf(answer.headers)).toBeNull();
    expect(opened[0]?.log[0]?.path).toBe('/a?b=c');
  });

  it("sends the caller's headers and Accept-Encoding (RFC 9110 §12.5.3), but no credentials of the URL (§4.2.4)", async () => {
    const { port, log } = await web(site.page(''));
    await get(`http://user:secret@127.0.0.1:${port}/`, {}, { 'user-agent': 'orbweaver/1' });
    expect(log[0]?.headers).toMatchObject({
      'user-agent': 'orbweaver/1',
      'accept-encoding': 'gzip, deflate, br, zstd',
    });
    expect(log[0]?.headers.authorization).toBeUndefined();
  });

  it('reuses a connection after a complete response (RFC 9112 §9.3)', async () => {
    const { url, log, connections } = await web(site.page('x'));
    for (let i = 0; i < 5; i++) await getOk(`${url}/${i}`);
    expect([log.length, connections()]).toEqual([5, 1]);
  });

  it.each([
    ['gzip', gzipSync('coded')],
    ['br', brotliCompressSync('coded')],
    ['zstd', zstdCompressSync('coded')],
    ['gzip, br', brotliCompressSync(gzipSync('coded'))],
  ])('decodes %s (RFC 9110 §8.4) and counts the wire bytes', async (coding, bytes) => {
    const { url } = await web(site.page(bytes, { 'content-encoding': coding }));
    const answer = await getOk(url);
    expect([answer.body.toString(), answer.wireBytes]).toEqual(['coded', bytes.length]);
  });

  it.each([301, 302, 303, 307, 308])('returns a %s (RFC 9110 §15.4) without following it', async (code) => {
    const target = await web(site.page('target'));
    const { url } = await web(site.redirect(`${target.url}/`, code));
    const answer = await getOk(url);
    expect([answer.status, answer.headers['location']]).toEqual([code, `${target.url}/`]);
    expect(target.connections()).toBe(0);
  });

  it.each([204, 304, 404, 410, 429, 500, 503])('returns a %s as a response (RFC 9110 §15)', async (code) => {
    const { url } = await web((_req, res) => void res.writeHead(code).end());
    expect((await getOk(url)).status).toBe(code);
  });

  it.each([
    '',
    'not a url',
    'ftp://127.0.0.1/',
    'file:///etc/passwd',
    'data:text/html,x',
    'javascript:1',
    'http://',
    '//host/x',
  ])('refuses %j, which is not an HTTP URL', async (url) => {
    expect(codeOf(await get(url))).toBe('url');
  });

  it('refuses a header value with a line break (RFC 9110 §5.5)', async () => {
    const { url, log } = await web(site.page('x'));
    expect((await get(url, {}, { 'x-a': 'b\r\nx-c: d' })).ok).toBe(false);
    expect(log).toEqual([]);
  });
});

describe('limits of a fetch', () => {
  it('an endless stream is cut at the content limit, and its socket is destroyed', async () => {
    let closed = 0;
    const { url } = await web((req, res) => {
      res.on('close', () => (closed += 1));
      return site.endlessStream()(req, res);
    });
    const answer = await getOk(url, { contentLimit: 100 * KIB });
    expect([answer.body.length, answer.wireBytes, answer.truncated]).toEqual([100 * KIB, 100 * KIB, 'length']);
    await expect.poll(() => closed).toBe(1);
  });

  it('a limit of -1 is still bounded by maxContent', async () => {
    const { url } = await web(site.endlessStream());
    const answer = await getOk(url, { contentLimit: -1, maxContent: 300 * KIB });
    expect([answer.body.length, answer.truncated]).toEqual([300 * KIB, 'length']);
  });

  it('a limit of 0 keeps nothing', async () => {
    const { url } = await web(site.page('body'));
    expect(await getOk(url, { contentLimit: 0 })).toMatchObject({ status: 200, truncated: 'length', wireBytes: 0 });
  });

  describe.each<[string, Record<string, string>, (body: Buffer) => Buffer]>([
    ['of a known length (RFC 9110 §8.6)', {}, (body) => body],
    ['in chunks (RFC 9112 §7.1)', { 'transfer-encoding': 'chunked' }, (body) => body],
    ['in gzip', { 'content-encoding': 'gzip' }, (body) => gzipSync(body)],
    // Its output comes in pieces: more than is decoded in one call.
    [
      'in gzip with garbage after it',
      { 'content-encoding': 'gzip' },
      (body) => Buffer.concat([gzipSync(body), Buffer.from('x')]),
    ],
  ])('a body %s', (_, headers, coded) => {
    it.each([
      ['one byte below its limit', 99 * KIB - 1, false],
      ['exactly at its limit', 99 * KIB, false],
      ['one byte above its limit', 99 * KIB + 1, 'length'],
    ] as const)('%s (%i bytes): truncated %s', async (_, size, truncated) => {
      const body = Buffer.alloc(size, 'words ');
      const { url } = await web((_, res) => void res.writeHead(200, headers).end(coded(body)));
      const answer = await getOk(url, { contentLimit: 99 * KIB });
      expect(answer.body.equals(body.subarray(0, 99 * KIB))).toBe(true);
      expect(answer.truncated).toBe(truncated);
    });
  });

  it('a gzip bomb of 1 GiB is cut at the content limit', async () => {
    const { url } = await web(site.gzipBomb(1024));
    const answer = await getOk(url);
    expect([answer.body.length, answer.truncated]).toEqual([1024 * KIB, 'length']);
    expect(answer.wireBytes).toBeLessThanOrEqual(1024 * KIB);
  });

  it('endless gzip is cut at the content limit, on the wire as well', async () => {
    const noise = gzipSync(Buffer.from(Array.from({ length: 64 * KIB }, (_, i) => (i * 7919 + (i >> 7) * 31) & 255)));
    const { url } = await web(site.endlessStream({ 'content-encoding': 'gzip' }, noise));
    const answer = await getOk(url, { contentLimit: 200 * KIB });
    expect([answer.body.length, answer.truncated]).toEqual([200 * KIB, 'length']);
    expect(answer.wireBytes).toBeLessThanOrEqual(200 * KIB);
  });

  it('three content codings are refused', async () => {
    const bytes = gzipSync(gzipSync(gzipSync('x')));
    const { url } = await web(site.page(bytes, { 'content-encoding': 'gzip, gzip, gzip' }));
    expect(codeOf(await get(url))).toBe('decode');
  });

  it.each(['gzip', 'compress'])('a body that is not %s hides no error status and no headers', async (coding) => {
    const { url } = await web((req, res) => {
      const code = Number(req.url!.slice(1));
      res.writeHead(code, { 'content-encoding': coding, location: '/there', 'retry-after': '7' }).end('plain text');
    });
    for (const code of [301, 404, 410, 429, 503]) {
      const { status, headers, body, truncated } = await getOk(`${url}/${code}`);
      expect([status, headers['location'], headers['retry-after']]).toEqual([code, '/there', '7']);
      expect([body.length, truncated]).toEqual([0, 'decode']);
    }
    expect(codeOf(await get(`${url}/200`))).toBe('decode');
  });

  it('a body of one-byte chunks is read completely', async () => {
    const body = 'x'.repeat(50_000);
    const chunks = `1\r\nx\r\n`.repeat(body.length);
    const { url } = await raw(`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`);
    expect((await getOk(url)).body.toString()).toBe(body);
  });

  it('a silent server ends at the headers timeout', async () => {
    const { url } = await web(site.silence);
    expect(codeOf(await get(url, { headersTimeout: 50 }))).toBe('timeout');
  });

  it('a stalled body ends at the idle timeout', async () => {
    const { url } = await web((_req, res) => void res.writeHead(200, { 'content-length': '9' }).write('half'));
    expect(codeOf(await get(url, { idleTimeout: 50 }))).toBe('timeout');
  });

  it('a trickling body ends at the total timeout and keeps the bytes received', async () => {
    const { url } = await web(site.slowDrip(5));
    const answer = await getOk(url, { totalTimeout: 200, idleTimeout: 10_000 });
    expect(answer.truncated).toBe('time');
    expect(answer.body.toString()).toMatch(/^\.+$/);
  });

  it('trickling headers end at the total timeout', async () => {
    const started = await site.startRawSite((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket.write('x-a: b\r\n'), 5);
      socket.once('close', () => clearInterval(timer));
    });
    opened.push(started);
    expect(codeOf(await get(started.url, { totalTimeout: 150, headersTimeout: 60_000 }))).toBe('timeout');
  });

  it.each([
    ['status line', 'HTTP/1.1 200 ', 'a', 'protocol'],
    ['chunk extension (RFC 9112 §7.1.1)', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;', 'a', 'length'],
    ['row of spaces in a header', 'HTTP/1.1 200 OK\r\nX-A:', ' ', 'protocol'],
  ])('an endless %s consumes a bounded number of bytes', async (_kind, head, filler, outcome) => {
    const piece = Buffer.alloc(64 * KIB, filler);
    let sent = 0;
    const started = await site.startRawSite((socket) => {
      socket.write(head);
      const pour = () => {
        while (!socket.destroyed && socket.write(piece)) sent += piece.length;
      };
      socket.on('drain', pour);
      pour();
    });
    opened.push(started);
    const answer = await get(started.url, { contentLimit: KIB, headersTimeout: 60_000, idleTimeout: 60_000 });
    expect(answer.ok ? answer.truncated : answer.code).toBe(outcome);
    // The kernel's buffers take bytes beyond those that we read.
    expect(sent).toBeLessThan(32 * 1024 * KIB);
  });

  it("the caller's signal aborts a fetch before its start and while it runs", async () => {
    const { url } = await web(site.slowDrip(5));
    expect(codeOf(await client.fetch({ url, headers: {}, signal: AbortSignal.abort() }))).toBe('aborted');
    const stop = new AbortController();
    const running = client.fetch({ url, headers: {}, signal: stop.signal });
    await expect.poll(() => opened[0]?.log.length).toBe(1);
    stop.abort();
    expect(codeOf(await running)).toBe('aborted');
  });

  it('closing the client ends running fetches and refuses later ones', async () => {
    const { url, log } = await web(site.silence);
    const own = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true });
    const running = own.fetch({ url, headers: {} });
    await expect.poll(() => log.length).toBe(1);
    own.close();
    expect((await running).ok).toBe(false);
    expect(codeOf(await own.fetch({ url, headers: {} }))).toBe('aborted');
  });
});

describe('servers that violate HTTP/1.1 (threat C9)', () => {
  const ok = 'HTTP/1.1 200 OK\r\n';
  it.each([
    ['HTTP/0.9, no status line (RFC 9112 §4)', '<html>bare text</html>', 'protocol'],
    ['another protocol (RFC 9112 §4)', 'SSH-2.0-OpenSSH_9.2\r\n', 'protocol'],
    [
      'two Content-Lengths (RFC 9112 §6.3, RFC 9110 §8.6)',
      `${ok}Content-Length: 2\r\nContent-Length: 4\r\n\r\nabcd`,
      'protocol',
    ],
    [
      'Content-Length with chunks (RFC 9112 §6.3)',
      `${ok}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
      'protocol',
    ],
    ['a status below 100 (RFC 9110 §15)', 'HTTP/1.1 000 Unknown\r\nContent-Length: 0\r\n\r\n', 'protocol'],
    ['NUL in a header (RFC 9110 §5.5)', `${ok}X-A: a\0b\r\n\r\n`, 'protocol'],
    ['a header without a name (RFC 9110 §5.1)', `${ok}: b\r\n\r\n`, 'protocol'],
    ['a bad chunk size (RFC 9112 §7.1)', `${ok}Transfer-Encoding: chunked\r\n\r\nzz\r\nab\r\n`, 'protocol'],
    ['a negative chunk size (RFC 9112 §7.1)', `${ok}Transfer-Encoding: chunked\r\n\r\n-1\r\nab\r\n`, 'protocol'],
    [
      'a huge chunk size (RFC 9112 §7.1)',
      `${ok}Transfer-Encoding: chunked\r\n\r\n${'f'.repeat(17)}\r\nab\r\n`,
      'protocol',
    ],
    ['many headers over 16 KiB (RFC 9110 §5.4)', `${ok}${'X-A: 0123456789\r\n'.repeat(2000)}\r\n`, 'protocol'],
    ['one header over 16 KiB (RFC 9110 §5.4)', `${ok}X-A: ${'a'.repeat(20_000)}\r\n\r\n`, 'protocol'],
    ['a flood of 1xx', `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(1000)}${ok}Content-Length: 0\r\n\r\n`, 'protocol'],
    [
      'an unrequested upgrade (RFC 9110 §7.8)',
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'reset',
    ],
    ['a body that is too short (RFC 9112 §6.3, 8)', `${ok}Content-Length: 100\r\n\r\nshort`, 'reset'],
    ['an end before the status line', 'HTTP/1.', 'reset'],
    ['an empty response', '', 'reset'],
  ])('%s fails with a declared code', async (_kind, bytes, code) => {
    const { url } = await raw(bytes);
    expect(codeOf(await get(url))).toBe(code);
  });

  it.each([
    ['a 204 with a body (RFC 9112 §6.3)', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello', 204],
    ['a 304 with a body (RFC 9112 §6.3)', 'HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\nhello', 304],
    [
      'two responses to one request (RFC 9112 §9.2)',
      `${ok}Content-Length: 1\r\n\r\na${ok}Content-Length: 1\r\n\r\nb`,
      200,
    ],
  ])('%s is one response, and its socket is not reused', async (_kind, bytes, code) => {
    const { url, connections } = await raw(bytes, true);
    expect(codeOf(await get(url))).toBe(code);
    await get(url, { headersTimeout: 1000 });
    expect(connections()).toBe(2);
  });

  it('a connection reset before the response fails as reset', async () => {
    const { url } = await web(site.reset);
    expect(codeOf(await get(url))).toBe('reset');
  });

  it.each([
    ['EAI_FAIL', { code: 'timeout', message: 'the host name could not be resolved now' }],
    ['EMFILE', { code: 'timeout', message: 'this machine has no socket for a connection now (EMFILE)', local: true }],
  ])('a resolver or a connection that fails with %s is named', async (code, failed) => {
    const resolve = () => Promise.reject(Object.assign(new Error(), { code }));
    const own = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true, resolve });
    expect(await own.fetch({ url: 'http://a.test/', headers: {} })).toEqual({ ok: false, ...failed });
    own.close();
  });

  it('a closed port fails as refused', async () => {
    const gone = await site.startSite(site.page(''));
    await gone.close();
    expect(codeOf(await get(gone.url))).toBe('refused');
  });

  it('an incomplete page (RFC 9112 §8) is returned as truncated with keepPartial, and fails otherwise', async () => {
    const { url } = await web(site.cutShort('fifteen bytes..', 50_000));
    expect(codeOf(await get(url))).toBe('reset');
    expect(await getOk(url, { keepPartial: true })).toMatchObject({ truncated: 'disconnect', wireBytes: 15 });
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync],
  ] as const)('%s with garbage after it is complete, wherever its chunks are split (%o)', async (coding, encode) => {
    const text = 'Pages have chunks. '.repeat(20);
    const wire = Buffer.concat([encode(text), Buffer.from('behind')]);
    const chunk = (part: Buffer) =>
      part.length === 0
        ? Buffer.alloc(0)
        : Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')]);
    const head = Buffer.from(`${ok}Transfer-Encoding: chunked\r\nContent-Encoding: ${coding}\r\n\r\n`);
    for (let at = 0; at <= wire.length; at++) {
      const parts = [head, chunk(wire.subarray(0, at)), chunk(wire.subarray(at)), Buffer.from('0\r\n\r\n')];
      const { url, close } = await site.startRawSite((socket) => {
        for (const part of parts) socket.write(part);
        socket.end();
      });
      const { body, truncated } = await getOk(url);
      expect([body.toString(), truncated], `split at ${at}`).toEqual([text, false]);
      await close();
    }
    const { url } = await raw(
      Buffer.concat([head, ...[...wire].map((byte) => chunk(Buffer.from([byte]))), Buffer.from('0\r\n\r\n')]),
    );
    expect(await getOk(url)).toMatchObject({ body: Buffer.from(text), truncated: false });
  });

  it('a coding that ends inside its data in a complete response fails like one that broke off', async () => {
    const wire = gzipSync(Buffer.from(Array.from({ length: 9000 }, (_, i) => (i * 7919 + (i >> 7) * 31) & 255)));
    const half = wire.subarray(0, wire.length >> 1);
    const { url } = await web((req, res) => {
      const status = req.url === '/503' ? 503 : 200;
      res.writeHead(status, { 'content-encoding': 'gzip', 'content-length': half.length }).end(half);
    });
    expect(codeOf(await get(url))).toBe('decode');
    const partial = await getOk(url, { keepPartial: true });
    expect([partial.truncated, partial.body.length > 0]).toEqual(['decode', true]);
    expect((await getOk(`${url}/503`)).status).toBe(503);
  });

  it('headers named like object properties are ordinary headers', async () => {
    const { url } = await raw(`${ok}__proto__: a\r\nconstructor: b\r\n__PROTO__: c\r\nContent-Length: 0\r\n\r\n`);
    const { headers } = await getOk(url);
    expect(Object.entries(headers)).toContainEqual(['__proto__', 'a, c']);
    expect(Object.getPrototypeOf({})).toBe(Object.prototype);
  });

  it('repeated headers are joined (RFC 9110 §5.3) unless single-valued, and are decoded as UTF-8', async () => {
    const fields = 'Vary: a\r\nVary: b\r\nLocation: /é\r\nLocation: /2\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n';
    const { url } = await raw(Buffer.from(`HTTP/1.1 302 X\r\n${fields}X-L: \u00e4\r\nContent-Length: 0\r\n\r\n`));
    const { headers } = await getOk(url);
    expect(headers).toMatchObject({ vary: 'a, b', location: '/é', 'set-cookie': 'a=1\nb=2', 'x-l': 'ä' });
  });
});
