/** Crawls of many rounds under /v1. */
import { Module } from '@nestjs/common';

@Module({})
export class CrawlModule {}
