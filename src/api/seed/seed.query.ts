import { IsString, MaxLength } from 'class-validator';
import { FieldWithDefault } from '../openapi/fields.js';
import { WholeNumber } from '../request/whole-number.js';

export class SeedListsQuery {
  @FieldWithDefault('', 'Lists whose names come after this one.')
  @IsString()
  @MaxLength(128)
  after: string = '';

  @WholeNumber({ description: 'Lists at most.', default: 1_000, minimum: 1, maximum: 1_000 })
  limit: number = 1_000;
}

export class SeedLinesQuery {
  @WholeNumber({
    description: 'Position of the first seed shown; 0 is the first of the list.',
    default: 0,
    minimum: 0,
    maximum: 2_147_483_647,
  })
  from: number = 0;

  @WholeNumber({ description: 'Seeds at most.', default: 10_000, minimum: 1, maximum: 100_000 })
  limit: number = 10_000;
}
