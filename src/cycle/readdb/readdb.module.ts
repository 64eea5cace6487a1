import { Module } from '@nestjs/common';
import { ReadDbJob } from './readdb.job.js';

/** Offers READDB as a task. */
@Module({ providers: [ReadDbJob], exports: [ReadDbJob] })
export class ReadDbModule {}
