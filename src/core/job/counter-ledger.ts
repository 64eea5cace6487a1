/**
 * Monotonic sums over the counters of jobs, whose rows are deleted after some time.
 *
 * Each job counts its work in its own tasks, as committed, and its row is deleted when its history has expired: a sum over
 * the table would decrease, and Prometheus would take that for a restart. So only the increase of each job since the last
 * reading is added. The first reading is the baseline: it adds nothing.
 */

/** One counter of one job, as stored in the database. */
export interface JobCount {
  job: string;
  group: string;
  name: string;
  n: number;
}

export class CounterLedger {
  private seen: Map<string, Map<string, number>> | undefined;

  /** The increase since the last call, by group and name. Jobs that are missing from `counts` are forgotten. */
  since(counts: readonly JobCount[]): Omit<JobCount, 'job'>[] {
    const before = this.seen;
    const now = new Map<string, Map<string, number>>();
    const added = new Map<string, Omit<JobCount, 'job'>>();
    for (const { job, group, name, n } of counts) {
      const key = `${group}\t${name}`;
      let ofJob = now.get(job);
      if (!ofJob) now.set(job, (ofJob = new Map()));
      ofJob.set(key, n);
      const more = before ? n - (before.get(job)?.get(key) ?? 0) : 0;
      if (more <= 0) continue;
      const sum = added.get(key) ?? { group, name, n: 0 };
      sum.n += more;
      added.set(key, sum);
    }
    this.seen = now;
    return [...added.values()];
  }
}
