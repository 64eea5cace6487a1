import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { get } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { Graph, KINDS } from '../../bench/synthetic-web/graph.mjs';
import { withDefaults } from '../../bench/synthetic-web/options.mjs';
import { Pages } from '../../bench/synthetic-web/pages.mjs';
import { type SyntheticWeb, startSyntheticWeb } from '../../bench/synthetic-web/start.mjs';

/** The web that crawls are measured and tested on: what it says of itself is what it does. */

interface HostStats {
  requests: number;
  status: Record<string, number>;
  distinct: number;
  repeats: number;
  maxConcurrent: number;
  robotsFetches: number;
  robotsFirst: boolean;
  violations: number;
}

interface Stats {
  totals: HostStats & { hosts: number };
  hosts: Record<string, HostStats>;
}

const md5 = (bytes: Uint8Array | string): string => createHash('md5').update(bytes).digest('hex');

let web: SyntheticWeb | undefined;
afterEach(async () => {
  await web?.close();
  web = undefined;
});

async function started(options: Record<string, string | number>): Promise<SyntheticWeb> {
  web = await startSyntheticWeb({ size: 2, links: '5-10', ...options });
  return web;
}

const stats = async () => (await web!.stats()) as Stats;
const on = (host: number, path: string) => `http://127.0.1.${host + 1}:${web!.port}${path}`;
/** An answer as it comes: no redirect is followed. */
const ask = (url: string, headers: Record<string, string> = {}) => fetch(url, { redirect: 'manual', headers });

describe('the pages', () => {
  const truthOf = (options: object) => [...new Pages(new Graph(withDefaults(options))).truth()].join('');
  const all = { hosts: 3, pages: 150, errors: 1 / KINDS.length, robots: 3, traps: 1, size: 2, links: '5-10' };

  it('are the same bytes for the same seed, on any machine', () => {
    expect(md5(truthOf(all))).toBe('d53a1a6b3812c5a12b142f36ef756dab');
    expect(truthOf({ ...all, seed: 2 })).not.toBe(truthOf(all));
  });

  it('can all be reached from the first of their host, past those that do not answer', () => {
    const graph = new Graph(withDefaults({ ...all, external: 0 }));
    const paths = Array.from({ length: all.pages }, (_, page) => graph.pathOf(0, page));
    const found = new Set(['/']);
    for (const path of found) {
      const { page } = graph.pageAt(path.split('?')[0]!)!;
      for (const link of graph.childLinks(0, page)) found.add(link);
    }
    expect([...found].sort()).toEqual([...paths].sort());
  });

  it('answer what the truth says of their kind', async () => {
    const { truth } = await started({ hosts: 2, pages: 150, errors: 1 / KINDS.length });
    const rows = await truth();
    expect(new Set(rows.map(({ kind }) => kind))).toEqual(new Set([...KINDS, 'plain']));
    // It answers after five seconds.
    for (const { url, status, kind, md5: sum } of rows.filter((row) => row.kind !== 'slow')) {
      if (kind === 'reset') {
        await expect(ask(url)).rejects.toThrow();
        continue;
      }
      if (kind === 'flaky') for (let n = 0; n < 2; n++) expect((await ask(url)).status).toBe(503);
      if (kind === 'redir') {
        const final = await fetch(url);
        expect([final.status, md5(await final.bytes())]).toEqual([200, sum]);
      }
      const answer = await ask(url);
      const codes = ['redir', 'long'].includes(kind) ? [301, 302] : [status];
      expect(codes, `${kind} ${url}`).toContain(answer.status);
      if (kind === 'cut' || kind === 'badgzip') await expect(answer.bytes()).rejects.toThrow();
      else if (kind === 'stall') await answer.body?.cancel();
      else if (answer.status !== 301 && answer.status !== 302) expect(md5(await answer.bytes())).toBe(sum);
      if (kind === 'loop') expect(new URL(answer.headers.get('location')!, url).href).toBe(url);
      if (kind === 'away') expect(new URL(answer.headers.get('location')!).host).not.toBe(new URL(url).host);
    }
  });

  it('answer 304 to what they have answered before', async () => {
    await started({ hosts: 1, pages: 3 });
    const { headers } = await ask(on(0, '/'));
    const [etag, modified] = [headers.get('etag')!, headers.get('last-modified')!];
    expect((await ask(on(0, '/'), { 'if-none-match': etag })).status).toBe(304);
    expect((await ask(on(0, '/'), { 'if-none-match': '"other"', 'if-modified-since': modified })).status).toBe(200);
    expect((await ask(on(0, '/'), { 'if-modified-since': modified })).status).toBe(304);
  });

  it('are those of the host that the Host header names', async () => {
    const { port } = await started({ hosts: 2, pages: 3, by: 'name' });
    const named = (host: string) =>
      new Promise<string>((resolve, reject) => {
        get({ host: '127.0.0.1', port, headers: { host } }, async (answer) => {
          const chunks: Buffer[] = await answer.toArray();
          resolve(`${answer.statusCode} ${/<title>Host \d+/.exec(Buffer.concat(chunks).toString())?.[0] ?? ''}`);
        }).on('error', reject);
      });
    expect(await named(`host1.synthetic.test:${port}`)).toBe('200 <title>Host 1');
    expect(await named(`host2.synthetic.test:${port}`)).toBe('404 ');
  });
});

