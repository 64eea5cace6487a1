import { afterAll, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Handler, type Site, page, startSite } from '../support/site.js';
import { Crawler, pause, until } from './crawl.js';

/**
 * A worker that has lost its task to another one without knowing (fault F5): its next heartbeat or write tells it, and it sends
 * requests until then. The new owner sends none to the same hosts before that.
 */

const HOSTS = 8;
const PAGES = 100;
const TIMES = 4;
/** Responses before each of those times, which leaves enough for the last attempt. */
const ANSWERS = (HOSTS * PAGES) / (TIMES + 2);

/** Number of responses that the hosts send before they wait. */
let answers = 0;

let db: TestDatabase;
let sites: Site[];
/** For each host: the connections of its requests, in order. */
const connections: number[][] = [];
let one: Crawler;
let two: Crawler;
beforeAll(async () => {
  db = await testDatabase();
  const answer = page('<title>t</title> words');
  const noting = (i: number): Handler => {
    const ports: number[] = (connections[i] = []);
    return async (request, response) => {
      ports.push(request.socket.remotePort!);
      while (answers <= 0) await pause(5);
      answers--;
      return answer(request, response);
    };
  };
  sites = await Promise.all(
    Array.from({ length: HOSTS }, (_, i) => startSite({ '*': noting(i) }, { host: `127.0.1.${i + 1}` })),
  );
  // With one slot a worker cannot claim its own task again, only the other can.
  [one, two] = [new Crawler(db, { WORKER_SLOTS: '1' }), new Crawler(db, { WORKER_SLOTS: '1' })];
  await Promise.all([one.start(), two.start()]);
});
afterAll(async () => {
  await Promise.all([one?.close(), two?.close()]);
  await db?.drop();
  await Promise.all((sites ?? []).map((site) => site.close()));
});

/**
 * The lease of the task expires, and a worker rescues it before a heartbeat renews it. Its requests have no response until
 * then.
 */
async function overtake(job: string): Promise<void> {
  const lost = async () =>
    (await db.query(`select from job_event where job = $1 and data ->> 'msg' like 'lost by %'`, [job])).length;
  for (const before = await lost(); (await lost()) === before; await pause(20))
    await db.query(
      `update job_task set lease_until = now() - interval '1 second' where job = $1 and state = 'RUNNING'`,
      [job],
    );
}

it('a worker that lost its task sends no more requests to a host after the new owner has started', async () => {
  await one.configure({ 'fetcher.server.delay': '0.05', 'fetcher.threads.per.queue': '1' });
  const seed = sites.flatMap(({ url }) => Array.from({ length: PAGES }, (_, i) => `${url}/${i}`)).join('\n');
  await one.finished('INJECT', { seed });
  await one.finished('GENERATE', { batch: 'b1' });
  const { id } = await one.create('FETCH', { batch: 'b1', numTasks: 1 });
  for (let time = 1; time <= TIMES; time++) {
    answers = ANSWERS;
    while (answers > 0) await pause(5);
    // A task that is lost repeatedly without a write is failed.
    await until(db, `select count(*) as n from job_task where state = 'RUNNING' and lost = 0`, 1);
    await overtake(id);
  }
  answers = Infinity;
  expect((await two.ended(id)).state).toBe('FINISHED');
  for (const ports of connections) {
    const runs = ports.filter((port, i) => port !== ports[i - 1]);
    // A connection that occurs again had not ended: two workers sent requests at once.
    expect(runs).toEqual([...new Set(runs)]);
    expect(runs.length).toBeGreaterThan(1);
  }
  const [pages] = await db.query(`select count(*)::int as n from webpage where fetch_mark = 'b1'`);
  expect(pages).toEqual({ n: HOSTS * PAGES });
});
