/** The table of plugins under /v1. */
import { Module } from '@nestjs/common';
import { PluginController } from './plugin.controller.js';

@Module({ controllers: [PluginController] })
export class PluginModule {}
