import { Controller, Get } from '@nestjs/common';
import { ApiExcludeEndpoint } from '@nestjs/swagger';
import { Needs } from '../access/access.guard.js';
import { ApiDescription } from './api-description.js';

@Controller('openapi.json')
export class OpenApiController {
  constructor(private readonly api: ApiDescription) {}

  @Get()
  @Needs('read')
  @ApiExcludeEndpoint()
  read(): unknown {
    return this.api.document;
  }
}
