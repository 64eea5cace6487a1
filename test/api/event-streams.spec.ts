import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import express, { type Response } from 'express';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Database } from '../../src/api/database.js';
import { Watch, MAX_STREAMS, streamLimits } from '../../src/api/event/event-hub.js';
import { type Followed, streamEvents } from '../../src/api/event/event-stream.js';
import { EventLog } from '../../src/api/event/event-log.query.js';
import type { Scope } from '../../src/conf/credentials.js';
import { type JobEvent } from '../../src/job/job-event.store.js';
import type { JobState } from '../../src/core/job/job-states.js';
import { JobStore } from '../../src/job/job.store.js';
import { type ApiUnderTest, apiUnderTest } from './api-under-test.js';
import { type EventJobs, apiWithJobs, createFetch, moveJob } from './event-jobs.js';
import { type Stream, openStream, states } from './event-reader.js';

let under: EventJobs;
let api: ApiUnderTest;
let jobs: JobStore;
beforeAll(async () => {
  under = await apiWithJobs();
  ({ api, jobs } = under);
});
afterAll(() => api?.close());

const newJob = (crawlId?: string) => createFetch(under, crawlId);
const move = (id: string, to: JobState, result?: Parameters<typeof moveJob>[3]) => moveJob(under, id, to, result);
const open = (path: string, headers: Record<string, string> = {}, base = api.url) => openStream(base, path, headers);

