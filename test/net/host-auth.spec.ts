/** `http.auth.rules`: which hosts get credentials, and which never do. */
import { authRules } from '../../src/core/http/auth-rules.js';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { canDigest, challengesOf, digestCredentials } from '../../src/core/http/auth-challenge.js';
import { HostAuth } from '../../src/net/host-auth.js';
import { DEFAULT_FETCH_LIMITS, HttpClient } from '../../src/net/http-client.js';
import { HttpSession } from '../../src/net/http-session.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import * as site from '../support/site.js';
import { opened, web, useClient } from './fetching.js';

useClient();

const BASIC = `Basic ${Buffer.from('me:pw').toString('base64')}`;
const clients: HttpClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

function clientOf(rules: string): HttpClient {
  const session = new HttpSession({ keepCookies: false, cookies: new Map(), auth: authRules(rules), agents: [] });
  const guard = makeEgressGuard({ exclude: [], include: [] });
  const client = new HttpClient({ guard, verifyTls: true, session, resolve: () => Promise.resolve(['127.0.0.1']) });
  clients.push(client);
  return client;
}
const get = (client: HttpClient, url: string, resend = true) =>
  client.fetch({ url, headers: {}, resend }, { ...DEFAULT_FETCH_LIMITS, totalTimeout: 5000 });
const sent = () => opened[0]?.log.map(({ headers }) => headers.authorization ?? null);

/** Asks for credentials with these challenges until `good` accepts them. */
const guarded =
  (challenge: string | string[], good: (authorization: string, path: string) => boolean): site.Handler =>
  (req, res) => {
    if (good(req.headers.authorization ?? '', req.url ?? '')) res.end('in');
    else res.writeHead(401, { 'www-authenticate': challenge }).end('out');
  };

describe('credential rules of hosts', () => {
  it('name host, realm, user and password', () => {
    const text = '# comment\n\na.test\t*\tme\tpw\nhttps://b.test:8443\tStaff only\tyou\tp:w#\nBÜCHER.test\t*\tu\t\n';
    expect(authRules(text)).toEqual([
      { scheme: null, host: 'a.test', port: null, realm: '*', user: 'me', password: 'pw' },
      { scheme: 'https', host: 'b.test', port: 8443, realm: 'Staff only', user: 'you', password: 'p:w#' },
      { scheme: null, host: 'xn--bcher-kva.test', port: null, realm: '*', user: 'u', password: '' },
    ]);
  });

  it.each([
    ['a.test\tx', 'rule 1: a rule has four fields separated by tabs: host, realm or *, user, password (a.test)'],
    ['secret', 'rule 1: a rule has four fields separated by tabs: host, realm or *, user, password (…)'],
    ['a.test * me secret', 'rule 1, position 1: the first field must be host, host:port or https://host'],
    ['ftp://a.test\t*\tme\tsecret', 'rule 1, position 1: the first field must be host'],
    ['a.test/x\t*\tme\tsecret', 'rule 1, position 1: the first field must be host'],
    ['a.test\t*\tme\tpw\na.test\t\tme\tsecret', 'rule 2: the second field must be a realm, or * for any (a.test)'],
    ['a.test\t*\tm:e\tsecret', 'rule 1: the third field must be a user name without a colon (a.test)'],
    ['a.test:99999\t*\tme\tsecret', 'rule 1, position 1: the first field must be host'],
    ['a.test\t*\tme\tpw\textra', 'rule 1: a rule has four fields'],
  ])('%j are refused, without the secret in the message', (text, message) => {
    const refused = (() => {
      try {
        return authRules(text) as unknown as Error;
      } catch (error) {
        return error as Error;
      }
    })();
    expect(refused.message).toContain(message);
    expect(refused.message).not.toContain('secret');
  });

  it.each([
    ['a.test\t*\tme\tpw', 'http://a.test/', true],
    ['a.test\t*\tme\tpw', 'https://A.test:8443/x', true],
    ['a.test:8443\t*\tme\tpw', 'https://a.test:8443/', true],
    ['a.test:8443\t*\tme\tpw', 'https://a.test/', false],
    ['a.test:443\t*\tme\tpw', 'https://a.test/', true],
    ['a.test:443\t*\tme\tpw', 'http://a.test/', false],
    ['https://a.test\t*\tme\tpw', 'http://a.test/', false],
    ['https://a.test\t*\tme\tpw', 'https://a.test/', true],
    ['a.test\t*\tme\tpw', 'https://b.a.test/', false],
    ['a.test\t*\tme\tpw', 'https://a.test.evil/', false],
    ['a.test\tStaff\tme\tpw', 'https://a.test/', false],
    ['[::1]\t*\tme\tpw', 'http://[::1]/', true],
  ])('%j send credentials to %s with the first request: %s', (rules, url, sends) => {
    expect(new HostAuth(authRules(rules)).credentialsFor(new URL(url))).toBe(sends ? BASIC : null);
  });
});

