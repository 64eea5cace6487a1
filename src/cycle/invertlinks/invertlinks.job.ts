import { Injectable } from '@nestjs/common';
import type { TaskOutcome } from '../../job/job-row.js';
import type { Run, Step } from '../step.js';
import type { InvertLinksArgs } from './invertlinks.args.js';

@Injectable()
export class InvertLinksJob implements Step<InvertLinksArgs> {
  async run(run: Run<InvertLinksArgs>): Promise<TaskOutcome> {
    return Promise.resolve({ reason: run.stopping.aborted ? 'stopped' : 'no-urls' });
  }
}
