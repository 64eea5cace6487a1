/** Events of jobs and crawls as they happen. */
import { Module } from '@nestjs/common';

@Module({})
export class EventModule {}
