import { afterEach, describe, expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { FtpClient } from '../../src/net/ftp-client.js';
import type { HttpAnswer, HttpSuccess } from '../../src/net/http-answer.js';
import { DEFAULT_FETCH_LIMITS, type FetchLimits } from '../../src/net/http-client.js';
import { systemResolve } from '../../src/net/resolver.js';
import { type FtpOptions, type FtpServer, startFtp } from '../support/ftp-server.js';

/** The FTP client (feature rows D28, L6): what it answers, with the status of HTTP that Nutch gives it. */

const guard = makeEgressGuard({ exclude: [], include: [], allowedLowPorts: [21, 80, 443] });
let server: FtpServer;
const started: FtpServer[] = [];
const start = async (options: FtpOptions): Promise<void> => {
  server = await startFtp(options);
  started.push(server);
};

afterEach(async () => {
  for (const each of started.splice(0)) {
    // Whatever happened, the client has closed its connections.
    await expect.poll(each.open).toBe(0);
    await each.close();
  }
});

interface Asked {
  limits?: Partial<FetchLimits>;
  headers?: Record<string, string>;
  user?: [string, string];
}

function get(path: string, { limits = {}, headers = {}, user = ['anonymous', 'me@a.test'] }: Asked = {}) {
  const [username, password] = user;
  const client = new FtpClient({ guard, resolve: systemResolve, username, password });
  return client.fetch({ url: server.url + path, headers }, { ...DEFAULT_FETCH_LIMITS, ...limits });
}

const ok = (answer: HttpAnswer): HttpSuccess => {
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
};

const commands = (): string[] => server.log.map((line) => line.split(' ')[0]!);

describe('a file', () => {
  it('is fetched as its bytes, with the time of its last change', async () => {
    const body = Buffer.from([0, 255, 13, 10, 200]);
    await start({ files: { '/pub/a.bin': { body, modified: new Date('2026-03-04T05:06:07Z') } } });
    const answer = ok(await get('/pub/a.bin'));
    expect(answer).toMatchObject({ status: 200, truncated: false, wireBytes: 5, address: '127.0.0.1' });
    expect(answer.body.equals(body)).toBe(true);
    expect(answer.headers).toEqual({ 'last-modified': 'Wed, 04 Mar 2026 05:06:07 GMT' });
  });

  it('is not transferred if it has not changed since', async () => {
    await start({ files: { '/a.txt': 'text' } });
    const headers = { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:05 GMT' };
    expect(ok(await get('/a.txt', { headers })).status).toBe(304);
    expect(commands()).not.toContain('RETR');
    expect(ok(await get('/a.txt', { headers: { 'if-modified-since': 'Fri, 02 Jan 2026 03:04:04 GMT' } })).status).toBe(
      200,
    );
  });

  it('is truncated at the limit', async () => {
    await start({ files: { '/a.txt': 'x'.repeat(100_000) } });
    const answer = ok(await get('/a.txt', { limits: { contentLimit: 1_000 } }));
    expect(answer).toMatchObject({ status: 200, truncated: 'length', wireBytes: 1_000 });
  });

  it('has a name of bytes: what the URL escapes is sent as it is', async () => {
    await start({ files: { '/caf\u00c3\u00a9 1.txt': 'utf-8', '/caf\u00e9.txt': 'latin1' } });
    expect(ok(await get('/caf%C3%A9%201.txt')).body.toString()).toBe('utf-8');
    expect(ok(await get('/caf%e9.txt')).body.toString()).toBe('latin1');
  });

  it('that does not exist is 404, with the reply of the server', async () => {
    await start({ files: { '/a.txt': '' } });
    expect(ok(await get('/b.txt'))).toMatchObject({ status: 404, reply: 'FTP 550 No such file.' });
  });

  it('comes through PASV where EPSV is unknown', async () => {
    await start({ files: { '/a.txt': 'text' }, handlers: { EPSV: (talk) => talk.reply('500 What?') } });
    expect(ok(await get('/a.txt')).body.toString()).toBe('text');
  });

  it('needs no MDTM', async () => {
    await start({ files: { '/a.txt': 'text' }, handlers: { MDTM: (talk) => talk.reply('502 No.') } });
    expect(ok(await get('/a.txt'))).toMatchObject({ status: 200, headers: {} });
  });
});

describe('a login', () => {
  it('sends the user and the password of the configuration', async () => {
    await start({ files: { '/a': 'text' }, users: { me: 'secret word' } });
    expect(ok(await get('/a', { user: ['me', 'secret word'] })).status).toBe(200);
    expect(server.log.slice(0, 2)).toEqual(['USER me', 'PASS secret word']);
  });

  it('that is refused is 401, and does not repeat the reply, which may have the password', async () => {
    await start({ users: { me: 'secret word' } });
    const answer = ok(await get('/a', { user: ['me', 'wrong one'] }));
    expect(answer).toMatchObject({ status: 401, reply: 'FTP 530 to the login' });
    expect(JSON.stringify(answer)).not.toContain('wrong one');
  });

  it('that the server puts off is 503', async () => {
    await start({ handlers: { greeting: (talk) => talk.reply('421 Too many users.') } });
    expect(ok(await get('/a'))).toMatchObject({ status: 503, reply: 'FTP 421 Too many users.' });
  });
});

describe('a directory', () => {
  const files = { '/pub/a.txt': 'text', '/pub/b & c/d.txt': '', '/pub/caf\u00c3\u00a9': 'x' };
  const hrefs = (answer: HttpSuccess): string[] =>
    [...answer.body.toString().matchAll(/href='([^']*)'/g)].map(([, href]) => href!);

  it.each([true, false])('is a page with links to its entries and its parent (MLSD: %s)', async (mlsd) => {
    await start({ files, mlsd });
    const answer = ok(await get('/pub/'));
    expect(answer).toMatchObject({ status: 200, headers: { 'content-type': 'text/html; charset=utf-8' } });
    expect(hrefs(answer)).toEqual(['../', 'a.txt', 'b%20%26%20c/', 'caf%C3%A9']);
    expect(answer.body.toString()).toContain('<title>Index of /pub/</title>');
    expect(answer.body.toString()).toContain('>b &amp; c/</a>');
    expect(answer.body.toString()).toContain('>caf\u00e9</a>');
  });

  it('has no parent at the root', async () => {
    await start({ files });
    expect(hrefs(ok(await get('/')))).toEqual(['pub/']);
  });

  it('without the slash at its end redirects to the one with it', async () => {
    await start({ files });
    const answer = ok(await get('/pub/b%20&%20c'));
    expect(answer).toMatchObject({ status: 301, headers: { location: `${server.url}/pub/b%20%26%20c/` } });
  });

  it('that does not exist is 404', async () => {
    await start({ files });
    expect(ok(await get('/none/')).status).toBe(404);
  });

  it('lists what fits into the limit, and says that there is more', async () => {
    const many = Array.from({ length: 500 }, (_, i) => [`/d/file-${i}.txt`, ''] as const);
    await start({ files: Object.fromEntries(many) });
    const answer = ok(await get('/d/', { limits: { contentLimit: 10_000 } }));
    expect(answer.truncated).toBe(false);
    expect(hrefs(answer).length).toBeGreaterThan(50);
    expect(answer.body.toString()).toContain('The directory has more entries.');
  });

  it('leaves out an entry whose line is too long, and says that there is more', async () => {
    await start({ files: { '/d/a.txt': '', [`/d/${'b'.repeat(2_100)}`]: '' } });
    const answer = ok(await get('/d/'));
    expect(hrefs(answer)).toEqual(['../', 'a.txt']);
    expect(answer.body.toString()).toContain('The directory has more entries.');
  });
});
