import { readdir } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { demoPages, demoSites } from '../../src/commands/demo-web/pages.js';
import { type DemoWeb, startDemoWeb } from '../../src/commands/demo-web/web.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { startProgram } from './program.js';

/** The demonstration: its bundled web, and the whole program. */

let folder: TemporaryFolder;
let web: DemoWeb | undefined;
beforeEach(async () => (folder = await temporaryFolder()));
afterEach(async () => {
  await web?.close();
  await folder.remove();
});

describe('the bundled web of the demo', () => {
  it('has exactly one intended dead link and one redirect among at least 30 pages', async () => {
    web = await startDemoWeb();
    const answers = new Map<string, number>();
    const open = [`${web.urls.observatory}/`];
    for (let url = open.pop(); url !== undefined; url = open.pop()) {
      if (answers.has(url)) continue;
      const answer = await fetch(url, { redirect: 'manual' });
      answers.set(url, answer.status);
      const target = answer.headers.get('location');
      if (target) open.push(new URL(target, url).href);
      for (const [, href = ''] of (await answer.text()).matchAll(/href="([^"]+)"/g)) open.push(new URL(href, url).href);
    }
    const dead = [...answers].filter(([, status]) => status === 404).map(([url]) => new URL(url).pathname);
    expect(dead).toEqual(['/lost-bench']);
    expect([...answers].filter(([, status]) => status === 301)).toHaveLength(1);
    const pages = demoSites.reduce((sum, site) => sum + demoPages[site].size, 0);
    expect([...answers.values()].filter((status) => status === 200).length).toBe(pages);
    expect(pages).toBeGreaterThanOrEqual(30);
    expect(new Set(Object.values(web.urls)).size).toBe(3);
  });
});

describe('orbweaver demo', () => {
  const start = (...words: string[]) => startProgram(['demo', ...words], { TMPDIR: folder.path });
  const leftovers = async () => (await readdir(folder.path)).filter((name) => name.startsWith('orbweaver-'));

  it('--once prints the crawl, its pages, an inspection and a search, and leaves no files', async () => {
    const { code, stdout, stderr } = await start('--once').ended;
    expect(code, stderr).toBe(0);
    expect(stdout).toContain('A small web is on loopback');
    expect(stdout).toContain('OK: nothing more is due');
    expect(stdout).toMatch(/db_fetched +200 +\S+\/planets\/jupiter +Jupiter\n/);
    expect(stdout).toMatch(/db_redir_perm +301 +\S+\/old-map +→ \S+\/map\n/);
    expect(stdout).toMatch(/db_gone +404 +\S+\/lost-bench/);
    expect(stdout).toMatch(/db_duplicate +200 +\S+\/herbs\/thyme/);
    expect(stdout).toContain('robots.txt: disallowed, line 3: Disallow: /reading-room/private/');
    expect(stdout).toContain('urlfilter-regex drops it (rule');
    expect(stdout).toMatch(/GET \/v1\/search\?q=rings.*\n\n\d+ found\n\nSaturn\n/);
    expect(await leftovers()).toEqual([]);
  });

  it('--port in use ends with code 7 and leaves no files', async () => {
    web = await startDemoWeb();
    const { port } = new URL(web.urls.observatory);
    const { code, stderr } = await start('--port', port).ended;
    expect(stderr).toContain(`port ${port} of 127.0.0.1 is in use`);
    expect(code).toBe(7);
    expect(await leftovers()).toEqual([]);
  });

  it('interrupted by Ctrl-C ends with code 130', async () => {
    const program = start('--once');
    await program.says('POST /v1/crawls');
    program.interrupt();
    expect((await program.ended).code).toBe(130);
    expect(await leftovers()).toEqual([]);
  });

  it('keeps its server running until Ctrl-C', async () => {
    const program = start();
    await program.says(/Look around: (\S+)\/ and/);
    const url = /Look around: (\S+)\/ and/.exec(program.output())?.[1] ?? '';
    for (const path of ['/', '/docs']) {
      const answer = await fetch(url + path);
      expect([path, answer.status, answer.headers.get('content-type')]).toEqual([
        path,
        200,
        expect.stringContaining('text/html'),
      ]);
    }
    expect(await (await fetch(`${url}/v1/crawls`)).json()).toMatchObject({
      crawls: [{ crawlId: 'demo', state: 'FINISHED' }],
    });
    program.interrupt();
    expect((await program.ended).code).toBe(0);
    await expect(fetch(`${url}/health/live`)).rejects.toThrow();
    expect(await leftovers()).toEqual([]);
  });
});
