import { afterAll, beforeAll } from 'vitest';
import { Orbweaver } from '../../clients/typescript/src/orbweaver.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type Ended, type Server, startServer } from '../support/server.js';
import { type Handler, page, type Site, startSite } from '../support/site.js';
import { startProgram } from './program.js';

/** A running server with a key, and a site that it may crawl: for specs of commands and clients. */

export const KEY = 'a-secret-of-24-characters';
/** Set once a spec called `useServer`. */
export let db: TestDatabase;
export let server: Server;
export let site: Site;
export let folder: TemporaryFolder;
export let client: Orbweaver;

export const html = (title: string, ...links: string[]): Handler =>
  page(`<title>${title}</title>${links.map((link) => `<a href="${link}">x</a>`).join('')}`);

export function useServer(): void {
  beforeAll(async () => {
    folder = await temporaryFolder();
    db = await testDatabase();
    site = await startSite({
      '/': html('home', '/a', '/b', '/private/x'),
      '/a': html('a', '/b', '/c'),
      '/b': html('b'),
      '/c': html('c'),
      '/robots.txt': page('User-agent: *\n# keep out\nDisallow: /private/\n', { 'content-type': 'text/plain' }),
    });
    server = await startServer({ databaseUrl: db.url, env: { API_KEYS: `admin:${KEY}` } });
    client = new Orbweaver({ url: server.url, key: KEY });
    await client.config.set('default', 'http.agent.name', 'commands-test');
    await client.config.set('default', 'http.filter.ipaddress.exclude', '');
    await client.config.set('default', 'fetcher.server.delay', '0');
  });
  afterAll(async () => {
    await server?.stop();
    await site?.close();
    await db?.drop();
    await folder?.remove();
  });
}

/** Runs a command of the program against the server until it ends. */
export const run = (...args: string[]): Promise<Ended> =>
  startProgram(args, { ORBWEAVER_SERVER: server.url, ORBWEAVER_KEY: KEY, TMPDIR: folder.path }).ended;

export async function urlsOf(crawlId: string, status = 'db_fetched'): Promise<string[]> {
  const urls: string[] = [];
  for await (const { url } of client.pages({ crawlId, status })) urls.push(new URL(url).pathname);
  return urls;
}
