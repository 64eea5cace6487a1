/** Hosts of a crawl under /v1. */
import { Module } from '@nestjs/common';

@Module({})
export class HostModule {}
