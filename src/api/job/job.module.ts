/** Jobs: the steps of a crawl, run in the background. */
import { Module } from '@nestjs/common';
import { JobCreation } from './job-creation.js';
import { JobController } from './job.controller.js';
import { RunAgainController } from './run-again.controller.js';

@Module({ controllers: [JobController, RunAgainController], providers: [JobCreation], exports: [JobCreation] })
export class JobModule {}
