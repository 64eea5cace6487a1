import { Injectable } from '@nestjs/common';
import type { TaskOutcome } from '../../job/job-row.js';
import type { Run, Step } from '../step.js';
import type { DedupArgs } from './dedup.args.js';

@Injectable()
export class DedupJob implements Step<DedupArgs> {
  async run(run: Run<DedupArgs>): Promise<TaskOutcome> {
    return Promise.resolve({ reason: run.stopping.aborted ? 'stopped' : 'no-urls' });
  }
}