describe('beside its pages a host', () => {
  it('has a robots.txt of one of seven kinds, and a sitemap', async () => {
    await started({ hosts: 7, pages: 3, robots: 3, delay: 2 });
    const answers = await Promise.all(Array.from({ length: 7 }, (_, host) => ask(on(host, '/robots.txt'))));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 503, 404, 301, 200]);
    expect(answers[5]!.headers.get('location')).toBe(on(6, '/robots.txt'));
    expect(await answers[0]!.text()).toContain(
      'Disallow: /private/\nAllow: /private/open/\nDisallow: /*.cgi$\nCrawl-delay: 2\n',
    );
    expect(await answers[6]!.text()).toBe('User-agent: *\nDisallow: /\n');
    expect(await (await ask(on(0, '/sitemap.xml'))).text()).toContain(`<loc>${on(0, '/sitemap0.xml.gz')}</loc>`);
    expect((await (await ask(on(0, '/sitemap0.xml'))).text()).match(/<url>/g)).toHaveLength(3);
  });

  it('has traps that lead on and on, where they are asked for', async () => {
    await started({ hosts: 1, pages: 3, traps: 1 });
    for (const start of ['/calendar/2026/01/01.html', '/session?sid=a', '/a/b/']) {
      const seen = new Set([on(0, start)]);
      for (const url of seen) {
        if (seen.size === 5) break;
        const [, link] = /href="([^"]*)"/.exec(await (await ask(url)).text())!;
        seen.add(new URL(link!, url).href);
      }
      expect(seen.size).toBe(5);
    }
  });
});

describe('the statistics', () => {
  it('count for each host what it was asked, until they are reset', async () => {
    const { reset } = await started({ hosts: 3, pages: 3 });
    for (const path of ['/robots.txt', '/', '/', '/private/x', '/private/open/x', '/run.cgi', '/nothing'])
      await (await ask(on(1, path))).bytes();
    await expect.poll(async () => (await stats()).hosts['1']?.status).toEqual({ 200: 6, 404: 1 });
    expect((await stats()).hosts).toMatchObject({
      1: { requests: 7, distinct: 5, repeats: 1, robotsFetches: 1, robotsFirst: true, violations: 2, maxConcurrent: 1 },
    });
    await ask(on(2, '/'));
    expect((await stats()).hosts['2']).toMatchObject({ requests: 1, robotsFirst: false, robotsFetches: 0 });
    await reset();
    expect(await stats()).toMatchObject({ totals: { requests: 0, hosts: 0 }, hosts: {} });
  });

  it('see requests that are under way at once', async () => {
    const { truth } = await started({ hosts: 1, pages: 150, errors: 1 / KINDS.length });
    const { url } = (await truth()).find(({ kind }) => kind === 'stall')!;
    const open = await Promise.all([ask(url), ask(url), ask(url)]);
    expect((await stats()).hosts['0']).toMatchObject({ requests: 3, maxConcurrent: 3 });
    await Promise.all(open.map(({ body }) => body?.cancel()));
    await expect.poll(async () => (await stats()).hosts['0']?.status).toEqual({ 200: 3 });
  });

  it('are those of all processes', async () => {
    const { reset, truth } = await started({ hosts: 8, pages: 4, workers: 2 });
    const rows = await truth();
    await Promise.all(rows.map(async ({ url }) => (await ask(url)).bytes()));
    expect(await stats()).toMatchObject({ totals: { requests: rows.length, distinct: rows.length, hosts: 8 } });
    await reset();
    expect((await stats()).totals.requests).toBe(0);
  });
});

it.each([
  [['--hosts', 'many'], '--hosts takes a number'],
  [['--hostz', '5'], "Unknown option '--hostz'"],
  [['--links', '5'], '--links takes a range'],
])('%j ends with 2 and says why', (words, message) => {
  const { status, stderr } = spawnSync(process.execPath, ['bench/synthetic-web/main.mjs', ...words], {
    encoding: 'utf8',
  });
  expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining(message) });
});
