import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { reasonCodes } from '../../src/api/inspect/reason-codes.js';
import { bodyLimits } from '../../src/api/request/body.interceptor.js';
import { connectionsOf } from '../../src/commands/connections.js';
import { readEnv } from '../../src/conf/env.js';
import { EXIT } from '../../src/core/start-error.js';

/** What the documents promise, compared with the tree. */

const root = join(import.meta.dirname, '..', '..');
/** Runs of blanks count as one: prettier pads tables. */
const read = (path: string): string => readFileSync(join(root, path), 'utf8').replace(/ +/g, ' ');
const { scripts, dependencies } = JSON.parse(read('package.json')) as Record<string, Record<string, string>>;

/** The spec files of projects of vitest.config.ts, one that is in two of them twice. */
function specsOf(projects: readonly string[]): { path: string; project: string }[] {
  const { VITEST: _, VITEST_POOL_ID: __, VITEST_WORKER_ID: ___, ...env } = process.env;
  const args = ['list', '--filesOnly', '--json', ...projects.map((name) => `--project=${name}`)];
  const text = execFileSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args], { cwd: root, env });
  const list: { file: string; projectName: string }[] = JSON.parse(String(text));
  return list.map(({ file, projectName }) => ({ path: relative(root, file), project: projectName }));
}

