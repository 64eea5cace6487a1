/** Jobs: the steps of a crawl, run in the background. */
import { Module } from '@nestjs/common';
import { JobCreation } from './job-creation.js';
import { JobController } from './job.controller.js';
import { RunAgainController } from './run-again.controller.js';
import { WaitingJobs } from './waiting-jobs.js';

@Module({
  controllers: [JobController, RunAgainController],
  providers: [JobCreation, WaitingJobs],
  exports: [JobCreation],
})
export class JobModule {}
