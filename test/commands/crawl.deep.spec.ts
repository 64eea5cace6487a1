import { existsSync } from 'node:fs';
import { readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type Handler, page, redirect, type Site, slowDrip, startSite } from '../support/site.js';
import { startProgram } from './program.js';

/** `orbweaver crawl` without a server: PostgreSQL, API and workers start and end with the command. */

const html = (title: string, ...links: string[]): Handler =>
  page(`<title>${title}</title><p>${title}</p>${links.map((link) => `<a href="${link}">x</a>`).join('')}`);

let folder: TemporaryFolder;
let site: Site | undefined;
beforeEach(async () => (folder = await temporaryFolder()));
afterEach(async () => {
  await site?.close();
  await folder.remove();
});

const open = ['--conf', 'http.filter.ipaddress.exclude=', '--conf', 'fetcher.server.delay=0', '--workers', '1'];
const environment = () => ({ TMPDIR: folder.path });
const crawl = (...words: string[]) => startProgram(['crawl', ...words], environment());
/** Words that crawl the site with --data and write the fetched pages to stdout. */
const keepingData = (): string[] => {
  const data = join(folder.path, 'kept');
  return [`${site!.url}/`, '--data', data, '--out', '-', '--status', 'db_fetched', ...open];
};

interface Line {
  url: string;
  status: string;
  title: string | null;
}
const linesOf = (text: string) =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
/** What the command left in the folder for temporary files. */
const leftovers = async () => (await readdir(folder.path)).filter((name) => name.startsWith('orbweaver-'));

describe('orbweaver crawl URL --index', () => {
  it('makes the pages searchable for orbweaver search on the same data', async () => {
    site = await startSite({ '/': html('home', '/a'), '/a': html('ferries', '/') });
    const data = join(folder.path, 'indexed');
    const { code, stderr } = await crawl(`${site.url}/`, '--data', data, '--index', '--ranks', ...open).ended;
    expect(code, stderr).toBe(0);
    const found = await startProgram(['search', 'ferries', '--data', data], environment()).ended;
    expect(found, found.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^1 found\n\nferries\n/) });
  });
});

describe('orbweaver crawl URL --out', () => {
  it('writes every page as a JSON line, prints a summary, and leaves no files', async () => {
    site = await startSite({
      '/': html('home', '/a', '/b', '/moved', '/gone', 'http://127.0.0.9:1/elsewhere'),
      '/a': html('a', '/b', '/c'),
      '/b': html('b'),
      '/c': html('c', '/'),
      '/moved': redirect('/c', 301),
    });
    const out = join(folder.path, 'pages.jsonl');
    const { code, stdout, stderr } = await crawl(`${site.url}/`, '--out', out, '--agent', 'trial', ...open).ended;
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: '' });
    const pages = linesOf(await readFile(out, 'utf8'));
    expect(
      Object.fromEntries(pages.map(({ url, status, title }) => [new URL(url).pathname, [status, title]])),
    ).toMatchObject({
      '/': ['db_fetched', 'home'],
      '/a': ['db_fetched', 'a'],
      '/b': ['db_fetched', 'b'],
      '/c': ['db_fetched', 'c'],
      '/moved': ['db_redir_perm', null],
      '/gone': ['db_gone', null],
    });
    expect(pages).toHaveLength(6);
    expect(stderr).toMatch(/crawl: OK: nothing more is due \(3 rounds, \d+:\d\d\)/);
    expect(stderr).toContain('4 fetched');
    expect(stderr).toContain(`6 pages written to ${out}`);
    expect(site.log.every(({ headers }) => headers['user-agent']?.includes('trial'))).toBe(true);
    expect(await leftovers()).toEqual([]);
  });

  it('with -, --rounds and --status writes only the matching pages to stdout', async () => {
    site = await startSite({ '/': html('home', '/a'), '/a': html('a', '/b'), '/b': html('b') });
    const words = [`${site.url}/`, '--out', '-', '--rounds', '2', '--status', 'db_fetched', '--quiet', ...open];
    const { code, stdout } = await crawl(...words).ended;
    expect(code).toBe(0);
    expect(linesOf(stdout).map(({ title }) => title)).toEqual(['home', 'a']);
  });

  it('continues a crawl whose data --data has kept', async () => {
    site = await startSite({ '/': html('home', '/a'), '/a': html('a', '/b'), '/b': html('b') });
    const words = keepingData();
    const first = await crawl(...words, '--rounds', '1').ended;
    expect(linesOf(first.stdout).map(({ title }) => title)).toEqual(['home']);
    const second = await crawl(...words).ended;
    expect(linesOf(second.stdout).map(({ title }) => title)).toEqual(['home', 'a', 'b']);
    expect(site.log.filter(({ path }) => path === '/')).toHaveLength(1);
    expect(existsSync(join(folder.path, 'kept', 'postgres'))).toBe(true);
  });

  it('refuses an unknown --status with code 2 before it changes the output file', async () => {
    const out = join(folder.path, 'pages.jsonl');
    await writeFile(out, 'old\n');
    for (const command of ['crawl', 'export']) {
      const words = [...(command === 'crawl' ? ['http://a.test/'] : []), '--out', out, '--status', 'db_fetchd'];
      const { code, stderr } = await startProgram([command, ...words], environment()).ended;
      expect(stderr).toMatch(/--status takes db_unfetched, db_fetched, .*; given: "db_fetchd"/);
      expect(code).toBe(2);
    }
    expect(await readFile(out, 'utf8')).toBe('old\n');
  });

  it('ends with code 9 and names the option that allows internal addresses', async () => {
    site = await startSite({ '/': html('home') });
    const { code, stderr } = await crawl(`${site.url}/`, '--workers', '1').ended;
    expect(stderr).toContain('add --conf http.filter.ipaddress.exclude= for a local try');
    expect({ code, connections: site.connections() }).toEqual({ code: 9, connections: 0 });
  });

  it('names that option also for a name that resolves to an internal address', async () => {
    site = await startSite({ '/': html('home') });
    const { code, stderr } = await crawl(`http://localhost:${site.port}/`, '--workers', '1').ended;
    expect(stderr).toContain('Nothing was fetched:');
    expect(stderr).toContain('add --conf http.filter.ipaddress.exclude= for a local try');
    expect({ code, connections: site.connections() }).toEqual({ code: 9, connections: 0 });
  });
});

