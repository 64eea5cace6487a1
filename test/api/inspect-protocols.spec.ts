import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FtpServer, startFtp } from '../support/ftp-server.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

/** What the inspectors say about URLs of ftp and file, with their plugins on and off. */

let api: ApiUnderTest;
let ftp: FtpServer;
beforeAll(async () => {
  ftp = await startFtp({ files: { '/pub/a.txt': 'text' } });
  api = await apiInOneProcess();
  const open = { 'http.agent.name': 'orbweaver-test', 'urlfilter.regex.rules': '+.' };
  const confs: Record<string, Record<string, string>> = {
    off: open,
    shipped: { ...open, 'plugin.includes.also': 'protocol-(ftp|file)' },
    ftpOnly: {
      ...open,
      'plugin.includes': 'protocol-ftp|urlfilter-regex|parse-html',
      'http.filter.ipaddress.exclude': '',
    },
    none: { ...open, 'plugin.includes': 'urlfilter-regex|parse-html', 'http.filter.ipaddress.exclude': '' },
    allowed: { ...open, 'http.filter.ipaddress.exclude': '', 'http.filter.ipaddress.include': '192.0.2.0/24' },
    files: { ...open, 'plugin.includes.also': 'protocol-file', 'file.crawl.roots': '/usr/share/orbweaver-none' },
    on: { ...open, 'plugin.includes.also': 'protocol-(ftp|file)', 'http.filter.ipaddress.exclude': '' },
  };
  for (const [configId, params] of Object.entries(confs))
    await request(api.url).post('/config/create').send({ configId, force: true, params });
});
afterAll(async () => {
  await api?.close();
  await ftp?.close();
});

const inspect = async (what: 'url' | 'fetch', body: { url: string; confId: string }) =>
  (await request(api.url).post(`/v1/inspect/${what}`).send(body)).body;
const reasons = async (url: string, confId: string): Promise<[string, string][]> =>
  (await inspect('url', { url, confId })).fetchable.reasons.map(
    ({ code, message }: { code: string; message: string }) => [code, message],
  );

describe('POST /v1/inspect/url', () => {
  it('names what keeps a scheme from being crawled', async () => {
    expect(await reasons('ftp://site.test/', 'off')).toContainEqual([
      'SCHEME',
      'Its scheme is ftp: only http and https are crawled; plugin.includes does not name protocol-ftp.',
    ]);
    expect(await reasons('file:///etc/passwd', 'on')).toContainEqual([
      'SCHEME',
      'Its scheme is file: only http, https and ftp are crawled; the properties of protocol-file allow none.',
    ]);
    expect(await reasons('gopher://site.test/', 'on')).toContainEqual([
      'SCHEME',
      'Its scheme is gopher: only http, https and ftp are crawled.',
    ]);
  });

  it('says which protocol fetches no http, if another one is active', async () => {
    expect(await reasons('http://192.0.2.1/', 'ftpOnly')).toEqual([
      ['SCHEME', 'Its scheme is http: only ftp is fetched; plugin.includes does not name protocol-http.'],
    ]);
    expect(await reasons('https://192.0.2.1/', 'ftpOnly')).toEqual([
      ['SCHEME', 'Its scheme is https: only ftp is fetched; plugin.includes does not name protocol-http.'],
    ]);
    expect((await reasons('http://192.0.2.1/', 'none')).map(([code]) => code)).toEqual(['PROTOCOL_PLUGIN']);
  });

  it('applies the guard to ftp, whose port 21 it allows', async () => {
    const codes = async (url: string, confId: string) => (await reasons(url, confId)).map(([code]) => code);
    expect(await codes('ftp://127.0.0.1/', 'shipped')).toEqual(['INNER_ADDRESS']);
    expect(await codes('ftp://192.0.2.1:22/', 'on')).toEqual(['PORT']);
    expect(await codes('ftp://127.0.0.1/', 'on')).toEqual([]);
    expect(await codes('http://127.0.0.1:21/', 'on')).toEqual(['PORT']);
  });
});

describe('POST /v1/inspect/fetch', () => {
  it('fetches by ftp, without a robots.txt', async () => {
    const found = await inspect('fetch', { url: `${ftp.url}/pub/a.txt`, confId: 'on' });
    expect(found).toMatchObject({
      status: 200,
      bytes: 4,
      protocolStatus: { name: 'SUCCESS' },
      hops: [{ robots: { state: 'not-asked', why: 'its protocol has no robots.txt' } }],
    });
  });

  it('reports a redirect of a directory, and a file that is not there', async () => {
    const [{ redirect }] = (await inspect('fetch', { url: `${ftp.url}/pub`, confId: 'on' })).hops;
    expect(redirect).toMatchObject({ target: `${ftp.url}/pub/`, decision: 'later' });
    expect(await inspect('fetch', { url: `${ftp.url}/none`, confId: 'on' })).toMatchObject({
      status: 404,
      protocolStatus: { name: 'NOTFOUND', args: ['FTP 550 No such file.'] },
    });
  });
});

describe('the reason for a refused request', () => {
  const decisions = async (url: string, confId: string) =>
    ((await inspect('fetch', { url, confId })).decisions as object[]).map((one) => ({ property: undefined, ...one }));

  it.each([
    ['http://127.0.0.1/', 'shipped', 'INNER_ADDRESS', 'http.filter.ipaddress.exclude'],
    ['http://127.0.0.1/', 'allowed', 'INNER_ADDRESS', 'http.filter.ipaddress.include'],
    ['http://127.0.0.1:22/', 'on', 'PORT', 'http.filter.ports.exclude'],
    ['ftp://127.0.0.1:22/', 'on', 'PORT', 'http.filter.ports.exclude'],
    ['file:///etc/passwd', 'files', 'FETCH_FAILED', 'file.crawl.roots'],
  ])('of %s with configuration %s is %s, by %s', async (url, confId, code, property) => {
    expect(await decisions(url, confId)).toEqual([
      expect.objectContaining({ code, property, message: expect.stringContaining(url) as string }),
    ]);
  });

  it("is the server's own port, which no property changes", async () => {
    const url = `${api.url}/`;
    expect(await decisions(url, 'on')).toEqual([expect.objectContaining({ code: 'PORT', property: undefined })]);
  });

  it('is the scheme, if no active protocol has it', async () => {
    expect(await decisions('http://127.0.0.1/', 'ftpOnly')).toEqual([
      expect.objectContaining({ code: 'SCHEME', property: 'plugin.includes' }),
    ]);
  });
});

describe('seeds of POST /v1/crawls', () => {
  const crawl = (confId: string, seeds: string[]) =>
    request(api.url)
      .post('/v1/crawls')
      .send({ crawlId: `k-${confId}`, confId, seeds });

  it('are refused by their scheme, address or port', async () => {
    const { body } = await crawl('shipped', ['ftp://127.0.0.1/', 'ftp://8.8.8.8:22/', 'file:///etc/passwd']);
    expect(body.errors.map(({ message }: { message: string }) => message)).toEqual([
      expect.stringContaining('rule loopback of'),
      expect.stringContaining('rule port of'),
      expect.stringContaining('only http, https and ftp are; the properties of protocol-file allow none'),
    ]);
  });
});
