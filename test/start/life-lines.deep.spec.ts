import { expect, it } from 'vitest';
import { testDatabase } from '../support/database.js';
import { temporaryFolder } from '../support/folders.js';
import { runProgram } from '../support/server.js';

/** The log lines of a server's start, stop and workers as JSON, with their levels. */

it('with LOG_FORMAT=json and LOG_LEVEL=warn the end of a worker is logged, start and stop are not', async () => {
  const [folder, db] = await Promise.all([temporaryFolder(), testDatabase()]);
  const [{ manyConnections }] = (await db.query(
    `select current_setting('max_connections')::int > 500 as "manyConnections"`,
  )) as [{ manyConnections: boolean }];
  const ended = runProgram({
    dataDir: folder.path,
    databaseUrl: db.url,
    env: { LOG_FORMAT: 'json', LOG_LEVEL: 'warn', DB_POOL_WORKER: '200' },
  });
  /** The pids of the server and its newest worker. */
  const living = async (): Promise<[server: number, worker: number] | undefined> => {
    const [one] = await db.query<{ id: string; pid: number }>('select id, pid from worker order by started_at desc');
    // `thisOwner`: … / pid of the server / its start / pid / start
    return one && [Number(one.id.split('/').at(-4)), one.pid];
  };
  try {
    await expect.poll(living).toBeDefined();
    const [server, worker] = (await living())!;
    process.kill(worker, 'SIGKILL');
    await expect.poll(async () => (await living())![1]).not.toBe(worker);
    process.kill(server, 'SIGTERM');
    const { code, stdout } = await ended;
    const logged = stdout
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { name: string; level: string; msg: string })
      .filter(({ name }) => name === 'server');
    expect([code, logged.map(({ level, msg }) => [level, msg.replace(/\d+/g, '#')])]).toEqual([
      0,
      [
        ...(manyConnections
          ? []
          : [['warn', expect.stringMatching(/^the database has # connections, and this server may open #/)]]),
        ['error', 'worker # ended (SIGKILL); another one starts in # ms'],
      ],
    ]);
  } finally {
    await db.drop();
    await folder.remove();
  }
});
