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
    'Throughput, queues, failures and sizes, in the text format of Prometheus. Values that are read from the database are the same on every server; docs/operations.md lists all metrics. A server with METRICS_TOKEN accepts it here, and only here.',
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
