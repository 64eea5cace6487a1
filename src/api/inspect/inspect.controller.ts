/** Read-only inspection: how a crawl would treat a URL, a robots.txt, a page or the next batch, and why. */
import { type ArgumentMetadata, Body, Controller, HttpCode, Post, applyDecorators } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Scope } from '../../conf/credentials.js';
import { Needs } from '../access/access.guard.js';
import { Heavy } from '../heavy/heavy.js';
import type { WorkClass } from '../heavy/heavy-processes.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { PageDto } from '../page/page.dto.js';
import { bodyRefused, confIdUnknown, crawlUnknown } from '../problem.js';
import { argRefused } from '../refused-fields.js';
import { fetchImpossible, nameMissing } from '../config/config.problems.js';
import { refusalBy, refusalOf } from '../openapi/example-refusals.js';
import { admit } from '../request/admit.js';
import { Takes } from '../request/body.interceptor.js';
import { BatchInspector } from './batch-inspector.js';
import { FetchInspector, notToBeFetched } from './fetch-inspector.js';
import { InspectFetch, InspectedFetch } from './fetch.dto.js';
import { InspectGenerate, InspectedBatch } from './generate.dto.js';
import { inspectTooLong } from './inspect.problems.js';
import { PageInspector } from './page-inspector.js';
import { InspectParse, InspectedPage } from './parse.dto.js';
import { inspectRobots } from './robots-text-inspector.js';
import { InspectRobots, InspectedRobots, robotsExamples } from './robots.dto.js';
import { UrlInspector } from './url-inspector.js';
import { ScheduleInspector, writtenStatus } from './schedule-inspector.js';
import { InspectSchedule, InspectedSchedule } from './schedule.dto.js';
import { bytesOfBase64 } from './strict-base64.js';
import { InspectUrl, InspectedUrl } from './url.dto.js';

/** `POST /v1/inspect/<path>`: an inspection, which changes nothing. */
const Inspects = (path: string, work: WorkClass, scope: Scope = 'read') =>
  applyDecorators(Post(path), Needs(scope), HttpCode(200), Takes('inspect'), Heavy(work));

/** The body, read as the class that the parameter is declared as. Throws BODY_REFUSED for none, FIELDS_INVALID. */
const Question = (): ParameterDecorator =>
  Body({
    transform: (body: unknown, { metatype }: ArgumentMetadata) => {
      if (body === undefined || body === null) throw bodyRefused('it is empty');
      return admit(metatype as new () => object, body).value;
    },
  });

@ApiTags('inspect')
@ApiExtraModels(PageDto)
@Controller('v1/inspect')
export class InspectController {
  constructor(
    private readonly urls: UrlInspector,
    private readonly pages: PageInspector,
    private readonly batches: BatchInspector,
    private readonly fetches: FetchInspector,
    private readonly schedules: ScheduleInspector,
  ) {}

  @Inspects('url', 'query')
  @Operation(
    'Ask why (not) a URL is fetched',
    'The steps of a URL through normalizers and filters, its row, and every reason that prevents it from being fetched now, determined by the code of the jobs themselves. Changes nothing. Names are resolved (1 s at most) so that the egress guard can check their addresses; requests to other servers are sent with `robots` only.',
  )
  @ApiOkResponse({ description: 'What was found.', type: InspectedUrl })
  @Problems(
    bodyRefused('it is empty'),
    refusalOf(InspectUrl, { url: 'https://site.test/', scope: 'seed' }),
    confIdUnknown('c9'),
  )
  url(@Question() question: InspectUrl): Promise<InspectedUrl> {
    return this.urls.inspect(question);
  }

  @Inspects('parse', 'compute')
  @Operation(
    'Parse a page that you send',
    'Title, text, metadata and every link of the page, with whether it is kept, by the parser and the rules of PARSE. Nothing is stored.',
  )
  @ApiOkResponse({ description: 'The page as PARSE reads it.', type: InspectedPage })
  @Problems(
    bodyRefused('it is empty'),
    refusalBy(() => bytesOfBase64('contentBase64', 'ab_c')),
    confIdUnknown('c9'),
    inspectTooLong('The check of links', 2),
  )
  parse(@Question() question: InspectParse): Promise<InspectedPage> {
    return this.pages.inspect(question);
  }

  @Inspects('robots', 'compute')
  @ApiBody({ type: InspectRobots, examples: robotsExamples })
  @Operation(
    'Evaluate a robots.txt that you send',
    'Whether a crawler may fetch a URL by this file (RFC 9309), and the line that decides.',
  )
  @ApiOkResponse({ description: 'The verdict.', type: InspectedRobots })
  @Problems(bodyRefused('it is empty'), refusalBy(() => inspectRobots({ url: 'https://site.test/', agent: 'crawler' })))
  robots(@Question() question: InspectRobots): InspectedRobots {
    return inspectRobots(question);
  }

  @Inspects('fetch', 'network', 'run')
  @Operation(
    'Fetch a URL once and report every step',
    'One fetch as FETCH does it: robots.txt first, the egress guard, the limits of the configuration, redirects decided as the job would (http.redirect.max). Only robots.txt is stored; the page is neither stored nor returned. A hop ends after 20 s; at most 16 MiB are read.',
  )
  @ApiOkResponse({ description: 'What happened, also when nothing could be fetched.', type: InspectedFetch })
  @Problems(
    bodyRefused('it is empty'),
    notToBeFetched('ftp://site.test/', 'scheme'),
    confIdUnknown('c9'),
    fetchImpossible('default', nameMissing('default')),
  )
  fetch(@Question() question: InspectFetch): Promise<InspectedFetch> {
    return this.fetches.inspect(question);
  }

  @Inspects('schedule', 'compute')
  @Operation(
    'Ask when a page is fetched again',
    'How UPDATEDB would update a page after a visit: next fetch, interval and status, by its own code and the schedule of the configuration. Neither page nor visit need exist.',
  )
  @ApiOkResponse({ description: 'The page after UPDATEDB, and why.', type: InspectedSchedule })
  @Problems(bodyRefused('it is empty'), refusalBy(() => writtenStatus({})), confIdUnknown('c9'))
  schedule(@Question() question: InspectSchedule): Promise<InspectedSchedule> {
    return this.schedules.inspect(question);
  }

  @Inspects('generate', 'query')
  @Operation(
    'Ask what GENERATE would select',
    'The current selection of GENERATE, in a transaction that writes nothing: pages by host, and pages left out by reason. Ends after 10 s.',
  )
  @ApiOkResponse({ description: 'The batch that GENERATE would create.', type: InspectedBatch })
  @Problems(
    bodyRefused('it is empty'),
    refusalOf(InspectGenerate, { args: 7 }),
    argRefused('GENERATE', 'args.topN', 'args.topN must be an integer number (given: "many")'),
    confIdUnknown('c9'),
    crawlUnknown('k9'),
    inspectTooLong('The selection', 10),
  )
  generate(@Question() question: InspectGenerate): Promise<InspectedBatch> {
    return this.batches.inspect(question);
  }
}
