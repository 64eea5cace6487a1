/** Databases with which the program would work by halves: the start refuses them, and says what to do. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chown, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openDatabase } from '../../src/commands/database.js';
import { readEnv } from '../../src/conf/env.js';
import { serverAccount } from '../../src/db/embedded/account.js';
import { settingsArrive } from '../../src/db/server-settings.js';
import { asAdmin } from '../support/cluster.js';
import { type TestDatabase, onCluster, testDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/folders.js';
import { onlyWhere } from '../support/left-out.js';

const opened = (url: string) =>
  openDatabase(
    readEnv({ DATABASE_URL: url }),
    () => undefined,
    () => undefined,
  );

describe('a database that cannot store the texts of all languages', () => {
  it.each(['LATIN1', 'SQL_ASCII'])('is refused: its encoding is %s', async (encoding) => {
    const { adminUrl } = inject('cluster');
    const name = `test_${encoding.toLowerCase()}_${process.pid}`;
    await asAdmin(adminUrl, `create database ${name} template template0 encoding '${encoding}' locale 'C'`);
    const url = new URL(adminUrl);
    url.pathname = name;
    await expect(opened(url.href)).rejects.toMatchObject({
      failure: 'database',
      message: `the encoding of the database is ${encoding}, and UTF8 is needed: create one with: create database … template template0 encoding 'UTF8'`,
    });
    await asAdmin(adminUrl, `drop database ${name} with (force)`);
  });
});

describe('the settings that connections send', () => {
  it('are missing in sessions that others have opened, and are in ours', async () => {
    const database = await testDatabase();
    expect(await settingsArrive(database.pool)).toBe(false);
    expect(await settingsArrive((await database.dataSource()).pool)).toBe(true);
    await database.drop();
  });
});

const NO_POOLER = 'DATABASE_URL must name PostgreSQL itself, not a pooler such as PgBouncer';
const DROPPED = 'options,lock_timeout,statement_timeout,idle_in_transaction_session_timeout';
const hasPgBouncer = spawnSync('pgbouncer', ['--version']).status === 0 && !onCluster;

describe('a database behind PgBouncer', onlyWhere(hasPgBouncer, 'needs pgbouncer'), () => {
  let database: TestDatabase;
  beforeAll(async () => (database = await testDatabase()));
  afterAll(() => database.drop());

  it.each([
    ['refuses settings', '', `unsupported startup parameter: lock_timeout: ${NO_POOLER}`],
    ['drops them', DROPPED, `the settings that connections send do not arrive at the database: ${NO_POOLER}`],
  ])('that %s is refused', async (_what, ignored, message) => {
    const pooler = await startPgBouncer(database.url, ignored);
    await expect(opened(pooler.url)).rejects.toMatchObject({
      failure: 'database',
      message: expect.stringContaining(message) as string,
    });
    await pooler.close();
  });
});

/** A PgBouncer with a unix socket in front of the database. */
async function startPgBouncer(url: string, ignored: string) {
  const folder = await temporaryFolder();
  const { host, port, user, database } = new pg.Client({ connectionString: url });
  const file = (name: string) => join(folder.path, name);
  await writeFile(file('users'), `"${user}" ""\n`);
  await writeFile(
    file('ini'),
    `[databases]
     * = host=${host} port=${port}
     [pgbouncer]
     pool_mode = transaction
     listen_port = 6432
     unix_socket_dir = ${folder.path}
     auth_type = trust
     auth_file = ${file('users')}
     ignore_startup_parameters = extra_float_digits${ignored && `,${ignored}`}
    `.replaceAll(/^ +/gm, ''),
  );
  const account = await serverAccount(folder.path);
  if (account) await chown(folder.path, account.uid, account.gid);
  const child: ChildProcess = spawn('pgbouncer', [file('ini')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    ...(account && { uid: account.uid, gid: account.gid }),
  });
  const ended = once(child, 'exit');
  let log = '';
  child.stderr!.on('data', (piece: Buffer) => (log += piece.toString()));
  await expect.poll(() => log).toContain('process up');
  return {
    url: `postgresql://${user}@localhost:6432/${database}?host=${folder.path}`,
    close: async () => {
      child.kill('SIGINT');
      await ended;
      await folder.remove();
    },
  };
}
