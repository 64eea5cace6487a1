/** Batches of a crawl, which 1.x calls segments, under /v1. */
import { Module } from '@nestjs/common';
import { BatchController } from './batch.controller.js';

@Module({ controllers: [BatchController] })
export class BatchModule {}
