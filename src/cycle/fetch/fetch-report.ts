/** The report of a FETCH: statistics of the whole job, with the labels of the dashboard, and what it waits for. */
import type { TaskWait } from '../../core/job/task-wait.js';
import { fetchFigures, figuresText } from '../../core/job/fetch-figures.js';
import type { CounterGroups } from '../../core/job/job-types.js';
import { JobReport } from '../job-report.js';
import type { Run } from '../step.js';
import type { Partition } from '../../core/frontier/divide-partition.js';
import type { Fetcher } from './fetcher.js';
import type { ParseRest } from './parse-rest.js';
import type { VisitWriter } from './visit-writer.js';
import { counted } from '../../core/counted.js';

interface Phase {
  doing: () => string;
  wait: () => TaskWait | null;
}

export class FetchReport {
  private phase: Phase | null = null;
  private fetcher: Fetcher | undefined;
  private readonly report: JobReport;

  /** @param selected pages of the batch when the job began */
  constructor(
    private readonly run: Run,
    private readonly selected: number,
  ) {
    this.report = new JobReport(run, { line: () => this.line(), wait: () => this.phase?.wait() ?? null });
  }

  fetching(fetcher: Fetcher, writer: VisitWriter, { part, parts }: Partition): void {
    const name = parts > 1 ? `partition ${part + 1} of ${parts}: ` : '';
    const doing = () => {
      const { atWork, threads, queued, queues } = fetcher.gauges;
      return `${name}${atWork} of ${threads} threads at work, ${queued} pages queued in ${counted(queues, 'queue')}`;
    };
    this.fetcher = fetcher;
    this.phase = { doing, wait: () => writer.backlog.wait ?? fetcher.waiting.wait };
  }

  parsing(rest: ParseRest): void {
    this.phase = { doing: () => 'parses what is fetched', wait: () => rest.wait };
  }

  end(): Promise<void> {
    return this.report.end();
  }

  private async line(): Promise<string | null> {
    if (this.phase === null) return null;
    const counters = await this.run.totals();
    return `${figuresText(fetchFigures(counters), this.waiting(counters))}; ${this.phase.doing()}`;
  }

  /** Pages of the batch that are not written yet, including those that redirects have added. */
  private waiting({ Fetcher: { joined = 0 } = {}, FetcherStatus = {} }: CounterGroups): number {
    const known = Object.values(FetcherStatus).reduce((sum, n) => sum + n, 0);
    return Math.max(0, (this.fetcher?.selected ?? this.selected) + joined - known);
  }
}
