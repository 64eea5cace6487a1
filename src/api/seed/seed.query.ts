import { ApiPropertyOptional } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsInt, IsString, Max, MaxLength, Min } from 'class-validator';

export class SeedListsQuery {
  @ApiPropertyOptional({ description: 'Lists whose names come after this one.', example: 's1', default: '' })
  @IsString()
  @MaxLength(128)
  after: string = '';

  @ApiPropertyOptional({ description: 'Lists at most.', default: 1_000, minimum: 1, maximum: 1_000 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(1_000)
  limit: number = 1_000;
}

export class SeedLinesQuery {
  @ApiPropertyOptional({
    description: 'Place of the first seed shown; 0 is the first of the list.',
    default: 0,
    minimum: 0,
  })
  @Type(() => Number)
  @IsInt()
  @Min(0)
  @Max(2_147_483_647)
  from: number = 0;

  @ApiPropertyOptional({ description: 'Seeds at most.', default: 10_000, minimum: 1, maximum: 100_000 })
  @Type(() => Number)
  @IsInt()
  @Min(1)
  @Max(100_000)
  limit: number = 10_000;
}
