/** Signed webhooks. */
import { Module } from '@nestjs/common';

@Module({})
export class WebhookModule {}
