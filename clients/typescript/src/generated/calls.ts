/* oxlint-disable max-lines -- generated from openapi.json by `npm run client`; do not edit */
import { AdminCalls } from './admin.calls.js';
import { ConfigCalls } from './config.calls.js';
import { DbCalls } from './db.calls.js';
import { HealthCalls } from './health.calls.js';
import { JobCalls } from './job.calls.js';
import { SeedCalls } from './seed.calls.js';
import type { Transport } from '../transport.js';

/** Every call of the API, by group. */
export class Calls {
  readonly admin: AdminCalls;
  readonly config: ConfigCalls;
  readonly db: DbCalls;
  readonly health: HealthCalls;
  readonly job: JobCalls;
  readonly seed: SeedCalls;

  constructor(protected readonly transport: Transport) {
    this.admin = new AdminCalls(transport);
    this.config = new ConfigCalls(transport);
    this.db = new DbCalls(transport);
    this.health = new HealthCalls(transport);
    this.job = new JobCalls(transport);
    this.seed = new SeedCalls(transport);
  }
}
