import { Module } from '@nestjs/common';
import { SitemapJob } from './sitemap.job.js';

/** Offers SITEMAP as a task. */
@Module({ providers: [SitemapJob], exports: [SitemapJob] })
export class SitemapModule {}
