/** Reports the progress of a running job, about once a second: in its `msg`, and as what its task waits for. */
import type { TaskWait } from '../core/job/task-wait.js';
import { waitText } from '../core/job/task-wait.js';
import type { Run } from './step.js';

const EVERY_MS = 1_000;

export interface Subject {
  /** The line for `msg`; null: nothing to report now. */
  line: () => Promise<string | null> | string | null;
  wait: () => TaskWait | null;
}

export class JobReport {
  private readonly timer: NodeJS.Timeout;
  private reporting: Promise<void> | undefined;

  constructor(
    private readonly run: Run,
    private readonly subject: Subject,
  ) {
    this.timer = setInterval(() => {
      this.reporting ??= this.report()
        .catch(() => undefined)
        .finally(() => (this.reporting = undefined));
    }, EVERY_MS);
  }

  /** Ends the reports; the task waits for nothing then. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.reporting;
    await this.run.waitsFor(null);
  }

  private async report(): Promise<void> {
    const line = await this.subject.line();
    const wait = this.subject.wait();
    const words = [line, wait && waitText(wait, Date.now())].filter((text) => text !== null);
    if (words.length > 0) await this.run.report(words.join('; '));
    await this.run.waitsFor(wait);
  }
}
