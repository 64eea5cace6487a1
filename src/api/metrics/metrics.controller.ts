import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Needs } from '../access/access.guard.js';
import { Operation } from '../openapi/operation.js';
import { Metrics } from './metrics.js';

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Needs('read', 'metrics')
  @ApiProduces('text/plain')
  @Operation(
    'Metrics',
    "How fast, what waits, what fails, what grows, in Prometheus' text form. The figures of the database are the same from every server; docs/operations.md lists all. A server with METRICS_TOKEN takes it here, and only here.",
  )
  @ApiOkResponse({
    description: 'The metrics.',
    schema: { type: 'string', example: 'orbweaver_jobs{type="FETCH",state="RUNNING"} 1' },
  })
  read(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.setHeader('Content-Type', this.metrics.registry.contentType);
    return this.metrics.text();
  }
}