const links = Array.from({ length: 30 }, (_, index) => `/slow/${index}`);
const slowSite = () =>
  startSite((req, res) => {
    if (req.url === '/') return html('home', '/fast', ...links)(req, res);
    if (req.url === '/robots.txt') return void res.writeHead(404).end();
    if (req.url === '/fast') return html('fast')(req, res);
    setTimeout(() => html('slow')(req, res), 300);
  });

describe('orbweaver crawl --data after kill -9', () => {
  it('continues the open crawl when run again with the same arguments', async () => {
    site = await slowSite();
    const words = keepingData();
    const killed = crawl(...words);
    await expect.poll(() => site?.log.filter(({ path }) => path.startsWith('/slow')).length).toBeGreaterThan(2);
    killed.kill9();
    await killed.ended;
    const { code, stdout, stderr } = await crawl(...words).ended;
    expect(stderr).toContain('goes on with crawl-cli-crawl-CRAWL-1');
    expect(linesOf(stdout)).toHaveLength(32);
    expect(code).toBe(0);
  });
});

describe('orbweaver crawl on Ctrl-C', () => {
  it('once: stops the crawl, writes the pages so far, leaves no files and returns 130', async () => {
    site = await slowSite();
    const out = join(folder.path, 'pages.jsonl');
    const program = crawl(`${site.url}/`, '--out', out, ...open);
    await expect.poll(() => site?.log.filter(({ path }) => path.startsWith('/slow')).length).toBeGreaterThan(2);
    program.interrupt();
    const { code, stderr } = await program.ended;
    expect(stderr).toContain('stopping: what was fetched is brought in and written');
    const pages = linesOf(await readFile(out, 'utf8'));
    const fetched = pages.filter(({ status }) => status === 'db_fetched').length;
    expect(fetched).toBeGreaterThan(1);
    expect(fetched).toBeLessThan(32);
    expect(code).toBe(130);
    expect(await leftovers()).toEqual([]);
  });

  it('twice: aborts the crawl and returns 130', async () => {
    site = await startSite({ '/': html('home', '/drip'), '/drip': slowDrip(50), '*': page('', {}, 404) });
    const program = crawl(`${site.url}/`, ...open);
    await expect.poll(() => site?.log.some(({ path }) => path === '/drip')).toBe(true);
    program.interrupt();
    await program.says('stopping:');
    // Earlier, it would be treated as the same Ctrl-C.
    await new Promise((resolve) => setTimeout(resolve, 500));
    program.interrupt();
    const { code, stderr } = await program.ended;
    expect(stderr).toContain('aborting');
    expect(code).toBe(130);
    expect(await leftovers()).toEqual([]);
  });

  it('while the server starts: crawls nothing and returns 130', async () => {
    site = await startSite({ '/': html('home') });
    const program = crawl(`${site.url}/`, ...open);
    await expect.poll(leftovers).toHaveLength(1);
    program.interrupt();
    expect((await program.ended).code).toBe(130);
    expect(site.connections()).toBe(0);
    expect(await leftovers()).toEqual([]);
  });
});
