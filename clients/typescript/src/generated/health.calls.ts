/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type { Health } from './schemas.js';

/** Calls of the group `health`. */
export class HealthCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Is the process alive?
   * Requires no key.
   * `GET /health/live`
   */
  live(options: CallOptions = {}): Promise<Health> {
    return this.transport.json<Health>({ method: 'GET', path: '/health/live', accept: 'application/json', options });
  }

  /**
   * Is the server ready?
   * It is when the database responds, commits, and has the current schema.
   * `GET /health/ready`
   */
  ready(options: CallOptions = {}): Promise<Health> {
    return this.transport.json<Health>({ method: 'GET', path: '/health/ready', accept: 'application/json', options });
  }

  /**
   * Metrics
   * Throughput, queues, failures and sizes, in the text format of Prometheus. Values that are read from the database are the same on every server; docs/operations.md lists all metrics. A server with METRICS_TOKEN accepts it here, and only here.
   * `GET /metrics`
   */
  read(options: CallOptions = {}): Promise<string> {
    return this.transport.text({ method: 'GET', path: '/metrics', accept: 'text/plain', options });
  }
}
