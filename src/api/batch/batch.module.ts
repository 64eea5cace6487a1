/** Batches of a crawl (segments in Nutch 1.x) under /v1. */
import { Module } from '@nestjs/common';
import { BatchController } from './batch.controller.js';

@Module({ controllers: [BatchController] })
export class BatchModule {}
