import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import { type Account, allows, closedFolder, ENTER, isRoot, READ } from '../../src/db/embedded/account.js';
import { serverVersion } from '../../src/db/embedded/binaries.js';
import { removeDrafts } from '../../src/db/embedded/cluster.js';
import { removeDeadFolders } from '../../src/db/embedded/dead-sockets.js';
import { startEmbedded } from '../../src/db/embedded/embedded.js';
import { clusterName } from '../../src/db/embedded/leftovers.js';
import { holderLine, holderState, makeHolderFifo } from '../../src/db/embedded/holder.js';
import { lockDataDir } from '../../src/db/embedded/lock.js';
import type { ClusterLocation } from '../../src/db/embedded/location.js';
import { serverSettings, settingsFile } from '../../src/db/embedded/settings.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

const SERVER: Account = { name: 'postgres', uid: 101, gid: 104 };
const GiB = 1024 ** 3;
let folder: TemporaryFolder;

beforeEach(async () => {
  folder = await temporaryFolder();
});
afterEach(() => folder.remove());

describe('permissions of folders', () => {
  it.each([
    ['0700 of another user: no entry', { mode: 0o700, uid: 0, gid: 0 }, ENTER, false],
    ['0755 of another user: entry', { mode: 0o755, uid: 0, gid: 0 }, ENTER, true],
    ['0711 of another user: entry', { mode: 0o711, uid: 0, gid: 0 }, ENTER, true],
    ['0711 of another user: no reading', { mode: 0o711, uid: 0, gid: 0 }, READ, false],
    ['0700 of the user itself: entry', { mode: 0o700, uid: 101, gid: 0 }, ENTER, true],
    ['0710 of its group: entry', { mode: 0o710, uid: 0, gid: 104 }, ENTER, true],
    ['0705 of its group: no entry, as the group bits apply', { mode: 0o705, uid: 0, gid: 104 }, ENTER, false],
  ])('allows: %s', (_, file, wanted, open) => expect(allows(file, SERVER, wanted)).toBe(open));

  it('closedFolder returns the outermost closed folder of a path', async () => {
    const way = join(folder.path, 'a', 'b', 'c');
    await mkdir(way, { recursive: true });
    await chmod(join(folder.path, 'a'), 0o700);
    await chmod(way, 0o700);
    expect(await closedFolder(way, { name: 'x', uid: 65_000, gid: 65_000 })).toBe(join(folder.path, 'a'));
  });
});

describe('a data directory that cannot be created', () => {
  it.each(['/proc/orbweaver/data', '/sys/orbweaver', '/dev/null', 'FILE', 'FILE/data'])(
    'ends the start with exit code 4 and a sentence: %s',
    async (given) => {
      const file = join(folder.path, 'file');
      await writeFile(file, '');
      const dataDir = given.replace('FILE', file);
      const refused = await startEmbedded({ dataDir }).catch((error: unknown) => error);
      expect(refused).toMatchObject({ exitCode: 4 });
      expect((refused as Error).message).toContain(`cannot write to the data directory ${dataDir} (E`);
    },
  );
});

describe('PostgreSQL programs that do not run on a system', () => {
  it.each([
    ['need a loader that it does not have, as on Alpine', '#!/lib/no-such-loader.so\n', /does not run.*ENOENT/],
    [
      'miss a library',
      '#!/bin/sh\necho no libssl >&2; echo more >&2; exit 127\n',
      /system \(no libssl\): set DATABASE_URL/,
    ],
  ])('end the start with exit code 5 and a sentence: they %s', async (_, program, words) => {
    const postgres = join(folder.path, 'postgres');
    await writeFile(postgres, program, { mode: 0o755 });
    const version = serverVersion({ root: folder.path, postgres, initdb: postgres });
    await expect(version).rejects.toMatchObject({ exitCode: 5, message: expect.stringMatching(words) });
  });
});

