/**
 * Every command of README.md, docs/examples.md and docs/api.md, run unchanged by a shell, in the order of the page, against a
 * new server, and the program of the client's README, run by Node with that package installed. The sites named there are served
 * on loopback. Differences from manual use are the port, and that each request fails the shell unless its status is 2xx.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, copyFile, cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type NamedWeb, startNamedWeb } from '../support/named-web.js';
import { type Server, startServer } from '../support/server.js';

const root = join(import.meta.dirname, '../..');

/** Commands that are not run here, and where they are run instead. */
const NOT_RUN: Record<string, string> = {
  'npm ci && npm start': 'the server of this test is that program',
  'npm ci && npm test': 'this test is part of it',
  'npm run build': 'the tests run what was built',
  'npm run chaos -- --seeds 20': 'test/faults/chaos.deep.spec.ts',
};

let web: NamedWeb | undefined;
let server: Server | undefined;
let folder: TemporaryFolder | undefined;
afterEach(async () => {
  await server?.stop();
  await web?.close();
  await folder?.remove();
});

/** The blocks of a page, fenced, possibly indented. Throws for one of a language that is not run. */
function blocksOf(page: string, languages: readonly string[]): string[] {
  const blocks: string[] = [];
  let fence: { indent: string; lines: string[] } | undefined;
  for (const line of readFileSync(join(root, page), 'utf8').split('\n')) {
    const [, indent = '', language] = /^(\s*)(?:```|~~~)(.*)$/.exec(line) ?? [];
    if (fence === undefined) {
      if (language === undefined) continue;
      if (!languages.includes(language.trim())) throw new Error(`${page} has a block that nothing runs: ${line}`);
      fence = { indent, lines: [] };
    } else if (language?.trim() === '') {
      blocks.push(fence.lines.join('\n'));
      fence = undefined;
    } else fence.lines.push(line.slice(fence.indent.length));
  }
  if (fence !== undefined) throw new Error(`A block of ${page} does not end.`);
  return blocks;
}

/** A command without its trailing comment. */
const bare = (line: string): string => line.replace(/\s+#.*$/, '').trim();
const isRunElsewhere = (line: string): boolean => Object.hasOwn(NOT_RUN, bare(line));

/** The commands of a page, without those that are run elsewhere. */
function commandsOf(page: string): string {
  const lines = blocksOf(page, SHELL).flatMap((block) => block.split('\n'));
  return lines.filter((line) => !isRunElsewhere(line)).join('\n');
}

const SHELL = ['', 'bash', 'sh'];
const PAGES = ['README.md', 'docs/examples.md', 'docs/api.md'];
const CLIENT = 'clients/typescript/README.md';
const html = (body: string) => ({
  type: 'text/html; charset=utf-8',
  body: `<!doctype html><html lang=en>${body}</html>`,
});
const site = (url: URL) => {
  if (url.pathname === '/robots.txt') return { type: 'text/plain', body: 'User-agent: *\nDisallow: /private/\n' };
  if (url.pathname === '/')
    return html('<title>Home</title><a href="/docs/">documents</a> <a href="/search?q=1">search</a>');
  if (url.pathname === '/docs/')
    return html('<title>Documents</title><p class=price>12.50</p><a href="/docs/item/1">one</a>');
  if (url.pathname.startsWith('/docs/item/')) return html('<title>Item</title><p class=price>3.20</p>');
  return undefined;
};

/** An installation of Nutch 1.x, which docs/api.md moves. */
async function nutchInstallation(path: string): Promise<void> {
  const properties = { 'http.agent.name': 'old-crawler', 'hadoop.tmp.dir': '/tmp/nutch' };
  const xml = Object.entries(properties).map(
    ([name, value]) => `<property><name>${name}</name><value>${value}</value></property>`,
  );
  await mkdir(join(path, 'conf'));
  await mkdir(join(path, 'urls'));
  await writeFile(join(path, 'conf', 'nutch-site.xml'), `<configuration>${xml.join('')}</configuration>`);
  await writeFile(join(path, 'conf', 'regex-urlfilter.txt'), '-\\.gif$\n+.\n');
  await writeFile(join(path, 'urls', 'seed.txt'), 'http://example.org/\tnutch.score=2\n');
}

/** Programs that precede those of the machine in PATH and use the server of this test. */
async function programs(path: string, url: string): Promise<void> {
  const node = process.execPath;
  const jobsEnded = `import('node:timers/promises').then(async ({ setTimeout: sleep }) => {
    for (;;) {
      const jobs = await (await fetch('${url}/job')).json();
      if (jobs.every(({ state, paused }) => paused || /FINISHED|FAILED|KILLED/.test(state))) return;
      await sleep(50);
    }
  })`;
  const psql = `import(process.argv[1]).then(async ({ default: pg }) => {
    const client = new pg.Client({ connectionString: process.argv[2] });
    await client.connect();
    const { rows } = await client.query(process.argv[4]);
    console.log(JSON.stringify(rows));
    await client.end();
  })`;
  const scripts: Record<string, string> = {
    // A user who reads the response before the next command sees the job end first.
    curl: `real=$(PATH="\${PATH#*:}" command -v curl)\n"$real" --silent --show-error --fail-with-body "$@"\ncase "$*" in *job/create*|*v1/crawls*) ${node} -e "$JOBS_ENDED" ;; esac`,
    // `inspect` exits with 9 for a negative result.
    npx: `code=0; ${node} ${join(root, 'dist/src/main.js')} "\${@:3}" || code=$?; [ $code = 0 ] || { [ "\${3:-}" = inspect ] && [ $code = 9 ]; }`,
    psql: `exec ${node} -e "$PSQL" ${join(root, 'node_modules/pg/esm/index.mjs')} "$@"`,
  };
  await mkdir(path);
  for (const [name, script] of Object.entries(scripts)) {
    const variables = `export JOBS_ENDED=${quoted(jobsEnded)} PSQL=${quoted(psql)}`;
    await writeFile(join(path, name), `#!/usr/bin/env bash\nset -eu\n${variables}\n${script}\n`);
    await chmod(join(path, name), 0o755);
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

describe.each(PAGES)('%s', (page) => {
  it('has commands that run unchanged', async () => {
    folder = await temporaryFolder();
    web = await startNamedWeb(site);
    server = await startServer({ dataDir: join(folder.path, 'data'), env: web.env });
    await programs(join(folder.path, 'bin'), server.url);
    await nutchInstallation(folder.path);
    const script = commandsOf(page)
      .replaceAll('http://127.0.0.1:8081', server.url)
      .replaceAll('localhost:8081', new URL(server.url).host);
    const shell = spawn('bash', ['-c', `set -Eeuo pipefail\ntrap 'echo "FAILED: $BASH_COMMAND" >&2' ERR\n${script}`], {
      cwd: folder.path,
      env: {
        ...process.env,
        ...web.env,
        ORBWEAVER_SERVER: server.url,
        PATH: [join(folder.path, 'bin'), process.env['PATH']].join(delimiter),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let errors = '';
    shell.stdout.on('data', (part: Buffer) => (output += part.toString()));
    shell.stderr.on('data', (part: Buffer) => (errors += part.toString()));
    const [code] = (await once(shell, 'close')) as [number];
    const failed = errors.split('\n').filter((line) => line.startsWith('FAILED'));
    expect({ code, failed, output: code === 0 ? '' : output.slice(-2_000) + errors.slice(-2_000) }).toEqual({
      code: 0,
      failed: [],
      output: '',
    });
  });
});

describe(CLIENT, () => {
  it('has a program that runs unchanged with the package installed', async () => {
    folder = await temporaryFolder();
    web = await startNamedWeb(site);
    server = await startServer({ dataDir: join(folder.path, 'data'), env: web.env });
    const installed = join(folder.path, 'node_modules', 'orbweaver-client');
    await mkdir(installed, { recursive: true });
    await copyFile(join(root, 'clients/typescript/package.json'), join(installed, 'package.json'));
    // What the compiler makes of it: in dist/clients it is joined with the program.
    await cp(join(root, 'dist/compiled/clients/typescript/src'), join(installed, 'dist'), { recursive: true });
    await symlink(join(root, 'node_modules/axios'), join(folder.path, 'node_modules/axios'));
    const programs = blocksOf(CLIENT, ['ts']);
    expect(programs.length).toBeGreaterThan(0);
    for (const [index, program] of programs.entries()) {
      const file = join(folder.path, `program-${index}.mts`);
      await writeFile(file, program.replaceAll('http://127.0.0.1:8081', server.url));
      const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { env: process.env });
      expect({ stdout, stderr }).toEqual({
        stdout: expect.stringMatching(/^FINISHED [^]*urls_injected: 1/),
        stderr: '',
      });
    }
  });
});

describe('the list of commands run elsewhere', () => {
  it('contains only commands of the pages', () => {
    const lines = PAGES.flatMap((page) => blocksOf(page, SHELL)).flatMap((block) => block.split('\n').map(bare));
    expect(Object.keys(NOT_RUN).filter((command) => !lines.includes(command))).toEqual([]);
  });
});
