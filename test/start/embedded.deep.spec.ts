import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  glob,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import { type EmbeddedServer, startEmbedded } from '../../src/db/embedded/embedded.js';
import { isRoot } from '../../src/db/embedded/account.js';
import { clusterProcesses } from '../../src/db/embedded/leftovers.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { startOwner } from './embedded-owner-process.js';

/** The embedded PostgreSQL, on real files and with real kills. Data directories have mode 0700, as `mktemp -d` creates them. */

let folder: TemporaryFolder;
let dataDir: string;
const owned: { stop(): Promise<unknown> }[] = [];

beforeEach(async () => {
  folder = await temporaryFolder({ closed: true });
  dataDir = folder.path;
});
afterEach(async () => {
  for (const server of owned.splice(0)) await server.stop();
  await folder.remove();
});

async function start(durable = false): Promise<EmbeddedServer & { lines: string[] }> {
  const lines: string[] = [];
  const server = await startEmbedded({ dataDir, durable, log: (line) => lines.push(line) });
  owned.push(server);
  return { ...server, lines };
}

/** Runs a statement on the server that the data directory names. */
async function ask(text: string): Promise<Record<string, unknown>[]> {
  const url = (await readFile(join(dataDir, 'postgres.url'), 'utf8')).trim();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

const pgData = (): Promise<string> => realpath(join(dataDir, 'postgres'));

async function postmasterPid(): Promise<number> {
  return Number((await readFile(join(await pgData(), 'postmaster.pid'), 'utf8')).split('\n')[0]);
}

describe('a first start of the embedded PostgreSQL', () => {
  it('creates a database owned by a role that is no superuser, reachable only over a private socket', async () => {
    const server = await start();
    expect(await ask('select current_user::text as role, current_database()::text as database')).toEqual([
      { role: 'orbweaver', database: 'orbweaver' },
    ]);
    expect(await ask('select rolsuper from pg_roles where rolname = current_user')).toEqual([{ rolsuper: false }]);
    expect(await ask(`select current_setting('listen_addresses') as tcp`)).toEqual([{ tcp: '' }]);
    const socketFolder = decodeURIComponent(/host=(.*)$/.exec(server.url)?.[1] ?? '');
    expect((await stat(socketFolder)).mode & 0o777).toBe(0o700);
    expect(Buffer.byteLength(socketFolder)).toBeLessThan(80);
    expect((await stat(join(dataDir, 'postgres.url'))).mode & 0o777).toBe(0o600);
  });

  it('gives PostgreSQL none of the variables of the server, as these may be credentials', async () => {
    await start();
    const environment = await readFile(`/proc/${await postmasterPid()}/environ`, 'utf8');
    const names = environment.split('\0').map((variable) => variable.split('=')[0]!);
    expect(Object.keys(process.env)).toContain('VITEST');
    expect([names.includes('PATH'), names.includes('VITEST')]).toEqual([true, false]);
  });

  it('is reached whatever the shell of the operator says of other databases', async () => {
    const other = { PGPORT: '1', PGSSLMODE: 'require', PGOPTIONS: '-c statement_timeout=1', PGREPLICATION: 'database' };
    for (const [name, value] of Object.entries(other)) vi.stubEnv(name, value);
    await start();
    expect(await ask(`select current_setting('statement_timeout') as limit`)).toEqual([{ limit: '0' }]);
  });

  it(
    'as root below a 0700 folder stores the data where the server can reach it, behind a symbolic link',
    onlyWhere(isRoot(), 'needs root'),
    async () => {
      const server = await start();
      expect((await lstat(join(dataDir, 'postgres'))).isSymbolicLink()).toBe(true);
      expect(await pgData()).toBe(server.pgData);
      expect((await stat(server.pgData)).uid).not.toBe(0);
      expect(server.lines.filter((line) => line.includes('the database lives in'))).toHaveLength(1);
    },
  );

  it(
    'with data outside of DATA_DIR reports their place at each start, and how to move them',
    onlyWhere(isRoot(), 'needs root'),
    async () => {
      await (await start()).stop();
      const { lines, pgData: place } = await start();
      const named = lines.filter((line) => line.includes(`the database lives in ${place}`));
      expect(named).toHaveLength(1);
      expect(named[0]).toMatch(/^user \w+ cannot enter \/.*chmod o\+x/);
    },
  );

  it(
    'removes outside data whose data directory has been gone for a day, and no others',
    onlyWhere(isRoot(), 'needs root'),
    async () => {
      const own = [join(folder.path, 'gone'), join(folder.path, 'there'), join(folder.path, 'moved', 'data')];
      const places: string[] = [];
      for (const path of own) {
        const server = await startEmbedded({ dataDir: path, durable: false });
        const place = dirname(server.pgData);
        places.push(place);
        owned.push(server, { stop: () => rm(place, { recursive: true, force: true }) });
        await server.stop();
      }
      await rm(own[0]!, { recursive: true });
      // Like a disk that is not mounted: its name leads to another folder.
      await rename(join(folder.path, 'moved'), join(folder.path, 'disk'));
      await mkdir(join(folder.path, 'moved'));
      const first = await start();
      const notice = `${places[0]} holds the database of ${own[0]}, which is gone`;
      expect(first.lines.filter((line) => line.startsWith(notice))).toHaveLength(1);
      const others = own.slice(1);
      expect(first.lines.filter((line) => others.some((path) => line.includes(`of ${path}, which is gone`)))).toEqual(
        [],
      );
      await first.stop();
      // Started again on the same day.
      const again = await start();
      expect(again.lines.filter((line) => line.startsWith(notice))).toHaveLength(1);
      expect((await stat(places[0]!)).isDirectory()).toBe(true);
      await again.stop();
      // A day later.
      const note = join(places[0]!, 'data-dir.json');
      const { goneSince, ...rest } = JSON.parse(await readFile(note, 'utf8')) as { goneSince: number };
      await writeFile(note, JSON.stringify({ ...rest, goneSince: goneSince - 86_400_000 }));
      const { lines } = await start();
      expect(places.map((place) => existsSync(place))).toEqual([false, true, true]);
      expect(lines).toContain(`removed ${places[0]}: it held the database of ${own[0]}, which is gone`);
      await rm(join(folder.path, 'disk'), { recursive: true });
    },
  );

  it('creates its socket next to the data, or below /tmp if the path would be too long', async () => {
    const socketOf = ({ url }: EmbeddedServer): string => decodeURIComponent(/host=(.*)$/.exec(url)![1]!);
    const server = await start();
    expect([join(dataDir, 'socket'), join(server.pgData, '..', 'socket')]).toContain(socketOf(server));
    await server.stop();
    expect(existsSync(socketOf(server))).toBe(false);
    await chmod(folder.path, 0o755);
    dataDir = join(folder.path, 'x'.repeat(100));
    const other = await start();
    expect(socketOf(other)).toMatch(/^\/tmp\/orbweaver-\w{6}$/);
    expect(await ask('select 1 as x')).toEqual([{ x: 1 }]);
  });

  it('is followed by a second start that finds the same data', async () => {
    const first = await start();
    await ask('create table kept as select 7 as x');
    await first.stop();
    expect(existsSync(join(dataDir, 'postgres.url'))).toBe(false);
    expect(await clusterProcesses(first.pgData)).toEqual([]);
    await start();
    expect(await ask('select x from kept')).toEqual([{ x: 7 }]);
  });
});

describe('a refused start of the embedded PostgreSQL', () => {
  it('next to a running server names its pid', async () => {
    await start();
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      failure: 'dataDirInUse',
      message: expect.stringMatching(new RegExp(`another server \\(pid ${process.pid}\\) uses the data directory`)),
    });
  });

  it('on data of another version names both versions', async () => {
    const first = await start();
    await first.stop();
    await writeFile(join(first.pgData, 'PG_VERSION'), '16\n');
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      failure: 'dataDir',
      message: expect.stringMatching(/was made by PostgreSQL 16, this server brings PostgreSQL 18\.\d/),
    });
  });

  it.each([
    ['without its parent folder', ['gone', 'postgres']],
    ['of a disk that is not mounted, whose mount point stays', ['postgres-of-the-disk']],
  ])('on a dangling link says so instead of creating an empty database: a target %s', async (_, target) => {
    await symlink(join(dataDir, ...target), join(dataDir, 'postgres'));
    await expect(startEmbedded({ dataDir })).rejects.toMatchObject({
      failure: 'dataDir',
      message: expect.stringMatching(/which is gone/),
    });
  });

  it('on a foreign folder changes nothing in it', async () => {
    const open = await temporaryFolder();
    await mkdir(join(open.path, 'postgres'));
    await writeFile(join(open.path, 'postgres', 'letter.txt'), 'mine');
    await expect(startEmbedded({ dataDir: open.path })).rejects.toMatchObject({
      failure: 'dataDir',
      message: expect.stringMatching(/is not empty and not a PostgreSQL data directory/),
    });
    expect(await readFile(join(open.path, 'postgres', 'letter.txt'), 'utf8')).toBe('mine');
    await open.remove();
  });

  it('in a path that is no folder reports that it cannot write there', async () => {
    await writeFile(join(dataDir, 'file'), '');
    await expect(startEmbedded({ dataDir: join(dataDir, 'file') })).rejects.toMatchObject({
      failure: 'dataDir',
      message: expect.stringMatching(/cannot write to the data directory/),
    });
  });

  it('releases the data directory', async () => {
    await symlink(join(dataDir, 'gone', 'postgres'), join(dataDir, 'postgres'));
    await expect(startEmbedded({ dataDir })).rejects.toThrow();
    expect(existsSync(join(dataDir, 'server.lock'))).toBe(false);
  });
});

