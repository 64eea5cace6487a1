/**
 * PostgreSQL refuses to run as root. When Orbweaver is started by root, the database server runs as another user, and that
 * user must have access to its programs and its data. This file picks the user and finds folders that are closed to it.
 */
import { execFile } from 'node:child_process';
import type { Stats } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { StartError } from '../../core/start-error.js';

/** The operating system user that runs the database server. */
export interface Account {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
}

/** Permission bits of one class (owner, group or others) as `stat` shows them. */
export const READ = 4;
export const ENTER = 1;

const run = promisify(execFile);

/** Whether we are root. (Windows has no uid: false.) */
export function isRoot(): boolean {
  return process.getuid?.() === 0;
}

/**
 * The user for the server of an existing or future data directory: its owner, else `postgres`, else `orbweaver` (created
 * when missing), else `nobody`. Returns undefined when we are not root: the server then runs as we do.
 */
export async function serverAccount(pgData: string): Promise<Account | undefined> {
  if (!isRoot()) return undefined;
  const owner = await stat(pgData).catch(() => undefined);
  if (owner && owner.uid !== 0) return { name: await userName(owner.uid), uid: owner.uid, gid: owner.gid };
  return (
    (await lookUp('postgres')) ??
    (await lookUp('orbweaver')) ??
    (await createAccount('orbweaver')) ??
    (await lookUp('nobody')) ??
    fail()
  );
}

/** Whether the mode of a file gives this user the wanted bits. Supplementary groups do not count: the server drops them. */
export function allows(file: Pick<Stats, 'mode' | 'uid' | 'gid'>, account: Account, bits: number): boolean {
  const shift = file.uid === account.uid ? 6 : file.gid === account.gid ? 3 : 0;
  return ((file.mode >> shift) & bits) === bits;
}

/**
 * The outermost folder on the way to `path` (itself included, symbolic links resolved) that the user cannot enter;
 * undefined if there is none.
 */
export async function closedFolder(path: string, account: Account): Promise<string | undefined> {
  const way: string[] = [];
  for (let folder = await realpath(path); ; folder = dirname(folder)) {
    way.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of way) {
    const stats = await lstat(folder);
    if (stats.isDirectory() && !allows(stats, account, ENTER)) return folder;
  }
  return undefined;
}

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    return { name, uid: Number(uid.stdout), gid: Number(gid.stdout) };
  } catch {
    return undefined;
  }
}

async function userName(uid: number): Promise<string> {
  const result = await run('id', ['-nu', String(uid)]).catch(() => undefined);
  return result?.stdout.trim() || String(uid);
}

/** Debian and Red Hat have useradd, Alpine has adduser; a container without either falls back to `nobody`. */
async function createAccount(name: string): Promise<Account | undefined> {
  const attempts: [string, string[]][] = [
    ['useradd', ['--system', '--user-group', '--no-create-home', '--home-dir', '/nonexistent', name]],
    ['adduser', ['-S', '-D', '-H', name]],
  ];
  for (const [command, args] of attempts) {
    const account = await run(command, args).then(
      () => lookUp(name),
      () => undefined,
    );
    if (account) return account;
  }
  return undefined;
}

function fail(): never {
  throw new StartError(
    'dataDir',
    'PostgreSQL does not run as root and there is no other user: create one (useradd --system orbweaver) or set DATABASE_URL',
  );
}
