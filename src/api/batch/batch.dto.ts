/** Batches under /v1. */
import { IsOptional, Matches } from 'class-validator';
import type { BatchRow } from '../../webpage/batch.store.js';
import { Field, FieldOf, OptionalField, TimeField } from '../openapi/fields.js';
import { CrawlIdField } from '../request/ids.js';
import { NextCursor } from '../request/list-cursor.js';
import { WholeNumber } from '../request/whole-number.js';

export class BatchQuery {
  @CrawlIdField('The crawl.', 'k3')
  crawlId: string = '';
}

export class BatchesQuery extends BatchQuery {
  @WholeNumber({ description: 'Maximum number of batches.', default: 100, minimum: 1, maximum: 1_000, example: 100 })
  limit: number = 100;

  @OptionalField('`cursor` of the previous answer, or a segment name: continues after it.')
  @IsOptional()
  @Matches(/^\d{14}$/, { message: '$property must be the cursor of an answer, or a segment name of 14 digits' })
  cursor?: string;
}

export class BatchDto {
  @Field('Batch id: the value of the marks of its pages.', '1769860000-17')
  id!: string;

  @Field('Its name as a segment: the time of its creation, 14 digits, UTC.', '20260131120000')
  segment!: string;

  @Field('Its number among the batches of one GENERATE, from 1.', 1)
  segnum!: number;

  @TimeField('When it was created, ISO 8601, UTC.', '2026-01-31T12:00:00.000Z')
  generatedAt!: string;

  @Field('Pages that GENERATE selected.', 50)
  pages!: number;
}

export class BatchList {
  @FieldOf([BatchDto], 'Batches in order of creation.')
  batches!: BatchDto[];

  @NextCursor(null)
  cursor!: string | null;
}

export class BatchParts {
  @Field('Pages that belong to it.', 50)
  crawl_generate!: number;

  @Field('Of these, visited, whatever the result.', 48)
  crawl_fetch!: number;

  @Field('Answered with content.', 45)
  content!: number;

  @Field('Parsed: links.', 45)
  crawl_parse!: number;

  @Field('Parsed: title, links, metadata.', 45)
  parse_data!: number;

  @Field('Parsed: text.', 45)
  parse_text!: number;
}

export class BatchDetail extends BatchDto {
  @FieldOf(
    BatchParts,
    'Number of pages in each part of the segment. A page that is generated again is no longer counted.',
  )
  parts!: BatchParts;
}

export const batchView = ({ generatedAt, ...batch }: BatchRow): BatchDto => ({
  ...batch,
  generatedAt: generatedAt.toISOString(),
});
