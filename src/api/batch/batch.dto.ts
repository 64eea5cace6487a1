/** Batches as /v1 shows them. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import type { BatchRow } from '../../webpage/batch.store.js';
import { crawlIdShape, mustBeCrawlId } from '../request/ids.js';
import { WholeNumber } from '../request/whole-number.js';

export class BatchQuery {
  @ApiPropertyOptional({ description: 'The crawl.', default: '', example: 'k3' })
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId: string = '';
}

export class BatchesQuery extends BatchQuery {
  @WholeNumber({ description: 'Batches at most.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @ApiPropertyOptional({ description: '`cursor` of the answer before, or a segment name: goes on behind it.' })
  @IsOptional()
  @Matches(/^\d{14}$/, { message: '$property must be the cursor of an answer, or a segment name of 14 digits' })
  cursor?: string;
}

export class BatchDto {
  @ApiProperty({ description: 'What its pages carry as mark.', example: '1769860000-17' })
  id!: string;

  @ApiProperty({
    description: 'Its name as a segment: when it was made, 14 digits, UTC.',
    example: '20260131120000',
  })
  segment!: string;

  @ApiProperty({ description: 'Its number among the batches of one GENERATE, from 1.', example: 1 })
  segnum!: number;

  @ApiProperty({
    description: 'When it was made, ISO 8601, UTC.',
    format: 'date-time',
    example: '2026-01-31T12:00:00.000Z',
  })
  generatedAt!: string;

  @ApiProperty({ description: 'Pages that GENERATE selected.', example: 50 })
  pages!: number;
}

export class BatchList {
  @ApiProperty({ description: 'Batches in the order of their making.', type: [BatchDto] })
  batches!: BatchDto[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    type: String,
    nullable: true,
    example: null,
  })
  cursor!: string | null;
}

export class BatchParts {
  @ApiProperty({ description: 'Pages that belong to it.', example: 50 })
  crawl_generate!: number;

  @ApiProperty({ description: 'Of these, fetched, however that went.', example: 48 })
  crawl_fetch!: number;

  @ApiProperty({ description: 'Answered with content.', example: 45 })
  content!: number;

  @ApiProperty({ description: 'Parsed: links.', example: 45 })
  crawl_parse!: number;

  @ApiProperty({ description: 'Parsed: title, links, metadata.', example: 45 })
  parse_data!: number;

  @ApiProperty({ description: 'Parsed: text.', example: 45 })
  parse_text!: number;
}

export class BatchDetail extends BatchDto {
  @ApiProperty({ description: 'Pages in each part of a segment, until they are generated again.', type: BatchParts })
  parts!: BatchParts;
}

export const batchView = ({ generatedAt, ...batch }: BatchRow): BatchDto => ({
  ...batch,
  generatedAt: generatedAt.toISOString(),
});
