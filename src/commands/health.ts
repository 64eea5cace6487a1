/**
 * Whether the server of this container is healthy. A program of its own, for HEALTHCHECK: exit code 0 if it is, 1 if not.
 *
 * A server with an API is asked itself. One with workers only has no port: the heartbeats of its workers in the database
 * are checked, so an unavailable database makes it unhealthy, too.
 */
import { Agent, get } from 'node:http';
import { hostname } from 'node:os';
import { Client } from 'pg';
import { DEFAULT_PORT } from '../conf/env-defaults.js';
import { isAnyAlive } from '../job/worker.store.js';

const PATIENCE_MS = 5_000;

/** Addresses that mean all of a machine, including loopback. */
const WILDCARDS = ['', '0.0.0.0', '::'];

function apiAnswers(host: string, port: string): Promise<boolean> {
  const address = host.replace(/^\[(.*)\]$/, '$1');
  const target = WILDCARDS.includes(address) ? '127.0.0.1' : address;
  // With an agent of its own, unlike `fetch`, this is not sent to HTTP_PROXY where NODE_USE_ENV_PROXY is set.
  const options = { agent: new Agent(), signal: AbortSignal.timeout(PATIENCE_MS) };
  return new Promise((resolve, reject) => {
    const asked = get({ host: target, port, path: '/health/live', ...options }, ({ statusCode }) =>
      resolve(statusCode === 200),
    );
    asked.once('error', reject);
  });
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
