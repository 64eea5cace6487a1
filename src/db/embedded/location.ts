/**
 * The location of the cluster. Normally DATA_DIR/postgres, run with the programs of node_modules. When we are root and the
 * server's user has no access there (below /root, below a `mktemp -d`), programs and data are put under
 * /var/lib/orbweaver, and DATA_DIR/postgres becomes a symbolic link to it: once made, the link decides. Each start logs
 * what is there, and removes the data of a data directory that is gone (orphans.ts).
 */
import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readdir, readFile, readlink, rmdir, stat, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Account, closedFolder, isRoot, serverAccount } from './account.js';
import { type Binaries, copyBinaries, packagedBinaries, serverVersion, usableBy } from './binaries.js';
import { noteOwner, removeOrphans } from './orphans.js';
import { StartError } from '../../core/start-error.js';

export interface ClusterLocation {
  /** The PostgreSQL data directory, symbolic links resolved; it may not exist yet. */
  readonly pgData: string;
  readonly binaries: Binaries;
  readonly version: string;
  /** The user that runs the server; undefined when that is ourselves. */
  readonly account: Account | undefined;
}

/** The folder for data and programs that the server's user cannot reach where they are. */
const FALLBACK_FOLDER = '/var/lib/orbweaver';

/** Whether data are in the fallback folder, which is used if the server's user cannot enter the data directory. */
export const isInFallback = (pgData: string): boolean => dirname(dirname(pgData)) === FALLBACK_FOLDER;

/** Finds or creates the location of the cluster of `dataDir` (absolute). @throws StartError naming the closed folder. */
export async function findLocation(dataDir: string, log: (line: string) => void): Promise<ClusterLocation> {
  const entry = join(dataDir, 'postgres');
  const linked = await linkedLocation(entry);
  // Its data directory may have been moved.
  if (linked !== undefined && isInFallback(linked)) await noteOwner(dirname(linked), dataDir);
  if (isRoot()) await removeOrphans(FALLBACK_FOLDER, log);
  const account = await serverAccount(linked ?? entry);
  const binaries = await reachableBinaries(account, log);
  const version = await serverVersion(binaries, account);
  const pgData = linked ?? (await directLocation(entry, account));
  if (account) await refuseClosed(dirname(pgData), account);
  await checkContent(pgData, version);
  if (account) await refuseRootOwned(pgData, account);
  if (isInFallback(pgData)) await logFallback(pgData, dataDir, account, log);
  return { pgData, binaries, version, account };
}

/**
 * The target of DATA_DIR/postgres, if it is a symbolic link. It must exist, so that a disk that is not mounted is not taken for an
 * empty database; but not below FALLBACK_FOLDER, where a first start makes the link before the data.
 */
async function linkedLocation(entry: string): Promise<string | undefined> {
  const stats = await lstat(entry).catch(() => undefined);
  if (!stats?.isSymbolicLink()) return undefined;
  const target = resolve(dirname(entry), await readlink(entry));
  const needed = isInFallback(target) ? dirname(target) : target;
  if (await stat(needed).catch(() => undefined)) return target;
  throw new StartError(
    'dataDir',
    `${entry} points to ${target}, which is gone: restore it (is its disk mounted?), or remove the link to start empty`,
  );
}

async function directLocation(entry: string, account: Account | undefined): Promise<string> {
  const existing = await lstat(entry).catch(() => undefined);
  if (!account || existing || !(await closedFolder(dirname(entry), account))) return entry;
  const pgData = join(await ownFolder(dirname(entry)), 'postgres');
  await symlink(pgData, entry);
  return pgData;
}

