/** compose.yaml, Dockerfile and the health check, as far as they can be tested without a container engine. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readEnv } from '../../src/conf/env.js';
import { defaults } from '../../src/core/conf/properties.js';
import { type TestDatabase, testDatabase } from '../support/database.js';

const fileOf = (name: string) => fileURLToPath(new URL(`../../${name}`, import.meta.url));
const text = (name: string) => readFile(fileOf(name), 'utf8');

interface Service {
  image: string;
  mem_limit?: string;
  build?: string;
  command?: string[];
  environment: Record<string, string>;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
  deploy?: { replicas: number };
  stop_grace_period: string;
  volumes?: string[];
}
interface Compose {
  services: Record<string, Service>;
  volumes: Record<string, unknown>;
}

/** Substitutes the values of `.env` as compose does: `${NAME}`, `${NAME:-default}`, `${NAME:?error}`. */
const values: Record<string, string> = { POSTGRES_PASSWORD: 'p4ssword', API_KEYS: 'admin:a-secret-of-24-letters' };
const filled = (line: string) =>
  line.replaceAll(/\$\{(\w+)(?::([-?])([^}]*))?\}/g, (_, name: string, kind = '', rest = '') => {
    if (values[name] === undefined && kind !== '-') throw new Error(`${name} has no value: ${rest}`);
    return values[name] ?? rest;
  });

let compose: Compose;
beforeAll(async () => (compose = parse(filled(await text('compose.yaml')), { merge: true }) as Compose));

/** Variables that the program reads: any other variable in a compose file would have no effect. */
const read = async () => {
  const sources = await Promise.all(['src/conf/env.ts', 'src/worker/worker.main.ts', 'src/conf/log.ts'].map(text));
  return new Set(sources.join('\n').match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*\b/g));
};

