/** Crawls: starts a CRAWL from seeds in one request; lists, reads, pauses, stops and deletes crawls. */
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { JobStore } from '../../job/job.store.js';
import { Needs } from '../access/access.guard.js';
import { clientOf } from '../access/client-identity.js';
import { Heavy, largeBodyOrConf } from '../heavy/heavy.js';
import { jobProgress } from '../job/job-progress.js';
import { noticeUnchanged } from '../job/job-change.js';
import { JobVerb } from '../job/job-verb.js';
import { JobCreation } from '../job/job-creation.js';
import { JobConfig, type JobInfo, type JobProgress, jobInfoOf } from '../job/job.dto.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown, jobSeedUnknown, jobsTooFast, tooManyJobs } from '../problem.js';
import { argRefused } from '../refused-fields.js';
import { fetchImpossible, nameMissing } from '../config/config.problems.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { AdmittedQuery } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { Creates } from '../request/idempotency.interceptor.js';
import { CrawlNameParam } from '../request/ids.js';
import { listPage } from '../request/list-cursor.js';
import { notice } from '../request/notice.js';
import { CrawlCreation } from './crawl-creation.js';
import { CrawlList, CrawlRequest, CrawlsQuery } from './crawl.dto.js';
import { crawlBeingDeleted, crawlBusy } from './deletion.problems.js';
import { crawlExample } from './crawl.examples.js';
import { CrawlNames } from './crawl-names.js';
import { crawlNotRun, crawlOrJobUnknown, seedsMissing, seedsRefused } from './crawl.problems.js';

/** Jobs of type CRAWL alone (typed-jobs.ts). */
const crawlProgress = { $ref: '#/components/schemas/CrawlProgress' };
const OF_ALL_JOBS = 'With a crawl id: all jobs of the crawl that have not ended.';
const ELSE = 'else false, and the header `Orbweaver-Notice` says why.';
/** An id of no crawl, for examples. */
const NO_CRAWL = 'k9';

@ApiTags('crawl')
@Controller('v1/crawls')
export class CrawlController {
  constructor(
    private readonly jobs: JobStore,
    private readonly creation: CrawlCreation,
    private readonly jobCreation: JobCreation,
    private readonly names: CrawlNames,
  ) {}