describe('socket folders below /tmp', () => {
  const SOCKET = '.s.PGSQL.5432';
  const made = async (name: string, holder?: string): Promise<string> => {
    const path = join(folder.path, name);
    await mkdir(path);
    await writeFile(join(path, `${SOCKET}.lock`), '');
    if (holder !== undefined) await writeFile(join(path, 'holder'), holder);
    return path;
  };

  it('are removed if the server that made them has ended', async () => {
    const gone = holderLine(process.pid).replace(/ \d+ /, ' 1 ');
    await made('orbweaver-dead11', gone);
    await made('orbweaver-alive1', holderLine(process.pid));
    await made('orbweaver-noline');
    await made('orbweaver-longer-dead', gone);
    const listened = await made('orbweaver-socket', gone);
    const server = createServer().listen(join(listened, SOCKET));
    await once(server, 'listening');
    await writeFile(join(await made('orbweaver-others', gone), 'file'), '');
    await removeDeadFolders(folder.path, SOCKET, undefined);
    server.close();
    expect((await readdir(folder.path)).sort()).toEqual([
      'orbweaver-alive1',
      'orbweaver-longer-dead',
      'orbweaver-noline',
      'orbweaver-others',
      'orbweaver-socket',
    ]);
  });
});

describe('the lock of a data directory', () => {
  it('has one owner until it is released', async () => {
    const first = await lockDataDir(folder.path);
    await expect(lockDataDir(folder.path)).rejects.toMatchObject({
      failure: 'dataDirInUse',
      message: `another server (pid ${process.pid}) uses the data directory ${folder.path}`,
    });
    first.release();
    first.release();
    (await lockDataDir(folder.path)).release();
  });

  it('that another server has taken over meanwhile stays when the first owner ends', async () => {
    const first = await lockDataDir(folder.path);
    const file = join(folder.path, 'server.lock');
    const others = holderLine(process.pid, 'server.fifo.17');
    await writeFile(file, others);
    first.release();
    expect(await readFile(file, 'utf8')).toBe(others);
  });

  it.each([
    ['a pid that nobody has', '999999999 1 boot\n'],
    ['our own pid with the start time of another process', `${process.pid} 1 boot\n`],
    ['nonsense', '\0\0\0'],
    ['nothing', ''],
  ])('is taken over from %s', async (_, content) => {
    await writeFile(join(folder.path, 'server.lock'), content);
    (await lockDataDir(folder.path)).release();
  });

  it('is granted to exactly one of many that find it stale at once', async () => {
    await writeFile(join(folder.path, 'server.lock'), '999999999 1 boot\n');
    const starts = await Promise.allSettled(Array.from({ length: 8 }, () => lockDataDir(folder.path)));
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('identifies a running process by pid, start time and boot', () => {
    const line = holderLine(process.pid);
    expect(holderState(line, folder.path)).toBe('alive');
    expect(holderState(line.replace(/^\d+/, '999999999'), folder.path)).toBe('dead');
    const asOlderVersionsWrote = `${line.split(' ').slice(0, 3).join(' ')}\n`;
    expect(holderState(asOlderVersionsWrote, folder.path)).toBe('alive');
    expect(holderState(asOlderVersionsWrote.replace(/^\d+/, '999999999'), folder.path)).toBe('dead');
  });

  it('of a running server is free in a copy of its data directory', async () => {
    const [dataDir, copy] = [join(folder.path, 'data'), join(folder.path, 'copy')];
    await mkdir(dataDir);
    const first = await lockDataDir(dataDir);
    execFileSync('cp', ['-a', dataDir, copy]);
    (await lockDataDir(copy)).release();
    await expect(lockDataDir(dataDir)).rejects.toMatchObject({ failure: 'dataDirInUse' });
    expect(await readdir(copy)).toEqual([]);
    first.release();
  });

  it('of a killed server that its parent has not collected is free', async () => {
    // The shell becomes a program that collects no child.
    const parent = spawn('sh', ['-c', 'sleep 600 & echo $!; exec sleep 600']);
    try {
      const [printed] = (await once(parent.stdout, 'data')) as [Buffer];
      const pid = Number(printed.toString());
      const line = holderLine(pid);
      expect(holderState(line, folder.path)).toBe('alive');
      // Until then the shell collects its child.
      await expect.poll(() => readFile(`/proc/${parent.pid}/comm`, 'utf8')).toBe('sleep\n');
      process.kill(pid, 'SIGKILL');
      await expect.poll(() => readFile(`/proc/${pid}/stat`, 'utf8')).toMatch(/\) Z /);
      await writeFile(join(folder.path, 'server.lock'), line);
      (await lockDataDir(folder.path)).release();
    } finally {
      parent.kill('SIGKILL');
    }
  });

  it('identifies a process of another pid namespace by its FIFO only', async () => {
    const sign = await makeHolderFifo(folder.path, '17');
    const line = holderLine(process.pid, sign.name).replace(/pid:\[\d+\]/, 'pid:[1]');
    expect(holderState(line, folder.path)).toBe('alive');
    expect(holderState(line.replace(/^\d+/, '999999999'), folder.path)).toBe('alive');
    sign.end();
    expect(holderState(line, folder.path)).toBe('dead');
    expect(holderState(line.replace(sign.name, '-'), folder.path)).toBe('unknown');
    await writeFile(join(folder.path, 'server.lock'), line.replace(sign.name, '-'));
    await expect(lockDataDir(folder.path)).rejects.toMatchObject({
      failure: 'dataDirInUse',
      message: expect.stringMatching(/of another container\) uses .*; if it is gone, remove .*server\.lock$/),
    });
  });

  it('works without a FIFO where it can be created but not opened', async () => {
    const programs = join(folder.path, 'bin');
    const dataDir = join(folder.path, 'data');
    await mkdir(programs);
    await mkdir(dataDir);
    // This mkfifo creates files that cannot be opened, as on such a file system.
    await writeFile(join(programs, 'mkfifo'), '#!/bin/sh\nexec ln -s /nowhere/at-all "$3"\n', { mode: 0o755 });
    vi.stubEnv('PATH', `${programs}:${process.env['PATH']}`);
    try {
      (await lockDataDir(dataDir)).release();
      expect(await readdir(dataDir)).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  });
});

describe('removeDrafts after killed starts', () => {
  it('does not fail in a folder that may be entered but not read', onlyWhere(isRoot(), 'needs root'), async () => {
    const pgData = join(folder.path, 'data');
    await mkdir(pgData);
    await chmod(folder.path, 0o711);
    process.seteuid!(65_534);
    try {
      await removeDrafts({ pgData } as ClusterLocation);
    } finally {
      process.seteuid!(0);
    }
  });
});

describe('settings of the embedded PostgreSQL', () => {
  it.each([
    [0.25, '64MB', '4MB'],
    [2, '409MB', '8MB'],
    [8, '1638MB', '32MB'],
    [128, '4096MB', '32MB'],
  ])('with %d GiB of memory: shared_buffers %s, work_mem %s', (gigabytes, buffers, workMemory) => {
    const settings = serverSettings({ memoryBytes: gigabytes * GiB, durable: true });
    expect(settings).toMatchObject({ shared_buffers: buffers, work_mem: workMemory, fsync: 'on', jit: 'off' });
  });

  it('switch fsync off only with durable: false', () => {
    expect(serverSettings({ memoryBytes: GiB, durable: true })).not.toHaveProperty('full_page_writes');
    expect(serverSettings({ memoryBytes: GiB, durable: false })).toMatchObject({ fsync: 'off' });
  });

  it('are written as a configuration file', () => {
    expect(settingsFile({ jit: 'off', max_wal_size: '4GB' })).toMatch(/\njit = 'off'\nmax_wal_size = '4GB'\n$/);
  });

  it('derive the cluster name from the data directory', () => {
    expect(clusterName('/a/postgres')).toMatch(/^orbweaver-[0-9a-f]{12}$/);
    expect(clusterName('/a/postgres')).not.toBe(clusterName('/b/postgres'));
  });
});
