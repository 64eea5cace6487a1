/** Readers and services of NutchServer 1.x, on tables instead of files. */
import { Module } from '@nestjs/common';
import { ReaderController } from './reader.controller.js';
import { ServicesController } from './services.controller.js';

@Module({ controllers: [ReaderController, ServicesController] })
export class LegacyModule {}
