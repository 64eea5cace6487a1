import { Controller, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { JobStore } from '../../job/job.store.js';
import { isFinal } from '../../core/job/job-states.js';
import { Needs } from '../access/access.guard.js';
import { clientOf } from '../access/client-identity.js';
import { fetchImpossible, nameMissing } from '../config/config.problems.js';
import { seedsMissing } from '../crawl/crawl.problems.js';
import { crawlBeingDeleted } from '../crawl/deletion.problems.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown, jobSeedUnknown, jobUnknown, jobsTooFast, tooManyJobs } from '../problem.js';
import { argRefused } from '../refused-fields.js';
import { Takes } from '../request/body.interceptor.js';
import { Creates } from '../request/idempotency.interceptor.js';
import { JobIdParam, JOB_ID_SHAPE } from '../request/ids.js';
import { notice } from '../request/notice.js';
import { JobCreation } from './job-creation.js';
import { JobInfo, jobInfoOf } from './job.dto.js';
import { jobNotEnded, jobNotRepeated } from './run-again.problems.js';

@ApiTags('job')
@Controller('v1/jobs')
export class RunAgainController {
  constructor(
    private readonly jobs: JobStore,
    private readonly creation: JobCreation,
  ) {}

  @Post(':id/run-again')
  @Needs('run')
  @HttpCode(200)
  @Creates()
  @Takes('none')
  @JobIdParam()
  @Operation(
    'Run a job again',
    'Creates a job with the type, crawl, configuration and arguments of a job that has ended, including arguments that are masked in responses. The current version of the configuration is used. ' +
      'A CRAWL first completes the batch that the ended one left open (PARSE, UPDATEDB): otherwise its pages would not be due. A step of a crawl is run alone: to run the rest, too, run the crawl again.',
  )
  @ApiOkResponse({ description: 'The new job.', type: JobInfo })
  @Problems(
    jobUnknown('k1-c1-INJECT-9'),
    jobNotEnded('k1-default-FETCH-3', 'RUNNING'),
    jobNotRepeated('k1-default-DROPCRAWL-9', 'DROPCRAWL'),
    argRefused('GENERATE', 'args.topN', 'args.topN must be an integer number (given: "many")'),
    jobSeedUnknown('seedFiles/s9'),
    seedsMissing('Crawl "k1" has no pages to continue with', 'args.'),
    confIdUnknown('c9'),
    fetchImpossible('c1', nameMissing('c1')),
    crawlBeingDeleted('k1', 'k1-default-DROPCRAWL-9'),
    tooManyJobs(1_000),
    jobsTooFast(104),
  )
  async runAgain(
    @Param('id') id: string,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobInfo> {
    const job = JOB_ID_SHAPE.test(id) ? await this.jobs.find(id) : undefined;
    if (job === undefined) throw jobUnknown(id);
    if (!isFinal(job.state)) throw jobNotEnded(id, job.state);
    if (job.type === 'DROPCRAWL') throw jobNotRepeated(id, job.type);
    const created = await this.creation.again(job, clientOf(request));
    notice(response, created.notices);
    return jobInfoOf(created.job);
  }
}