/** Logs data outside of DATA_DIR at each start, and how to move them inside. */
async function logFallback(
  pgData: string,
  dataDir: string,
  account: Account | undefined,
  log: (line: string) => void,
): Promise<void> {
  await noteOwner(dirname(pgData), dataDir);
  const closed = account && (await closedFolder(dataDir, account));
  const why = closed ? `user ${account.name} cannot enter ${closed}: ` : '';
  log(
    `${why}the database lives in ${pgData}, ${join(dataDir, 'postgres')} links to it; it is removed when ${dataDir} is gone for a day. ` +
      `To have it in ${dataDir}: stop, open the way (chmod o+x), remove the link, and move the folder to its place`,
  );
}

/** A new folder under /var/lib/orbweaver, named after the data directory. Never one that exists: its data is not ours. */
async function ownFolder(dataDir: string): Promise<string> {
  await openFolder(FALLBACK_FOLDER);
  const name = createHash('sha256').update(dataDir).digest('hex').slice(0, 16);
  for (let number = 1; ; number += 1) {
    const folder = join(FALLBACK_FOLDER, number === 1 ? name : `${name}-${number}`);
    try {
      await mkdir(folder);
      await chmod(folder, 0o755);
      return folder;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function reachableBinaries(account: Account | undefined, log: (line: string) => void): Promise<Binaries> {
  const packaged = packagedBinaries();
  if (!account || (await usableBy(packaged, account))) return packaged;
  const version = await serverVersion(packaged);
  await openFolder(FALLBACK_FOLDER);
  const folder = join(FALLBACK_FOLDER, `postgresql-${version}-${process.arch}`);
  const copy = await copyBinaries(packaged, folder);
  await refuseClosed(folder, account);
  if (!(await usableBy(copy, account))) {
    throw new StartError(
      'dataDir',
      `user ${account.name} cannot run PostgreSQL from ${folder}: remove that folder, or set DATABASE_URL`,
    );
  }
  log(`user ${account.name} cannot reach ${packaged.root}: PostgreSQL runs from ${folder}`);
  return copy;
}

async function openFolder(folder: string): Promise<void> {
  const created = await mkdir(folder, { recursive: true });
  // A strict umask must not close the folder whose purpose is to be open.
  if (created) await chmod(folder, 0o755);
}

async function refuseClosed(folder: string, account: Account): Promise<void> {
  const closed = await closedFolder(folder, account);
  if (!closed) return;
  throw new StartError(
    'dataDir',
    `user ${account.name}, who runs PostgreSQL, cannot enter ${closed}: open it (chmod o+x ${closed}) or choose another DATA_DIR`,
  );
}

/** A copy that root made without the owner: PostgreSQL would name one of its files as the reason. */
async function refuseRootOwned(pgData: string, account: Account): Promise<void> {
  const stats = await stat(pgData).catch(() => undefined);
  if (stats?.uid !== 0) return;
  throw new StartError(
    'dataDir',
    `${pgData} belongs to root, as whom PostgreSQL does not run: chown -R ${account.name} ${pgData}`,
  );
}

/** An existing data directory must be one of PostgreSQL, readable by us, and of our version. */
async function checkContent(pgData: string, version: string): Promise<void> {
  const names = await readdir(pgData).catch(refuseUnreadable(pgData));
  if (names === undefined) return;
  if (names.length === 0) return rmdir(pgData);
  const dataVersion = (await readFile(join(pgData, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (!dataVersion) throw new StartError('dataDir', `${pgData} is not empty and not a PostgreSQL data directory`);
  if (dataVersion === version.split('.')[0]) return;
  throw new StartError(
    'dataDir',
    `${pgData} was made by PostgreSQL ${dataVersion}, this server brings PostgreSQL ${version}: dump it with ${dataVersion} and restore it (docs/operations.md), or choose another DATA_DIR`,
  );
}

function refuseUnreadable(pgData: string): (error: NodeJS.ErrnoException) => undefined {
  return (error) => {
    if (error.code === 'ENOENT') return undefined;
    throw new StartError(
      'dataDir',
      `cannot read the database in ${pgData} (${error.code}): start as the user who owns it`,
    );
  };
}
