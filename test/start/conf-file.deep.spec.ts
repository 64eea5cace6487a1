import { createServer } from 'node:http';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import request from 'supertest';
import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/folders.js';
import { startServer } from '../support/server.js';

/** CONF_FILE is the base of configuration `default` in every process of a server: here its workers, which send the webhooks. */

it('CONF_FILE applies to workers, also to a restarted one: a webhook reaches an address that it allows', async () => {
  const [folder, db] = await Promise.all([temporaryFolder(), testDatabase()]);
  const CONF_FILE = join(folder.path, 'conf.json');
  await writeFile(CONF_FILE, JSON.stringify({ 'http.filter.ipaddress.exclude': '' }));
  const paths: (string | undefined)[] = [];
  const receiver = createServer(({ url }, response) => response.end(String(paths.push(url)))).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const server = await startServer({ dataDir: folder.path, databaseUrl: db.url, env: { CONF_FILE } });
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
    const { body, status } = await request(server.url).post('/v1/webhooks').send({ url });
    expect([status, body.msg]).toEqual([200, 'OK']);
    await request(server.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'c', args: {} });
    const attempted = async () =>
      (await db.query<{ n: number }>('select count(*)::int as n from webhook_delivery where attempts > 0'))[0]!.n;
    await expect.poll(attempted).toBeGreaterThan(0);
    await expect.poll(() => paths).toContain('/');

    // A changed file takes effect at the next start of the server: a restarted worker still uses the values read before.
    await writeFile(CONF_FILE, '{ half a file');
    const workers = async () => (await db.query<{ pid: number }>('select pid from worker')).map(({ pid }) => pid);
    const [killed] = await workers();
    process.kill(killed!, 'SIGKILL');
    await expect.poll(workers).toEqual([expect.any(Number)]);
    await expect.poll(workers).not.toEqual([killed]);
    // Another webhook, because the delivery that the killed worker had begun is not claimed at once.
    await request(server.url)
      .post('/v1/webhooks')
      .send({ url: `${url}again` });
    await request(server.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'c', args: {} });
    await expect.poll(() => paths).toContain('/again');
  } finally {
    await server.stop();
    receiver.close();
    await db.drop();
    await folder.remove();
  }
});
