/** Hosts of a crawl under /v1. */
import { Module } from '@nestjs/common';
import { HostController } from './host.controller.js';

@Module({ controllers: [HostController] })
export class HostModule {}
