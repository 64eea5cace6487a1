import { Module } from '@nestjs/common';
import { DropCrawlJob } from './dropcrawl.job.js';

/** Offers DROPCRAWL as a task. */
@Module({ providers: [DropCrawlJob], exports: [DropCrawlJob] })
export class DropCrawlModule {}
