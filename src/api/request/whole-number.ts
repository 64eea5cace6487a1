import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, Max, Min } from 'class-validator';

interface Shown {
  description: string;
  default: number;
  minimum: number;
  maximum: number;
  example?: number;
}

/** A whole number as a query parameter: OpenAPI documents the same bounds that are checked. */
export const WholeNumber = (shown: Shown): PropertyDecorator =>
  applyDecorators(
    Max(shown.maximum),
    Min(shown.minimum),
    IsInt(),
    Type(() => Number),
    ApiPropertyOptional({ type: 'integer', ...shown }),
  );
