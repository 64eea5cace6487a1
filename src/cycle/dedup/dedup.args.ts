import { Transform } from 'class-transformer';
import { ArrayMaxSize, ArrayMinSize, ArrayUnique, IsArray, IsIn, IsOptional } from 'class-validator';
import { COMPARE_ORDER, type CompareBy, GROUP_MODES, type GroupMode } from '../../core/page/duplicates.js';
import { FlagArg, StorePathArg } from '../arg-kinds.js';
import { Described } from '../arg-description.js';

const listOf = (value: unknown): unknown => {
  if (value === null || value === undefined) return undefined;
  return typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value;
};

export class DedupArgs {
  static readonly names = ['force'];

  @Described({
    description: 'Where pages of equal content are duplicates: anywhere, on one host, or in one domain.',
    enum: GROUP_MODES,
    example: 'none',
  })
  @IsOptional()
  @IsIn(GROUP_MODES)
  group?: GroupMode;

  @Described({
    description:
      'Which page of a group stays, first criterion first; an array, or a text with commas. The higher score, the later fetch time, https of two that differ in nothing else, the shorter URL. Default: deduplication.compare.order.',
    type: [String],
    enum: COMPARE_ORDER,
    example: ['score', 'fetchTime', 'urlLength'],
  })
  @IsOptional()
  @Transform(({ value }) => listOf(value))
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(COMPARE_ORDER.length)
  @ArrayUnique()
  @IsIn(COMPARE_ORDER, { each: true })
  compareOrder?: CompareBy[];

  @FlagArg('Given by a CRAWL with `index`: records the pages whose documents may change, for its INDEX.')
  documentsDue?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;
}
