/** Creates the cluster on disk: initdb once, whole or not at all, and the settings file at every start. */
import { execFile } from 'node:child_process';
import { chown, mkdtemp, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { identity } from './binaries.js';
import type { ClusterLocation } from './location.js';
import { reasonIn, serverEnvironment } from './postmaster.js';
import { settingsFile } from './settings.js';
import { StartError } from '../../core/start-error.js';

const SETTINGS = 'orbweaver.conf';

/** Runs initdb beside the final name and renames the result, so that a killed start leaves no half cluster. */
export async function createCluster(location: ClusterLocation, durable: boolean): Promise<void> {
  const draft = await mkdtemp(draftOf(location));
  if (location.account) await chown(draft, location.account.uid, location.account.gid);
  await initdb(location, draft, durable);
  const main = join(draft, 'postgresql.conf');
  const text = await readFile(main, 'utf8');
  await writeFile(
    main,
    `${text}\n# Orbweaver's settings for this machine; lines below override them.\ninclude = '${SETTINGS}'\n`,
  );
  await rename(draft, location.pgData);
}

/** Removes what killed starts have left; an initdb that is still running may write there while it is removed. */
export async function removeDrafts(location: ClusterLocation): Promise<void> {
  const folder = dirname(location.pgData);
  const begin = basename(draftOf(location));
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    // The folder can be entered but not listed, like one of an administrator: the cluster in it can be used all the same.
    if (error.code === 'EACCES') return [];
    throw error;
  });
  for (const name of names) {
    // mkdtemp adds six letters; a folder with another name was made by a user and is kept.
    if (!name.startsWith(begin) || !/^\w{6}$/.test(name.slice(begin.length))) continue;
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined);
  }
}

const draftOf = ({ pgData }: ClusterLocation): string => `${pgData}.initdb-`;

/** Writes orbweaver.conf as the server's user. A new file is renamed into place: a link put there by others is never followed. */
export async function writeSettings(location: ClusterLocation, settings: Record<string, string>): Promise<void> {
  const target = join(location.pgData, SETTINGS);
  const draft = `${target}.new`;
  await rm(draft, { force: true });
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(settingsFile(settings));
    if (location.account) await file.chown(location.account.uid, location.account.gid);
  } finally {
    await file.close();
  }
  await rename(draft, target);
}

async function initdb(location: ClusterLocation, folder: string, durable: boolean): Promise<void> {
  const flags = [
    `--pgdata=${folder}`,
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    // The folder of the socket is closed to all other users; there is no TCP.
    '--auth-local=trust',
    '--auth-host=reject',
    '--no-instructions',
    ...(durable ? [] : ['--no-sync']),
  ];
  try {
    await promisify(execFile)(location.binaries.initdb, flags, {
      ...identity(location.account),
      cwd: '/',
      env: serverEnvironment(),
    });
  } catch (error) {
    const lines = String((error as { stderr?: string }).stderr ?? error)
      .trim()
      .split('\n');
    throw new StartError('dataDir', `cannot create a database in ${location.pgData}: ${reasonIn(lines)}`);
  }
}
