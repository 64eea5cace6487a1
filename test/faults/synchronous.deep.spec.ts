import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Server, startServer } from '../support/server.js';
import { OwnPostgres } from './own-postgres.js';

/** A synchronous standby is gone: PostgreSQL lets each commit wait for it, without a limit. */

let postgres: OwnPostgres;
let server: Server;
beforeAll(async () => {
  postgres = await OwnPostgres.make();
  server = await startServer({ databaseUrl: postgres.url });
});
afterAll(async () => {
  await server?.stop();
  await postgres?.close();
});

async function standbys(names: string): Promise<void> {
  await postgres.admin(`alter system set synchronous_standby_names = '${names}'`);
  await postgres.admin('select pg_reload_conf()');
}

const ready = async () => {
  const answer = await fetch(`${server.url}/health/ready`);
  return [answer.status, ((await answer.json()) as { detail?: string }).detail];
};

it('the server is not ready and says why, until the standby is back; then the work that waited is done', async () => {
  await standbys('gone');
  const creating = fetch(`${server.url}/config/create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ configId: 'c', params: {} }),
  });
  await expect
    .poll(ready)
    .toEqual([
      503,
      'The server is not ready: commits wait for a standby that does not confirm them: start it, or take it out of synchronous_standby_names; retry in 2 s.',
    ]);
  await standbys('');
  expect((await creating).status).toBe(200);
  await expect.poll(ready).toEqual([200, undefined]);
});
