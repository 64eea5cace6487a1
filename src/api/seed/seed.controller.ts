/** Stored seed lists for INJECT: created and read as in NutchServer (`/seed`), and in the form of Nutch 2.x (`/seedList`). */
import { Body, Controller, Delete, Get, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiProduces, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type SeedList, SeedListStore, type StoredSeedLine, pathOf } from '../../conf/seed-list.store.js';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { clientOf } from '../access/client-identity.js';
import { Needs } from '../access/access.guard.js';
import { type CreatedJob, JobCreation } from '../job/job-creation.js';
import { Heavy, largeBody, largeBodyOrConf } from '../heavy/heavy.js';
import { JobInfo, jobInfoOf } from '../job/job.dto.js';
import { refusalBy, refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown, jobsTooFast, tooManyJobs } from '../problem.js';
import { crawlBeingDeleted } from '../crawl/deletion.problems.js';
import { jobArgsMissing } from '../job/job.problems.js';
import { seedListEmpty, seedListUnknown } from './seed.problems.js';
import { argRefused } from '../refused-fields.js';
import { AdmittedQuery } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { Creates } from '../request/idempotency.interceptor.js';
import { SeedNameParam } from '../request/ids.js';
import { notice } from '../request/notice.js';
import { readSeedList } from './seed-input.js';
import { SeedLinesQuery, SeedListsQuery } from './seed.params.js';
import { SeedListDto, SeedListInput, SeedListJobInput, type SeedUrl } from './seed.dto.js';

/** Limits for each list when all are returned: seeds, and their characters. */
const SHOWN_OF_EACH = 100;
const SHOWN_CHARACTERS = 8_192;

const badLine = refusalBy(() => readSeedList({ seedUrls: [{ url: 'site.test' }] }));
const badName = refusalBy(() => readSeedList({ name: 'a b', seedUrls: [{ url: 'http://site.test/' }] }));

@ApiTags('seed')
@ApiExtraModels(SeedListDto)
@Controller()
export class SeedController {
  constructor(
    private readonly seeds: SeedListStore,
    private readonly jobs: JobCreation,
  ) {}

  @Post('seed/create')
  @Needs('run')
  @HttpCode(200)
  @Creates()
  @Takes('seeds')
  @Heavy('compute', largeBody)
  @Header('Content-Type', 'text/plain')
  @ApiProduces('text/plain')
  @ApiBody({ type: SeedListInput })
  @Operation(
    'Create a seed list',
    'Stores the list, at most 16 MiB. Each line is checked; a list with bad lines is refused, or stored without them (`skipInvalid`). A list with the same name is replaced.',
  )
  @ApiOkResponse({
    description: 'The value for `url_dir` or `seedDir` of INJECT.',
    content: { 'text/plain': { schema: { type: 'string' }, example: 'seedFiles/s1' } },
  })
  @Problems(seedListEmpty(), badLine, badName)
  async create(@Body() body: unknown, @Res({ passthrough: true }) response: Response): Promise<string> {
    const { name, id, lines, notices } = readSeedList(body);
    await this.seeds.save({ name, id }, lines);
    notice(response, notices);
    return pathOf(name);
  }

  @Get('seed')
  @Needs('read')
  @Operation(
    'List the seed lists',
    `Seed lists by name, with at most ${SHOWN_OF_EACH} seeds (and ${SHOWN_CHARACTERS} characters of them) of each; pass the last name as \`after\` to continue.`,
  )
  @ApiOkResponse({
    description: 'Name and seed list.',
    schema: { type: 'object', additionalProperties: { $ref: getSchemaPath(SeedListDto) } },
  })
  @Problems(refusalOf(SeedListsQuery, { limit: '5000' }))
  async all(@AdmittedQuery(SeedListsQuery) { after, limit }: SeedListsQuery): Promise<Record<string, SeedListDto>> {
    const shown: Record<string, SeedListDto> = Object.create(null);
    const ofEach = { lines: SHOWN_OF_EACH, characters: SHOWN_CHARACTERS };
    for (const list of await this.seeds.list(after, limit, ofEach)) {
      const { seedUrls, ...about } = shownList(list, list.lines);
      shown[list.name] = { ...about, seedUrls: beginningOf(seedUrls) };
    }
    return shown;
  }

