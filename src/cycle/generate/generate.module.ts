import { Module } from '@nestjs/common';
import { GenerateJob } from './generate.job.js';

/** Offers GENERATE as a task. */
@Module({ providers: [GenerateJob], exports: [GenerateJob] })
export class GenerateModule {}
