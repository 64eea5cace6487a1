import { Module } from '@nestjs/common';
import { InvertLinksJob } from './invertlinks.job.js';

/** Offers INVERTLINKS as a task. */
@Module({ providers: [InvertLinksJob], exports: [InvertLinksJob] })
export class InvertLinksModule {}
