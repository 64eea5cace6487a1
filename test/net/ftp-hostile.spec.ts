import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { FtpClient } from '../../src/net/ftp-client.js';
import type { HttpAnswer } from '../../src/net/http-answer.js';
import { DEFAULT_FETCH_LIMITS, type FetchLimits } from '../../src/net/http-client.js';
import { systemResolve } from '../../src/net/resolver.js';
import { type FtpConversation, type FtpOptions, type FtpServer, startFtp } from '../support/ftp-server.js';
import { type Site, startSite } from '../support/site.js';

/**
 * Hostile FTP servers, and URLs made to send commands to innocent ones (threats C1 to C9): every fetch ends with an answer or a
 * failure, within its time, and leaves no connection.
 */

const open = makeEgressGuard({ exclude: [], include: [], allowedLowPorts: [21, 80, 443] });
const servers: FtpServer[] = [];
const sites: Site[] = [];
const start = async (options: FtpOptions): Promise<FtpServer> => {
  const server = await startFtp(options);
  servers.push(server);
  return server;
};

afterEach(async () => {
  for (const server of servers.splice(0)) {
    await expect.poll(server.open).toBe(0);
    await server.close();
  }
  for (const site of sites.splice(0)) await site.close();
});

/** Times that do not decide. */
const PATIENT: Partial<FetchLimits> = { connectTimeout: 600_000, idleTimeout: 600_000, totalTimeout: 600_000 };
/** Where the wait for a reply is what ends the fetch. */
const QUICK: Partial<FetchLimits> = { ...PATIENT, idleTimeout: 300 };

const get = (url: string, limits: Partial<FetchLimits> = {}, guard = open): Promise<HttpAnswer> =>
  new FtpClient({ guard, resolve: systemResolve, username: 'anonymous', password: 'me@a.test' }).fetch(
    { url, headers: {} },
    { ...DEFAULT_FETCH_LIMITS, ...PATIENT, ...limits },
  );

/** The code of a failure, or the status of an answer. */
const codeOf = (answer: HttpAnswer): string | number => (answer.ok ? answer.status : answer.code);

/** Writes as long as the connection is there. */
function flood({ control }: FtpConversation, text: string): void {
  const more = (): void => {
    while (!control.destroyed && control.write(text));
    if (!control.destroyed) control.once('drain', more);
  };
  more();
}

const silent = (): void => undefined;
const files = { '/a.txt': 'text', '/d/e.txt': '' };

describe('a control connection', () => {
  it.each<[string, Record<string, (talk: FtpConversation) => void>, string | number]>([
    ['without a greeting', { greeting: silent }, 'timeout'],
    ['with an endless greeting', { greeting: (talk) => flood(talk, `220-${'x'.repeat(1_000)}\r\n`) }, 'protocol'],
    ['with a greeting without a line end', { greeting: (talk) => flood(talk, 'x'.repeat(1_000)) }, 'protocol'],
    ['with endless replies', { greeting: (talk) => flood(talk, '220 welcome\r\n'.repeat(100)) }, 'protocol'],
    ['that asks for the password forever', { PASS: (talk) => talk.reply('331 Again.') }, 'protocol'],
    ['that is closed at once', { greeting: (talk) => talk.control.end() }, 'reset'],
    ['that is reset', { USER: (talk) => talk.control.resetAndDestroy() }, 'reset'],
    ['that falls silent', { TYPE: silent }, 'timeout'],
    ['that is no FTP', { greeting: (talk) => talk.reply('HTTP/1.1 200 OK\r\n\r\n') }, 'timeout'],
    ['with NUL and control characters', { greeting: (talk) => talk.reply('220 \0\x07\x1b[2J') }, 200],
    ['that closes after the login', { TYPE: (talk) => talk.reply('421 Timeout.') }, 503],
  ])('%s', async (_name, handlers, code) => {
    const server = await start({ files, handlers });
    expect(codeOf(await get(`${server.url}/a.txt`, code === 'timeout' ? QUICK : {}))).toBe(code);
  });

  it('that drips a byte at a time ends with the time of the fetch', async () => {
    const drip = ({ control }: FtpConversation): void => {
      const timer = setInterval(() => control.write('2'), 20);
      control.once('close', () => clearInterval(timer));
    };
    const server = await start({ handlers: { greeting: drip } });
    expect(codeOf(await get(`${server.url}/a.txt`, { totalTimeout: 500 }))).toBe('timeout');
  });
});