describe('Basic (RFC 7617)', () => {
  it('of realm * is sent with the first request', async () => {
    const { url } = await web(guarded('Basic realm="x"', (given) => given === BASIC));
    expect(await get(clientOf(`127.0.0.1\t*\tme\tpw`), url)).toMatchObject({ status: 200 });
    expect(sent()).toEqual([BASIC]);
  });

  it('of a named realm answers its challenge, and is sent with each later request', async () => {
    const { url } = await web(
      guarded(['Negotiate', 'Basic realm="Staff", charset="UTF-8"'], (given) => given === BASIC),
    );
    const client = clientOf(`127.0.0.1\tStaff\tme\tpw`);
    for (const path of ['/1', '/2']) expect(await get(client, url + path)).toMatchObject({ status: 200 });
    expect(sent()).toEqual([null, BASIC, BASIC]);
  });

  it('is not sent to a challenge of another realm', async () => {
    const { url } = await web(guarded('Basic realm="Other"', () => false));
    expect(await get(clientOf(`127.0.0.1\tStaff\tme\tpw`), url)).toMatchObject({ status: 401 });
    expect(sent()).toEqual([null]);
  });

  it('that is refused ends in 401 and is not sent again', async () => {
    const { url } = await web(guarded('Basic realm="x"', () => false));
    expect(await get(clientOf(`127.0.0.1\t*\tme\tpw`), url)).toMatchObject({ status: 401 });
    expect(await get(clientOf(`127.0.0.1\tx\tme\tpw`), url)).toMatchObject({ status: 401 });
    expect(sent()).toEqual([BASIC, null, BASIC]);
  });

  it('shares one total timeout with the challenge that it answers', async () => {
    const totalTimeout = 500;
    const late = (handler: site.Handler): site.Handler => {
      return (req, res) => void setTimeout(() => void handler(req, res), totalTimeout * 0.6);
    };
    const { url } = await web(late(guarded('Basic realm="x"', (given) => given === BASIC)));
    const answer = await clientOf(`127.0.0.1\tx\tme\tpw`).fetch(
      { url, headers: {} },
      { ...DEFAULT_FETCH_LIMITS, totalTimeout },
    );
    expect(answer).toMatchObject({ ok: false, code: 'timeout' });
  });

  it('is sent with the next request when resend is off; the challenged request fails as stale', async () => {
    const { url } = await web(guarded('Basic realm="x"', (given) => given === BASIC));
    const client = clientOf(`127.0.0.1\tx\tme\tpw`);
    const challenge = expect.objectContaining({ status: 401 });
    expect(await get(client, url, false)).toMatchObject({ ok: false, code: 'refused', stale: true, challenge });
    expect(sent()).toEqual([null]);
    expect(await get(client, url, false)).toMatchObject({ status: 200 });
  });

  it('waits for the pause of its request, which its total timeout does not include', async () => {
    const { url } = await web(guarded('Basic realm="x"', (given) => given === BASIC));
    const client = clientOf(`127.0.0.1\tx\tme\tpw`);
    const pause = () => new Promise<boolean>((resolve) => setTimeout(resolve, 2_100, true));
    const answer = await client.fetch({ url, headers: {}, pause }, { ...DEFAULT_FETCH_LIMITS, totalTimeout: 2_000 });
    expect(answer).toMatchObject({ status: 200 });
    const [asked, answered] = opened[0]?.log ?? [];
    expect(answered!.time - asked!.time).toBeGreaterThanOrEqual(2_095);
  });

  it('is not sent when the pause of its request says so', async () => {
    const { url } = await web(guarded('Basic realm="x"', () => false));
    const pause = () => Promise.resolve(false);
    expect(await clientOf(`127.0.0.1\tx\tme\tpw`).fetch({ url, headers: {}, pause })).toMatchObject({
      code: 'aborted',
    });
    expect(sent()).toEqual([null]);
  });

  it('is not sent to another host after a redirect', async () => {
    const { url, port } = await web((req, res) => {
      res.writeHead(302, { location: `http://other.test:${port}/x` }).end(req.headers.authorization);
    });
    const client = clientOf(`127.0.0.1\t*\tme\tpw`);
    const answer = await get(client, url);
    await get(client, answer.ok ? (answer.headers['location'] ?? '') : '');
    expect(sent()).toEqual([BASIC, null]);
  });
});

