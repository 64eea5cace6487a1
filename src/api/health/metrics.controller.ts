import { Controller, Get, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Needs } from '../access/access.guard.js';
import { Metrics } from './metrics.js';

@ApiTags('health')
@Controller('metrics')
export class MetricsController {
  constructor(private readonly metrics: Metrics) {}

  @Get()
  @Needs('read')
  @ApiProduces('text/plain')
  @ApiOperation({
    summary: 'Metrics',
    description: "Counters of the process, its requests and its jobs, in Prometheus' text form.",
  })
  @ApiOkResponse({
    description: 'The metrics.',
    schema: { type: 'string', example: 'orbweaver_jobs{type="FETCH",state="RUNNING"} 1' },
  })
  read(@Res({ passthrough: true }) response: Response): Promise<string> {
    response.setHeader('Content-Type', this.metrics.registry.contentType);
    return this.metrics.registry.metrics();
  }
}