describe('a data connection', () => {
  it('leads to the server, whatever address its reply names', async () => {
    const canary = await startSite({});
    sites.push(canary);
    const pasv = async (talk: FtpConversation): Promise<void> => {
      const port = await talk.listen();
      talk.reply(`227 Entering Passive Mode (127,0,0,2,${port >> 8},${port & 255}).`);
    };
    const server = await start({ files, handlers: { EPSV: (talk) => talk.reply('500 No.'), PASV: pasv } });
    expect(codeOf(await get(`${server.url}/a.txt`))).toBe(200);
    expect(canary.connections()).toBe(0);
  });

  it('is not opened to a port that the guard refuses, nor below 1024', async () => {
    const canary = await startSite({});
    sites.push(canary);
    const named = (port: number) => ({ EPSV: (talk: FtpConversation) => talk.reply(`229 Ok (|||${port}|)`) });
    const strict = makeEgressGuard({
      exclude: [],
      include: [],
      allowedLowPorts: [21, 80, 443],
      ownPorts: [canary.port],
    });
    const own = await start({ files, handlers: named(canary.port) });
    expect(codeOf(await get(`${own.url}/a.txt`, {}, strict))).toBe('blocked');
    const low = await start({ files, handlers: named(80) });
    expect(codeOf(await get(`${low.url}/a.txt`))).toBe('protocol');
    expect(canary.connections()).toBe(0);
  });

  it('is opened to the next port that the server names when the guard refuses the first', async () => {
    const ports = [5432, 6379];
    const named = async (talk: FtpConversation): Promise<void> =>
      talk.reply(`229 Ok (|||${ports.shift() ?? (await talk.listen())}|)`);
    const guard = makeEgressGuard({ exclude: [], include: [], allowedLowPorts: [21] });
    const server = await start({ files, handlers: { EPSV: named } });
    expect(codeOf(await get(`${server.url}/a.txt`, {}, guard))).toBe(200);
    const always = (talk: FtpConversation): void => talk.reply('229 Ok (|||5432|)');
    const other = await start({ files, handlers: { EPSV: always } });
    expect(codeOf(await get(`${other.url}/a.txt`, {}, guard))).toBe('blocked');
    expect(other.log.filter((line) => line === 'EPSV')).toHaveLength(3);
  });

  it.each(['229 (|||99999999|)', '229 no port', '229 (|||-1|)', '227 (1,2,3)'])(
    'is not opened for %s',
    async (reply) => {
      const server = await start({ files, handlers: { EPSV: (talk) => talk.reply(reply) } });
      expect(codeOf(await get(`${server.url}/a.txt`))).toBe('protocol');
    },
  );

  it('that nobody answers ends in time', async () => {
    const server = await start({ files, handlers: { RETR: silent } });
    expect(codeOf(await get(`${server.url}/a.txt`, QUICK))).toBe('timeout');
  });

  it('that is closed without the last reply is no whole file', async () => {
    const cut = async (talk: FtpConversation): Promise<void> => {
      talk.reply('150 Begin.');
      (await talk.data()).end('half');
    };
    const server = await start({ files, handlers: { RETR: cut } });
    expect(codeOf(await get(`${server.url}/a.txt`, QUICK))).toBe('timeout');
    const refused = async (talk: FtpConversation): Promise<void> => {
      await cut(talk);
      talk.reply('426 Connection closed; transfer aborted.');
    };
    const other = await start({ files, handlers: { RETR: refused } });
    expect(codeOf(await get(`${other.url}/a.txt`))).toBe(503);
  });

  it.each(['RETR', 'MLSD'])('that never ends is cut at the limit (%s)', async (command) => {
    const endless = async (talk: FtpConversation): Promise<void> => {
      talk.reply('150 Begin.');
      const data = await talk.data();
      const line = Buffer.from('type=file;size=1; name\r\n'.repeat(1_000));
      while (!data.destroyed) if (!data.write(line)) await Promise.race([once(data, 'drain'), once(data, 'close')]);
    };
    const server = await start({ files, handlers: { [command]: endless } });
    const answer = await get(`${server.url}${command === 'RETR' ? '/a.txt' : '/d/'}`, { contentLimit: 50_000 });
    expect(answer).toMatchObject({ ok: true, status: 200, truncated: command === 'RETR' ? 'length' : false });
  });

  it('that drips is truncated by the time of the fetch', async () => {
    const drip = async (talk: FtpConversation): Promise<void> => {
      talk.reply('150 Begin.');
      const data = await talk.data();
      const timer = setInterval(() => data.write('x'), 20);
      data.once('close', () => clearInterval(timer));
    };
    const server = await start({ files, handlers: { RETR: drip } });
    // The time is doubled until it suffices to begin the transfer.
    let totalTimeout = 200;
    await expect
      .poll(() => get(`${server.url}/a.txt`, { totalTimeout: (totalTimeout *= 2) }))
      .toMatchObject({ status: 200, truncated: 'time' });
  });

  it('with names that would be markup, other places or other schemes lists them as entries, or not at all', async () => {
    const names = ["<script>'", 'javascript:x', '..', '.', '', 'a/../../b', '//other.test/', 'x'.repeat(3_000), '\0'];
    const list = (talk: FtpConversation) =>
      talk.send(
        Buffer.from(names.map((name) => `type=file;size=1;modify=99999999999999; ${name}\r\n`).join(''), 'latin1'),
      );
    const server = await start({ files, handlers: { MLSD: list } });
    const answer = await get(`${server.url}/d/`);
    const html = answer.ok ? answer.body.toString() : answer.message;
    expect([...html.matchAll(/href='([^']*)'/g)].map(([, href]) => href)).toEqual([
      '../',
      '%3Cscript%3E%27',
      'javascript%3Ax',
    ]);
  });
});