describe('event streams of an API', () => {
  it(`serves ${MAX_STREAMS} streams at once and returns 429 for the next until one closes`, async () => {
    const { id } = await newJob('many');
    const streams: Stream[] = [];
    for (let n = 0; n < MAX_STREAMS; n += 50)
      streams.push(...(await Promise.all(Array.from({ length: 50 }, () => open(`/v1/jobs/${id}/events`)))));
    const refused = await request(api.url).get(`/v1/jobs/${id}/events`);
    expect([refused.status, refused.body.code, refused.headers['retry-after']]).toEqual([429, 'TOO_MANY_STREAMS', '5']);
    expect((await request(api.url).get(`/v1/jobs/${id}/events`).set('Accept', 'application/json')).status).toBe(200);
    await move(id, 'RUNNING');
    await Promise.all(streams.map((stream) => stream.until(2)));
    streams.forEach((stream) => stream.leave());
    let status = 429;
    for (; status === 429; await sleep(20)) {
      const next = await open(`/v1/jobs/${id}/events`);
      status = next.answer.statusCode ?? 0;
      next.leave();
    }
    expect(status).toBe(200);
  });

  it('are cut off, with nothing added to them, when their client sends bytes that are not HTTP', async () => {
    const { id } = await newJob('malformed');
    const socket = connect(api.port, '127.0.0.1');
    let text = '';
    socket.on('error', () => undefined).on('data', (part) => (text += part.toString()));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    socket.write(`GET /v1/jobs/${id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    await expect.poll(() => text).toContain('IDLE');
    socket.write('these bytes are not HTTP\r\n\r\n');
    await closed;
    expect(text).toMatch(/^HTTP\/1\.1 200 /);
    expect(text).not.toMatch(/HTTP\/1\.1 400|REQUEST_MALFORMED/);
  });

  it('limits the streams per key and of all keys together, and reserves some for admin keys', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest();
    const key = (name: string, scope: Scope) => ({ name, scope, sha256: sha256(`secret-of-${name}`) });
    const readers = Array.from({ length: 6 }, (_, n) => `reader${n}`);
    const shared = await apiUnderTest(
      { apiKeys: [...readers.map((name) => key(name, 'read')), key('chief', 'admin')] },
      api.database,
    );
    const { id } = await newJob('shared');
    const bearer = (name: string) => ({ Authorization: `Bearer secret-of-${name}` });
    const opened: Stream[] = [];
    const fill = async (name: string): Promise<string> => {
      for (;;) {
        const streams = await Promise.all(
          Array.from({ length: 50 }, () => open(`/v1/jobs/${id}/events`, bearer(name), shared.url)),
        );
        opened.push(...streams);
        const refused = streams.find(({ answer }) => answer.statusCode === 429);
        if (refused === undefined) continue;
        await refused.ended;
        return refused.text();
      }
    };
    const refusals = [];
    for (const name of readers) refusals.push(await fill(name));
    const open200 = opened.filter(({ answer }) => answer.statusCode === 200);
    expect(open200).toHaveLength(streamLimits.max - streamLimits.reserved);
    expect(refusals[0]).toContain(`${streamLimits.maxPerKey} event streams of this key`);
    expect(refusals.at(-1)).not.toContain('of this key');
    const chief = await open(`/v1/jobs/${id}/events`, bearer('chief'), shared.url);
    expect(chief.answer.statusCode).toBe(200);
    [...opened, chief].forEach((stream) => stream.leave());
    await shared.close();
  });

  it('ends its streams when the API closes', async () => {
    const second = await apiUnderTest({}, api.database);
    const { id } = await newJob('closing');
    const stream = await open(`/v1/jobs/${id}/events`, {}, second.url);
    await stream.until(1);
    await second.close();
    await stream.ended;
    expect(stream.answer.complete).toBe(true);
    expect(stream.frames).toHaveLength(1);
  });
});

describe('an event stream (HTML §9.2, server-sent events)', () => {
  let server: Server;
  let serve: (response: Response) => Promise<void>;
  beforeAll(async () => {
    server = createServer(express().use((_, response) => void serve(response)));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  });
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });

  const event = (n: number, size = 0): JobEvent => ({
    id: String(n),
    job: 'j',
    time: new Date(0),
    kind: 'progress',
    data: { pad: 'x'.repeat(size) },
  });
  const following = (read: Followed['read']): Followed => ({ crawl: 1, read, end: () => Promise.resolve(undefined) });
  const base = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  it.each<[string, (log: EventLog, id: string) => Promise<Followed>]>([
    ['a job', (log, id) => log.ofJob(id)],
    ['a job and its children', (log, id) => log.ofCrawl(id, false)],
    ['a crawl until its end', (log) => log.ofCrawl('c6', true)],
  ])('of %s sends the last event, even if the job ends between two queries', async (_, ask) => {
    const { id } = await newJob('c6');
    await move(id, 'RUNNING');
    const log = new EventLog(jobs, new Database(await api.database.dataSource()));
    const { crawl, read, end } = await ask(log, id);
    let over: Promise<unknown> | undefined;
    const thenTheJobEnds = async <T>(answer: Promise<T>): Promise<T> => {
      await answer;
      await (over ??= move(id, 'FINISHED'));
      return answer;
    };
    const followed: Followed = {
      crawl,
      read: (after, limit) => thenTheJobEnds(read(after, limit)),
      end: () => thenTheJobEnds(end()),
    };
    serve = (response) =>
      streamEvents(response, followed, {
        watch: new Watch(crawl),
        after: '0',
        times: { heartbeatMs: 5, stalledMs: 1_000 },
      });
    const stream = await open('/', {}, base());
    await stream.ended;
    expect(states(stream.frames).slice(-2)).toEqual([
      ['state', 'FINISHED'],
      ['end', 'FINISHED'],
    ]);
  });

  it('sends comments as heartbeats while there are no events', async () => {
    const watch = new Watch(1);
    serve = (response) =>
      streamEvents(
        response,
        following(() => Promise.resolve([])),
        {
          watch,
          after: '0',
          times: { heartbeatMs: 5, stalledMs: 1_000 },
        },
      );
    const stream = await open('/', {}, base());
    while (stream.text().split(':\n\n').length < 4) await sleep(1);
    watch.end();
    await stream.ended;
    expect(stream.text()).toMatch(/^retry: 1000\n\n(?::\n\n)+$/);
  });

  it('sends heartbeats also while notifications of other jobs arrive', async () => {
    const watch = new Watch(1);
    let reads = 0;
    const nothing = async () => {
      await sleep(1);
      if (++reads < 200) watch.wake();
      else watch.end();
      return [];
    };
    serve = (response) =>
      streamEvents(response, following(nothing), {
        watch,
        after: '0',
        times: { heartbeatMs: 20, stalledMs: 1_000 },
      });
    const stream = await open('/', {}, base());
    await stream.ended;
    expect(stream.text()).toMatch(/^retry: 1000\n\n(?::\n\n){3,}$/);
  });

  it('whose client reads nothing stops querying when the socket buffers are full, and is closed', async () => {
    let reads = 0;
    const { promise, resolve } = Promise.withResolvers<void>();
    serve = (response) =>
      streamEvents(
        response,
        following((after) => {
          reads++;
          return Promise.resolve(Array.from({ length: 100 }, (_, n) => event(Number(after) + 1 + n, 10_000)));
        }),
        { watch: new Watch(1), after: '0', times: { heartbeatMs: 15_000, stalledMs: 200 } },
      ).then(resolve);
    const socket = connect(Number(new URL(base()).port), '127.0.0.1', () =>
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'),
    );
    socket.pause();
    await promise;
    // The buffers of the two sockets take some megabytes.
    expect(reads).toBeLessThan(20);
    socket.destroy();
  });
});
