/** The crawl cycle's table of contents: what each job type accepts, and what does it. A missing step does not compile. */
import { Module, type Type } from '@nestjs/common';
import type { ClassConstructor } from 'class-transformer';
import type { JobType } from '../job/job-row.js';
import { FetchArgs } from './fetch/fetch.args.js';
import { FetchJob } from './fetch/fetch.job.js';
import { FetchModule } from './fetch/fetch.module.js';
import { GenerateArgs } from './generate/generate.args.js';
import { GenerateJob } from './generate/generate.job.js';
import { GenerateModule } from './generate/generate.module.js';
import { InjectArgs } from './inject/inject.args.js';
import { InjectJob } from './inject/inject.job.js';
import { InjectModule } from './inject/inject.module.js';
import { ParseArgs } from './parse/parse.args.js';
import { ParseJob } from './parse/parse.job.js';
import { ParseModule } from './parse/parse.module.js';
import type { Step } from './step.js';
import { UpdateDbArgs } from './updatedb/updatedb.args.js';
import { UpdateDbJob } from './updatedb/updatedb.job.js';
import { UpdateDbModule } from './updatedb/updatedb.module.js';

export interface StepEntry {
  args: ClassConstructor<object>;
  job: Type<Step<object>>;
}

export const steps = {
  INJECT: { args: InjectArgs, job: InjectJob },
  GENERATE: { args: GenerateArgs, job: GenerateJob },
  FETCH: { args: FetchArgs, job: FetchJob },
  PARSE: { args: ParseArgs, job: ParseJob },
  UPDATEDB: { args: UpdateDbArgs, job: UpdateDbJob },
} satisfies Record<JobType, StepEntry> as Record<JobType, StepEntry>;

export type StepOf = (type: JobType) => Step<object>;

@Module({ imports: [InjectModule, GenerateModule, FetchModule, ParseModule, UpdateDbModule] })
export class CycleModule {}
