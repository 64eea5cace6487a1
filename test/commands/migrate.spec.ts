import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { runProgram } from '../support/server.js';

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
