import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { type Server, runProgram, startServer } from '../support/server.js';

let database: TestDatabase;
let folder: TemporaryFolder;

beforeAll(async () => {
  database = await testDatabase({ empty: true });
  folder = await temporaryFolder();
});

afterAll(async () => {
  await folder.remove();
  await database.drop();
});

const migrate = (...words: string[]) =>
  runProgram({ dataDir: folder.path, databaseUrl: database.url, args: ['migrate', ...words] });

describe('migrate --distribute', () => {
  it('migrates, and prints that nothing is distributed without Citus', async () => {
    const end = await migrate('--distribute');
    expect(end.code).toBe(0);
    expect(end.stdout).toContain('the database schema is up to date');
    expect(end.stdout).toContain('the database has no extension citus: nothing is distributed');
    expect(await database.query('select from webpage')).toEqual([]);
  });

  it('refuses an unknown option with code 2', async () => {
    const end = await migrate('--distributed');
    expect(end.code).toBe(2);
    expect(end.stderr).toContain('migrate takes --distribute and no other words; given: "--distributed"');
  });
});

describe('a database of an unreleased development state', () => {
  const relations = (db: TestDatabase) =>
    db.query(`select relname, xmin::text from pg_class where relnamespace = 'public'::regnamespace order by 1`);

  it.each(['migrate', 'serve'])('is refused by %s in one line with code 6, and is not changed', async (command) => {
    const old = await testDatabase({ empty: true });
    await old.query(
      'create table migrations (id serial primary key, timestamp bigint not null, name varchar not null)',
    );
    await old.query(
      `insert into migrations (timestamp, name) values (1763700000000, 'WebTable1763700000000'), (1763700000001, 'Jobs1763700000001')`,
    );
    await old.query('create table webpage (key text primary key)');
    await old.query(`insert into webpage values ('a.test:http/')`);
    const before = await relations(old);
    const end = await runProgram({
      dataDir: folder.path,
      databaseUrl: old.url,
      args: command === 'serve' ? [] : [command],
    });
    expect(end.code).toBe(6);
    expect(end.stderr).toBe(
      'orbweaver: The database was made by an unreleased state of development (it has Jobs1763700000001 and 1 more), which cannot be upgraded. Nothing in it was changed. Start with an empty database or data directory.\n',
    );
    expect(await relations(old)).toEqual(before);
    expect(await old.query('select key from webpage')).toEqual([{ key: 'a.test:http/' }]);
    expect(await old.query('select from migrations')).toHaveLength(2);
    await old.drop();
  });
});

describe('a command next to a running server with the embedded database', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ env: { WORKERS: '1' } });
  });
  afterAll(() => server?.stop());

  it.each([
    ['migrate', 'the database schema is up to date'],
    ['check', 'all is in order'],
  ])('%s uses the database of that server', async (command, said) => {
    const { code, stdout, stderr } = await runProgram({ dataDir: server.dataDir, args: [command] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`a server runs on ${server.dataDir}: works on its database`);
    expect(stdout).toContain(said);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });

  it.each(['migrate', 'check'])('%s returns 3 and names DATABASE_URL when postgres.url is missing', async (command) => {
    const published = join(server.dataDir, 'postgres.url');
    expect(await readFile(published, 'utf8')).toContain('postgresql://');
    await rename(published, `${published}.away`);
    const { code, stderr } = await runProgram({ dataDir: server.dataDir, args: [command] }).finally(() =>
      rename(`${published}.away`, published),
    );
    expect(code).toBe(3);
    expect(stderr).toContain(`another server (pid ${server.pid})`);
    expect(stderr).toContain(`set DATABASE_URL to the content of ${published}`);
  });
});
