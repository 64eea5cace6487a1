import type { NextFunction, Request, Response } from 'express';
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';
import { rows, sql } from '../../db/sql.js';
import type { Database } from '../database.js';

/** What the server counts about itself, in Prometheus' text form. One object a server: tests run several in a process. */
export class Metrics {
  readonly registry = new Registry();
  private readonly requests = new Counter({
    name: 'orbweaver_http_requests_total',
    help: 'Requests answered, by method and status.',
    labelNames: ['method', 'status'],
    registers: [this.registry],
  });
  private readonly seconds = new Histogram({
    name: 'orbweaver_http_request_seconds',
    help: 'Seconds from the headers of a request to the end of its answer.',
    labelNames: ['method'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [this.registry],
  });

  constructor(database: Database) {
    collectDefaultMetrics({ register: this.registry });
    const jobs = new Gauge({
      name: 'orbweaver_jobs',
      help: 'Jobs that have not ended, by type and state.',
      labelNames: ['type', 'state'],
      registers: [this.registry],
      collect: async () => {
        jobs.reset();
        for (const { type, state, n } of await openJobs(database)) jobs.set({ type, state }, n);
      },
    });
  }

  /** The middleware that watches every request. */
  readonly watch = (request: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    // A method is a label only when it is a known one: labels are memory.
    const method = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].includes(request.method)
      ? request.method
      : 'other';
    response.on('close', () => {
      this.requests.inc({ method, status: response.statusCode });
      this.seconds.observe({ method }, (performance.now() - begun) / 1_000);
    });
    next();
  };
}

/** Counts the jobs that have not ended. */
function openJobs({ pool }: Database): Promise<{ type: string; state: string; n: number }[]> {
  return rows(
    pool,
    sql`
    select type, state, count(*)::int as n from job
     where state in ('IDLE', 'RUNNING', 'STOPPING', 'KILLING') group by type, state`,
  );
}
