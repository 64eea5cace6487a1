import { ApiOperation } from '@nestjs/swagger';

/** What a call does, in a few words and in sentences. */
export const Operation = (summary: string, description: string): MethodDecorator =>
  ApiOperation({ summary, description });
