/** Bodies longer than any route reads are refused by their head, whatever else the connection is used for. */
import { type Socket, connect } from 'node:net';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyBudget } from '../../src/api/request/body.interceptor.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest, raw, rawRequest } from './api-under-test.js';

const head = (line: string, length: number) =>
  `${line} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const mib = Buffer.alloc(1_048_576, ' ');

describe('a request with a Content-Length above 64 MiB', () => {
  let database: TestDatabase;
  let api: ApiUnderTest;
  const uncaught: unknown[] = [];
  const note = (error: unknown) => uncaught.push(error);
  beforeAll(async () => {
    process.on('uncaughtException', note);
    database = await testDatabase();
    api = await apiUnderTest({}, database);
  });
  afterAll(async () => {
    process.off('uncaughtException', note);
    await api?.close();
    await database?.drop();
  });

  it('returns 413 and closes the connection', async () => {
    const answer = await raw(api.port, head('POST /db', 99_999_999));
    expect([answer.status, answer.headers.get('connection')]).toEqual([413, 'close']);
    expect(answer.body).toContain('BODY_TOO_LARGE');
  });

  it('does not disturb other connections when pipelined after an open response', async () => {
    const job = await request(api.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'idle', args: {} });
    const socket = connect(api.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(`GET /v1/jobs/${job.body.id}/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    socket.write(head('POST /db', 99_999_999));
    for (let n = 0; n < 65; n++) socket.write(mib);
    // Other requests are answered while the body arrives or is not read.
    for (let n = 0; n < 50; n++) {
      expect((await rawRequest(api.port, 'GET /health/live')).status).toBe(200);
    }
    expect(uncaught).toEqual([]);
    socket.destroy();
  });

  it('releases the reserved bytes of the body budget', async () => {
    const clients = Array.from({ length: 40 }, async () => {
      const socket = connect(api.port, '127.0.0.1');
      socket.on('error', () => undefined).resume();
      socket.write(head('POST /db', 99_999_999));
      socket.write(mib);
      // Closed with an error or without one: the server does not wait for the rest.
      await new Promise<void>((done) => (socket.closed ? done() : socket.once('close', () => done())));
    });
    await Promise.all(clients);
    // After close all reservations are released.
    await api.close();
    expect(bodyBudget.used).toBe(0);
  });
});

describe('a body in chunks, whose length is not known', () => {
  let api: ApiUnderTest;
  beforeAll(async () => {
    api = await apiUnderTest();
  });
  afterAll(() => api?.close());

  /** Sends the head of a request and `n` MiB of its body, and waits until the system has accepted them. */
  async function begun(n: number): Promise<{ socket: Socket; answer: Promise<string> }> {
    const socket = connect(api.port, '127.0.0.1');
    let text = '';
    socket.on('error', () => undefined).on('data', (part) => (text += part.toString()));
    const answer = new Promise<string>((resolve) => socket.once('close', () => resolve(text)));
    const type = 'Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n';
    socket.write(`POST /db HTTP/1.1\r\nHost: 127.0.0.1\r\n${type}\r\n`);
    const chunk = Buffer.concat([Buffer.from('100000\r\n'), mib, Buffer.from('\r\n')]);
    for (let at = 0; at < n && !socket.destroyed; at++) await new Promise((sent) => socket.write(chunk, sent));
    return { socket, answer };
  }

  it('uses no more memory than its limit, however much of it follows', async () => {
    const { socket, answer } = await begun(50);
    // The system between the two keeps some megabytes at most: the server has read the others.
    expect(bodyBudget.used).toBeLessThanOrEqual(mib.length);
    socket.write('0\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 413 [^]*BODY_TOO_LARGE/);
  });

  it('is answered 413 and cut off after 64 MiB, though it does not end', async () => {
    const { socket, answer } = await begun(64);
    // The byte beyond: no others are on their way, whose arrival after the end would discard the answer.
    socket.write('1\r\n \r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 413 [^]*BODY_TOO_LARGE/);
  });
});
