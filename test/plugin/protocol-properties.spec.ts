import { mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { DEFAULT_FETCH_LIMITS } from '../../src/net/http-client.js';
import { fileProtocol } from '../../src/plugin/builtin/protocol-file.js';
import { ftpProtocol } from '../../src/plugin/builtin/protocol-ftp.js';
import { startFtp, type FtpServer } from '../support/ftp-server.js';

/** The properties of the protocols ftp and file arrive at their clients. */

const confOf = (params: Record<string, string>) => parseConf({ 'http.filter.ipaddress.exclude': '', ...params }).conf;

describe('ftp', () => {
  let server: FtpServer;
  beforeAll(async () => (server = await startFtp({ files: { '/a.txt': 'text' } })));
  afterAll(() => server.close());

  it('has its own limits: ftp.content.limit and ftp.timeout', () => {
    const { limits } = ftpProtocol.makeProtocol(confOf({ 'ftp.content.limit': '7', 'ftp.timeout': '1234' }));
    expect(limits).toEqual({ contentLimit: 7, idleTimeout: 1_234 });
    expect(ftpProtocol.makeProtocol(confOf({})).limits).toEqual({ contentLimit: 1_048_576, idleTimeout: 60_000 });
  });

  it.each([
    ['true', true],
    ['false', false],
  ])('with ftp.follow.talk %s reports what is said: %s', async (follow, isReported) => {
    const said: string[] = [];
    const { limits, open } = ftpProtocol.makeProtocol(confOf({ 'ftp.follow.talk': follow, 'ftp.password': 'secret' }));
    const client = open({ ownPorts: [], talk: (url, line) => void said.push(`${url} ${line}`) });
    const request = { url: `${server.url}/a.txt`, headers: {} };
    expect(await client.fetch(request, { ...DEFAULT_FETCH_LIMITS, ...limits })).toMatchObject({
      ok: true,
      status: 200,
    });
    client.close();
    expect(said.some((line) => line.includes('RETR /a.txt'))).toBe(isReported);
    expect(said.length > 0).toBe(isReported);
    expect(said.filter((line) => line.includes('secret'))).toEqual([]);
  });
});

describe('file', () => {
  let root: string;
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'orbweaver-protocol-')));
    writeFileSync(join(root, 'a.txt'), 'text');
    symlinkSync('a.txt', join(root, 'link.txt'));
  });
  afterAll(() => rmSync(root, { recursive: true }));

  it.each([
    ['true', { status: 301, location: 'a.txt' }],
    ['false', { status: 200, location: undefined }],
  ])(
    'with file.crawl.redirect_noncanonical %s answers for a symbolic link %j',
    async (redirect, { status, location }) => {
      const params = { 'file.crawl.roots': root, 'file.crawl.redirect_noncanonical': redirect };
      const { limits, open } = fileProtocol.makeProtocol(confOf(params));
      const request = { url: `file://${root}/link.txt`, headers: {} };
      const answer = await open({ ownPorts: [] }).fetch(request, { ...DEFAULT_FETCH_LIMITS, ...limits });
      const expected = location === undefined ? undefined : `file://${root}/${location}`;
      expect([answer.ok && answer.status, answer.ok && answer.headers['location']]).toEqual([status, expected]);
    },
  );
});
