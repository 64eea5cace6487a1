/** Inspection: how a crawl would treat a URL, a page, a robots.txt, and why. */
import { Module } from '@nestjs/common';
import { BatchInspector } from './batch-inspector.js';
import { ConfRules } from './conf-rules.js';
import { FetchInspector } from './fetch-inspector.js';
import { InspectController } from './inspect.controller.js';
import { PageInspector } from './page-inspector.js';
import { ScheduleInspector } from './schedule-inspector.js';
import { UrlInspector } from './url-inspector.js';

@Module({
  controllers: [InspectController],
  providers: [UrlInspector, PageInspector, BatchInspector, FetchInspector, ScheduleInspector, ConfRules],
})
export class InspectModule {}
