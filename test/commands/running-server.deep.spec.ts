import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startServer } from '../support/server.js';
import { startSite } from '../support/site.js';
import { startProgram } from './program.js';
import { KEY, client, db, folder, html, run, server, site, urlsOf, useServer } from './used-server.js';

/** Commands with a key on a running server: crawl, inspect and export. */

useServer();

describe('crawl, inspect and export on a running server', () => {
  it('crawl creates a crawl that stays on the server', async () => {
    const { code, stderr } = await run('crawl', `${site.url}/`, '--crawl-id', 'kept', '--rounds', '2');
    expect(stderr).toContain('kept: OK: all 2 rounds are done (2 rounds');
    expect(code).toBe(0);
    expect(await urlsOf('kept')).toEqual(['/', '/a', '/b']);
  });

  it("crawl with the server's agent name creates no configuration", async () => {
    expect(await client.config.ids()).not.toContain('cli-kept');
  });

  it('crawl --conf keeps the other changed properties of configuration default', async () => {
    const { code, stderr } = await run(
      'crawl',
      `${site.url}/`,
      '--rounds',
      '1',
      '--crawl-id',
      'laid',
      '--conf',
      'http.agent.nam=x',
    );
    expect(stderr).toMatch(/note: .*http\.agent\.nam.*http\.agent\.name/);
    expect(stderr).toContain('1 fetched');
    expect(code).toBe(0);
    expect(await client.config.read('cli-laid')).toMatchObject({
      'http.agent.name': 'commands-test',
      'fetcher.server.delay': '0',
    });
  });

  it('crawl --conf-id uses a configuration of the server unchanged, and ends with code 10 for an unknown one', async () => {
    await client.config.create({ configId: 'shallow', params: { 'db.max.outlinks.per.page': '1' } });
    const words = ['crawl', `${site.url}/`, '--rounds', '2', '--crawl-id', 'chosen', '--conf-id'];
    const { code, stderr } = await run(...words, 'shallow');
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('2 fetched') });
    expect((await client.crawl.read('chosen')).confId).toBe('shallow');
    expect(await client.config.ids()).not.toContain('cli-chosen');
    const unknown = await run(...words, 'none');
    expect([unknown.code, unknown.stderr]).toEqual([10, expect.stringContaining("Unknown configId 'none'")]);
  });

  it('crawl --conf-id with an empty http.agent.name prints the message of the server and ends with code 10', async () => {
    await client.config.create({ configId: 'nameless', params: { 'http.agent.name': '' } });
    const { code, stderr } = await run('crawl', `${site.url}/`, '--conf-id', 'nameless');
    expect([code, stderr]).toEqual([10, expect.stringContaining('http.agent.name')]);
    expect(stderr).toContain('FETCH_IMPOSSIBLE');
  });

  it('crawl --conf with an invalid value ends with code 10', async () => {
    const { code, stderr } = await run('crawl', `${site.url}/`, '--conf', 'fetcher.threads.fetch=many');
    expect(stderr).toMatch(/the server refused: .*fetcher\.threads\.fetch.*many/);
    expect(code).toBe(10);
  });

  it('inspect prints the line of robots.txt that denies a URL, and ends with code 9', async () => {
    const { code, stdout } = await run('inspect', `${site.url}/private/x`, '--robots', '--crawl-id', 'kept');
    expect(stdout).toContain('is not fetched now, because');
    expect(stdout).toContain('robots.txt: disallowed, line 3: Disallow: /private/');
    expect(code).toBe(9);
  });

  it('inspect of a due page prints that it would be fetched, and ends with code 0', async () => {
    const { code, stdout } = await run('inspect', `${site.url}/c`, '--crawl-id', 'kept');
    expect(stdout).toContain('would be fetched now');
    expect(code).toBe(0);
  });

  it('inspect --json prints the response of the server', async () => {
    const { stdout } = await run('inspect', `${site.url}/?q=1`, '--json', '--crawl-id', 'kept');
    expect(JSON.parse(stdout)).toMatchObject({ accepted: false, decidedBy: { plugin: 'urlfilter-regex' } });
  });

  it('inspect --conf applies other rules', async () => {
    const { stdout } = await run('inspect', `${site.url}/?q=1`, '--conf', 'urlfilter.regex.rules=+.', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ accepted: true, decidedBy: null });
  });

  it('export writes the pages to stdout, or to a file', async () => {
    const { code, stdout } = await run('export', '--crawl-id', 'kept', '--status', 'db_fetched');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { title: string }).title),
    ).toEqual(['home', 'a', 'b']);
    expect(code).toBe(0);
    const out = join(folder.path, 'kept.jsonl');
    const { stderr } = await run('export', '--crawl-id', 'kept', '--prefix', `${site.url}/a`, '--out', out);
    expect(stderr).toContain(`1 pages written to ${out}`);
    expect((await readFile(out, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('export of an unknown crawl ends with code 10 and does not change the file', async () => {
    const out = join(folder.path, 'unknown.jsonl');
    await writeFile(out, 'before');
    for (const more of [[], ['--text'], ['--out', out]]) {
      const { code, stdout, stderr } = await run('export', '--crawl-id', 'unknown', ...more);
      expect([code, stdout, stderr]).toEqual([10, '', expect.stringMatching(/crawl "unknown".*\(CRAWL_UNKNOWN\)/)]);
    }
    expect(await readFile(out, 'utf8')).toBe('before');
  });

  it('export --text writes the text of each page, null if there is none', async () => {
    const { stdout } = await run('export', '--crawl-id', 'kept', '--text');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { url: string; text: string | null });
    const texts = Object.fromEntries(lines.map(({ url, text }) => [new URL(url).pathname, text]));
    expect(texts).toEqual({
      '/': expect.stringContaining('x'),
      '/a': expect.any(String),
      '/b': expect.any(String),
      '/c': null,
      '/private/x': null,
    });
  });

  it('export --text waits when the server returns 429', async () => {
    const many = await startSite({
      '/': html('home', ...Array.from({ length: 29 }, (_, index) => `/${index}`)),
      '*': html('leaf'),
    });
    expect((await run('crawl', `${many.url}/`, '--crawl-id', 'texts', '--quiet')).code).toBe(0);
    await many.close();
    const slow = await startServer({ databaseUrl: db.url, env: { ROLE: 'api', REQUEST_RATE: '5' } });
    const { code, stdout, stderr } = await startProgram(['export', '--crawl-id', 'texts', '--text'], {
      ORBWEAVER_SERVER: slow.url,
    }).ended;
    await slow.stop();
    expect(code, stderr).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text: string | null });
    expect(lines).toHaveLength(30);
    expect(lines.every(({ text }) => text !== null)).toBe(true);
  });

  it('a missing key prints the message of the server and ends with code 10', async () => {
    const { code, stderr } = await startProgram(['export'], { ORBWEAVER_SERVER: server.url }).ended;
    expect(stderr).toContain('(NOT_AUTHENTICATED)');
    expect(stderr).not.toContain(KEY);
    expect(code).toBe(10);
  });
});
