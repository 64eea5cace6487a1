/** Pages of the web table under /v1. */
import { Module } from '@nestjs/common';
import { PageController } from './page.controller.js';

@Module({ controllers: [PageController] })
export class PageModule {}
