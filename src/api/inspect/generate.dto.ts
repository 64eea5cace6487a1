/** `POST /v1/inspect/generate`: what GENERATE would select now. */
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsObject } from 'class-validator';
import { GenerateArgs } from '../../cycle/generate/generate.args.js';
import { Field, FieldOf, FieldOrNull, OptionalField, RecordField } from '../openapi/fields.js';
import { ConfIdField, CrawlIdField } from '../request/ids.js';

@ApiExtraModels(GenerateArgs)
export class InspectGenerate {
  @CrawlIdField()
  crawlId: string = '';

  @ConfIdField('The configuration.')
  confId: string = 'default';

  @OptionalField(
    'Arguments as for the job GENERATE. `batch` and `force` have no effect, because no page is marked.',
    { topN: 1_000 },
    { allOf: [{ $ref: getSchemaPath(GenerateArgs) }] },
  )
  @Transform(({ value }) => value ?? {})
  @IsObject()
  args: Record<string, unknown> = {};
}

export class HostShare {
  @Field('The host.', 'example.org')
  host!: string;

  @Field('Number of its pages that would be selected.', 12)
  count!: number;
}

export class InspectedBatch {
  @Field('Number of pages that would be selected.', 12)
  count!: number;

  @FieldOf([HostShare], 'By host, largest first; at most 100.')
  byHost!: HostShare[];

  @Field('Total number of hosts.', 1)
  hosts!: number;

  @RecordField(
    'Pages left out, by reason: the counters of GENERATE (NOT_DUE, HOST_DRAINED, HOST_BLOCKED, DISTANCE, SCORE_TOO_LOW, STATUS_REJECTED, INTERVAL_REJECTED, URL_FILTERS_REJECTED, EXPR_REJECTED, HOST_LIMIT, PARTITION_LIMIT), TOP_N (the batch was full before them) and IN_BATCH. TOP_N, NOT_DUE and IN_BATCH are counted up to 100,000.',
    { NOT_DUE: 340, HOST_LIMIT: 7 },
    { type: 'integer' },
  )
  leftOut!: Record<string, number>;

  @FieldOf([String], 'The first pages, best first; at most 100.', ['http://example.org/'])
  sample!: string[];

  @Field('False when the time limit was reached before all candidates were checked.', true)
  complete!: boolean;

  @FieldOrNull(String, 'Why the batch is smaller than topN although more is due.', null)
  warning!: string | null;
}
