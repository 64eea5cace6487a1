/** Events of jobs and crawls. */
import { Module } from '@nestjs/common';
import { EventHub } from './event-hub.js';
import { EventController } from './event.controller.js';
import { EventLog } from './event-log.query.js';

@Module({ controllers: [EventController], providers: [EventHub, EventLog] })
export class EventModule {}
