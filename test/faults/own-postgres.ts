/**
 * A PostgreSQL for one test, which may be shut down in each of PostgreSQL's modes, started again, and copied, as no test
 * may do with the shared server. It does not restart by itself.
 */
import { execFile } from 'node:child_process';
import { cp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { chown, mkdir, mkdtemp } from 'node:fs/promises';
import { createCluster, writeSettings } from '../../src/db/embedded/cluster.js';
import { type ClusterLocation, findLocation } from '../../src/db/embedded/location.js';
import { type Postmaster, adminUrl, startPostmaster } from '../../src/db/embedded/postmaster.js';
import { serverSettings } from '../../src/db/embedded/settings.js';
import { temporaryFolder } from '../support/folders.js';

/** Shutdown mode: connections are cut and all is written; or like a crash, with recovery at the next start. */
export type Ending = 'fast' | 'immediate';

export class OwnPostgres {
  private postmaster: Postmaster | undefined;

  private constructor(
    private readonly place: ClusterLocation,
    private readonly folder: string,
    private readonly socketFolder: string,
    private readonly remove: () => Promise<void>,
  ) {}

  /** A new server with an empty database `orbweaver`, owned by a role of that name. */
  static async make(): Promise<OwnPostgres> {
    const made = await OwnPostgres.at();
    await createCluster(made.place, true);
    await writeSettings(made.place, serverSettings({ memoryBytes: 2 ** 30, durable: true }));
    await made.start();
    await made.admin('create role orbweaver login in role pg_monitor, pg_checkpoint');
    await made.admin('create database orbweaver owner orbweaver');
    return made;
  }

  private static async at(): Promise<OwnPostgres> {
    const folder = await temporaryFolder();
    const place = await findLocation(folder.path, () => undefined);
    const socketFolder = await mkdtemp('/tmp/orbweaver-');
    if (place.account) await chown(socketFolder, place.account.uid, place.account.gid);
    const remove = async (): Promise<void> => {
      await rm(socketFolder, { recursive: true, force: true });
      await folder.remove();
    };
    return new OwnPostgres(place, folder.path, socketFolder, remove);
  }

  /** Connection string of database `orbweaver` as its owner. */
  get url(): string {
    return adminUrl(this.socketFolder, 'orbweaver').replace('postgres@', 'orbweaver@');
  }

  get socket(): { path: string } {
    return { path: join(this.socketFolder, '.s.PGSQL.5432') };
  }

  async start(): Promise<void> {
    const { socketFolder } = this;
    const logFile = join(this.folder, 'postgres.log');
    this.postmaster = await startPostmaster(this.place, { socketFolder, logFile }, () => undefined);
  }

  async end(how: Ending): Promise<void> {
    const pid = Number((await readFile(join(this.place.pgData, 'postmaster.pid'), 'utf8')).split('\n')[0]);
    process.kill(pid, how === 'fast' ? 'SIGINT' : 'SIGQUIT');
    await this.postmaster?.ended;
  }

  /**
   * A physical replica that follows this server. There is no pg_basebackup among the bundled programs: the server
   * is shut down during the copy.
   */
  async replica(): Promise<OwnPostgres> {
    const replica = await OwnPostgres.at();
    await this.end('fast');
    await cp(this.place.pgData, replica.place.pgData, { recursive: true, preserveTimestamps: true });
    const settings = `primary_conninfo = 'host=${this.socketFolder} user=postgres application_name=replica'\n`;
    await writeFile(join(replica.place.pgData, 'postgresql.auto.conf'), settings);
    await writeFile(join(replica.place.pgData, 'standby.signal'), '');
    const { account } = this.place;
    if (account) await promisify(execFile)('chown', ['-R', `${account.uid}:${account.gid}`, replica.place.pgData]);
    await this.start();
    await replica.start();
    return replica;
  }

  /** Runs a statement as superuser. */
  async admin(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: adminUrl(this.socketFolder, 'postgres') });
    client.on('error', () => undefined);
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  /** Runs a statement as the owner of the database, on a new connection; returns its rows. */
  readonly query = async <Row extends pg.QueryResultRow>(statement: string, values?: unknown[]): Promise<Row[]> => {
    const client = new pg.Client({ connectionString: this.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Row>(statement, values)).rows;
    } finally {
      await client.end();
    }
  };

  async close(): Promise<void> {
    await this.postmaster?.stop();
    await this.remove();
  }
}

/** A folder with a size limit in MiB; undefined where mounting is not permitted. */
export async function smallDisk(mebibytes: number): Promise<{ path: string; remove(): Promise<void> } | undefined> {
  const { path, remove } = await temporaryFolder();
  const run = promisify(execFile);
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=0777`, 'tmpfs', path]);
  } catch {
    await remove();
    return undefined;
  }
  await mkdir(join(path, 'data'), { mode: 0o777 });
  return {
    path,
    remove: async () => {
      await run('umount', ['-l', path]);
      await remove();
    },
  };
}
