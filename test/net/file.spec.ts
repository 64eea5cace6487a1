import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileClient, type FileOptions } from '../../src/net/file-client.js';
import type { HttpAnswer, HttpSuccess } from '../../src/net/http-answer.js';
import { DEFAULT_FETCH_LIMITS, type FetchLimits } from '../../src/net/http-client.js';

/** The client of file: URLs (feature rows D28, L6): it reads below its roots and nowhere else. */

let folder: string;
let root: string;
let outside: string;

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'orbweaver-file-')));
  root = join(folder, 'root');
  outside = join(folder, 'outside');
  for (const path of [root, outside, join(root, 'sub')]) mkdirSync(path);
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  writeFileSync(join(root, 'a.txt'), 'text');
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Asked {
  options?: Partial<FileOptions>;
  limits?: Partial<FetchLimits>;
  headers?: Record<string, string>;
}

const get = (path: string, { options, limits, headers = {} }: Asked = {}): Promise<HttpAnswer> =>
  new FileClient({ roots: [root], parent: true, redirect: true, ...options }).fetch(
    { url: `file://${path}`, headers },
    { ...DEFAULT_FETCH_LIMITS, ...limits },
  );

const ok = (answer: HttpAnswer): HttpSuccess => {
  if (!answer.ok) throw new Error(`${answer.code}: ${answer.message}`);
  return answer;
};

const hrefs = (answer: HttpSuccess): string[] =>
  [...answer.body.toString().matchAll(/href='([^']*)'/g)].map(([, href]) => href!);

describe('a file below a root', () => {
  it('is read, with the time of its last change', async () => {
    utimesSync(join(root, 'a.txt'), 0, 1_767_323_045);
    const answer = ok(await get(`${root}/a.txt`));
    expect(answer).toMatchObject({ status: 200, truncated: false, wireBytes: 4 });
    expect(answer.body.toString()).toBe('text');
    expect(answer.headers).toEqual({ 'last-modified': 'Fri, 02 Jan 2026 03:04:05 GMT' });
  });

  it('is not read if it has not changed since', async () => {
    utimesSync(join(root, 'a.txt'), 0, 1_767_323_045.9);
    const since = (time: string) => ({ headers: { 'if-modified-since': time } });
    expect(ok(await get(`${root}/a.txt`, since('Fri, 02 Jan 2026 03:04:05 GMT'))).status).toBe(304);
    expect(ok(await get(`${root}/a.txt`, since('Fri, 02 Jan 2026 03:04:04 GMT'))).status).toBe(200);
  });

  it('is truncated at the limit', async () => {
    writeFileSync(join(root, 'large'), 'x'.repeat(200_000));
    const answer = ok(await get(`${root}/large`, { limits: { contentLimit: 100_000 } }));
    expect(answer).toMatchObject({ truncated: 'length', wireBytes: 100_000 });
  });

  it('that does not exist is 404; the name may be one of a folder', async () => {
    expect(ok(await get(`${root}/none.txt`))).toMatchObject({ status: 404, reply: 'file ENOENT' });
    expect(ok(await get(`${root}/a.txt/`)).status).toBe(404);
  });

  it('has a name of any bytes', async () => {
    writeFileSync(Buffer.from(`${root}/caf\u00e9 #?%.txt`, 'latin1'), 'latin1');
    expect(hrefs(ok(await get(`${root}/`)))).toContain('caf%E9%20%23%3F%25.txt');
    expect(ok(await get(`${root}/caf%E9%20%23%3F%25.txt`)).body.toString()).toBe('latin1');
  });
});

describe('a directory', () => {
  it('is a page of links, sorted, to files and directories', async () => {
    const answer = ok(await get(`${root}/`));
    expect(hrefs(answer)).toEqual(['a.txt', 'sub/']);
    expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('links to its parent below the root, unless file.crawl.parent is false', async () => {
    expect(hrefs(ok(await get(`${root}/sub/`)))).toEqual(['../']);
    expect(hrefs(ok(await get(`${root}/sub/`, { options: { parent: false } })))).toEqual([]);
  });

  it('redirects to the URL with a slash at its end', async () => {
    expect(ok(await get(`${root}/sub`))).toMatchObject({ status: 301, headers: { location: `file://${root}/sub/` } });
  });
});

describe('a symbolic link', () => {
  it('redirects to the real path, or is read under its own name', async () => {
    symlinkSync('a.txt', join(root, 'link.txt'));
    expect(ok(await get(`${root}/link.txt`)).headers).toEqual({ location: `file://${root}/a.txt` });
    expect(ok(await get(`${root}/link.txt`, { options: { redirect: false } })).body.toString()).toBe('text');
  });

  it('may be the root itself', async () => {
    symlinkSync(root, join(folder, 'alias'));
    const options = { roots: [`${folder}/alias/`], redirect: false };
    expect(ok(await get(`${folder}/alias/a.txt`, { options })).body.toString()).toBe('text');
  });
});

describe('nothing outside the roots is read', () => {
  const refused = async (path: string, asked?: Asked): Promise<void> => {
    const answer = await get(path, asked);
    expect(answer).toMatchObject({ ok: false });
    expect(['blocked', 'url']).toContain((answer as { code: string }).code);
  };

  it('without roots', () => refused(`${root}/a.txt`, { options: { roots: [] } }));
  it('with a root that is a relative path', () => refused('/etc/hostname', { options: { roots: ['etc', '.'] } }));

  it.each([
    ['another directory', () => `${outside}/secret.txt`],
    ['a name that begins like the root', () => `${root}x`],
    ['..', () => `${root}/../outside/secret.txt`],
    ['%2e%2e', () => `${root}/%2e%2e/outside/secret.txt`],
    ['an escaped slash', () => `${root}/sub%2f..%2f..%2foutside%2fsecret.txt`],
    ['a backslash', () => `${root}\\..\\outside\\secret.txt`],
    ['NUL', () => `${root}/a.txt%00`],
    ['what does not exist', () => `${outside}/none`],
  ])('by %s', (_name, path) => refused(path()));

  it('with another host', async () =>
    expect(await get(`server.test${root}/a.txt`)).toMatchObject({ ok: false, code: 'url' }));

  it('by a symbolic link, to a file or in the middle of a path', async () => {
    symlinkSync(outside, join(root, 'way'));
    symlinkSync(join(outside, 'secret.txt'), join(root, 'link.txt'));
    for (const redirect of [true, false]) {
      await refused(`${root}/way/secret.txt`, { options: { redirect } });
      await refused(`${root}/link.txt`, { options: { redirect } });
    }
  });

  it('by a pipe, a socket or a device', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await refused(`${root}/pipe`);
    const server = createServer().listen(join(root, 'socket'));
    await refused(`${root}/socket`);
    await new Promise((resolve) => server.close(resolve));
    await refused('/dev/zero', { options: { roots: ['/dev'] } });
  });

  it('below /proc, even if that is a root', () => refused('/proc/self/environ', { options: { roots: ['/'] } }));
});

it('a fetch that is aborted, or whose client is closed, ends', async () => {
  const client = new FileClient({ roots: [root], parent: true, redirect: true });
  const url = `file://${root}/a.txt`;
  expect(await client.fetch({ url, headers: {}, signal: AbortSignal.abort() }, DEFAULT_FETCH_LIMITS)).toMatchObject({
    code: 'aborted',
  });
  client.close();
  expect(await client.fetch({ url, headers: {} }, DEFAULT_FETCH_LIMITS)).toMatchObject({ code: 'aborted' });
});
