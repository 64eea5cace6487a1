/**
 * Jobs as in NutchServer: create, list, read, stop and abort. Further routes for the same jobs are under `/v1/jobs`.
 */
import { Body, Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type JobEvent, eventsOf } from '../../job/job-event.store.js';
import { requestedTypes } from '../../core/job/job-types.js';
import type { JobRow } from '../../job/job-row.js';
import { JobStore } from '../../job/job.store.js';
import { clientOf } from '../access/client-identity.js';
import { ChangesState, Needs } from '../access/access.guard.js';
import { Database } from '../database.js';
import { Heavy, largeBodyOrConf } from '../heavy/heavy.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown, jobSeedUnknown, jobsTooFast, jobUnknown, tooManyJobs } from '../problem.js';
import { jobArgsMissing, jobConfigMissing, jobTypeUnknown } from './job.problems.js';
import { argRefused, seedListRefused } from '../refused-fields.js';
import { fetchImpossible, nameMissing } from '../config/config.problems.js';
import { AdmittedQuery } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { Creates } from '../request/idempotency.interceptor.js';
import { JobIdParam, JOB_ID_SHAPE } from '../request/ids.js';
import { listPage } from '../request/list-cursor.js';
import { notice } from '../request/notice.js';
import { seedsMissing } from '../crawl/crawl.problems.js';
import { crawlBeingDeleted } from '../crawl/deletion.problems.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { JobCreation } from './job-creation.js';
import { jobFor, reads2x } from './plain-job.js';
import { jobProgress } from './job-progress.js';
import { JobVerb } from './job-verb.js';
import { type JobChange, changeJob, noticeUnchanged } from './job-change.js';
import { jobRequestExamples } from './job.examples.js';
import { JobConfig, JobEventDto, JobEventsQuery, JobInfo, JobProgress, JobsQuery, jobInfoOf } from './job.dto.js';

/** An id of no job, for examples. */
const NO_JOB = 'k1-c1-INJECT-9';
const answerOf = (effect: string): string =>
  `true if the job ${effect}; else false, and the header \`Orbweaver-Notice\` says why.`;
const STOPPED_ANSWER = answerOf('could be stopped');
const ABORTED_ANSWER = answerOf('could be aborted');
const shown = (description: string) => ({ description, schema: { type: 'boolean' as const, example: true } });
const STOP_TEXT =
  'No new work is started, pages being processed are stored, and the job ends FINISHED with reason `stopped`. A waiting job is KILLED.';
const PAUSE_TEXT =
  'Pages being processed are stored, then no new work is started until the job is resumed. The job keeps its state and its locks.';
const ABORT_TEXT = 'Connections are closed and the job ends KILLED; marks stay consistent.';

@ApiTags('job')
@Controller('job')
export class JobController {
  constructor(
    private readonly jobs: JobStore,
    private readonly creation: JobCreation,
    private readonly database: Database,
  ) {}

