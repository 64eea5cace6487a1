import { Field, FieldOf, FieldOrNull, FieldWithDefault, OptionalField } from '../openapi/fields.js';

export class SeedUrl {
  @OptionalField('A number that the client gives; text with digits is read too.', 0, { nullable: true, type: Number })
  id!: number | null;

  @Field(
    'One seed line: a URL, then key=value pairs divided by TABs (nutch.score, nutch.fetchInterval, metadata).',
    'http://example.org/',
  )
  url!: string;
}

export class SeedListInput {
  @OptionalField('A number that the client gives; text with digits is read too.', 12345, {
    nullable: true,
    type: Number,
  })
  id?: number | null;

  @OptionalField(
    'Name of the list. Without one the server makes `seed-<ms>`. A list of the same name is replaced.',
    's1',
  )
  name?: string;

  @FieldOf([SeedUrl], 'The seeds.')
  seedUrls!: SeedUrl[];

  @FieldWithDefault(
    false,
    'The list is stored without its bad lines: how many there are, and the first of them with the reason, stand in the header `Orbweaver-Notice`. A list of bad lines only is refused.',
    false,
  )
  skipInvalid?: boolean;
}

export class SeedListDto {
  @FieldOrNull(Number, 'The number that the client gave.', 12345)
  id!: number | null;

  @Field('Name of the list.', 's1')
  name!: string;

  @Field('What INJECT takes as `url_dir` or `seedDir`.', 'seedFiles/s1')
  seedFilePath!: string;

  @FieldOf([SeedUrl], 'Seeds of this list, from the requested position.')
  seedUrls!: SeedUrl[];

  @Field('Number of seeds of the whole list.', 1)
  total!: number;
}

export class SeedListJobInput extends SeedListInput {
  @OptionalField('The crawl that is injected into.', 'k1', { default: '' })
  crawlId?: string;

  @OptionalField('Configuration of the job.', 'default', { default: 'default' })
  confId?: string;

  @OptionalField(
    'Further arguments of the INJECT job.',
    { overwrite: false },
    { type: 'object', additionalProperties: true },
  )
  args?: Record<string, unknown>;
}
