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
  it('migrates, and says that nothing is distributed where there is no Citus', async () => {
    const end = await migrate('--distribute');
    expect(end.code).toBe(0);
    expect(end.stdout).toContain('the database schema is up to date');
    expect(end.stdout).toContain('the database has no extension citus: nothing is distributed');
    expect(await database.query('select from webpage')).toEqual([]);
  });

  it('refuses another word', async () => {
    const end = await migrate('--distributed');
    expect(end.code).toBe(2);
    expect(end.stderr).toContain('migrate takes --distribute and no other words; given: "--distributed"');
  });
});

describe('beside a server that runs on the embedded database', () => {
  let server: Server;
  beforeAll(async () => {
    server = await startServer({ env: { WORKERS: '1' } });
  });
  afterAll(() => server?.stop());

  it.each([
    ['migrate', 'the database schema is up to date'],
    ['check', 'all is in order'],
  ])('%s works on the database of that server', async (command, said) => {
    const { code, stdout, stderr } = await runProgram({ dataDir: server.dataDir, args: [command] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`a server runs on ${server.dataDir}: works on its database`);
    expect(stdout).toContain(said);
    expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
  });

  it.each(['migrate', 'check'])('%s says how to reach it where it does not let us in', async (command) => {
    const published = join(server.dataDir, 'postgres.url');
    expect(await readFile(published, 'utf8')).toContain('postgresql://');
    await rename(published, `${published}.away`);
    const { code, stderr } = await runProgram({ dataDir: server.dataDir, args: [command] }).finally(() =>
      rename(`${published}.away`, published),
    );
    expect(code).toBe(3);
    expect(stderr).toContain(`another server (pid ${server.pid})`);
    expect(stderr).toContain(`set DATABASE_URL to what stands in ${published}`);
  });
});
