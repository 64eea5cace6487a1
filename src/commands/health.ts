/**
 * Whether the server of this container is healthy. A program of its own, for HEALTHCHECK: exit code 0 if it is, 1 if not.
 *
 * A server with an API is asked itself. One with workers only has no port: the heartbeats of its workers in the database
 * are checked, so an unavailable database makes it unhealthy, too.
 */
import { hostname } from 'node:os';
import { Client } from 'pg';
import { DEFAULT_PORT } from '../conf/env-defaults.js';
import { isAnyAlive } from '../job/worker.store.js';

const PATIENCE_MS = 5_000;

/** Addresses that mean all of a machine, including loopback. */
const WILDCARDS = ['', '0.0.0.0', '::'];

async function apiAnswers(host: string, port: string): Promise<boolean> {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const target = WILDCARDS.includes(address) ? '127.0.0.1' : address.includes(':') ? `[${address}]` : address;
  const answer = await fetch(`http://${target}:${port}/health/live`, { signal: AbortSignal.timeout(PATIENCE_MS) });
  return answer.ok;
}

/** Whether a worker of this machine has renewed its row lately. */
async function workerLives(url: string): Promise<boolean> {
  const client = new Client({
    connectionString: url,
    application_name: 'orbweaver health',
    connectionTimeoutMillis: PATIENCE_MS,
    query_timeout: PATIENCE_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await isAnyAlive(client, hostname());
  } finally {
    void client.end().catch(() => undefined);
  }
}

const { ROLE, HOST, PORT, DATABASE_URL } = process.env;
const well =
  ROLE === 'worker' ? workerLives(DATABASE_URL ?? '') : apiAnswers(HOST?.trim() ?? '', PORT || String(DEFAULT_PORT));
process.exit((await well.catch(() => false)) ? 0 : 1);
