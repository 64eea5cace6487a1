import { Module } from '@nestjs/common';
import { HostDbJob } from './hostdb.job.js';

/** Offers HOSTDB as a task. */
@Module({ providers: [HostDbJob], exports: [HostDbJob] })
export class HostDbModule {}