  @Post()
  @Needs('run')
  @HttpCode(200)
  @Creates()
  @Takes('seeds')
  @Heavy('job', largeBodyOrConf)
  @ApiBody({
    type: CrawlRequest,
    examples: {
      site: {
        summary: 'A site, until nothing is due',
        value: { crawlId: 'k1', seeds: ['http://example.org/'], scope: 'host' },
      },
      sample: {
        summary: 'Three rounds of at most 100 pages',
        value: { crawlId: 'k2', seeds: ['http://example.org/\tnutch.score=2'], rounds: 3, topN: 100 },
      },
      onward: {
        summary: 'Continue with the pages of a crawl, including those due within a month',
        value: { crawlId: 'k1', adddays: 31 },
      },
    },
  })
  @Operation(
    'Crawl',
    'Creates a CRAWL job: INJECT, then complete rounds of GENERATE, FETCH, PARSE and UPDATEDB until nothing is due or a limit is reached. It continues by itself after any restart. ' +
      'When no seed can be crawled, the response is 400 with a reason for each; when only some are refused, the header `Orbweaver-Notice` names them.',
  )
  @ApiOkResponse({
    description: 'The CRAWL job with its first child; `GET /v1/crawls/{id}` follows it, by its crawl id or its job id.',
    content: {
      'application/json': { schema: crawlProgress, example: crawlExample },
    },
  })
  @Problems(
    seedsRefused(
      'seeds[0] has a scheme that is not crawled: only http and https are; plugin.includes does not name protocol-ftp (given: "ftp://site.test/")',
    ),
    seedsMissing('seeds is empty'),
    refusalOf(JobConfig, { type: 'CRAWL', crawlId: 'a b', args: {} }),
    argRefused('CRAWL', 'rounds', 'rounds must be an integer number (given: "many")'),
    jobSeedUnknown('s9', 'seeds'),
    confIdUnknown('c9'),
    fetchImpossible('default', nameMissing('default')),
    crawlBeingDeleted('k1', 'k1-default-DROPCRAWL-9'),
    tooManyJobs(1_000),
    jobsTooFast(104),
  )
  async create(
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobProgress> {
    const { job, notices } = await this.jobCreation.createOrFind(request, () =>
      this.creation.create(body, clientOf(request)),
    );
    notice(response, notices);
    return jobProgress(this.jobs, job);
  }

  @Get()
  @Needs('read', 'user')
  @Operation('List crawls', 'CRAWL jobs, the newest first.')
  @ApiOkResponse({ description: 'The crawls, and a cursor.', type: CrawlList })
  @Problems(refusalOf(CrawlsQuery, { limit: '5000' }))
  async list(@AdmittedQuery(CrawlsQuery) { crawlId, state, limit, cursor }: CrawlsQuery): Promise<CrawlList> {
    const only = state === 'ANY' ? undefined : state;
    const jobs = await this.jobs.list({ crawlId, state: only, type: 'CRAWL', before: cursor, limit: limit + 1 });
    const { items, cursor: next } = listPage(jobs, limit, ({ number }) => number);
    return { crawls: items.map(jobInfoOf), cursor: next };
  }

  @Get(':id')
  @Needs('read', 'user')
  @CrawlNameParam()
  @Operation(
    'Read a crawl',
    'The CRAWL job as it is now, its counters so far, and its jobs. For a crawl id: the newest CRAWL job that has not ended, else the newest.',
  )
  @ApiOkResponse({ description: 'The crawl.', content: { 'application/json': { schema: crawlProgress } } })
  @Problems(crawlOrJobUnknown(NO_CRAWL), crawlNotRun('k2'))
  async read(@Param('id') id: string): Promise<JobProgress> {
    return jobProgress(this.jobs, await this.names.newestJob(id));
  }

  @JobVerb('pause', {
    summary: 'Pause a crawl',
    description: `Pages being fetched are still stored; nothing more is fetched until the crawl is resumed. ${OF_ALL_JOBS}`,
    answer: `true if the crawl could be paused; ${ELSE}`,
    names: CrawlNameParam(),
    unknown: crawlOrJobUnknown(NO_CRAWL),
  })
  async pause(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return noticeUnchanged(response, await this.names.change(id, 'pause'));
  }

  @JobVerb('resume', {
    summary: 'Resume a crawl',
    description: `A paused crawl continues where it was paused. ${OF_ALL_JOBS}`,
    answer: `true if the crawl was paused; ${ELSE}`,
    names: CrawlNameParam(),
    unknown: crawlOrJobUnknown(NO_CRAWL),
  })
  async resume(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return noticeUnchanged(response, await this.names.change(id, 'resume'));
  }

  @JobVerb('stop', {
    summary: 'Stop a crawl',
    description: `Nothing more is fetched, the round is completed (fetched pages go through PARSE and UPDATEDB), and the crawl ends FINISHED with reason "stopped". ${OF_ALL_JOBS}`,
    answer: `true if the crawl could be stopped; ${ELSE}`,
    names: CrawlNameParam(),
    unknown: crawlOrJobUnknown(NO_CRAWL),
  })
  async stop(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return noticeUnchanged(response, await this.names.change(id, 'stop'));
  }

  @JobVerb('abort', {
    summary: 'Abort a crawl',
    description: `Connections are closed and the crawl ends KILLED. Its batch stays open: an UPDATEDB job releases its pages. ${OF_ALL_JOBS}`,
    answer: `true if the crawl could be aborted; ${ELSE}`,
    names: CrawlNameParam(),
    unknown: crawlOrJobUnknown(NO_CRAWL),
  })
  async abort(@Param('id') id: string, @Res({ passthrough: true }) response: Response): Promise<boolean> {
    return noticeUnchanged(response, await this.names.change(id, 'abort'));
  }

  @Delete(':id')
  @Needs('admin')
  @HttpCode(200)
  @CrawlNameParam('k2')
  @Operation(
    'Delete a crawl',
    'Creates a DROPCRAWL job, which deletes all data of the crawl: pages, contents, links, hosts with their settings, visits, batches, sitemaps, ended jobs, ' +
      'events, lists of inline seeds; then its id is free. The id of a CRAWL job names the whole crawl, too. The job reports its progress in `msg` and `counters`, continues after any restart, and can be stopped: ' +
      'the next one deletes the rest. While it runs, no job of the crawl can be created (409).',
  )
  @ApiOkResponse({
    description: 'The DROPCRAWL job; `GET /job/{id}` follows it.',
    content: { 'application/json': { schema: { $ref: '#/components/schemas/DropCrawlJobInfo' } } },
  })
  @Problems(crawlOrJobUnknown(NO_CRAWL), crawlBusy('k1', ['k1-default-CRAWL-1']), tooManyJobs(1_000))
  async delete(@Param('id') id: string, @Req() request: Request): Promise<JobInfo> {
    const { crawlId } = await this.names.find(id);
    const job = await this.jobCreation.drop(crawlId, clientOf(request));
    // Another DROPCRAWL job has deleted it meanwhile.
    if (job === undefined) throw crawlOrJobUnknown(id);
    return jobInfoOf(job);
  }
}
