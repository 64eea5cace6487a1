import { Module } from '@nestjs/common';
import { UpdateDbJob } from './updatedb.job.js';

/** Offers UPDATEDB as a task. */
@Module({ providers: [UpdateDbJob], exports: [UpdateDbJob] })
export class UpdateDbModule {}
