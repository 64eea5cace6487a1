/** Calls of NutchServer that this server does not serve yet, and says so. */
import { Module } from '@nestjs/common';
import { ReaderController } from './reader.controller.js';
import { ServicesController } from './services.controller.js';

@Module({ controllers: [ReaderController, ServicesController] })
export class LegacyModule {}
