/** What would happen to a URL, a page, a robots.txt, and why. */
import { Module } from '@nestjs/common';

@Module({})
export class InspectModule {}