describe('compose.yaml', () => {
  it('defines PostgreSQL 18, one api and two workers of one image, which wait for a healthy database', () => {
    const { database, api, worker } = compose.services;
    expect(Object.keys(compose.services).sort()).toEqual(['api', 'database', 'worker']);
    expect(database!.image).toBe('postgres:18');
    expect([api!.image, worker!.image, api!.build, worker!.build]).toEqual(['orbweaver', 'orbweaver', '.', '.']);
    expect([api!.deploy?.replicas ?? 1, worker!.deploy?.replicas]).toEqual([1, 2]);
    for (const one of [api!, worker!]) expect(one.depends_on).toEqual({ database: { condition: 'service_healthy' } });
    expect(database!.healthcheck?.test).toContain(
      'pg_isready --quiet --username=orbweaver --dbname=orbweaver --host=127.0.0.1',
    );
    // The image of PostgreSQL 18 keeps its data in a folder by version below this one.
    expect(database!.volumes).toEqual(['database:/var/lib/postgresql']);
    expect(Object.keys(compose.volumes)).toEqual(['database']);
  });

  it.each(['api', 'worker'])(
    '%s: the program reads each variable of its environment and accepts the values',
    async (name) => {
      const { environment } = compose.services[name]!;
      const known = await read();
      expect(Object.keys(environment).filter((variable) => !known.has(variable))).toEqual([]);
      const env = readEnv(environment);
      expect(env.role).toBe(name);
      expect(env.databaseUrl).toBe('postgresql://orbweaver:p4ssword@database:5432/orbweaver');
    },
  );

  it('gives workers more memory than they and their parser processes may use', async () => {
    const { environment, mem_limit } = compose.services['worker']!;
    const ofWorker = Number((await text('src/worker/worker.main.ts')).match(/MEMORY_MIB = (\d+)/)![1]);
    const most = readEnv(environment).workers * (ofWorker + defaults['parser.worker.memory']);
    expect(Number(mem_limit!.match(/^(\d+)g$/)![1]) * 1024).toBeGreaterThan(most);
  });

  it('creates secrets once: running its setup lines again changes nothing', async () => {
    const lines = [...(await text('compose.yaml')).matchAll(/^# {3}(.*\.env.*)$/gm)].map(([, line]) => line!);
    const folder = await mkdtemp(join(tmpdir(), 'orbweaver-test-'));
    const follow = async () => {
      for (const line of lines) await promisify(execFile)('sh', ['-c', line], { cwd: folder });
      return readFile(join(folder, '.env'), 'utf8');
    };
    const made = await follow();
    const secrets = Object.fromEntries(
      made
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    );
    expect(Object.keys(secrets)).toEqual(['POSTGRES_PASSWORD', 'API_KEYS']);
    expect(readEnv({ API_KEYS: secrets['API_KEYS'] }).apiKeys).toMatchObject([{ scope: 'admin' }]);
    expect((await stat(join(folder, '.env'))).mode & 0o077).toBe(0);
    expect(await follow()).toBe(made);
    await rm(folder, { recursive: true });
  });

  it('sets max_connections high enough for one more api and one more worker', () => {
    const { database, api, worker } = compose.services;
    const most = Number(database!.command!.join(' ').match(/max_connections=(\d+)/)![1]);
    const ofApi = readEnv(api!.environment).apiConnections + 3;
    const env = readEnv(worker!.environment);
    const ofWorkers = env.workers * (env.workerConnections + 2) + 2;
    expect(2 * ofApi + 3 * ofWorkers).toBeLessThanOrEqual(most - 3);
  });

  it.each(['.gitignore', '.dockerignore'])('%s excludes .env, which contains the secrets', async (name) => {
    expect((await text(name)).split('\n')).toEqual(expect.arrayContaining(['.env', '.env.*']));
  });

  it.each(['POSTGRES_PASSWORD', 'API_KEYS'])('is refused without %s', async (name) => {
    const without = (await text('compose.yaml')).replaceAll(`\${${name}:?`, `\${NO_${name}:?`);
    expect(() => filled(without)).toThrow(`set ${name} in .env`);
  });
});

describe('Dockerfile', () => {
  it('runs as user node under tini, and names only programs that have a source file', async () => {
    const lines = (await text('Dockerfile')).split('\n');
    const last = (word: string) => lines.findLast((line) => line.startsWith(`${word} `));
    expect(last('USER')).toBe('USER node');
    expect(last('ENTRYPOINT')).toBe('ENTRYPOINT ["tini", "--"]');
    expect(last('STOPSIGNAL')).toBe('STOPSIGNAL SIGTERM');
    const programs = [...lines.join('\n').matchAll(/"dist\/(src\/[\w/.-]+)\.js"/g)].map(([, path]) => path!);
    expect(programs).toEqual(['src/commands/health', 'src/main']);
    for (const path of programs) expect(await text(`${path}.ts`)).not.toBe('');
  });
});

describe('the health check of a container', () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  const codeOf = async (env: Record<string, string>): Promise<number> => {
    const program = fileOf('dist/src/commands/health.js');
    const child = spawn(process.execPath, [program], { env: { PATH: process.env['PATH'], ...env }, stdio: 'ignore' });
    return ((await once(child, 'exit')) as [number])[0];
  };

  it('of an API returns 0 for 200, and 1 for 503 or no answer', async () => {
    let status = 200;
    const api = createServer((_, response) => response.writeHead(status).end()).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const PORT = String((api.address() as AddressInfo).port);
    const well = await codeOf({ PORT });
    status = 503;
    const ill = await codeOf({ PORT });
    api.close();
    expect([well, ill, await codeOf({ PORT: '1' })]).toEqual([0, 1, 1]);
  });

  it.each(['127.0.0.2', '::1', '[::1]'])('of an API bound to %s connects to that address', async (HOST) => {
    const api = createServer((_, response) => response.end()).listen(0, HOST.replace(/[[\]]/g, ''));
    await once(api, 'listening');
    const code = await codeOf({ PORT: String((api.address() as AddressInfo).port), HOST });
    api.close();
    expect(code).toBe(0);
  });

  it.each(['0.0.0.0', '::', '[::]'])('of an API bound to all addresses (%s) connects to loopback', async (HOST) => {
    const api = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const code = await codeOf({ PORT: String((api.address() as AddressInfo).port), HOST });
    api.close();
    expect(code).toBe(0);
  });

  it('of an API is not sent to a proxy of the environment', async () => {
    const api = createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(api, 'listening');
    const proxy = { NODE_USE_ENV_PROXY: '1', HTTP_PROXY: 'http://127.0.0.1:1' };
    const code = await codeOf({ PORT: String((api.address() as AddressInfo).port), ...proxy });
    api.close();
    expect(code).toBe(0);
  });

  it('of workers returns 0 only with a recent heartbeat of this machine', async () => {
    const env = { ROLE: 'worker', DATABASE_URL: database.url };
    const none = await codeOf(env);
    await database.query(
      `insert into worker (id, server, machine, pid, role, version, slots) values ('w', 's', $1, 1, 'worker', '0', 1)`,
      [hostname()],
    );
    const one = await codeOf(env);
    await database.query(`update worker set seen_at = now() - interval '1 minute'`);
    expect([none, one, await codeOf(env)]).toEqual([1, 0, 1]);
    expect(await codeOf({ ROLE: 'worker', DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' })).toBe(1);
  });
});
