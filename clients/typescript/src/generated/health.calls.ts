/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type { Health } from './schemas.js';

/** Calls of the group `health`. */
export class HealthCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Is the process alive?
   * Needs no key.
   * `GET /health/live`
   */
  live(options: CallOptions = {}): Promise<Health> {
    return this.transport.json<Health>({ method: 'GET', path: '/health/live', accept: 'application/json', options });
  }

  /**
   * Can the server work?
   * The database answers and its schema is current.
   * `GET /health/ready`
   */
  ready(options: CallOptions = {}): Promise<Health> {
    return this.transport.json<Health>({ method: 'GET', path: '/health/ready', accept: 'application/json', options });
  }

  /**
   * Metrics
   * How fast, what waits, what fails, what grows, in Prometheus' text form. The figures of the database are the same from every server; docs/operations.md lists all. A server with METRICS_TOKEN takes it here, and only here.
   * `GET /metrics`
   */
  read(options: CallOptions = {}): Promise<string> {
    return this.transport.text({ method: 'GET', path: '/metrics', accept: 'text/plain', options });
  }
}
