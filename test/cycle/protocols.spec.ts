import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type FtpOptions, type FtpServer, startFtp } from '../support/ftp-server.js';
import { redirect } from '../support/site.js';
import { crawler, cycle, links, untilTestEnds, useCrawler } from './crawler.js';
import { type PageRow, batchOf, counters, pages } from './table.js';

/** Documents from several protocols (feature rows D28, L6): ftp, file and http in one crawl, with the plugins on and off. */

useCrawler();

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'orbweaver-roots-')));
  mkdirSync(join(root, 'sub'));
  writeFileSync(join(root, 'a.txt'), 'a local text');
  writeFileSync(join(root, 'sub', 'b.html'), '<title>local</title><a href="../a.txt">a</a>');
});
afterAll(() => rmSync(root, { recursive: true }));

type Conf = Record<string, string>;

const plugins = 'parse-(html|text)|scoring-opic|urlfilter-regex|urlnormalizer-(basic|regex)';
const OFF: Conf = { 'plugin.includes': `protocol-http|${plugins}`, 'urlfilter.regex.rules': '+.' };
const on = (): Conf => ({
  ...OFF,
  'plugin.includes': `protocol-(http|ftp|file)|${plugins}`,
  'file.crawl.roots': root,
});

const ftpSite = async (options: FtpOptions): Promise<FtpServer> => untilTestEnds(await startFtp(options));
const inject = (crawlId: string, urls: string[], conf: Conf) => cycle.inject(urls, {}, { crawlId, conf });

/** One value of each page of a scheme, by path. */
async function of<T>(crawlId: string, scheme: string, value: (page: PageRow) => T): Promise<Record<string, T>> {
  const found = (await pages(cycle, crawlId)).filter(({ key }) => new RegExp(`^[^:]*:${scheme}[:/]`).test(key));
  return Object.fromEntries(found.map((page) => [page.key.slice(page.key.indexOf('/')), value(page)]));
}

const statusOf = ({ status, http_status }: PageRow) => [status, http_status];

describe('with the plugins on', () => {
  it('seeds of ftp, file and http are fetched and parsed, and directories lead to what they have', async () => {
    const web = await crawler.site({ '/': links('/b'), '/b': links() });
    const files = {
      '/pub/a.txt': 'a',
      '/pub/b.html': '<title>b</title><a href="deep/c.txt">c</a>',
      '/pub/deep/c.txt': 'c',
    };
    const ftp = await ftpSite({ files });
    await inject('on', [`${ftp.url}/pub/`, `${web.url}/`, `file://${root}/`], on());
    for (let round = 0; round < 3; round++) await crawler.round('on', on());
    expect(await of('on', 'http', statusOf)).toEqual({ '/': [2, 200], '/b': [2, 200] });
    expect(await of('on', 'ftp', statusOf)).toEqual({
      '/': [2, 200],
      '/pub/': [2, 200],
      '/pub/a.txt': [2, 200],
      '/pub/b.html': [2, 200],
      '/pub/deep/': [2, 200],
      '/pub/deep/c.txt': [2, 200],
    });
    expect(await of('on', 'file', statusOf)).toEqual({
      [`${root}/`]: [2, 200],
      [`${root}/a.txt`]: [2, 200],
      [`${root}/sub/`]: [2, 200],
      [`${root}/sub/b.html`]: [2, 200],
    });
    const titles = {
      ...(await of('on', 'ftp', ({ title }) => title)),
      ...(await of('on', 'file', ({ title }) => title)),
    };
    expect(titles).toMatchObject({ '/pub/': 'Index of /pub/', '/pub/b.html': 'b', [`${root}/sub/b.html`]: 'local' });
    // Neither has a robots.txt.
    expect(ftp.log.join('\n')).not.toContain('robots');
  });

  it('a file that has not changed is not transferred again', async () => {
    const ftp = await ftpSite({ files: { '/a.txt': 'text' } });
    const urls = [`${ftp.url}/a.txt`, `file://${root}/a.txt`];
    await inject('again', urls, on());
    for (const adddays of [0, 40]) {
      const batch = await crawler.untilParsed('again', on(), { adddays });
      await crawler.update('again', { batch }, on());
    }
    expect((await pages(cycle, 'again')).map(({ status, http_status }) => [status, http_status])).toEqual([
      [6, 304],
      [6, 304],
    ]);
    expect(ftp.log.filter((line) => line.startsWith('RETR'))).toHaveLength(1);
  });

  it('what a server or the roots refuse ends as Nutch has it', async () => {
    const ftp = await ftpSite({ files: { '/d/x': '' } });
    const urls = [
      `${ftp.url}/none.txt`,
      `${ftp.url}/d`,
      `file://${root}/none.txt`,
      'file:///etc/passwd',
      `file://${root}/sub`,
    ];
    await inject('ends', urls, on());
    await crawler.untilParsed('ends', on());
    const ends = ({ status, protocol_code, protocol_args }: PageRow) => [status, protocol_code, protocol_args];
    expect(await of('ends', 'ftp', ends)).toEqual({
      '/none.txt': [3, 14, ['FTP 550 No such file.']],
      '/d': [5, 12, [`${ftp.url}/d/`]],
    });
    expect(await of('ends', 'file', ends)).toEqual({
      [`${root}/none.txt`]: [3, 14, ['file ENOENT']],
      '/etc/passwd': [3, 17, ['blocked: not a file or directory below file.crawl.roots']],
      [`${root}/sub`]: [5, 12, [`file://${root}/sub/`]],
    });
  });

  it('a refused login is ACCESS_DENIED, and the password is nowhere', async () => {
    const ftp = await ftpSite({ users: { me: 'another' } });
    const conf = { ...on(), 'ftp.username': 'me', 'ftp.password': 'open sesame' };
    await inject('login', [`${ftp.url}/a.txt`], conf);
    await crawler.untilParsed('login', conf);
    const [page] = await pages(cycle, 'login');
    expect(page).toMatchObject({ status: 3, protocol_code: 17, protocol_args: ['FTP 530 to the login'] });
    expect(ftp.log).toContain('PASS open sesame');
  });

  it('a page of http leads to ftp and, by a link that the filters accept, to files below the roots; a redirect never to files', async () => {
    const ftp = await ftpSite({ files: { '/a.txt': 'text' } });
    const web = await crawler.site({
      '/': links(`${ftp.url}/a.txt`, `file://${root}/a.txt`, '/to-ftp', '/to-file'),
      '/to-ftp': redirect(`${ftp.url}/a.txt`),
      '/to-file': redirect(`file://${root}/sub/b.html`),
    });
    await inject('links', [`${web.url}/`], on());
    for (let round = 0; round < 3; round++) await crawler.round('links', on());
    expect(await of('links', 'ftp', statusOf)).toEqual({ '/a.txt': [2, 200] });
    expect(await of('links', 'file', statusOf)).toEqual({ [`${root}/a.txt`]: [2, 200] });
    expect((await of('links', 'http', ({ redirect_url }) => redirect_url))['/to-file']).toBeNull();
  });

  it('SITEMAP asks the hosts of http alone', async () => {
    const ftp = await ftpSite({ files: { '/a.txt': 'text' } });
    await inject('sitemaps', [`${ftp.url}/a.txt`, `file://${root}/a.txt`], on());
    const job = await cycle.run('SITEMAP', {}, { crawlId: 'sitemaps', conf: on() });
    expect([job.state, counters(job, 'Sitemap')]).toEqual([
      'FINISHED',
      expect.objectContaining({ filtered_sitemaps: 0 }),
    ]);
    expect(await cycle.db.query('select origin from robots where origin like $1', [`%:${ftp.port}`])).toEqual([]);
  });

  it.each([
    ['as shipped, the filter keeps them out', () => ({ ...on(), 'urlfilter.regex.rules': '' })],
    ['without roots, no file enters the crawl', () => ({ ...on(), 'file.crawl.roots': '' })],
  ])('%s', async (name, conf) => {
    const web = await crawler.site({ '/': links(`file://${root}/a.txt`, 'file:///etc/passwd') });
    await inject(name, [`${web.url}/`, `file://${root}/a.txt`], conf());
    for (let round = 0; round < 2; round++) await crawler.round(name, conf());
    expect(await of(name, 'file', statusOf)).toEqual({});
  });
});