describe('the documents', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', ...globSync('docs/{,adr/}*.md', { cwd: root })];

  it.each(documents)('%s links to files that exist', (path) => {
    const links = [...read(path).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map((match) => match[1] ?? '');
    expect(links.filter((link) => !existsSync(join(root, dirname(path), link)))).toEqual([]);
  });

  it.each(documents)('%s names files and scripts that exist', (path) => {
    const text = read(path);
    // A block that shows a new file has its path in the first line.
    const made = [...text.matchAll(/^ *```ts\n *\/\/ (\S+)/gm)].map((match) => match[1] ?? '');
    const named = [
      ...text.matchAll(/`((?:src|test|docs|scripts|migrations|bench|clients|examples|\.ci)\/[\w./*-]+)`/g),
    ].map((match) => match[1] ?? '');
    if (/architecture|CONTRIBUTING/.test(path)) expect(named.length).toBeGreaterThan(20);
    const isThere = (name: string): boolean => made.includes(name) || globSync(name, { cwd: root }).length > 0;
    expect(named.filter((name) => !isThere(name))).toEqual([]);
    const called = [...text.matchAll(/npm run ([\w:-]+)/g)].map((match) => match[1] ?? '');
    expect(called.filter((name) => !scripts?.[name])).toEqual([]);
  });

  it.each(documents)('%s names code in the files that have it', (path) => {
    const named = [...read(path).matchAll(/`([A-Za-z]\w+)` in\s+`((?:src|test|scripts)\/[\w./-]+\.m?[jt]s)`/g)];
    const gone = named.filter(([, name = '', file = '']) => !new RegExp(`\\b${name}\\b`).test(read(file)));
    expect(gone.map(([text]) => text)).toEqual([]);
  });

  it('docs/architecture.md has the layers in the order that scripts/check-layers.mjs checks', () => {
    const [, list = ''] = /const LAYERS = \[([^\]]*)\]/.exec(read('scripts/check-layers.mjs')) ?? [];
    const layers = [...list.matchAll(/'(\w+)'/g)].map((match) => match[1] ?? '');
    expect(layers.length).toBeGreaterThan(8);
    expect(read('docs/architecture.md')).toContain(layers.join(' · '));
  });

  it.each(Object.keys(dependencies ?? {}))('docs/dependencies.md has a reason for %s', (name) => {
    expect(read('docs/dependencies.md')).toMatch(new RegExp(`(\\| |, )${name}(,| \\|| with)`));
  });

  it('docs/inspect.md has every code of a reason', () => {
    const codes = Object.keys(reasonCodes);
    expect(codes.filter((code) => !read('docs/inspect.md').includes(`\`${code}\``))).toEqual([]);
  });

  it('docs/operations.md has every exit code', () => {
    for (const code of Object.values(EXIT)) expect(read('docs/operations.md')).toContain(`\n| ${code} | `);
  });

  it('docs/operations.md tells how large each kind of body may be, docs/faults.md how many connections each process takes', () => {
    const [, whole = ''] = /\| whole request \| ([^|]+)\|/.exec(read('docs/operations.md')) ?? [];
    const mebibytes = Object.values(bodyLimits).map((bytes) => bytes / 2 ** 20);
    expect(mebibytes.filter((size) => size > 0 && !new RegExp(`[^\\d]${size}[^\\d]`).test(whole))).toEqual([]);
    const { apiConnections, workerConnections } = readEnv({});
    const most = (role: 'api' | 'worker', workers: number) =>
      connectionsOf({ role, workers, apiConnections, workerConnections });
    const start = most('worker', 0);
    const words = `an API ${most('api', 0) - start}, a worker ${most('worker', 1) - start}, each start ${start}`;
    expect(read('docs/faults.md')).toContain(`raise \`max_connections\` (${words})`);
  });

  it('the alert on slow answers leaves out routes that exist, all that stream among them, and not the rest', () => {
    const { paths } = JSON.parse(read('openapi.json')) as { paths: Record<string, { post?: object }> };
    const labels = new Map(Object.entries(paths).map(([path, of]) => [path.replace(/\{(\w+)\}/g, ':$1'), of]));
    const [, left = ''] = /route!~"([^"]+)"/.exec(read('docs/operations.md')) ?? [];
    const isLeft = (label: string, pattern = left): boolean => new RegExp(`^(?:${pattern})$`).test(label);
    expect(left.split('|').filter((one) => ![...labels.keys()].some((label) => isLeft(label, one)))).toEqual([]);
    const streams = [...labels].filter(([, of]) =>
      /"(text\/event-stream|application\/x-ndjson)"/.test(JSON.stringify(of)),
    );
    expect(streams.length).toBeGreaterThan(2);
    expect(streams.filter(([label]) => !isLeft(label))).toEqual([]);
    // Large answers, and POSTs that create a job and wait for a worker.
    const slow = [...labels].filter(
      ([, { post, ...others }]) =>
        /"TOO_MANY_EXPORTS"/.test(JSON.stringify({ post, ...others })) ||
        /"TOO_MANY_JOBS"/.test(JSON.stringify(post ?? {})),
    );
    expect(slow.length).toBeGreaterThan(8);
    expect(slow.map(([label]) => label).filter((label) => !isLeft(label))).toEqual([]);
    for (const label of ['/job', '/job/:id', '/config/:id', '/v1/workers', '/v1/pages/:url'])
      expect(isLeft(label)).toBe(false);
  });

  it('.ci/run calls scripts that exist, and ends with the test command of the README and the deep tests', () => {
    const steps = [...read('.ci/run').matchAll(/^step npm (?:run )?(\S+)$/gm)].map((match) => match[1] ?? '');
    expect(steps.slice(1).filter((step) => !scripts?.[step])).toEqual([]);
    expect(steps.at(0)).toBe('ci');
    expect(steps.slice(-2)).toEqual(['test', 'test:deep']);
    expect(read('README.md')).toContain('npm ci && npm test');
  });

  it('each spec is run by one of the two, and no more than one', () => {
    const all = globSync('test/**/*.spec.ts', { cwd: root });
    const { test = '', 'test:deep': deep = '' } = scripts ?? {};
    const projectsOf = (script: string) => [...script.matchAll(/--project=([\w-]+)/g)].map((match) => match[1] ?? '');
    const projects = [...projectsOf(test), ...projectsOf(deep)];
    expect(projects.length).toBeGreaterThan(1);
    const run = specsOf(projects);
    expect(run.map(({ path }) => path).sort()).toEqual(all.sort());
    const late = run.filter(({ project }) => projectsOf(deep).includes(project));
    expect(late.length).toBeGreaterThan(0);
    expect(late.filter(({ path }) => !path.endsWith('.deep.spec.ts'))).toEqual([]);
  });

  it('docs/settings.md explains each variable that the environment reads', () => {
    const names = [...read('src/conf/env.ts').matchAll(/read\('(\w+)'\)/g)].map((match) => match[1] ?? '');
    expect(names.length).toBeGreaterThan(8);
    for (const name of new Set(names)) expect(read('docs/settings.md')).toContain(`\`${name}\``);
  });
});