const md5 = (text: string) => createHash('md5').update(text).digest('hex');
const fieldsOf = (header: string) =>
  Object.fromEntries([...header.matchAll(/(\w+)="?([^",]+)"?/g)].map(([, name, value]) => [name, value]));

describe('Digest (RFC 7616)', () => {
  const verified =
    (nonce: () => string): ((given: string, path: string) => boolean) =>
    (given, path) => {
      const { response, nc, cnonce, uri, nonce: used } = fieldsOf(given);
      const secret = md5('me:Staff:pw');
      return (
        uri === path &&
        used === nonce() &&
        response === md5(`${secret}:${used}:${nc}:${cnonce}:auth:${md5(`GET:${path}`)}`)
      );
    };

  it('answers a challenge, counts the requests of a nonce, and never sends the password', async () => {
    const challenge = 'Digest realm="Staff", nonce="n1", qop="auth,auth-int", opaque="o"';
    const { url } = await web(
      guarded(
        challenge,
        verified(() => 'n1'),
      ),
    );
    const client = clientOf(`127.0.0.1\tStaff\tme\tpw`);
    for (const path of ['/a?b', '/c']) expect(await get(client, url + path)).toMatchObject({ status: 200 });
    const fields = sent()?.map((header) => fieldsOf(header ?? ''));
    expect(fields?.map(({ nc }) => nc)).toEqual([undefined, '00000001', '00000002']);
    expect(JSON.stringify(sent())).not.toContain('pw');
  });

  it.each([
    ['when the old one is stale', ', stale=true'],
    ['that is not called stale if the old one was accepted', ''],
  ])('is repeated with a new nonce %s', async (_, stale) => {
    let nonce = 'n1';
    const { url } = await web((req, res) =>
      guarded(
        `Digest realm="Staff", nonce="${nonce}", qop=auth${stale}`,
        verified(() => nonce),
      )(req, res),
    );
    const client = clientOf(`127.0.0.1\tStaff\tme\tpw`);
    expect(await get(client, `${url}/1`)).toMatchObject({ status: 200 });
    nonce = 'n2';
    expect(await get(client, `${url}/2`)).toMatchObject({ status: 200 });
    expect(sent()).toHaveLength(4);
  });

  it('that is refused, or whose nonce is always stale, ends in 401 after at most three requests', async () => {
    const { url } = await web(guarded('Digest realm="Staff", nonce="n", qop=auth', () => false));
    expect(await get(clientOf(`127.0.0.1\tStaff\tme\tpw`), url)).toMatchObject({ status: 401 });
    expect(sent()).toHaveLength(2);
    const forever = await web(guarded('Digest realm="Staff", nonce="n", qop=auth, stale=true', () => false));
    expect(await get(clientOf(`127.0.0.1\tStaff\tme\tpw`), forever.url)).toMatchObject({ status: 401 });
    expect(forever.log).toHaveLength(3);
  });

  it('is preferred to Basic when both are offered', async () => {
    const { url } = await web(guarded(['Basic realm="Staff"', 'Digest realm="Staff", nonce="n1"'], () => false));
    await get(clientOf(`127.0.0.1\tStaff\tme\tpw`), url);
    expect(sent()?.[1]).toMatch(/^Digest /);
  });

  it.each([
    ['MD5', '8ca523f5e9506fed4657c9700eebdbec'],
    ['SHA-256', '753927fa0e85d155564e2e272a28d1802ca10daf4496794697cf8db5856cb6c1'],
  ])('has the response of the example in RFC 7616 §3.9.1 (%s)', (algorithm, response) => {
    const realm = 'http-auth@example.org';
    const nonce = '7ypf/xlj9XXwfDPEoM4URrv/xwf94BcCAzFZH4GiTo0v';
    const [challenge] = challengesOf(
      `Digest realm="${realm}", qop="auth, auth-int", algorithm=${algorithm}, nonce="${nonce}"`,
    );
    const cnonce = 'f2/wE4q74E6zIJEtWaHKaf5wv/H5QzzpXusqGemxURZJ';
    const request = { user: 'Mufasa', password: 'Circle of Life', uri: '/dir/index.html', count: 1, cnonce };
    expect(challenge && digestCredentials(challenge, request)).toContain(`response="${response}"`);
  });
});

describe('challenges (RFC 9110 §11.3)', () => {
  it.each([
    ['Basic realm="a"', [['basic', { realm: 'a' }]]],
    ['Basic realm="a, \\"b\\"" , charset=UTF-8', [['basic', { realm: 'a, "b"', charset: 'UTF-8' }]]],
    ['Basic', [['basic', {}]]],
    [
      'Digest nonce=x,realm=y, Basic realm="z"',
      [
        ['digest', { nonce: 'x', realm: 'y' }],
        ['basic', { realm: 'z' }],
      ],
    ],
    [
      'Negotiate abc==, Basic realm=z',
      [
        ['negotiate', {}],
        ['abc', {}],
        ['basic', { realm: 'z' }],
      ],
    ],
    ['', []],
    ['=,=', []],
    ['realm="alone"', []],
    [
      'Basic realm="open',
      [
        ['basic', {}],
        ['realm', {}],
      ],
    ],
  ])('in %j are %j', (header, expected) => {
    expect(challengesOf(header).map(({ scheme, params }) => [scheme, { ...params }])).toEqual(expected);
  });

  it('are at most 16, also in a very long header', () => {
    expect(challengesOf('a '.repeat(100_000))).toHaveLength(16);
    expect(challengesOf(`Basic ${'a="'.repeat(100_000)}`).length).toBeLessThan(17);
    expect(challengesOf(`Basic realm="${'\\'.repeat(1_000_000)}`).length).toBeLessThan(17);
  });

  it.each([
    ['Digest realm=a, nonce=b', true],
    ['Digest realm=a, nonce=b, algorithm=SHA-256-sess, qop="auth"', true],
    ['Digest realm=a, nonce=b, algorithm=SHA-512-256', false],
    ['Digest realm=a, nonce=b, qop="auth-int"', false],
    ['Digest realm=a', false],
  ])('%s can be answered: %s', (header, can) => {
    expect(challengesOf(header).some(canDigest)).toBe(can);
  });
});
