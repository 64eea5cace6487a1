import { createServer, type Server as NetServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { clusterProcesses } from '../../src/db/embedded/leftovers.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { workersOf } from '../support/processes.js';
import { runProgram, type Server, startServer } from '../support/server.js';

/** The built program as an operator runs it: starts, stops, kills, and refused starts. */

let folder: TemporaryFolder;
let dataDir: string;
const servers: Server[] = [];

beforeEach(async () => {
  folder = await temporaryFolder({ closed: true });
  dataDir = folder.path;
});
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop();
  await folder.remove();
});

async function start(env: Record<string, string> = {}, databaseUrl?: string): Promise<Server> {
  const server = await startServer({ dataDir, env, ...(databaseUrl && { databaseUrl }) });
  servers.push(server);
  return server;
}

/** Creates a configuration, to check later that data is kept. */
async function createConf(server: Server, configId: string): Promise<number> {
  const answer = await fetch(`${server.url}/config/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ configId, params: { 'http.agent.name': 'test' } }),
  });
  return answer.status;
}

const confs = async (server: Server): Promise<unknown> => (await fetch(`${server.url}/config`)).json();

/** The command line of a process; empty when it has ended or is a zombie. */
const commandOf = (pid: number): Promise<string> => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');

describe('a server with the embedded PostgreSQL below a 0700 folder', () => {
  it('answers once it logs ready, and ends on SIGTERM with 0 and without leftovers', async () => {
    const server = await start();
    expect(server.output()).toMatch(/^orbweaver: ready: http:\/\/127\.0\.0\.1:\d+\/docs$/m);
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    expect((await fetch(`${server.url}/docs/`)).status).toBe(200);
    const end = await server.stop();
    expect(end).toMatchObject({ code: 0, stderr: '' });
    expect(await clusterProcesses(join(dataDir, 'postgres'))).toEqual([]);
    expect((await readdir(dataDir)).sort()).toEqual(['postgres', 'postgres.log']);
  });

  it('ends with 0 on Ctrl-C, which a terminal sends to the whole process group', async () => {
    const server = await start();
    process.kill(-server.pid, 'SIGINT');
    expect(await server.ended).toMatchObject({ code: 0 });
  });

  it('treats a second SIGINT within milliseconds, forwarded by npm, as the same Ctrl-C', async () => {
    const server = await start();
    process.kill(server.pid, 'SIGINT');
    await new Promise((resolve) => setTimeout(resolve, 5));
    process.kill(server.pid, 'SIGINT');
    expect(await server.ended).toMatchObject({ code: 0 });
  });

  it('ends on GET /admin/stop', async () => {
    const server = await start();
    await fetch(`${server.url}/admin/stop?force=true`);
    expect(await server.ended).toMatchObject({ code: 0 });
  });

  it.each(['main', 'group', 'tree'] as const)('starts with the same data right after kill -9 of %s', async (what) => {
    const first = await start();
    expect(await createConf(first, 'kept')).toBe(200);
    const workers = workersOf(first.pid);
    expect(workers).toHaveLength(1);
    await first.kill9(what);
    const second = await start();
    expect(await confs(second)).toContain('kept');
    for (const pid of workers) expect(await commandOf(pid)).toBe('');
  });

  it('restarts a killed worker', async () => {
    const server = await start({ WORKERS: '1' });
    const [first] = workersOf(server.pid);
    process.kill(first ?? 0, 'SIGKILL');
    await expect.poll(() => workersOf(server.pid).filter((pid) => pid !== first)).toHaveLength(1);
  });
});

describe('a refused start prints one line on stderr and returns an exit code', () => {
  let database: TestDatabase;
  let taken: NetServer;
  beforeAll(async () => {
    database = await testDatabase();
    taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    taken.close();
    await database.drop();
  });

  async function refused(env: Record<string, string>, code: number, line: RegExp, args?: string[]): Promise<void> {
    const end = await runProgram({ dataDir, env, ...(args && { args }) });
    expect(end.stderr.trimEnd().split('\n')).toEqual([expect.stringMatching(line)]);
    // As root, data of other directories on this machine may be reported.
    const said = end.stdout.split('\n').filter((one) => one !== '' && !one.includes(', which is gone'));
    expect({ code: end.code, said }).toEqual({ code, said: [] });
  }

  it('port in use: 7', async () => {
    const PORT = String((taken.address() as AddressInfo).port);
    await refused({ PORT }, 7, new RegExp(`^orbweaver: port ${PORT} of 127\\.0\\.0\\.1 is in use`));
  });

  it('a host of another machine: 7', () =>
    refused({ HOST: '192.0.2.1', AUTH: 'none' }, 7, /^orbweaver: HOST=192\.0\.2\.1 is no address of this machine/));

  it('a host that cannot be listened on: 7', () =>
    refused({ HOST: 'fe80::1', AUTH: 'none' }, 7, /^orbweaver: HOST=fe80::1 (cannot be used: listen E|is no address)/));

  it('unreachable DATABASE_URL: 5, without the password', () =>
    refused(
      { DATABASE_URL: 'postgresql://crawler:hidden@127.0.0.1:1/crawl' },
      5,
      /^orbweaver: cannot use the database postgresql:\/\/crawler:\*\*\*@127\.0\.0\.1:1\/crawl: .*ECONNREFUSED/,
    ));

  it('a database that does not exist: 5', () =>
    refused({ DATABASE_URL: database.url.replace(database.name, 'missing') }, 5, /database "missing" does not exist/));

  it('a schema newer than the program: 6', async () => {
    await database.query(`insert into migrations (timestamp, name) values (9999999999999, 'Future')`);
    await refused({ DATABASE_URL: database.url }, 6, /was migrated by a newer version \(it has Future\)/);
    await database.query(`delete from migrations where name = 'Future'`);
  });

  it('a non-loopback host without keys: 2', () =>
    refused({ HOST: '0.0.0.0' }, 2, /^orbweaver: HOST=0\.0\.0\.0 would open/));

  it('an invalid CONF_FILE: 2', async () => {
    const CONF_FILE = join(dataDir, 'conf.json');
    await writeFile(CONF_FILE, '[1]');
    await refused({ CONF_FILE }, 2, /^orbweaver: CONF_FILE .* must be one object/);
  });

  it('an unknown command: 2', () => refused({}, 2, /^orbweaver: unknown command "crwal"/, ['crwal']));

  it('a second server on the data directory: 3, and the first one keeps running', async () => {
    const first = await start();
    await refused({}, 3, new RegExp(`^orbweaver: another server \\(pid ${first.pid}\\) uses the data directory`));
    expect((await fetch(`${first.url}/health/ready`)).status).toBe(200);
  });

  it('data of another PostgreSQL version: 4', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '15\n');
    await refused({}, 4, /was made by PostgreSQL 15, this server brings PostgreSQL 18/);
  });
});

describe('a server with DATABASE_URL', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await testDatabase({ empty: true });
  });
  afterAll(() => database.drop());

  it('starts twice at once on an empty database without a conflict in the migrations (fault F13)', async () => {
    const both = await Promise.all([start({ ROLE: 'api' }, database.url), start({ ROLE: 'api' }, database.url)]);
    for (const server of both) expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    expect(await readdir(dataDir)).toEqual([]);
  });

  it('has its schema updated by the command migrate', async () => {
    const end = await runProgram({ dataDir, databaseUrl: database.url, args: ['migrate'] });
    expect(end).toMatchObject({ code: 0, stderr: '', stdout: 'orbweaver: the database schema is up to date\n' });
  });
});
