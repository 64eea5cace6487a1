/** Digest credentials (RFC 7616) against servers that compute the responses themselves. */
import { authRules } from '../../src/core/http/auth-rules.js';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { HttpSession } from '../../src/net/http-session.js';
import { opened, web, useClient } from './fetching.js';

useClient();

const clients: HttpClient[] = [];
afterEach(() => clients.splice(0).forEach((client) => client.close()));

/** A client with credentials for 127.0.0.1. */
function clientWith(realm: string, user = 'me', password = 'pw'): (url: string) => Promise<number | string> {
  const auth = authRules(`127.0.0.1\t${realm}\t${user}\t${password}`);
  const session = new HttpSession({ keepCookies: false, cookies: new Map(), auth, agents: [] });
  const client = new HttpClient({ guard: makeEgressGuard({ exclude: [], include: [] }), verifyTls: true, session });
  clients.push(client);
  return async (url) => {
    const answer = await client.fetch({ url, headers: {} });
    return answer.ok ? answer.status : `${answer.code}: ${answer.message}`;
  };
}

const md5 = (...parts: string[]) => createHash('md5').update(parts.join(':'), 'latin1').digest('hex');
const fieldsOf = (header: string) =>
  Object.fromEntries([...header.matchAll(/(\w+)="?([^",]*)"?/g)].map(([, name, value]) => [name ?? '', value ?? '']));
/** Text as the bytes of an encoding, one character each, as in a header. */
const bytes = (text: string, encoding: BufferEncoding) => Buffer.from(text, encoding).toString('latin1');

describe('a server with MD5-sess, whose key depends on the first cnonce (RFC 7616 §3.4.2)', () => {
  it('accepts all requests with one nonce', async () => {
    let key = '';
    const { url } = await web((req, res) => {
      const { nonce = '', nc = '', cnonce = '', response, uri = '' } = fieldsOf(req.headers.authorization ?? '');
      if (nc === '00000001') key = md5(md5('me', 'Staff', 'pw'), nonce, cnonce);
      if (key !== '' && response === md5(key, nonce, nc, cnonce, 'auth', md5('GET', uri))) return void res.end('in');
      const challenge = 'Digest realm="Staff", nonce="n", qop="auth", algorithm=MD5-sess';
      res.writeHead(401, { 'www-authenticate': challenge }).end('out');
    });
    const get = clientWith('Staff');
    expect([await get(`${url}/1`), await get(`${url}/2`), await get(`${url}/3`)]).toEqual([200, 200, 200]);
    expect(opened[0]?.log).toHaveLength(4);
  });

  it('receives the number of each request in hexadecimal', async () => {
    const counts: string[] = [];
    const { url } = await web((req, res) => {
      const { nc } = fieldsOf(req.headers.authorization ?? '');
      if (nc !== undefined) counts.push(nc);
      if (nc !== undefined) return void res.end('in');
      res
        .writeHead(401, { 'www-authenticate': 'Digest realm="Staff", nonce="n", qop="auth", algorithm=MD5-sess' })
        .end();
    });
    const get = clientWith('Staff');
    for (let n = 0; n < 17; n++) expect(await get(url)).toBe(200);
    expect(counts).toEqual(Array.from({ length: 17 }, (_, n) => (n + 1).toString(16).padStart(8, '0')));
  });

  it('receives a new cnonce for each challenge', async () => {
    let round = 0;
    const cnonces: string[] = [];
    const { url } = await web((req, res) => {
      const { nonce, cnonce } = fieldsOf(req.headers.authorization ?? '');
      if (cnonce !== undefined) cnonces.push(cnonce);
      if (nonce === `n${round}`) return void res.end('in');
      const challenge = `Digest realm="Staff", nonce="n${round}", qop="auth", algorithm=MD5-sess, stale=true`;
      res.writeHead(401, { 'www-authenticate': challenge }).end('out');
    });
    const get = clientWith('Staff');
    await get(url);
    round = 1;
    await get(url);
    const [first, second, third] = cnonces;
    expect([second === first, third === first, cnonces.length]).toEqual([true, false, 3]);
  });
});

describe('non-ASCII text in a challenge', () => {
  it.each<[realm: string, encoding: BufferEncoding, user: string]>([
    ['日本', 'utf8', 'me'],
    ['Zürich', 'utf8', 'me'],
    ['Zürich', 'latin1', 'me'],
    ['Staff', 'utf8', '山田'],
  ])('realm %s in %s, user %s: the credentials contain the same bytes', async (realm, encoding, user) => {
    const name = bytes(user, 'utf8');
    const realmBytes = bytes(realm, encoding);
    const { url } = await web((req, res) => {
      const given = fieldsOf(req.headers.authorization ?? '');
      const { nonce = '', nc = '', cnonce = '', uri = '' } = given;
      const response = md5(md5(name, realmBytes, 'pw'), nonce, nc, cnonce, 'auth', md5('GET', uri));
      if (given['username'] === name && given['realm'] === realmBytes && given['response'] === response)
        return void res.end('in');
      res.writeHead(401, { 'www-authenticate': `Digest realm="${realmBytes}", nonce="n", qop="auth"` }).end('out');
    });
    expect(await clientWith(realm, user)(url)).toBe(200);
    expect(await clientWith('*', user)(url)).toBe(200);
  });

  it('a Basic challenge with a realm in UTF-8 is answered, too', async () => {
    const good = `Basic ${Buffer.from('me:pw').toString('base64')}`;
    const { url } = await web((req, res) => {
      if (req.headers.authorization === good) return void res.end('in');
      res.writeHead(401, { 'www-authenticate': `Basic realm="${bytes('日本', 'utf8')}"` }).end('out');
    });
    expect(await clientWith('日本')(url)).toBe(200);
  });
});