describe('the embedded PostgreSQL after kill -9', () => {
  it('of the owner: an immediate start finds the committed data', async () => {
    const owner = await startOwner(dataDir);
    await ask('create table kept as select 7 as x');
    owner.kill('SIGKILL');
    await start();
    expect(await ask('select x from kept')).toEqual([{ x: 7 }]);
  });

  it('of the owner without another start: no process remains', async () => {
    const owner = await startOwner(dataDir);
    const cluster = await pgData();
    owner.kill('SIGKILL');
    await expect.poll(() => clusterProcesses(cluster)).toEqual([]);
    await start(); // tidies up the socket's folder
  });

  it('of owner and postmaster: a start ends a busy orphaned backend and finds the committed data', async () => {
    const owner = await startOwner(dataDir);
    const cluster = await pgData();
    await ask('create table kept as select 7 as x');
    void ask('do $$ begin loop end loop; end $$').catch(() => undefined);
    await expect
      .poll(
        async () => (await ask(`select count(*)::int as n from pg_stat_activity where query like 'do %'`))[0]?.['n'],
      )
      .toBe(1);
    process.kill(await postmasterPid(), 'SIGKILL');
    owner.kill('SIGKILL');
    await expect.poll(() => clusterProcesses(cluster)).toHaveLength(1);
    // While the clock stands still, no deadline passes: the backend is ended at once.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now());
    onTestFinished(() => clock.mockRestore());
    const server = await start();
    expect(server.lines).toContainEqual(expect.stringMatching(/^ending 1 processes/));
    expect(await ask('select x from kept')).toEqual([{ x: 7 }]);
  });

  it('of the postmaster only: the owner restarts it under the same connection string', async () => {
    const server = await start(true);
    await ask('create table kept as select 7 as x');
    process.kill(await postmasterPid(), 'SIGKILL');
    await expect.poll(() => ask('select x from kept').catch(() => 'down')).toEqual([{ x: 7 }]);
    expect(server.lines).toContainEqual(expect.stringMatching(/starting it again/));
    await expect.poll(() => server.lines.at(-1)).toBe('PostgreSQL runs again');
  });

  it('of the postmaster, which cannot be started again: the owner is informed after some attempts', async () => {
    const lost = Promise.withResolvers<Error>();
    const server = await startEmbedded({ dataDir, durable: false, onLost: lost.resolve });
    owned.push(server);
    await appendFile(join(await pgData(), 'postgresql.conf'), '\nthis is no setting\n');
    process.kill(await postmasterPid(), 'SIGKILL');
    expect(await lost.promise).toMatchObject({ failure: 'database' });
  });

  it.each([
    ['all of DATA_DIR', (ofServer: EmbeddedServer) => dirname(ofServer.pgData)],
    ['the content of its folder (a disk was unmounted)', (ofServer: EmbeddedServer) => join(ofServer.pgData, '*')],
  ])('of the postmaster, after the loss of %s: the owner is informed what is gone', async (_what, removed) => {
    await chmod(folder.path, 0o755);
    dataDir = join(folder.path, 'data');
    const lost = Promise.withResolvers<Error>();
    const server = await startEmbedded({ dataDir, durable: false, onLost: lost.resolve });
    owned.push(server);
    const pid = await postmasterPid();
    process.kill(pid, 'SIGSTOP');
    for await (const path of glob(removed(server))) await rm(path, { recursive: true });
    process.kill(pid, 'SIGKILL');
    expect(await lost.promise).toMatchObject({
      failure: 'dataDir',
      message: `the database in ${server.pgData} is gone: mount its disk or restore a backup, and start again; a start without it makes an empty database`,
    });
    expect(existsSync(dataDir)).toBe(removed(server) !== dataDir);
  });

  it('of the server, whose pid another program of its user has now: the next start removes the stale file', async () => {
    const first = await start();
    const file = join(first.pgData, 'postmaster.pid');
    const written = await readFile(file, 'utf8');
    const { uid, gid } = await stat(file);
    await first.stop();
    const other = spawn('sleep', ['600'], { uid, gid });
    try {
      await writeFile(file, written.replace(/^\d+/, String(other.pid)), { mode: 0o600 });
      await chown(file, uid, gid);
      const { lines } = await start();
      expect(lines).toContain(`removing a stale postmaster.pid (pid ${other.pid} is not this database)`);
      expect(await ask('select 1 as one')).toEqual([{ one: 1 }]);
    } finally {
      other.kill('SIGKILL');
    }
  });

  it('of an owner with a socket below /tmp: the next start removes it', async () => {
    await chmod(folder.path, 0o755);
    dataDir = join(folder.path, 'x'.repeat(100));
    const owner = await startOwner(dataDir);
    const socket = decodeURIComponent(/host=(.*)$/m.exec(await readFile(join(dataDir, 'postgres.url'), 'utf8'))![1]!);
    owner.kill('SIGKILL');
    await start();
    expect(existsSync(socket)).toBe(false);
  });

  it('during the first initdb: the next start removes the draft and succeeds', async () => {
    const first = await start();
    await first.stop();
    const draft = `${first.pgData}.initdb-killed`;
    const own = `${first.pgData}.initdb-by-hand`;
    for (const folder of [draft, own]) await mkdir(folder);
    await writeFile(join(draft, 'half'), '');
    await rm(first.pgData, { recursive: true });
    await start();
    expect(await ask('select 1 as one')).toEqual([{ one: 1 }]);
    expect([draft, own].map(existsSync)).toEqual([false, true]);
  });

  it('during an initdb that continues to write: the next start succeeds', async () => {
    const first = await start();
    await first.stop();
    await rm(first.pgData, { recursive: true });
    const orphan = spawn('/bin/sh', [
      '-c',
      'while :; do mkdir -p "$0/base"; : > "$0/base/$((i += 1))"; done',
      `${first.pgData}.initdb-orphan`,
    ]);
    await expect.poll(() => existsSync(join(`${first.pgData}.initdb-orphan`, 'base'))).toBe(true);
    await start();
    expect(await ask('select 1 as one')).toEqual([{ one: 1 }]);
    orphan.kill();
  });
});

describe('a removed socket of the embedded PostgreSQL', () => {
  it.each([
    ['with its folder', (folder: string) => rm(folder, { recursive: true })],
    ['alone', (folder: string) => rm(join(folder, '.s.PGSQL.5432'))],
  ])('%s is reported, and the owner restarts the server under the same connection string', async (_, remove) => {
    const server = await start(true);
    await ask('create table kept as select 7 as x');
    const socketFolder = decodeURIComponent(/host=(.*)$/.exec(server.url)![1]!);
    await remove(socketFolder);
    await expect
      .poll(() => server.lines)
      .toContainEqual(
        `the socket of PostgreSQL, ${socketFolder}/.s.PGSQL.5432, was removed (by a cleaner of old files?): PostgreSQL is started again`,
      );
    await expect.poll(() => ask('select x from kept').catch(() => 'down')).toEqual([{ x: 7 }]);
    expect((await stat(socketFolder)).mode & 0o777).toBe(0o700);
  });
});
