/** Bodies and queries of the readers of 1.x. */
import { MAX_INT32 } from '../../core/int32.js';
import { IsBoolean, IsOptional, IsString, MaxLength, MinLength } from 'class-validator';
import { Transform } from 'class-transformer';
import { Field, FieldWithDefault } from '../openapi/fields.js';
import { queryBooleanOf } from '../request/boolean-text.js';
import { WholeNumber } from '../request/whole-number.js';

const rowNumber = (description: string): PropertyDecorator =>
  WholeNumber({ description, default: -1, minimum: -1, maximum: MAX_INT32 });

/** ReaderConfig (1.x). */
export class ReaderConfig {
  @Field(
    'What to read: the name of a store within a crawl, in the form of a 1.x path. It is never opened in the file system.',
    'k1/webgraphdb/nodes/current/part-r-00000/data',
  )
  @MaxLength(4_096)
  @MinLength(1)
  @IsString()
  path!: string;
}

/** Which rows: from `start` to `end`, exclusive, if both are given; else the first `nrows`; else all. */
export class RowsQuery {
  @rowNumber('Number of rows from the beginning; -1 for all.')
  nrows: number = -1;

  @rowNumber('The first row, from 0; used together with `end`.')
  start: number = -1;

  @rowNumber('The row after the last one; used together with `start`.')
  end: number = -1;

  @FieldWithDefault(false, 'Return the number of all rows, as text.')
  @IsOptional()
  @Transform(({ value }) => queryBooleanOf(value))
  @IsBoolean()
  count?: boolean;
}

/** Rows of an answer: from `from` to `to`, exclusive. */
export const rowRangeOf = ({ nrows, start, end }: RowsQuery): { from: number; to: number } => {
  if (start > -1 && end > 0) return { from: start, to: end };
  return { from: 0, to: nrows > -1 ? nrows : Infinity };
};
