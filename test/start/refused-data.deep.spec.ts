import { execFileSync } from 'node:child_process';
import { appendFile, chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { isRoot } from '../../src/db/embedded/account.js';
import { startEmbedded } from '../../src/db/embedded/embedded.js';
import { clusterProcesses } from '../../src/db/embedded/leftovers.js';
import { reasonIn } from '../../src/db/embedded/postmaster.js';
import { onlyWhere } from '../support/left-out.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';

/** Data that PostgreSQL has, and does not start on: the line of the failed start says what is wrong with them. */

let folder: TemporaryFolder;
let pgData: string;

const start = () => startEmbedded({ dataDir: folder.path, durable: false });

describe('a start of the embedded PostgreSQL', () => {
  beforeEach(async () => {
    folder = await temporaryFolder();
    pgData = join(folder.path, 'postgres');
    await (await start()).stop();
  });
  afterEach(() => folder.remove());

  it('on a folder that is open to all says which permissions it needs', async () => {
    await chmod(pgData, 0o777);
    await expect(start()).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(
        /has invalid permissions; Permissions should be u=rwx \(0700\) or .*postgres\.log/,
      ),
    });
  });

  it('names the setting that it does not know, with its file and line', async () => {
    await appendFile(join(pgData, 'postgresql.conf'), 'shared_bufers = 1GB\n');
    await expect(start()).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(
        /unrecognized configuration parameter "shared_bufers" in file ".*\.conf" line \d+/,
      ),
    });
  });

  it('names the setting whose value is none, and what is allowed', async () => {
    await appendFile(join(pgData, 'postgresql.conf'), `work_mem = '64 megs'\n`);
    await expect(start()).rejects.toThrow(/invalid value for parameter "work_mem": "64 megs"; Valid units for this/);
  });

  it('ends when its own connections are refused by a changed pg_hba.conf', async () => {
    await writeFile(join(pgData, 'pg_hba.conf'), 'local orbweaver all trust\n');
    await expect(start()).rejects.toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(/no pg_hba\.conf entry for .*user "postgres"/),
    });
    expect(await clusterProcesses(pgData)).toEqual([]);
  });

  it(
    'by root on a copy that belongs to root says to whom it has to belong',
    onlyWhere(isRoot(), 'needs root'),
    async () => {
      execFileSync('chown', ['-R', 'root', pgData]);
      await expect(start()).rejects.toMatchObject({
        exitCode: 4,
        message: expect.stringMatching(/postgres belongs to root, .*: chown -R \w+ \/.*postgres$/),
      });
    },
  );
});

describe('the reason of a failed start', () => {
  it('is the last fatal line, not the advice below it', () => {
    const output = [
      '2026-12-01 02:24:53.297 UTC [7] LOG:  starting PostgreSQL 18.4',
      '2026-12-01 02:24:53.297 UTC [7] FATAL:  could not map anonymous shared memory: Cannot allocate memory',
      '2026-12-01 02:24:53.297 UTC [7] HINT:  This error usually means that the request exceeded available memory.',
      '2026-12-01 02:24:53.299 UTC [7] LOG:  database system is shut down',
    ];
    expect(reasonIn(output)).toBe(
      'could not map anonymous shared memory: Cannot allocate memory; ' +
        'This error usually means that the request exceeded available memory',
    );
  });

  it('is the only line of a program that did not run', () => {
    expect(reasonIn(['/bin/sh: 1: exec: postgres: not found'])).toBe('/bin/sh: 1: exec: postgres: not found');
  });

  it('is known to be missing', () => {
    expect(reasonIn([''])).toBe('no reason given');
  });
});
