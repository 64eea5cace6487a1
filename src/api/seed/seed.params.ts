import { MAX_INT32 } from '../../core/int32.js';
import { IsString, MaxLength } from 'class-validator';
import { FieldWithDefault } from '../openapi/fields.js';
import { WholeNumber } from '../request/whole-number.js';

export class SeedListsQuery {
  @FieldWithDefault('', 'Only lists whose names are after this one.')
  @MaxLength(128)
  @IsString()
  after: string = '';

  @WholeNumber({ description: 'Maximum number of lists.', default: 1_000, minimum: 1, maximum: 1_000 })
  limit: number = 1_000;
}

export class SeedLinesQuery {
  @WholeNumber({
    description: 'Position of the first seed to return; 0 is the first of the list.',
    default: 0,
    minimum: 0,
    maximum: MAX_INT32,
  })
  from: number = 0;

  @WholeNumber({ description: 'Maximum number of seeds.', default: 10_000, minimum: 1, maximum: 100_000 })
  limit: number = 10_000;
}
