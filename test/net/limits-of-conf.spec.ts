import { once } from 'node:events';
import { type AddressInfo, type Socket, createServer } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { type Conf, parseConf } from '../../src/core/conf/properties.js';
import { judgeRedirect } from '../../src/core/url/redirect-rules.js';
import type { HttpAnswer } from '../../src/net/http-answer.js';
import { makeHttpClient, fetchLimitsOf } from '../../src/plugin/http-protocol.js';
import { makeUrlRules } from '../../src/plugin/url-rules.js';
import { type Site, page, startRawSite, startSite } from '../support/site.js';
import { selfSigned } from './self-signed.js';

/** Bounds of an answer, as the properties of a configuration set them: at the bound, and one beyond. */

const sites: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const site of sites.splice(0)) await site.close();
});
const opened = <T extends Pick<Site, 'close'>>(site: T): T => {
  sites.push(site);
  return site;
};

const confOf = (params: Record<string, string>): Conf =>
  parseConf({ 'http.agent.name': 'bot', 'http.filter.ipaddress.exclude': '', ...params }).conf;

/** The answer to one request of a crawler of this configuration. */
async function fetched(url: string, params: Record<string, string>): Promise<HttpAnswer> {
  const conf = confOf(params);
  const client = makeHttpClient(conf, []);
  try {
    return await client.fetch({ url, headers: {} }, fetchLimitsOf(conf));
  } finally {
    await client.close();
  }
}

describe('http.header.limit', () => {
  const limit = { 'http.header.limit': '2048' };
  /** An answer whose names and values of header fields have so many bytes. */
  const answering = async (size: number): Promise<string> => {
    const fields = ['Content-Length: 2', `X: ${'x'.repeat(size - 'Content-Length2X'.length)}`];
    const bytes = `HTTP/1.1 200 OK\r\n${fields.join('\r\n')}\r\n\r\nok`;
    return opened(await startRawSite((socket) => socket.end(bytes))).url;
  };

  it('accepts an answer whose names and values of header fields have fewer bytes', async () => {
    expect(await fetched(`${await answering(2_047)}/`, limit)).toMatchObject({ ok: true, status: 200 });
  });

  it.each([2_048, 100_000])('refuses one of %i bytes, as an answer that is too large', async (size) => {
    expect(await fetched(`${await answering(size)}/`, limit)).toMatchObject({
      ok: false,
      code: 'protocol',
      message: 'the headers are too large',
    });
  });
});

describe('http.content.limit.cap', () => {
  it.each([
    ['-1', 1_000, 1_000, false],
    ['-1', 1_001, 1_000, 'length'],
    ['2000', 1_001, 1_000, 'length'],
    ['500', 501, 500, 'length'],
    ['500', 500, 500, false],
  ])(
    'of 1000 bytes and http.content.limit %s keep of %i bytes %i (truncated: %j)',
    async (limit, size, kept, truncated) => {
      const site = opened(await startSite({ '/': page('x'.repeat(size)) }));
      const params = { 'http.content.limit.cap': '1000', 'http.content.limit': limit };
      const answer = await fetched(`${site.url}/`, params);
      expect(answer).toMatchObject({ ok: true, truncated });
      expect(answer.ok && answer.body.length).toBe(kept);
    },
  );
});

describe('http.connect.timeout', () => {
  /** The URL of a server for TLS that begins its handshake after so many ms; null: never. */
  async function secure(ms: number | null): Promise<string> {
    const day = 86_400_000;
    const pair = selfSigned('127.0.0.1', new Date(Date.now() - day), new Date(Date.now() + day));
    const tls = createTlsServer(pair, (socket) => {
      socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'));
    });
    const sockets: Socket[] = [];
    const front = createServer((socket) => {
      sockets.push(socket.on('error', () => undefined));
      if (ms !== null) setTimeout(() => tls.emit('connection', socket), ms);
    });
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    sites.push({
      close: () => {
        for (const socket of sockets) socket.destroy();
        return new Promise((done) => front.close(done));
      },
    });
    return `https://127.0.0.1:${(front.address() as AddressInfo).port}`;
  }

  it('ends a connection whose handshake takes longer, as a timeout', async () => {
    const began = performance.now();
    const params = { 'http.connect.timeout': '150', 'http.timeout': '600000', 'http.time.limit': '-1' };
    const answer = await fetched(`${await secure(null)}/`, params);
    expect(answer).toMatchObject({ ok: false, code: 'timeout', message: 'no connection in time' });
    expect(performance.now() - began).toBeGreaterThanOrEqual(149);
  });

  it('does not end one whose handshake is late and within it', async () => {
    const params = { 'http.connect.timeout': '20000', 'http.tls.certificates.check': 'false' };
    expect(await fetched(`${await secure(200)}/`, params)).toMatchObject({ ok: true, status: 200 });
  });
});

describe('http.time.limit', () => {
  it.each([
    ['-1', 600_000],
    ['0', 600_000],
    ['1', 1_000],
  ])('%s lets a download take %i ms', (seconds, totalTimeout) => {
    expect(fetchLimitsOf(confOf({ 'http.time.limit': seconds }))).toMatchObject({ totalTimeout });
  });
});

describe('http.redirect.location.max', () => {
  it.each([
    ['is followed at the bound', 30, null],
    ['is no target one character beyond it', 31, 'location'],
  ])('a Location %s (%i characters of 30)', (_what, length, refused) => {
    const conf = confOf({ 'http.redirect.location.max': '30', 'urlfilter.regex.rules': '+.' });
    const location = 'http://a.test/'.padEnd(length, 'x');
    const verdict = judgeRedirect({ url: 'http://a.test/', key: 'test.a:http/' }, location, {
      conf,
      rules: makeUrlRules(conf),
    });
    expect([verdict.refused, verdict.target]).toEqual([refused, refused === null ? location : null]);
  });

  it('counts a relative Location as it is written, not as it is resolved', () => {
    const conf = confOf({ 'http.redirect.location.max': '5', 'urlfilter.regex.rules': '+.' });
    const from = { url: 'http://a.test/', key: 'test.a:http/' };
    expect(judgeRedirect(from, '/1234', { conf, rules: makeUrlRules(conf) }).target).toBe('http://a.test/1234');
  });
});
