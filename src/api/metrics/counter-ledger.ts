/**
 * Sums over jobs that only grow, made of jobs that come and go.
 *
 * Each job counts its work in its own tasks, as committed, and goes when its history has been kept long enough: a sum over
 * the table would fall, and Prometheus would take that for a restart. So what is added here is what each job has counted
 * since it was looked at last. The first look is the beginning: what had been counted before it is not added.
 */

/** One counter of one job, as it stands in the database. */
export interface JobCount {
  job: string;
  group: string;
  name: string;
  n: number;
}

export class CounterLedger {
  private seen: Map<string, Map<string, number>> | undefined;

  /** What was counted since the last call, by group and name. Jobs that are not named any more are forgotten. */
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
