import { createServer, get, type IncomingMessage, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import request from 'supertest';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signatureOf } from '../../src/job/webhook-signature.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Server, startServer } from '../support/server.js';
import { type Hosts, startHosts } from './crawl.js';

/** A crawl followed by an event stream and a webhook while its server is killed: both receive every event. */

const secret = 'whsec_of_the_test_0';
const key = 'one-crawl';

interface Delivered {
  id: string;
  kind: string;
  genuine: boolean;
}

let database: TestDatabase;
let hosts: Hosts;
let receiver: HttpServer;
let server: Server;
const delivered: Delivered[] = [];
beforeAll(async () => {
  database = await testDatabase();
  hosts = await startHosts({ hosts: 4, pages: 15, pauseMs: 20 });
  receiver = createServer((asked, response) => {
    let text = '';
    asked
      .on('data', (part) => (text += part))
      .on('end', () => {
        const { id, type } = JSON.parse(text) as { id: string; type: string };
        const seconds = Number(asked.headers['orbweaver-timestamp']);
        const genuine = asked.headers['orbweaver-signature'] === signatureOf(secret, seconds, text);
        delivered.push({ id, kind: type, genuine });
        response.end();
      });
  });
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening));
  server = await startServer({ databaseUrl: database.url });
});
afterAll(async () => {
  await server?.stop();
  receiver?.close();
  await hosts?.close();
  await database?.drop();
});

/** Reads a stream after the last of `ids` until it ends or breaks; returns whether its last event was `end`. */
function follow(url: string, ids: string[]): Promise<boolean> {
  return new Promise((resolve) => {
    let text = '';
    const take = (): void => {
      const frames = text.split('\n\n');
      text = frames.pop() ?? '';
      for (const frame of frames) {
        const id = /^id: (\d+)$/m.exec(frame)?.[1];
        if (id) ids.push(id);
        if (/^event: end$/m.test(frame)) resolve(true);
      }
    };
    const headers = ids.length > 0 ? { 'Last-Event-ID': ids.at(-1)! } : {};
    const asked = get(url, { headers, agent: false }, (answer: IncomingMessage) => {
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part;
        take();
      });
      answer.on('error', () => resolve(false)).on('close', () => resolve(false));
    });
    asked.on('error', () => resolve(false));
  });
}

async function create(): Promise<string> {
  const body = { crawlId: 'followed', seeds: hosts.seeds, rounds: 2 };
  for (;;) {
    const answer = await request(server.url).post('/v1/crawls').set('Idempotency-Key', key).send(body);
    if (answer.status === 200) return (answer.body as { id: string }).id;
    expect(answer.status).toBe(409);
    await sleep(200);
  }
}

it('a killed server loses no event of a stream and no delivery of a webhook, and starts no second crawl', async () => {
  const put = (name: string, value: string) =>
    request(server.url).put(`/config/default/${name}`).type('text/plain').send(value);
  await put('http.filter.ipaddress.exclude', '');
  await put('http.agent.name', 'test');
  await put('fetcher.server.delay', '0.02');
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`;
  const hook = await request(server.url)
    .post('/v1/webhooks')
    .send({ url, secret, crawlId: 'followed', events: ['state', 'task', 'warning', 'progress'] });
  expect(hook.status).toBe(200);

  const id = await create();
  const ids: string[] = [];
  let ended = false;
  for (let kills = 0; !ended; kills++) {
    const following = follow(`${server.url}/v1/crawls/${id}/events`, ids);
    if (kills < 3) {
      await sleep(700 + 300 * kills);
      await server.kill9('tree');
      ended = await following;
      server = await startServer({ databaseUrl: database.url });
      expect(await create()).toBe(id);
    } else ended = await following;
  }

  const log = await database.query<{ id: string }>(`
    select e.id from job_event e join job on job.id = e.job where job.crawl_id = 'followed' order by e.id`);
  const all = log.map((event) => event.id);
  expect(ids).toEqual(all);
  expect(await database.query(`select from job where crawl_id = 'followed' and type = 'CRAWL'`)).toHaveLength(1);
  expect(await database.query(`select from job where id = $1 and state = 'FINISHED'`, [id])).toHaveLength(1);

  const waiting = () => database.query(`select from webhook_delivery where state <> 'DELIVERED'`);
  // A delivery that a killed sender had started is sent again after its minute.
  while ((await waiting()).length > 0) {
    await database.query(`update webhook set busy_until = null`);
    await database.query(`update webhook_delivery set next_at = now() where state = 'WAITING'`);
    await sleep(100);
  }
  expect(delivered.every(({ genuine }) => genuine)).toBe(true);
  const once = [...new Set(delivered.map((one) => one.id))];
  expect(once.toSorted((a, b) => Number(a) - Number(b))).toEqual(all);
  // At most one delivery for each kill is repeated.
  expect(delivered.length - once.length).toBeLessThanOrEqual(3);
});
