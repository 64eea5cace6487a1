/** Crawls (jobs of type CRAWL) under /v1. */
import { Module } from '@nestjs/common';
import { JobModule } from '../job/job.module.js';
import { CrawlCreation } from './crawl-creation.js';
import { CrawlNames } from './crawl-names.js';
import { CrawlController } from './crawl.controller.js';

@Module({
  imports: [JobModule],
  controllers: [CrawlController],
  providers: [CrawlCreation, CrawlNames],
  exports: [CrawlNames],
})
export class CrawlModule {}
