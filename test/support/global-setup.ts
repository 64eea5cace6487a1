import { DataSource } from 'typeorm';
import type { TestProject } from 'vitest/node';
import { migrate, openDataSource } from '../../src/db/data-source.js';
import { startEmbedded } from '../../src/db/embedded/embedded.js';
import { temporaryFolder } from './folders.js';

/**
 * One PostgreSQL per test run: a real embedded cluster in a temporary folder, without fsync. Its database `orbweaver` is
 * migrated once and serves as the template that `testDatabase()` clones.
 */

/** What the specs need to know of the cluster. */
export interface TestCluster {
  /** Superuser connection string of database `postgres`. */
  readonly adminUrl: string;
  /** Connection string of the migrated template, as the role that owns it. Never leave a connection to it open. */
  readonly templateUrl: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    cluster: TestCluster;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await temporaryFolder();
  const server = await startEmbedded({ dataDir: folder.path, durable: false });
  const dataSource: DataSource = await openDataSource(server.url, { max: 2 });
  await migrate(dataSource);
  await dataSource.destroy();
  project.provide('cluster', { adminUrl: server.adminUrl, templateUrl: server.url });
  return async () => {
    await server.stop();
    await folder.remove();
  };
}
