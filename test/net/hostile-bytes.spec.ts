/** Random input (frames, responses of proxies, challenges, cookies, rule files): declared errors, never an exception. */
import { authRules } from '../../src/core/http/auth-rules.js';
import fc from 'fast-check';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { type Server, createServer } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { RuleError } from '../../src/core/url/linear-regex.js';
import { authRulesOfXml } from '../../src/core/http/auth-file-xml.js';
import { canDigest, challengesOf, digestCredentials } from '../../src/core/http/auth-challenge.js';
import { CookieStore } from '../../src/net/cookie-store.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HostAuth } from '../../src/net/host-auth.js';
import { DEFAULT_FETCH_LIMITS, HttpClient } from '../../src/net/http-client.js';
import { agentNames, cookieRules } from '../../src/net/http-session.js';
import { Proxy } from '../../src/core/http/proxy.js';
import { selfSigned } from './self-signed.js';
import { startProxy } from './small-proxy.js';

const guard = makeEgressGuard({ exclude: [], include: [] });
const resolve = () => Promise.resolve(['127.0.0.1']);
const LIMITS = {
  ...DEFAULT_FETCH_LIMITS,
  connectTimeout: 300,
  headersTimeout: 300,
  idleTimeout: 300,
  totalTimeout: 600,
};

describe('a hostile HTTP/2 server', () => {
  let server: Server;
  let port = 0;
  let says: Buffer = Buffer.alloc(0);
  beforeAll(async () => {
    const pair = selfSigned('h2.test', new Date('2020-01-01'), new Date('2040-01-01'));
    server = createServer({ ...pair, ALPNProtocols: ['h2', 'http/1.1'] }, (socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(says));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  afterAll(() => void server.close());

  /** A frame of correct length with any type, flags, stream and payload. */
  const frame = fc
    .tuple(fc.nat(12), fc.nat(255), fc.nat(3), fc.uint8Array({ maxLength: 60 }))
    .map(([type, flags, stream, payload]) =>
      Buffer.concat([Buffer.from([0, 0, payload.length, type, flags, 0, 0, 0, stream]), payload]),
    );
  const settings = Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]);

  it('ends in a response or a declared failure for any frames', async () => {
    const frames = fc.array(frame, { maxLength: 8 }).map((list) => Buffer.concat([settings, ...list]));
    const bytes = fc.oneof(frames, fc.uint8Array({ maxLength: 200 }).map(Buffer.from));
    await fc.assert(
      fc.asyncProperty(bytes, async (sent) => {
        says = sent;
        // A new one each time: after bad HTTP/2 a client uses 1.1 with that server.
        const client = new HttpClient({ guard, resolve, verifyTls: false, http2: true });
        const answer = await client.fetch({ url: `https://h2.test:${port}/`, headers: {} }, LIMITS);
        expect(answer.ok || ['reset', 'protocol', 'timeout'].includes(answer.code)).toBe(true);
        client.close();
      }),
      { numRuns: 150 },
    );
  });
});

describe('a hostile proxy', () => {
  it.each(['http', 'socks'] as const)('ends in a declared failure for any bytes (%s)', async (kind) => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 60 }), async (said) => {
        const proxy = await startProxy({ kind, says: Buffer.from(said) });
        const settings = { type: kind, host: '127.0.0.1', port: proxy.port, username: 'u', password: 'p', realm: '' };
        const client = new HttpClient({
          guard,
          resolve,
          verifyTls: false,
          proxy: new Proxy({ ...settings, exceptions: [], guard }),
        });
        const answer = await client.fetch({ url: 'https://a.test/', headers: {} }, { ...LIMITS, connectTimeout: 50 });
        expect(answer.ok ? 'ok' : answer.code).toMatch(/^(?:refused|timeout|reset|tls)$/);
        client.close();
        await proxy.close();
      }),
      { numRuns: 40 },
    );
  });
});

describe('random texts', () => {
  const likeHeader = fc.stringMatching(/^[ -~]{0,80}$/);
  const challenge = fc.oneof(
    likeHeader,
    fc.string({
      unit: fc.constantFrom('Basic ', 'Digest ', 'realm=', 'nonce=', '"', '\\', ',', ' ', 'a', 'qop=auth', '='),
    }),
  );

  it('challenges are parsed or ignored, and answered in one line', () => {
    const auth = new HostAuth(authRules('a.test\t*\tme\tpw'));
    fc.assert(
      fc.property(challenge, (header) => {
        for (const one of challengesOf(header).filter(canDigest)) {
          expect(digestCredentials(one, { user: 'me', password: 'pw', uri: '/', count: 1, cnonce: 'c' })).not.toMatch(
            /[\r\n]/,
          );
        }
        auth.challenged(new URL('http://a.test/'), header, null);
        expect(auth.credentialsFor(new URL('http://a.test/'))).toMatch(/^(?:Basic|Digest) [ -~]+$/);
      }),
      { numRuns: 500 },
    );
  });

  it('cookies are stored or ignored, and sent as valid header text', async () => {
    const store = new CookieStore();
    const url = new URL('https://a.example.com/x');
    const cookie = fc.oneof(
      fc.string({ maxLength: 100 }),
      fc.string({
        unit: fc.constantFrom(
          'a',
          '=',
          ';',
          ' ',
          'Domain=',
          '.com',
          'Path=',
          '/',
          'Expires=',
          'Max-Age=',
          '1',
          '"',
          '-',
        ),
      }),
    );
    await fc.assert(
      fc.asyncProperty(cookie, async (text) => {
        await store.keep(url, text);
        expect(await store.cookiesFor(url)).toMatch(/^[\t\x20-\xff]*$/);
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['authRules', authRules],
    ['cookieRules', cookieRules],
    ['agentNames', agentNames],
    ['authRulesOfXml', authRulesOfXml],
  ])('rules are parsed or refused with a RuleError (%s)', (_name, read) => {
    const unit = fc.constantFrom(
      'a.test',
      '\t',
      '\n',
      ':',
      '*',
      '#',
      '<',
      '>',
      '/',
      '"',
      'credentials',
      'authscope',
      ' host=',
      '&',
      '!',
      '[::1]',
    );
    fc.assert(
      fc.property(fc.oneof(fc.string({ maxLength: 200 }), fc.string({ unit, maxLength: 40 })), (text) => {
        try {
          read(text);
        } catch (error) {
          expect(error).toBeInstanceOf(RuleError);
        }
      }),
      { numRuns: 500 },
    );
  });
});