  @Get()
  @Needs('read', 'user')
  @Operation(
    'List jobs',
    'Jobs that have not ended, including queued ones, and the newest of the others. When there are older ones, the header `Link` contains the address of the next page, relative to that of the request (RFC 8288, `rel="next"`).',
  )
  @ApiOkResponse({
    description: 'The jobs, newest first.',
    type: [JobInfo],
    headers: {
      Link: {
        description: 'The address of the next page, if there are more jobs.',
        schema: { type: 'string', example: '<?limit=100&cursor=17>; rel="next"' },
      },
    },
  })
  @Problems(refusalOf(JobsQuery, { limit: '5000' }))
  async list(
    @AdmittedQuery(JobsQuery) { crawlId, state, limit, cursor }: JobsQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<Partial<JobInfo>[]> {
    const only = state === 'ANY' ? undefined : state;
    const jobs = await this.jobs.list({ crawlId, state: only, before: cursor, limit: limit + 1 });
    const { items: newest, cursor: next } = listPage(jobs, limit, ({ number }) => number);
    if (next !== null) {
      const more = new URLSearchParams({
        ...(crawlId !== undefined && { crawlId }),
        ...(only !== undefined && { state: only }),
        limit: String(limit),
        cursor: next,
      });
      // Relative to the address of the request: a proxy may have added a prefix.
      response.setHeader('Link', `<?${more.toString()}>; rel="next"`);
    }
    if (cursor !== undefined) return newest.map(jobInfoOf).map(jobFor(request));
    const listed = new Set(newest.map(({ id }) => id));
    const isRequested = (job: JobRow) =>
      (crawlId === undefined || job.crawlId === crawlId) && (state === 'ANY' || job.state === state);
    const open = (await this.jobs.listOpen()).filter((job) => !listed.has(job.id) && isRequested(job));
    return [...newest, ...open.reverse()].map(jobInfoOf).map(jobFor(request));
  }

  @Post('create')
  @Needs('run')
  @HttpCode(200)
  @Creates()
  @Takes('seeds')
  @Heavy('job', largeBodyOrConf)
  @ApiBody({ type: JobConfig, examples: jobRequestExamples })
  @Operation(
    'Create a job',
    'Checks the arguments, takes a copy of the configuration, and queues the job. If a worker is free, the job is RUNNING in the response. ' +
      'A client that accepts text/plain and no JSON, or that prefers text/html to JSON, as Java does by default, receives the id (2.x), every other client the JobInfo (1.x).',
  )
  @ApiOkResponse({
    description: 'The job.',
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/JobInfo' } },
      'text/plain': { schema: { type: 'string' }, example: 'k1-default-INJECT-1' },
    },
  })
  @Problems(
    jobConfigMissing(),
    jobTypeUnknown('LUCENE', requestedTypes.join(', ')),
    jobArgsMissing(),
    refusalOf(JobConfig, { type: 'INJECT', crawlId: 'a b', args: {} }),
    argRefused('GENERATE', 'args.topN', 'args.topN must be an integer number (given: "many")'),
    seedListRefused('seed, line 1', 'seed, line 1 is no URL with a host, such as http://site.test/ (given: "http:/a")'),
    seedsMissing('Crawl "k1" has no pages to continue with', 'args.'),
    jobSeedUnknown('seedFiles/s9', 'args.seed'),
    confIdUnknown('c9'),
    fetchImpossible('c1', nameMissing('c1')),
    crawlBeingDeleted('k1', 'k1-default-DROPCRAWL-9'),
    tooManyJobs(1_000),
    jobsTooFast(104),
  )
  async create(
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobInfo | string> {
    const { job, notices } = await this.creation.createOrFind(request, () =>
      this.creation.create(this.creation.admitRequest(body), clientOf(request)),
    );
    notice(response, notices);
    return reads2x(request) ? job.id : jobInfoOf(job);
  }

  @Get(':id')
  @Needs('read', 'user')
  @JobIdParam()
  @Operation('Read a job', 'The job as it is now, with its counters so far.')
  @ApiOkResponse({ description: 'The job.', type: JobProgress })
  @Problems(jobUnknown(NO_JOB))
  async read(@Param('id') id: string, @Req() request: Request): Promise<Partial<JobProgress>> {
    return jobFor(request)(await jobProgress(this.jobs, await this.requireJob(id)));
  }

  @Get(':id/events')
  @Needs('read', 'user')
  @JobIdParam()
  @Operation(
    'Read the log of a job',
    'The events of the job, oldest first: state changes of the job and its tasks, progress, warnings.',
  )
  @ApiOkResponse({ description: 'The events.', type: [JobEventDto] })
  @Problems(jobUnknown(NO_JOB), refusalOf(JobEventsQuery, { after: 'x' }))
  async events(
    @Param('id') id: string,
    @AdmittedQuery(JobEventsQuery) { after, limit, kind }: JobEventsQuery,
  ): Promise<JobEventDto[]> {
    await this.requireJob(id);
    const events = await eventsOf(this.database.pool, id, after, { limit, kind });
    return events.map((event: JobEvent) => ({
      id: event.id,
      time: event.time.toISOString(),
      kind: event.kind,
      data: event.data,
    }));
  }

  @Get(':id/stop')
  @Needs('run', 'user')
  @ChangesState()
  @JobIdParam()
  @Operation('Stop a job (NutchServer)', STOP_TEXT)
  @ApiOkResponse(shown(STOPPED_ANSWER))
  @Problems(jobUnknown(NO_JOB))
  stop(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return this.change('stop', id, response);
  }

  @JobVerb('stop', {
    summary: 'Stop a job',
    description: STOP_TEXT,
    answer: STOPPED_ANSWER,
    names: JobIdParam(),
    unknown: jobUnknown(NO_JOB),
  })
  postStop(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return this.change('stop', id, response);
  }

  @Get(':id/abort')
  @Needs('run', 'user')
  @ChangesState()
  @JobIdParam()
  @Operation('Abort a job (NutchServer)', ABORT_TEXT)
  @ApiOkResponse(shown(ABORTED_ANSWER))
  @Problems(jobUnknown(NO_JOB))
  abort(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return this.change('abort', id, response);
  }

  @JobVerb('abort', {
    summary: 'Abort a job',
    description: ABORT_TEXT,
    answer: ABORTED_ANSWER,
    names: JobIdParam(),
    unknown: jobUnknown(NO_JOB),
  })
  postAbort(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return this.change('abort', id, response);
  }

  @JobVerb('pause', {
    summary: 'Pause a job',
    description: PAUSE_TEXT,
    answer: answerOf('could be paused'),
    names: JobIdParam(),
    unknown: jobUnknown(NO_JOB),
  })
  pause(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return this.change('pause', id, response);
  }

  @JobVerb('resume', {
    summary: 'Resume a job',
    description: 'A paused job continues; pages that it has completed are not processed again.',
    answer: answerOf('was paused'),
    names: JobIdParam(),
    unknown: jobUnknown(NO_JOB),
  })
  resume(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return this.change('resume', id, response);
  }

  private async change(change: JobChange, id: string, response: Response): Promise<boolean> {
    await this.requireJob(id);
    return noticeUnchanged(response, await changeJob(this.jobs, change, id));
  }

  private async requireJob(id: string): Promise<JobRow> {
    const job = JOB_ID_SHAPE.test(id) ? await this.jobs.find(id) : undefined;
    if (job === undefined) throw jobUnknown(id);
    return job;
  }
}
