/** Pages of the web table under /v1. */
import { Module } from '@nestjs/common';
import { CrawlModule } from '../crawl/crawl.module.js';
import { BrokenLinksController } from './broken-links.controller.js';
import { CrawlPagesController } from './crawl-pages.controller.js';
import { PageLists } from './page-list.js';
import { PageController } from './page.controller.js';

@Module({
  imports: [CrawlModule],
  controllers: [PageController, CrawlPagesController, BrokenLinksController],
  providers: [PageLists],
})
export class PageModule {}
