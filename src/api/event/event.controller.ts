/** The events of a job or of a crawl, as a list or as a stream (server-sent events, HTML §9.2). */
import { Controller, Get, Param, Query, Req, Res, type Type, applyDecorators } from '@nestjs/common';
import { ApiExtraModels, ApiHeader, ApiOkResponse, ApiParam, ApiQuery, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Needs } from '../access/access.guard.js';
import { clientOf } from '../access/client-identity.js';
import { JobEventsQuery } from '../job/job.dto.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { jobUnknown } from '../problem.js';
import { admitQuery } from '../request/admit.js';
import { JobIdParam } from '../request/ids.js';
import { EventHub, MAX_STREAMS } from './event-hub.js';
import { type Followed, streamEvents } from './event-stream.js';
import { CrawlEventsQuery, EventDto, eventOf } from './event.dto.js';
import { eventsUnknown, lastEventIdInvalid, tooManyStreams } from './event.problems.js';
import { EventLog } from './event-log.query.js';

const EVENT_ID_SHAPE = /^\d{1,18}$/;

const example = `id: 17
event: state
data: {"id":"17","jobId":"k1-default-FETCH-3","time":"2026-11-21T08:00:00.000Z","kind":"state","data":{"state":"RUNNING","msg":"OK"}}

event: end
data: {"jobId":"k1-default-FETCH-3","state":"FINISHED","msg":"OK","result":{"result":"0","reason":"done","counters":{}}}

`;

const HOW =
  'Server-sent events, or a list for `Accept: application/json`. In a stream, `id` is the event id, `event` its kind (state, task, progress, warning), ' +
  '`data` the event as JSON; a comment is sent after 15 s without an event. Resume with `Last-Event-ID` (EventSource does so by itself) or `after`.';

/** The description that both routes share. */
const EventsAnswer = (query: Type = JobEventsQuery) =>
  applyDecorators(
    ApiExtraModels(EventDto),
    ApiHeader({
      name: 'Last-Event-ID',
      description: 'Streams: events after the one with this id. It takes precedence over `after`.',
      required: false,
      schema: { type: 'string', pattern: EVENT_ID_SHAPE.source },
    }),
    ApiQuery({ type: query }),
    ApiOkResponse({
      description: 'The events, oldest first.',
      content: {
        'text/event-stream': { schema: { type: 'string' }, example },
        'application/json': { schema: { type: 'array', items: { $ref: getSchemaPath(EventDto) } } },
      },
    }),
  );

@ApiTags('event')
@Controller('v1')
export class EventController {
  constructor(
    private readonly log: EventLog,
    private readonly hub: EventHub,
  ) {}

  @Get('jobs/:id/events')
  @Needs('read')
  @JobIdParam()
  @EventsAnswer()
  @Operation(
    'Follow a job',
    `${HOW} When the job has ended, the stream ends after its last event with an event \`end\`, which contains the state and result of the job.`,
  )
  @Problems(
    jobUnknown('k1-c1-INJECT-9'),
    lastEventIdInvalid('x'),
    refusalOf(JobEventsQuery, { kind: 'error' }),
    tooManyStreams(MAX_STREAMS),
  )
  async ofJob(
    @Param('id') id: string,
    @Query() query: Request['query'],
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const followed = await this.log.ofJob(id);
    await this.answer(followed, admitQuery(JobEventsQuery, query), request, response);
  }

  @Get('crawls/:id/events')
  @Needs('read')
  @ApiParam({
    name: 'id',
    description:
      'The crawl id, for all jobs of that crawl; or the id of a CRAWL job, for its events and those of its children.',
    example: 'k1',
    type: String,
  })
  @EventsAnswer(CrawlEventsQuery)
  @Operation(
    'Follow a crawl',
    `${HOW} The stream of a CRAWL job ends with an event \`end\` when it and its children have ended; that of a crawl id never ends, or with \`until=end\` ends in the same way when the crawl has no open job.`,
  )
  @Problems(
    eventsUnknown('k9'),
    lastEventIdInvalid('x'),
    refusalOf(JobEventsQuery, { kind: 'error' }),
    tooManyStreams(MAX_STREAMS),
  )
  async ofCrawl(
    @Param('id') id: string,
    @Query() query: Request['query'],
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const admitted = admitQuery(CrawlEventsQuery, query);
    await this.answer(await this.log.ofCrawl(id, admitted.until === 'end'), admitted, request, response);
  }

  private async answer(
    followed: Followed,
    { after, limit, kind }: JobEventsQuery,
    request: Request,
    response: Response,
  ): Promise<void> {
    const resumed = request.headers['last-event-id'];
    if (resumed !== undefined && resumed !== '' && !EVENT_ID_SHAPE.test(String(resumed)))
      throw lastEventIdInvalid(String(resumed));
    response.setHeader('Vary', 'Accept');
    if (request.accepts(['text/event-stream', 'application/json']) === 'application/json') {
      const events = await followed.read(after, { limit, kind });
      const bytes = Buffer.from(JSON.stringify(events.map(eventOf)));
      response.setHeader('Content-Type', 'application/json');
      response.setHeader('Content-Length', bytes.length);
      response.end(bytes);
      return;
    }
    const watch = this.hub.watch(followed.crawl, clientOf(request));
    try {
      if (request.method === 'HEAD') watch.end();
      await streamEvents(response, followed, { watch, after: String(resumed || after), kind });
    } finally {
      this.hub.leave(watch);
    }
  }
}
