/** Crawls of many rounds under /v1. */
import { Module } from '@nestjs/common';
import { JobModule } from '../job/job.module.js';
import { CrawlCreation } from './crawl-creation.js';
import { CrawlController } from './crawl.controller.js';

@Module({ imports: [JobModule], controllers: [CrawlController], providers: [CrawlCreation] })
export class CrawlModule {}
