import { Transform } from 'class-transformer';
import { IsObject } from 'class-validator';
import { Field, OptionalField } from '../openapi/fields.js';
import { ConfIdField, CrawlIdField } from '../request/ids.js';

/** ServiceConfig (1.x). */
export class ServiceConfig {
  @CrawlIdField()
  crawlId: string = '';

  @ConfIdField('Ignored: a dump depends on no configuration.')
  confId: string = 'default';

  @OptionalField('Ignored: paths and formats of files.', {}, { type: 'object', additionalProperties: true })
  @Transform(({ value }: { value: unknown }) => value ?? {})
  @IsObject()
  args: Record<string, unknown> = {};
}

/** ServiceInfo (1.x). */
export class ServiceInfo {
  @Field('Names of dumps, for `POST /reader/sequence/read`.', ['k1/dump/commoncrawl-20251124134001'], {
    type: [String],
  })
  dumpPaths!: string[];
}
