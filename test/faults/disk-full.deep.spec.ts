import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type FileHandle, chown, open, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { onlyWhere } from '../support/left-out.js';
import { startEmbedded } from '../../src/db/embedded/embedded.js';
import { type TestDatabase, onCluster, testDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/folders.js';
import { runProgram, startServer } from '../support/server.js';
import { type Site, page, startSite } from '../support/site.js';
import { loopback } from '../support/cycle.js';
import { Crawler, until } from './crawl.js';
import { smallDisk } from './own-postgres.js';

/** The disk of the database is full (fault F9), and that of the server (fault F10). */

const PAGES = 160;
const MOUNT = 'needs the right to mount a tmpfs (faults F9, F10)';
/** Incompressible text. */
const body = () => `<title>t</title><p>${randomBytes(60_000).toString('base64')}</p>`;

async function startPages(): Promise<Site> {
  return startSite(async (request, response) => {
    await new Promise((wake) => setTimeout(wake, 50));
    return page(body())(request, response);
  });
}

const seedsOf = (site: Site): string => Array.from({ length: PAGES }, (_, i) => `${site.url}/p${i}`).join('\n');

async function asAdmin<Row extends pg.QueryResultRow>(statement: string): Promise<Row[]> {
  const admin = new pg.Client({ connectionString: inject('cluster').adminUrl });
  await admin.connect();
  return (await admin.query<Row>(statement).finally(() => admin.end())).rows;
}

// In a cluster this would be the disk of the coordinator, which has no pages.
const disk = onCluster ? undefined : await smallDisk(64);

describe('the disk of the database is full', onlyWhere(disk !== undefined, MOUNT), () => {
  let db: TestDatabase;
  let site: Site;
  let crawler: Crawler;
  const space = `small_${randomBytes(4).toString('hex')}`;
  beforeAll(async () => {
    site = await startPages();
    db = await testDatabase();
    const [server] = await asAdmin<{ folder: string }>(`select current_setting('data_directory') as folder`);
    const { uid, gid } = await stat(server!.folder);
    await chown(join(disk!.path, 'data'), uid, gid);
    await asAdmin(`create tablespace ${space} owner orbweaver location '${join(disk!.path, 'data')}'`);
    await asAdmin(`alter database ${db.name} set tablespace ${space}`);
    crawler = new Crawler(db);
    await crawler.start();
    await crawler.configure();
  });
  afterAll(async () => {
    await crawler?.close();
    await db?.drop();
    await asAdmin(`drop tablespace if exists ${space}`);
    await disk!.remove();
    await site?.close();
  });

  it('a FETCH waits, reports the reason in msg, stores complete pages only, and continues when there is space', async () => {
    await crawler.finished('INJECT', { seed: seedsOf(site) });
    await crawler.finished('GENERATE', { batch: 'b1' });
    const ballast = join(disk!.path, 'ballast');
    const { id } = await crawler.create('FETCH', { batch: 'b1', threads: 4 });
    await until(db, `select count(*) as n from webpage where fetch_mark is not null`, 20);
    await fill(ballast);
    const msg = async () => (await db.query<{ msg: string }>('select msg from job where id = $1', [id]))[0]!.msg;
    await expect.poll(msg).toMatch(/^OK: waiting for the database \(could not (extend|write)/);
    expect(await crawler.job(id)).toMatchObject({ state: 'RUNNING' });
    const [half] = await db.query(
      `select count(*)::int as n from webpage left join page_content using (crawl, host, key)
        where fetch_mark is not null and page_content.content is null`,
    );
    expect(half).toEqual({ n: 0 });
    await rm(ballast);
    expect(await crawler.ended(id)).toMatchObject({
      state: 'FINISHED',
      msg: 'OK',
      result: { counters: { FetcherStatus: { SUCCESS: PAGES } } },
    });
    expect(site.log.filter(({ path }) => path !== '/robots.txt')).toHaveLength(PAGES);
  });
});

const second = await smallDisk(192);
/** 200 MB of write-ahead log. */
const WRITE_AHEAD = `do $$ begin
  for i in 1..200 loop perform pg_logical_emit_message(false, 'x', repeat('x', 1000000)); end loop; end $$`;

describe('the disk of the embedded PostgreSQL is full', onlyWhere(second !== undefined, MOUNT), () => {
  afterAll(() => second!.remove());

  it('PostgreSQL exits, is restarted at growing intervals until there is space, and keeps its data', async () => {
    const full: number[] = [];
    let lost: Error | undefined;
    const folder = join(second!.path, 'postgres');
    const said = `PostgreSQL does not start while the disk of ${folder} is full: free at least 16 MiB there`;
    const server = await startEmbedded({
      dataDir: second!.path,
      durable: false,
      log: (line) => line === said && full.push(performance.now()),
      onLost: (error) => (lost = error),
    });
    const ask = async (statement: string) => {
      const client = new pg.Client({ connectionString: server.url });
      client.on('error', () => undefined);
      await client.connect();
      return (await client.query(statement).finally(() => client.end())).rows as unknown[];
    };
    await ask('create table kept as select 1 as n');
    await ask('checkpoint');
    const ballast = join(second!.path, 'ballast');
    await fill(ballast);
    // There is no space for a new WAL segment: PostgreSQL exits and cannot recover.
    await expect(ask(WRITE_AHEAD)).rejects.toThrow();
    // The pauses between the attempts grow: 250 ms, 500 ms, 1 s, 2 s. A recovery that finds a segment to reuse succeeds: then the
    // disk has to be filled again.
    const writeOn = () => ask(WRITE_AHEAD).catch(() => undefined);
    await expect.poll(() => writeOn().then(() => full.length)).toBeGreaterThanOrEqual(4);
    expect(full[3]! - full[2]!).toBeGreaterThan(1_990);
    await rm(ballast);
    await expect.poll(() => ask('select n from kept').catch(String)).toEqual([{ n: 1 }]);
    expect(lost).toBeUndefined();
    await server.stop();
  });

  it('/health/ready says so, and not that PostgreSQL is starting up, until there is space', async () => {
    const server = await startServer({ dataDir: second!.path });
    const ballast = join(second!.path, 'ballast');
    const ready = async () => (await fetch(`${server.url}/health/ready`)).json() as Promise<{ detail?: string }>;
    const writeOn = async () => {
      const client = new pg.Client({ connectionString: await readFile(join(second!.path, 'postgres.url'), 'utf8') });
      client.on('error', () => undefined);
      await client.connect().catch(() => undefined);
      await client.query(WRITE_AHEAD).catch(() => undefined);
      await client.end().catch(() => undefined);
    };
    await fill(ballast);
    const folder = join(second!.path, 'postgres');
    await expect
      .poll(() => writeOn().then(ready))
      .toMatchObject({
        detail: `The server is not ready: PostgreSQL does not start while the disk of ${folder} is full: free at least 16 MiB there; retry in 2 s.`,
      });
    await rm(ballast);
    await expect.poll(ready).toEqual({ status: 'ok' });
    expect(await server.stop()).toMatchObject({ code: 0 });
  });

  it('the start of a server exits with code 4 and one line of error', async () => {
    const ballast = join(second!.path, 'ballast');
    await fill(ballast);
    const { code, stderr } = await runProgram({ dataDir: second!.path });
    expect(stderr).toBe(`orbweaver: cannot write to the data directory ${second!.path} (ENOSPC)\n`);
    expect(code).toBe(4);
  });
});

/** Writes a file until the disk is full. */
async function fill(path: string): Promise<void> {
  const file = await open(path, 'w');
  try {
    for (const size of [256 * 1024, 4096, 1]) await fillBy(file, size);
  } finally {
    await file.close();
  }
}

async function fillBy(file: FileHandle, size: number): Promise<void> {
  try {
    for (;;) await file.write(Buffer.alloc(size));
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
  }
}

describe('the disk of the server is full', () => {
  let db: TestDatabase;
  let site: Site;
  beforeAll(async () => {
    site = await startPages();
    db = await testDatabase();
  });
  afterAll(async () => {
    await db.drop();
    await site.close();
  });

  it('logs that cannot be written stop no job, an export fails with code 8, and the server stops with 0', async () => {
    const folder = await temporaryFolder();
    const PORT = String(await freePort());
    // Every write to it fails with ENOSPC.
    const full = await open('/dev/full', 'w');
    const server = spawn(process.execPath, [fileURLToPath(new URL('../../dist/src/main.js', import.meta.url))], {
      env: {
        PATH: process.env['PATH'],
        DATABASE_URL: db.url,
        DATA_DIR: folder.path,
        PORT,
        WORKERS: '1',
        LOG_LEVEL: 'trace',
      },
      stdio: ['ignore', full.fd, full.fd],
    });
    const exited = once(server, 'exit');
    const url = `http://127.0.0.1:${PORT}`;
    const post = (path: string, given: unknown) =>
      fetch(url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(given),
      });
    await expect
      .poll(() =>
        fetch(`${url}/health/ready`).then(
          ({ status }) => status,
          () => 0,
        ),
      )
      .toBe(200);
    await post('/config/create', { configId: 'c', force: true, params: loopback });
    const made = await post('/v1/crawls', { crawlId: 'k', confId: 'c', seeds: seedsOf(site).split('\n'), rounds: 1 });
    expect(made.status).toBe(200);
    await until(db, `select count(*) as n from job where type = 'CRAWL' and state = 'FINISHED'`, 1);
    await until(db, `select count(*) as n from webpage where status = 2`, PAGES);

    const words = ['export', '--server', url, '--crawl-id', 'k', '--out'];
    const failed = await runProgram({ dataDir: folder.path, args: [...words, '/dev/full'] });
    expect(failed).toMatchObject({ code: 8 });
    expect(failed.stderr).toMatch(/^orbweaver: cannot write \/dev\/full: .*no space left on device.*\n$/);
    expect(await runProgram({ dataDir: folder.path, args: [...words, join(folder.path, 'pages')] })).toMatchObject({
      code: 0,
    });

    server.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    await full.close();
    await folder.remove();
  });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
