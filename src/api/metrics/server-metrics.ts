/** Metrics of the API process: requests, connections, large answers, and its database connections. */
import type { NextFunction, Request, Response } from 'express';
import type { Pool } from 'pg';
import { Histogram, type Registry } from 'prom-client';
import type { AnswerBudget } from '../answer/answer-budget.js';
import type { StreamSemaphore } from '../answer/stream-semaphore.js';
import type { HeavyProcesses } from '../heavy/heavy-processes.js';
import type { Connections } from '../access/connections.js';
import { answerStatus } from '../request/answer-status.js';
import { LabelValues, counter, gauge } from './prometheus-metrics.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 60];
/** Maximum number of routes as label values; there are fewer. */
const MAX_ROUTES = 200;

/**
 * Middleware that measures every request: method, declared route, status, and seconds to the end of the answer. A request whose
 * connection closed before the end of its answer has the status `aborted`, as in the log.
 */
export function watchRequests(registry: Registry) {
  const ended = counter(registry, 'http_requests_total', 'Requests, by method and status.', ['method', 'status']);
  const byRoute = counter(registry, 'http_route_requests_total', 'The same, by route.', ['method', 'route', 'status']);
  const seconds = new Histogram({
    name: 'orbweaver_http_request_seconds',
    help: 'Seconds from the headers of a request to the end of its answer.',
    labelNames: ['method', 'route'],
    buckets: SECONDS,
    registers: [registry],
  });
  const routes = new LabelValues(MAX_ROUTES);
  return (request: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    // Only known methods become label values: each value takes memory.
    const method = METHODS.includes(request.method) ? request.method : 'other';
    response.on('close', () => {
      const route = routeOf(request, routes);
      const status = answerStatus(response);
      ended.inc({ method, status });
      byRoute.inc({ method, route, status });
      seconds.observe({ method, route }, (performance.now() - begun) / 1_000);
    });
    next();
  };
}

/** The route as declared (`/job/:id`), never the requested path. */
function routeOf(request: Request, known: LabelValues): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? known.valueOrOther(path) : 'none';
}

export interface Watched {
  connections: Connections | undefined;
  streams: StreamSemaphore;
  answers: AnswerBudget;
  pool: Pool;
  heavy: HeavyProcesses | undefined;
}

/** Gauges whose values are read from the parts of the server on each request. */
export function watchServer(registry: Registry, { connections, streams, answers, pool, heavy }: Watched): void {
  const gaugeOf = (name: string, help: string, value: () => number) => {
    const metric = gauge(registry, name, help);
    Object.assign(metric, { collect: () => metric.set(value()) });
  };
  gaugeOf('http_connections', 'Connections of clients.', () => connections?.size ?? 0);
  gaugeOf(
    'http_connections_evicted',
    'Idle or slow connections that were evicted, since the start.',
    () => connections?.evicted ?? 0,
  );
  gaugeOf('http_streams', 'Large answers being sent.', () => streams.size);
  gaugeOf('http_streams_unread', 'Large answers whose client has read nothing for a second.', () => streams.unread);
  gaugeOf(
    'http_streams_evicted',
    'Large answers that were evicted because their clients stopped reading, since the start.',
    () => streams.evicted,
  );
  gaugeOf('http_answer_bytes', 'Bytes of answers that are written and not yet read.', () => answers.size);
  gaugeOf(
    'http_answers_evicted',
    'Answers that were evicted because their clients stopped reading, since the start.',
    () => answers.evicted,
  );
  gaugeOf('heavy_processes', 'Processes for heavy requests.', () => heavy?.counts.processes ?? 0);
  const requests = gauge(registry, 'heavy_requests', 'Heavy requests that run, and those that wait for a process.', [
    'state',
  ]);
  Object.assign(requests, {
    collect: () => {
      requests.set({ state: 'at_work' }, heavy?.counts.running ?? 0);
      requests.set({ state: 'waiting' }, heavy?.counts.waiting ?? 0);
    },
  });
  const database = gauge(registry, 'db_pool', 'Database connections of this process, and requests that wait for one.', [
    'state',
  ]);
  Object.assign(database, {
    collect: () => {
      database.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      database.set({ state: 'idle' }, pool.idleCount);
      database.set({ state: 'waiting' }, pool.waitingCount);
      database.set({ state: 'most' }, pool.options.max ?? 0);
    },
  });
}
