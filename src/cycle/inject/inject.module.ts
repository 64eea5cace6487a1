import { Module } from '@nestjs/common';
import { InjectJob } from './inject.job.js';

/** Offers INJECT as a task. */
@Module({ providers: [InjectJob], exports: [InjectJob] })
export class InjectModule {}
