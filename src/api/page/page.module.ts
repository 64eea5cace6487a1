/** Pages of the web table under /v1. */
import { Module } from '@nestjs/common';

@Module({})
export class PageModule {}