  @Get('seed/:name')
  @Needs('read')
  @SeedNameParam()
  @Operation('Read a seed list', 'The list with its seeds from position `from`, at most `limit`.')
  @ApiOkResponse({ description: 'The list.', type: SeedListDto })
  @Problems(seedListUnknown('s9'), refusalOf(SeedLinesQuery, { limit: '1000000' }))
  async read(
    @Param('name') name: string,
    @AdmittedQuery(SeedLinesQuery) { from, limit }: SeedLinesQuery,
  ): Promise<SeedListDto> {
    const list = await this.seeds.find(name);
    if (list === undefined) throw seedListUnknown(name);
    return shownList(list, await this.seeds.entries(name, from, limit));
  }

  @Delete('seed/:name')
  @Needs('admin')
  @Takes('none')
  @SeedNameParam()
  @Operation('Delete a seed list', 'Pages that were injected from it are kept; a job that still needs it fails.')
  @ApiOkResponse({ description: 'Deleted. The body is empty.' })
  @Problems(seedListUnknown('s9'))
  async remove(@Param('name') name: string): Promise<void> {
    if (!(await this.seeds.remove(name))) throw seedListUnknown(name);
  }

  @Post('seedList')
  @Needs('run')
  @HttpCode(200)
  @Creates()
  @Takes('seeds')
  @Heavy('job', largeBodyOrConf)
  @ApiBody({ type: SeedListJobInput })
  @Operation(
    'Create a seed list and inject it',
    'Stores the list as POST /seed/create does, and starts an INJECT job with it.',
  )
  @ApiOkResponse({ description: 'The INJECT job.', type: JobInfo })
  @Problems(
    seedListEmpty(),
    badLine,
    badName,
    jobArgsMissing(),
    argRefused('INJECT', 'args.overwrite', 'args.overwrite must be a boolean value (given: 3)'),
    confIdUnknown('c9'),
    crawlBeingDeleted('k1', 'k1-default-DROPCRAWL-9'),
    tooManyJobs(1_000),
    jobsTooFast(104),
  )
  async inject(
    @Body() body: unknown,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<JobInfo> {
    const { job, notices } = await this.jobs.createOrFind(request, () => this.createBoth(body, clientOf(request)));
    notice(response, notices);
    return jobInfoOf(job);
  }

  private async createBoth(body: unknown, client: LimitedClient): Promise<CreatedJob> {
    const list = readSeedList(body);
    const { crawlId, confId, args = {} } = body as Record<string, unknown>;
    const admitted = this.jobs.admitRequest({ type: 'INJECT', crawlId, confId, args });
    const jobConfig = { ...admitted, args: { ...admitted.args, seedName: list.name } };
    await this.jobs.refuseInvalid(jobConfig, client);
    await this.seeds.save(list, list.lines);
    const { job, notices } = await this.jobs.create(jobConfig, client);
    return { job, notices: [...notices, ...list.notices] };
  }
}

const shownList = ({ id, name, total }: SeedList, lines: readonly StoredSeedLine[]): SeedListDto => ({
  id,
  name,
  seedFilePath: pathOf(name),
  seedUrls: lines.map((entry) => ({ id: entry.id, url: entry.line })),
  total,
});

/** The first seeds, up to the limit of characters for one of many lists. */
function beginningOf(seeds: readonly SeedUrl[]): SeedUrl[] {
  let left = SHOWN_CHARACTERS;
  const end = seeds.findIndex(({ url }) => (left -= url.length) < 0);
  return end < 0 ? [...seeds] : seeds.slice(0, end);
}
