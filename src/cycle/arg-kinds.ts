/** The kinds of job arguments: each decorator describes, reads and checks one optional argument. */
import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsBoolean,
  IsInt,
  IsOptional,
  IsString,
  Matches,
  Max,
  MaxLength,
  Min,
  ValidateBy,
} from 'class-validator';
import { compileExpression } from '../core/frontier/expression.js';
import { ExpressionError } from '../core/frontier/expression-tokens.js';
import { AsFlag, AsNumber, AsNumberOrMax, AsSegment, AsText, IsBatchId, segmentOf } from './args.js';
import { Described } from './arg-description.js';

const MAX_BATCHES = 1_000;
const MAX_SEEDS_LENGTH = 16_777_216;
const BATCH = '1763600000-1804289383';

export const FlagArg = (description: string, example = false): PropertyDecorator =>
  applyDecorators(IsBoolean(), AsFlag(), IsOptional(), Described({ description, example }));

/** `force` of 1.x, which ignores the lock of a CrawlDB or LinkDB. */
export const ForceFlag = (): PropertyDecorator =>
  FlagArg('Accepted for 1.x clients: jobs of one crawl and step run one after another.');

interface NumberBounds {
  min: number;
  max: number;
  example: number;
}

/** A whole number; both bounds are inclusive. */
export const NumberArg = (description: string, { min, max, example }: NumberBounds): PropertyDecorator =>
  applyDecorators(
    Max(max),
    Min(min),
    IsInt(),
    AsNumber(),
    IsOptional(),
    Described({ description, example, type: 'integer', minimum: min, maximum: max }),
  );

/** A whole number for which Nutch's default is `Long.MAX_VALUE`, which is accepted beside what is at most `max`. */
export const LongArg = (description: string, { min, max, example }: NumberBounds): PropertyDecorator =>
  applyDecorators(
    Max(max),
    Min(min),
    IsInt(),
    AsNumberOrMax(max),
    IsOptional(),
    Described({ description, example, type: 'integer', minimum: min }),
  );

export const TextArg = (description: string, example: string): PropertyDecorator =>
  applyDecorators(IsString(), AsText(), IsOptional(), Described({ description, example }));

/** A batch id, or a word for several batches. */
export const BatchArg = (description: string): PropertyDecorator =>
  applyDecorators(IsBatchId(), TextArg(description, BATCH));

/** The id of a batch that the job makes. */
export const NewBatchArg = (description: string): PropertyDecorator =>
  applyDecorators(
    Matches(/^(?!-(?:all|reparse|reindex)$)/, {
      message: '$property must not be -all, -reparse or -reindex: these words name sets of batches',
    }),
    BatchArg(description),
  );

/** A batch as 1.x clients name it: alone or at the end of a path. */
export const SegmentArg = (description: string): PropertyDecorator =>
  applyDecorators(IsBatchId(), IsString(), AsSegment(), IsOptional(), Described({ description, example: BATCH }));

/** The name of a stored seed list, or what clients take for its path. */
export const SeedListName = (description: string, example: string): PropertyDecorator =>
  applyDecorators(TextArg(description, example), MaxLength(300));

/** The argument `seed`: seeds as lines of text. */
export const SeedLinesArg = (description: string, example?: string): PropertyDecorator =>
  applyDecorators(
    MaxLength(MAX_SEEDS_LENGTH),
    IsString(),
    IsOptional(),
    Described(example === undefined ? { description } : { description, example }),
  );

export const SkipInvalid = (): PropertyDecorator =>
  FlagArg(
    'Lines of `seed` that are no seeds are left out, and named in the header `Orbweaver-Notice`. Without it they are refused, and all others with them.',
  );

/** The path of a 1.x store: it names the crawl, and nothing else. */
export const StorePathArg = (store: 'crawldb' | 'linkdb' | 'hostdb' | 'webgraphdb'): PropertyDecorator =>
  applyDecorators(
    TextArg(
      `Path of 1.x that ends with \`${store}\`: the folder before it is the crawl of a job whose request names none, and must be that of the request else.`,
      `k1/${store}`,
    ),
    MaxLength(300),
  );

const segmentsOf = (value: unknown): unknown =>
  value === null || value === undefined ? undefined : (Array.isArray(value) ? value : [value]).map(segmentOf);

/** The argument `segment` of jobs that take several: a text or an array, each alone or at the end of a path. */
export const Segments = (): PropertyDecorator =>
  applyDecorators(
    Described({
      description: 'Batches, as 1.x clients name them: a text or an array.',
      type: [String],
      example: ['20251121093000'],
    }),
    IsOptional(),
    Transform(({ value }) => segmentsOf(value)),
    IsArray(),
    ArrayMinSize(1),
    ArrayMaxSize(MAX_BATCHES),
    IsBatchId({ each: true }),
  );

/** Why a text is not a valid expression over pages, with the position; null if it is one. */
function expressionFault(value: unknown): string | null {
  if (typeof value !== 'string') return 'it must be a text';
  try {
    compileExpression(value);
    return null;
  } catch (error) {
    if (error instanceof ExpressionError) return error.message;
    throw error;
  }
}

/** An expression over pages (core/frontier/expression): an invalid one is refused when the job is created. */
export const IsExpression = (): PropertyDecorator =>
  ValidateBy({
    name: 'isExpression',
    validator: {
      validate: (value) => expressionFault(value) === null,
      defaultMessage: (at) => `${at?.property} cannot be used: ${expressionFault(at?.value)}`,
    },
  });
