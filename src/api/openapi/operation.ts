import { ApiOperation } from '@nestjs/swagger';

/** Summary and description of a call. */
export const Operation = (summary: string, description: string): MethodDecorator =>
  ApiOperation({ summary, description });
