/** The page for people at /. */
import { Module } from '@nestjs/common';

@Module({})
export class DashboardModule {}
