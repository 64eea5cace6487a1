import pg from 'pg';
import { migrate, openDataSource } from '../../src/db/data-source.js';
import { distribute } from '../../src/db/citus.js';
import { startEmbedded } from '../../src/db/embedded/embedded.js';
import type { PooledDataSource } from '../../src/db/pooled-data-source.js';
import { temporaryFolder } from './folders.js';

/**
 * The PostgreSQL of a test run: an embedded one in a temporary folder, without fsync; or the server that
 * ORBWEAVER_TEST_DATABASE_URL names (a superuser's connection string). Where its database belongs to a Citus cluster, each
 * test database is made on all nodes: a template is migrated and distributed once, and cloned node by node, which clones
 * shards and metadata alike.
 */

/** What the specs need to know of the cluster. */
export interface TestCluster {
  /** Superuser connection string of database `postgres` on the server that is spoken to. */
  readonly adminUrl: string;
  /** The same on the other nodes of a Citus cluster. */
  readonly workerUrls: readonly string[];
  /** Connection string of the migrated template, as the role that owns it. Never leave a connection to it open. */
  readonly templateUrl: string;
}

export interface RunningCluster extends TestCluster {
  stop(): Promise<void>;
}

const OWNER = 'orbweaver';

/** Starts or finds the server, and makes the template. */
export async function openCluster(databaseUrl: string | undefined): Promise<RunningCluster> {
  return databaseUrl ? givenCluster(databaseUrl) : embeddedCluster();
}

async function embeddedCluster(): Promise<RunningCluster> {
  const folder = await temporaryFolder();
  const server = await startEmbedded({ dataDir: folder.path, durable: false });
  // It would look at hundreds of databases by turns. Plans that tests look at go by statistics which they make themselves.
  await asAdmin(server.adminUrl, 'alter system set autovacuum = off');
  await asAdmin(server.adminUrl, 'select pg_reload_conf()');
  await withDataSource(server.url, migrate);
  return {
    adminUrl: server.adminUrl,
    workerUrls: [],
    templateUrl: server.url,
    stop: async () => {
      await server.stop();
      await folder.remove();
    },
  };
}

async function givenCluster(adminUrl: string): Promise<RunningCluster> {
  const template = `orbweaver_test_${process.pid}`;
  const [{ citus }] = (await asAdmin(adminUrl, `select to_regclass('pg_dist_node') is not null as citus`)) as [
    { citus: boolean },
  ];
  const workers = citus ? await workersOf(adminUrl) : [];
  const workerUrls = workers.map(({ nodename, nodeport }) => atNode(adminUrl, nodename, nodeport));
  const nodes = [adminUrl, ...workerUrls];
  for (const url of nodes) {
    // Of the roles that docs/operations.md asks for.
    await asAdmin(
      url,
      `do $$ begin create role ${OWNER} login in role pg_monitor; exception when duplicate_object then null; end $$`,
    );
    await asAdmin(url, `create database ${template} owner ${OWNER}`);
    if (citus) await asAdmin(ofDatabase(url, template), 'create extension citus');
  }
  const templateUrl = ofDatabase(adminUrl, template, OWNER);
  if (citus) await joinNodes(ofDatabase(adminUrl, template), workers);
  await withDataSource(templateUrl, async (dataSource) => {
    await migrate(dataSource);
    await distribute(dataSource);
  });
  for (const url of nodes) await seal(url, template);
  const stop = async () => {
    for (const url of nodes) {
      // Those that were filled once carry its name in front.
      const made = await asAdmin(
        url,
        `select datname as name from pg_database where starts_with(datname, '${template}')`,
      );
      for (const { name } of made as { name: string }[])
        await asAdmin(url, `drop database if exists ${name} with (force)`);
    }
  };
  return { adminUrl, workerUrls, templateUrl, stop };
}

interface Worker {
  nodename: string;
  nodeport: number;
}

async function workersOf(adminUrl: string): Promise<Worker[]> {
  return (await asAdmin(adminUrl, 'select nodename, nodeport from pg_dist_node where groupid <> 0')) as Worker[];
}

async function joinNodes(url: string, workers: readonly Worker[]): Promise<void> {
  const { hostname, port } = new URL(url);
  await asAdmin(url, `select citus_set_coordinator_host('${hostname}', ${port || 5432})`);
  for (const { nodename, nodeport } of workers) await asAdmin(url, `select citus_add_node('${nodename}', ${nodeport})`);
}

/** A template with a connection cannot be cloned; Citus' own daemon would hold one for good. */
async function seal(adminUrl: string, name: string): Promise<void> {
  await asAdmin(adminUrl, `alter database ${name} with allow_connections false`);
  await asAdmin(adminUrl, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where datname = '${name}'`);
}

async function withDataSource(url: string, work: (dataSource: PooledDataSource) => Promise<unknown>): Promise<void> {
  const dataSource = await openDataSource(url, { max: 2 });
  await work(dataSource);
  await dataSource.destroy();
}

function atNode(url: string, host: string, port: number): string {
  const node = new URL(url);
  node.hostname = host;
  node.port = String(port);
  return node.href;
}

/** The connection string of another database of the server, and perhaps of another role. */
export function ofDatabase(url: string, name: string, role?: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  if (role !== undefined) other.username = role;
  return other.href;
}

/** Runs a statement on a connection of its own; returns its rows. */
export async function asAdmin(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(statement)).rows;
  } finally {
    await client.end();
  }
}
