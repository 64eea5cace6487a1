import { Field, FieldOf, FieldOrNull, FieldWithDefault, OptionalField } from '../openapi/fields.js';

export class SeedUrl {
  @OptionalField('A number of the client; a string of digits is also accepted.', 0, { nullable: true, type: 'integer' })
  id!: number | null;

  @Field(
    'One seed line: a URL, then key=value pairs separated by TABs (nutch.score, nutch.fetchInterval, metadata).',
    'http://example.org/',
  )
  url!: string;
}

export class SeedListInput {
  @OptionalField('A number of the client; a string of digits is also accepted.', 12345, {
    nullable: true,
    type: 'integer',
  })
  id?: number | null;

  @OptionalField(
    'Name of the list. Without one the server generates a name that begins with `seed-`. A list with the same name is replaced.',
    's1',
  )
  name?: string;

  @FieldOf([SeedUrl], 'The seeds.')
  seedUrls!: SeedUrl[];

  @FieldWithDefault(
    false,
    'Store the list without its bad lines: the header `Orbweaver-Notice` contains their number, and the first of them with the reason. A list of only bad lines is refused.',
    false,
  )
  skipInvalid?: boolean;
}

export class SeedListDto {
  @FieldOrNull(Number, 'The number that the client gave.', 12345)
  id!: number | null;

  @Field('Name of the list.', 's1')
  name!: string;

  @Field('The value for `url_dir` or `seedDir` of INJECT.', 'seedFiles/s1')
  seedFilePath!: string;

  @FieldOf([SeedUrl], 'Seeds of this list, from the requested position.')
  seedUrls!: SeedUrl[];

  @Field('Number of seeds of the whole list.', 1)
  total!: number;
}

export class SeedListJobInput extends SeedListInput {
  @OptionalField('The crawl to inject into.', 'k1', { default: '' })
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