describe('with the plugins off', () => {
  it('pages of their schemes end as PROTO_NOT_FOUND, to be tried again', async () => {
    const ftp = await ftpSite({ files: { '/a.txt': 'text' } });
    const web = await crawler.site({ '/': links() });
    await inject('off', [`${ftp.url}/a.txt`, `file://${root}/a.txt`, `${web.url}/`], on());
    const batch = batchOf(await cycle.run('GENERATE', {}, { crawlId: 'off', conf: OFF }));
    const job = await cycle.run('FETCH', { batch }, { crawlId: 'off', conf: OFF });
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 1, PROTO_NOT_FOUND: 2 });
    const ends = ({ status, protocol_code, protocol_args }: PageRow) => [
      status,
      protocol_code,
      ...(protocol_args ?? []),
    ];
    expect(await of('off', 'ftp', ends)).toEqual({
      '/a.txt': [34, 10, 'protocol not found: no active plugin fetches ftp (plugin.includes)'],
    });
    expect(await of('off', 'file', ends)).toEqual({
      [`${root}/a.txt`]: [34, 10, 'protocol not found: no active plugin fetches file (plugin.includes)'],
    });
    expect(ftp.log).toEqual([]);
    await crawler.update('off', { batch }, OFF);
    expect(await of('off', 'ftp', ({ status, retries_since_fetch }) => [status, retries_since_fetch])).toEqual({
      '/a.txt': [1, 1],
    });
  });

  it('INJECT refuses them by their scheme', async () => {
    const job = await inject('refused', ['ftp://127.0.0.1/a.txt', `file://${root}/a.txt`], OFF);
    expect(counters(job, 'injector_rejected')).toEqual({ scheme: 2 });
    const warnings = await cycle.db.query<{ text: string }>(
      `select data->>'message' as text from job_event where kind = 'warning' and job = $1`,
      [job.id],
    );
    expect(warnings.map(({ text }) => text)).toEqual([
      'seed line "ftp://127.0.0.1/a.txt" has a protocol that is not found: plugin.includes does not name protocol-ftp',
      expect.stringContaining('plugin.includes does not name protocol-file'),
    ]);
    expect(await pages(cycle, 'refused')).toEqual([]);
  });

  it('a crawl by ftp alone needs no HTTP', async () => {
    const ftp = await ftpSite({ files: { '/a.txt': 'text' } });
    const web = await crawler.site({ '/': links() });
    const conf = { ...on(), 'plugin.includes': `protocol-ftp|${plugins}` };
    await inject('alone', [`${ftp.url}/a.txt`, `${web.url}/`], conf);
    await crawler.untilParsed('alone', conf);
    expect(await of('alone', 'ftp', statusOf)).toEqual({ '/a.txt': [2, 200] });
    expect(await of('alone', 'http', ({ protocol_code }) => protocol_code)).toEqual({ '/': 10 });
  });
});
