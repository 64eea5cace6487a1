import { mkdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildIfOld } from './build.js';
import type { TestCluster } from './cluster.js';
import { refuseWithoutConformance } from './left-out.js';
import { openRun } from './run-folder.mjs';

/**
 * Tests run what was built. One PostgreSQL per test run; its database `orbweaver` is migrated once and serves as the
 * template that `testDatabase()` clones. When the run ends, the SQL that the program has sent in it is compared with the
 * rules of docs/distributed.md.
 */

declare module 'vitest' {
  interface ProvidedContext {
    cluster: TestCluster;
    /** Folder for the statements that specs see. */
    sqlLog: string;
  }
}

export default async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  // Projects inherit the setup of the root, and what it provides.
  if (!project.isRootProject()) return undefined;
  refuseWithoutConformance();
  await buildIfOld();
  // What they load is what was built just now.
  const { openCluster } = await import('./cluster.js');
  const { judgeLoggedSql } = await import('../house/sql-report.js');
  // For this process, and all that it starts.
  const folder = await openRun(tmpdir());
  process.env['TMPDIR'] = folder;
  const sqlLog = join(folder, 'sql');
  await mkdir(sqlLog);
  const { stop, ...cluster } = await openCluster(process.env['ORBWEAVER_TEST_DATABASE_URL']);
  project.provide('cluster', cluster);
  project.provide('sqlLog', sqlLog);
  return async () => {
    await stop();
    const complaints = await judgeLoggedSql(sqlLog);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    if (complaints.length === 0) return;
    // Vitest tells of an error here, and would end with 0 all the same.
    process.exitCode = 1;
    throw new Error(`SQL that breaks a rule of docs/distributed.md:\n\n${complaints.join('\n\n')}\n`);
  };
}
