/** Calls of NutchServer that this server does not serve yet, and says so. */
import { Module } from '@nestjs/common';

@Module({})
export class LegacyModule {}
