import { Module } from '@nestjs/common';
import { ParseJob } from './parse.job.js';

/** Offers PARSE as a task. */
@Module({ providers: [ParseJob], exports: [ParseJob] })
export class ParseModule {}