describe('a URL', () => {
  it.each(['/a%0d%0aDELE%20b', '/a%0aDELE b', '/a%00', '/%0D/', '/a%ffb', '/d/%2e%2e%2f..%2fx'])(
    'with %s is refused before any connection',
    async (path) => {
      const server = await start({ files });
      expect(codeOf(await get(server.url + path))).toBe('url');
      expect(server.log).toEqual([]);
    },
  );

  it('cannot give options or further arguments to a command', async () => {
    const server = await start({ files });
    await get(`${server.url}/-R%20x`);
    await get(`${server.url}/-R/`);
    expect(server.log.filter((line) => /^(?:RETR|CWD|MLSD|LIST)/.test(line))).toEqual([
      'RETR /-R x',
      'CWD /-R x',
      'CWD /-R/',
    ]);
  });

  it('to an address or a port that the guard refuses is not connected to', async () => {
    const server = await start({ files });
    const shipped = makeEgressGuard({ exclude: ['loopback'], include: [] });
    expect(codeOf(await get(`${server.url}/a.txt`, {}, shipped))).toBe('blocked');
    expect(codeOf(await get('ftp://127.0.0.1:22/a.txt'))).toBe('blocked');
    expect(server.log).toEqual([]);
  });
});

it('a client that is closed ends its fetches', async () => {
  const server = await start({ handlers: { greeting: silent } });
  const client = new FtpClient({ guard: open, resolve: systemResolve, username: 'a', password: 'b' });
  const fetched = client.fetch({ url: `${server.url}/`, headers: {} }, DEFAULT_FETCH_LIMITS);
  await expect.poll(server.open).toBe(1);
  client.close();
  expect(codeOf(await fetched)).toBe('aborted');
});
