import type { TestProject } from 'vitest/node';
import { type TestCluster, openCluster } from './cluster.js';

/** One PostgreSQL per test run; its database `orbweaver` is migrated once and serves as the template that `testDatabase()` clones. */

declare module 'vitest' {
  interface ProvidedContext {
    cluster: TestCluster;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { stop, ...cluster } = await openCluster(process.env['ORBWEAVER_TEST_DATABASE_URL']);
  project.provide('cluster', cluster);
  return stop;
}
