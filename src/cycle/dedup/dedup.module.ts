import { Module } from '@nestjs/common';
import { DedupJob } from './dedup.job.js';

/** Offers DEDUP as a task. */
@Module({ providers: [DedupJob], exports: [DedupJob] })
export class DedupModule {}
