import { Module } from '@nestjs/common';
import { FetchJob } from './fetch.job.js';

/** Offers FETCH as a task. */
@Module({ providers: [FetchJob], exports: [FetchJob] })
export class FetchModule {}
