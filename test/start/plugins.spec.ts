import { cp, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type Server, runProgram, startServer } from '../support/server.js';
import { type Site, page, startSite } from '../support/site.js';

/** The example of the manual and the sample package in a running server. */

const root = join(import.meta.dirname, '..', '..');
const MINUTES_2 = 120_000;

let folder: TemporaryFolder;
let db: TestDatabase;
let site: Site;
let server: Server;

/** The code block of docs/plugins.md after `<!-- example: name -->`. */
async function exampleOf(name: string): Promise<string> {
  const text = await readFile(join(root, 'docs/plugins.md'), 'utf8');
  const found = new RegExp(`<!-- example: ${name} -->\\s*\`\`\`js\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];
  if (found === undefined) throw new Error(`docs/plugins.md has no example ${name}`);
  return found;
}

beforeAll(async () => {
  folder = await temporaryFolder();
  db = await testDatabase();
  const deep = '/1/2/3/4/5/6/7/8/9';
  site = await startSite({
    '/': page(`<a href="/a">a</a> <a href="/draft/b">b</a> <a href="${deep}">c</a>`),
    '/a': page('<title>A</title><p>one two three four'),
    '/draft/b': page('b'),
    [deep]: page('deep'),
  });
  const plugins = join(folder.path, 'plugins');
  await mkdir(plugins);
  await writeFile(join(plugins, 'site-rules.mjs'), await exampleOf('site-rules.mjs'));
  await cp(join(root, 'examples/orbweaver-word-count'), join(plugins, 'orbweaver-word-count'), { recursive: true });
  server = await startServer({ databaseUrl: db.url, env: { PLUGIN_DIR: plugins, WORKERS: '1' } });
}, MINUTES_2);
afterAll(async () => {
  await server?.stop();
  await site?.close();
  await db?.drop();
  await folder?.remove();
});

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(server.url + path, {
    method,
    ...(body !== undefined && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return (answer.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text) as T;
}

const params = {
  'http.agent.name': 'test',
  'http.filter.ipaddress.exclude': '',
  'http.filter.ports.exclude': '',
  'fetcher.server.delay': '0',
  'plugin.includes.also': 'urlfilter-(drafts|depth)|parse-(words|word-count)',
};

describe('plugins in PLUGIN_DIR', () => {
  it('are listed with their files, and active when the configuration names them', async () => {
    await call('POST', '/config/create', { configId: 'c', params });
    interface Listed {
      plugins: { id: string; origin: string; active: boolean }[];
      unknown: string[];
    }
    const [usual, own] = [await call<Listed>('GET', '/v1/plugins'), await call<Listed>('GET', '/v1/plugins?confId=c')];
    const outside = ({ plugins }: Listed) =>
      plugins.filter(({ origin }) => origin !== 'built-in').map(({ id, origin, active }) => [id, origin, active]);
    expect(outside(usual).every(([, , active]) => active === false)).toBe(true);
    expect(outside(own)).toEqual([
      ['urlfilter-depth', 'orbweaver-word-count', true],
      ['parse-word-count', 'orbweaver-word-count', true],
      ['urlfilter-drafts', 'site-rules.mjs', true],
      ['parse-words', 'site-rules.mjs', true],
    ]);
    expect(own.unknown).toEqual([]);
  });

  it.each([
    ['/draft/b', { plugin: 'urlfilter-drafts', rule: { number: 1, text: '/draft/' } }],
    ['/1/2/3/4/5/6/7/8/9', { plugin: 'urlfilter-depth', rule: { number: 1, text: 'more than 8 segments' } }],
    ['/a', null],
  ])('are named as deciding for %s', async (path, decidedBy) => {
    const judged = await call('POST', '/v1/inspect/url', { url: `http://site.test${path}`, confId: 'c' });
    expect(judged).toMatchObject({ decidedBy });
  });

  it('run in a crawl: rejected URLs are not requested, added metadata is stored', { timeout: MINUTES_2 }, async () => {
    const request = { crawlId: 'k', confId: 'c', seeds: [`${site.url}/`], rounds: 2 };
    const { id } = await call<{ id: string }>('POST', '/v1/crawls', request);
    const deadline = Date.now() + MINUTES_2 / 2;
    let state = 'IDLE';
    while (['IDLE', 'RUNNING'].includes(state) && Date.now() < deadline) {
      await new Promise((wake) => setTimeout(wake, 200));
      ({ state } = await call<{ state: string }>('GET', `/v1/crawls/${id}`));
    }
    expect(state, server.output()).toBe('FINISHED');
    expect(site.log.map(({ path }) => path).filter((path) => path !== '/robots.txt')).toEqual(['/', '/a']);
    const [row] = await db.query<{ metadata: Record<string, string> }>(
      `select metadata from webpage where key like '%/a'`,
    );
    expect(row?.metadata).toMatchObject({ words: '5', minutes: '1' });
  });
});

describe('an invalid plugin stops the start', () => {
  it.each([
    ['broken.mjs', 'export default {', 'broken.mjs'],
    [
      'typo.mjs',
      `export default { id: 'x', description: 'X.', makeFliter: () => 1 };`,
      'makeFliter is no maker (makeFilter?)',
    ],
    ['ends.mjs', 'process.exit(0);', 'it ended the process while it was loaded'],
    ['silent.mjs', 'throw { toString: null };', 'something that has no words'],
  ])('%s: exit code 11, and one line with the file name', async (name, content, reason) => {
    const dir = join(folder.path, name.replace('.mjs', ''));
    await mkdir(dir);
    await writeFile(join(dir, name), content);
    const ended = await runProgram({ dataDir: join(folder.path, 'data'), env: { PLUGIN_DIR: dir } });
    expect(ended.code).toBe(11);
    expect(ended.stderr).toMatch(new RegExp(`^orbweaver: plugin file ${name}: [^\\n]+\\n$`));
    expect(ended.stderr).toContain(reason);
    // The plugins are checked before anything is started.
    expect(await readdir(join(folder.path, 'data')).catch(() => [])).toEqual([]);
  });

  it('as does one whose factory throws for the CONF_FILE: exit code 2, with the message', async () => {
    const dir = join(folder.path, 'choosy');
    await mkdir(dir);
    await writeFile(
      join(dir, 'choosy.mjs'),
      `export default { id: 'choosy', description: 'X.', makeFilter() { throw new Error('no list given'); } };`,
    );
    const confFile = join(folder.path, 'conf.json');
    await writeFile(confFile, JSON.stringify({ 'plugin.includes.also': 'choosy' }));
    const ended = await runProgram({
      dataDir: join(folder.path, 'data'),
      databaseUrl: db.url,
      env: { PLUGIN_DIR: dir, CONF_FILE: confFile },
    });
    expect([ended.code, ended.stderr]).toEqual([
      2,
      `orbweaver: CONF_FILE ${confFile}: Plugin choosy (makeFilter): no list given\n`,
    ]);
  });
});
