import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { ENOUGH_FILES, limitsWithin } from '../../src/api/access/connections.js';
import { startServer } from '../support/server.js';

/** A limit of open files (`ulimit -n`) that is lower than what the connections of an API need. */

const silent = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket));
    socket.on('error', reject);
  });

it('is reported at the start, and silent connections beyond it lock nobody out', async () => {
  const server = await startServer({ openFiles: 300, env: { WORKERS: '1' } });
  onTestFinished(async () => void (await server.stop()));
  expect(server.output()).toMatch(/at most 240 clients can be connected, .* 300 files: raise ulimit -n to 5120/);
  const sockets: Socket[] = [];
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const port = Number(new URL(server.url).port);
  for (let number = 0; number < 400; number += 1) sockets.push(await silent(port));
  expect((await fetch(`${server.url}/health/live`)).status).toBe(200);
});

it('leaves all connections to an API that may open enough files', () => {
  expect(limitsWithin(ENOUGH_FILES)).toEqual({ max: 4_096, maxOfOne: 2_048 });
  expect(limitsWithin(Infinity)).toEqual({ max: 4_096, maxOfOne: 2_048 });
  expect(limitsWithin(1_024)).toEqual({ max: 819, maxOfOne: 409 });
});
