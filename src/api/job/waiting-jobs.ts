/**
 * Limits the jobs that wait for a worker: in total, and per key, so that one client cannot use up the total. The log of a job
 * records its key; a step of a crawl counts for the key that created the crawl.
 */
import { Injectable } from '@nestjs/common';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { keyNameOf } from '../access/client-identity.js';
import { Database } from '../database.js';
import { tooManyJobs } from '../problem.js';
import { areWaiting } from './waiting-jobs.query.js';

export class WaitingLimits {
  constructor(
    readonly ofKey: number,
    readonly inAll = 1_000,
    /** Beyond the total, for admin keys: an admin's job is accepted however many others wait. */
    readonly forAdmins = 100,
  ) {}
}

@Injectable()
export class WaitingJobs {
  constructor(
    private readonly database: Database,
    private readonly limits: WaitingLimits,
  ) {}

  /** Throws TOO_MANY_JOBS when no further job of this client may wait. */
  async refuseTooMany(client: LimitedClient): Promise<void> {
    const { pool } = this.database;
    const { ofKey, forAdmins } = this.limits;
    const inAll = this.limits.inAll + (client.kind === 'admin key' ? forAdmins : 0);
    const by = keyNameOf(client);
    if (await areWaiting(pool, inAll)) throw tooManyJobs(inAll);
    if (by !== undefined && (await areWaiting(pool, ofKey, by))) throw tooManyJobs(ofKey, ' of this key');
  }
}
