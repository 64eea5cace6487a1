/** What the API counts about itself: requests, connections, large answers, and its connections to the database. */
import type { NextFunction, Request, Response } from 'express';
import type { Pool } from 'pg';
import { Histogram, type Registry } from 'prom-client';
import type { AnswerBudget } from '../answer/answer-budget.js';
import type { StreamSemaphore } from '../answer/stream-semaphore.js';
import type { HeavyProcesses } from '../heavy/heavy-processes.js';
import type { Connections } from '../access/connections.js';
import { answerStatus } from '../request/answer-status.js';
import { LabelValues, counter, gauge } from './figures.js';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const SECONDS = [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 60];
/** Routes that are distinguished; there are fewer. */
const MAX_ROUTES = 200;

/**
 * The middleware that watches every request: method, route as it is declared, status, and seconds to the end of the answer.
 * A request whose connection ended before the end of its answer has the status `aborted`, as in the log.
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
    // A method is a label only when it is a known one: labels are memory.
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

/** The route as it is declared (`/job/:id`), never the path that was asked for. */
function routeOf(request: Request, known: LabelValues): string {
  const { path } = (request.route ?? {}) as { path?: unknown };
  return typeof path === 'string' ? known.of(path) : 'none';
}

export interface Watched {
  connections: Connections | undefined;
  streams: StreamSemaphore;
  answers: AnswerBudget;
  pool: Pool;
  heavy: HeavyProcesses | undefined;
}

/** Gauges that are read off the parts of the server when somebody asks. */
export function watchServer(registry: Registry, { connections, streams, answers, pool, heavy }: Watched): void {
  const gaugeOf = (name: string, help: string, value: () => number) => {
    const made = gauge(registry, name, help);
    Object.assign(made, { collect: () => made.set(value()) });
  };
  gaugeOf('http_connections', 'Connections of clients.', () => connections?.size ?? 0);
  gaugeOf(
    'http_connections_evicted',
    'Idle or slow connections that were evicted, since the start.',
    () => connections?.evicted ?? 0,
  );
  gaugeOf('http_streams', 'Large answers under way.', () => streams.size);
  gaugeOf('http_streams_unread', 'Large answers whose reader has taken nothing for a second.', () => streams.unread);
  gaugeOf(
    'http_streams_evicted',
    'Large answers that were evicted because their clients did not read on, since the start.',
    () => streams.evicted,
  );
  gaugeOf('http_answer_bytes', 'Bytes of answers that are made and not yet taken.', () => answers.size);
  gaugeOf(
    'http_answers_evicted',
    'Answers that were evicted because their clients did not read on, since the start.',
    () => answers.evicted,
  );
  gaugeOf('heavy_processes', 'Processes for heavy requests.', () => heavy?.counts.processes ?? 0);
  const requests = gauge(registry, 'heavy_requests', 'Heavy requests at work, and those that wait for a process.', [
    'state',
  ]);
  Object.assign(requests, {
    collect: () => {
      requests.set({ state: 'at_work' }, heavy?.counts.atWork ?? 0);
      requests.set({ state: 'waiting' }, heavy?.counts.waiting ?? 0);
    },
  });
  const database = gauge(
    registry,
    'db_pool',
    'Connections of this process to the database, and requests that wait for one.',
    ['state'],
  );
  Object.assign(database, {
    collect: () => {
      database.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      database.set({ state: 'idle' }, pool.idleCount);
      database.set({ state: 'waiting' }, pool.waitingCount);
      database.set({ state: 'most' }, pool.options.max ?? 0);
    },
  });
}
