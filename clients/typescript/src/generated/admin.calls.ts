/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { type CallOptions, type Transport } from '../transport.js';
import type { ServerStatus } from './schemas.js';

/** Calls of the group `admin`. */
export class AdminCalls {
  constructor(private readonly transport: Transport) {}

  /**
   * Status of the server
   * Start time, configurations and jobs.
   * `GET /admin`
   */
  status(options: CallOptions = {}): Promise<ServerStatus> {
    return this.transport.json<ServerStatus>({ method: 'GET', path: '/admin', accept: 'application/json', options });
  }

  /**
   * Stop the server (NutchServer)
   * Stops the server after a second, unless jobs are running and `force` is not set. Running jobs continue by themselves when it is started again.
   * `GET /admin/stop`
   */
  stop(
    query: {
      /** Stop even if jobs are running. */
      force?: boolean;
    } = {},
    options: CallOptions = {},
  ): Promise<string> {
    return this.transport.text({ method: 'GET', path: '/admin/stop', accept: 'text/plain', query, options });
  }

  /**
   * Stop the server
   * Stops the server after a second, unless jobs are running and `force` is not set. Running jobs continue by themselves when it is started again.
   * `POST /admin/stop`
   */
  postStop(
    query: {
      /** Stop even if jobs are running. */
      force?: boolean;
    } = {},
    options: CallOptions = {},
  ): Promise<string> {
    return this.transport.text({ method: 'POST', path: '/admin/stop', accept: 'text/plain', query, options });
  }
}
