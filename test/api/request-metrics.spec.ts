import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Request, Response } from 'express';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { watchRequests } from '../../src/api/metrics/server-metrics.js';

/** The metrics of requests: by method, declared route and status, with seconds from the headers to the end of the answer. */

const registry = new Registry();
const watch = watchRequests(registry);
/** The monotonic clock, ms. */
let now = 1_000;
/** A request takes as many milliseconds as its path says; one to /cut is cut off. */
const server = createServer((request, response) =>
  watch(Object.assign(request, { route: { path: '/wait/:ms' } }) as unknown as Request, response as Response, () => {
    if (request.url === '/cut') return void request.socket.destroy();
    now += Number(request.url!.slice(1));
    response.end();
  }),
);
let url: string;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => void vi.spyOn(performance, 'now').mockImplementation(() => now));
afterAll(() => server.close());

it('are counted and measured in seconds', async () => {
  for (const [method, ms] of [
    ['GET', 250],
    ['GET', 1_500],
    ['POST', 4],
    ['TRACE', 0],
  ] as const)
    await (await fetch(`${url}/${ms}`, { method: method === 'TRACE' ? 'PROPFIND' : method })).text();
  await fetch(`${url}/cut`).catch(() => undefined);
  await expect.poll(() => registry.metrics()).toContain('status="aborted"');
  const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('orbweaver_'));
  const of = (name: string) => lines.filter((line) => line.startsWith(`orbweaver_${name}{`));
  expect(of('http_requests_total')).toEqual([
    'orbweaver_http_requests_total{method="GET",status="200"} 2',
    'orbweaver_http_requests_total{method="POST",status="200"} 1',
    'orbweaver_http_requests_total{method="other",status="200"} 1',
    'orbweaver_http_requests_total{method="GET",status="aborted"} 1',
  ]);
  expect(of('http_route_requests_total')[0]).toBe(
    'orbweaver_http_route_requests_total{method="GET",route="/wait/:ms",status="200"} 2',
  );
  expect(of('http_request_seconds_sum')).toEqual([
    'orbweaver_http_request_seconds_sum{method="GET",route="/wait/:ms"} 1.75',
    'orbweaver_http_request_seconds_sum{method="POST",route="/wait/:ms"} 0.004',
    'orbweaver_http_request_seconds_sum{method="other",route="/wait/:ms"} 0',
  ]);
  const bucket = (le: string, method: string) =>
    `orbweaver_http_request_seconds_bucket{le="${le}",method="${method}",route="/wait/:ms"}`;
  expect(of('http_request_seconds_bucket')).toEqual(
    expect.arrayContaining([
      `${bucket('0.1', 'GET')} 1`,
      `${bucket('0.5', 'GET')} 2`,
      `${bucket('2', 'GET')} 3`,
      `${bucket('0.005', 'POST')} 1`,
    ]),
  );
});
