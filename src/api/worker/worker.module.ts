import { Module } from '@nestjs/common';
import { WorkerController } from './worker.controller.js';

@Module({ controllers: [WorkerController] })
export class WorkerModule {}
