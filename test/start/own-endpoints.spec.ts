/** C3 of the threat list, with the whole program: a crawl without address rules reaches neither its API nor its database. */
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Orbweaver } from '../../clients/typescript/src/orbweaver.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Server, startServer } from '../support/server.js';
import { type Site, page, startSite } from '../support/site.js';
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.js';

let db: TestDatabase;
/** A mapped port of the database. */
let mapped: TcpProxy;
let server: Server;
let site: Site;
beforeAll(async () => {
  db = await testDatabase();
  const { host, port } = new pg.Client({ connectionString: db.url });
  mapped = await startTcpProxy(host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port });
  const url = new URL(mapped.databaseUrl(db.url));
  url.port = '';
  url.searchParams.set('port', String(mapped.port));
  server = await startServer({ databaseUrl: url.href });
  site = await startSite({
    '/': page('<title>open</title>'),
    '/robots.txt': page('', { 'content-type': 'text/plain' }),
  });
});
afterAll(async () => {
  await server?.stop();
  await site?.close();
  await mapped?.close();
  await db?.drop();
});

it('a crawl without address rules is refused at the ports of the API and the database, but not at others', async () => {
  const client = new Orbweaver({ url: server.url });
  const params = {
    'http.agent.name': 'orbweaver-test',
    'http.filter.ipaddress.exclude': '',
    'http.filter.ports.exclude': '',
    'fetcher.server.delay': '0',
  };
  for (const [name, value] of Object.entries(params)) await client.config.set('default', name, value);
  const own = [`${server.url}/health/live`, `http://127.0.0.1:${mapped.port}/`, `http://localhost:${mapped.port}/`];
  const made = await fetch(`${server.url}/v1/crawls`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ crawlId: 'own', seeds: [...own, `${site.url}/`], rounds: 1 }),
  });
  const { id } = (await made.json()) as { id: string };
  const state = async () => ((await (await fetch(`${server.url}/v1/crawls/${id}`)).json()) as { state: string }).state;
  await expect.poll(state).toBe('FINISHED');
  const found = new Map<string, string>();
  for await (const { url, protocolStatus } of client.pages({ crawlId: 'own' }))
    found.set(url, JSON.stringify(protocolStatus));
  expect(found.get(`${site.url}/`)).toContain('SUCCESS');
  for (const url of own) expect([url, found.get(url)]).toEqual([url, expect.stringContaining('own-port')]);
});
