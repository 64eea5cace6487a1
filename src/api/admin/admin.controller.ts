/** Status and stop of the server, as in NutchServer. */
import { Controller, Get, Header, HttpCode, Post, Req } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean } from 'class-validator';
import type { Request } from 'express';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { ConfStore } from '../../conf/conf.store.js';
import { JobStore } from '../../job/job.store.js';
import { ChangesState, Needs } from '../access/access.guard.js';
import { JobInfo, jobInfoOf } from '../job/job.dto.js';
import { jobFor } from '../job/plain-job.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Field, FieldOf, FieldWithDefault } from '../openapi/fields.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { AdmittedQuery } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { queryBooleanOf } from '../request/boolean-text.js';
import { ServerControl } from '../server-control.js';

const SHOWN_JOBS = 100;
const STOP_TEXT =
  'Stops the server after a second, unless jobs are running and `force` is not set. Running jobs continue by themselves when it is started again.';

class StopQuery {
  @FieldWithDefault(false, 'Stop even if jobs are running.')
  @Transform(({ value }) => queryBooleanOf(value))
  @IsBoolean()
  force: boolean = false;
}

class ServerStatus {
  @Field('When the server was started, ms since the epoch.', 1_763_600_000_000)
  startDate!: number;

  @Field('The ids of all configurations.', ['default', 'c1'])
  configuration!: string[];

  @FieldOf([JobInfo], `The newest ${SHOWN_JOBS} jobs.`)
  jobs!: JobInfo[];

  @FieldOf([JobInfo], 'Jobs that are running, or being stopped.')
  runningJobs!: JobInfo[];

  @Field('The configuration that jobs use when they name none.', 'default')
  activeConfId!: string;
}

@ApiTags('admin')
@Controller('admin')
export class AdminController {
  constructor(
    private readonly confs: ConfStore,
    private readonly jobs: JobStore,
    private readonly server: ServerControl,
  ) {}

  @Get()
  @Needs('read')
  @Operation('Status of the server', 'Start time, configurations and jobs.')
  @ApiOkResponse({ description: 'The status.', type: ServerStatus })
  async status(@Req() request: Request): Promise<Record<keyof ServerStatus, unknown>> {
    const [configuration, jobs, open] = await Promise.all([
      this.confs.ids(),
      this.jobs.list({ limit: SHOWN_JOBS }),
      this.jobs.listOpen(),
    ]);
    const running = open.filter((job) => job.state !== 'IDLE');
    return {
      startDate: this.server.startedAt,
      configuration,
      jobs: jobs.map(jobInfoOf).map(jobFor(request)),
      runningJobs: running.map(jobInfoOf).map(jobFor(request)),
      activeConfId: DEFAULT_CONF_ID,
    };
  }

  @Get('stop')
  @Needs('admin')
  @ChangesState()
  @Header('Content-Type', 'text/plain')
  @ApiProduces('text/plain')
  @Operation('Stop the server (NutchServer)', STOP_TEXT)
  @ApiOkResponse({
    description: 'Whether the server stops.',
    schema: { type: 'string', example: 'Stopping in server on port 8081' },
  })
  @Problems(refusalOf(StopQuery, { force: 'maybe' }))
  async stop(@AdmittedQuery(StopQuery) { force }: StopQuery): Promise<string> {
    const running = (await this.jobs.listOpen()).filter((job) => job.state !== 'IDLE');
    if (running.length > 0 && !force) return 'Jobs still running -- Cannot stop server now';
    return this.server.stopSoon();
  }

  @Post('stop')
  @Needs('admin')
  @HttpCode(200)
  @Takes('none')
  @Header('Content-Type', 'text/plain')
  @ApiProduces('text/plain')
  @Operation('Stop the server', STOP_TEXT)
  @ApiOkResponse({
    description: 'Whether the server stops.',
    schema: { type: 'string', example: 'Stopping in server on port 8081' },
  })
  @Problems(refusalOf(StopQuery, { force: 'maybe' }))
  postStop(@AdmittedQuery(StopQuery) query: StopQuery): Promise<string> {
    return this.stop(query);
  }
}
