/** The table of crawl properties under /v1. */
import { IsIn, IsOptional } from 'class-validator';
import { propertyNames } from '../../core/conf/properties.js';
import { propertyGroups } from '../../core/conf/property-groups.js';
import { Field, FieldOf, OptionalField, OptionalFieldOf } from '../openapi/fields.js';
import { NextCursor } from '../request/list-cursor.js';
import { OneWord } from '../request/one-word.js';
import { OptionalText } from '../request/text-field.js';
import { WholeNumber } from '../request/whole-number.js';

const groupIds = propertyGroups.map(({ id }) => id);

export class PropertiesQuery {
  @OptionalText(256, 'Prefix of the name: `fetcher.`.', 'fetcher.server')
  prefix?: string;

  @OptionalText(256, 'Text to search for in names and descriptions, in any letter case.', 'delay')
  q?: string;

  @OneWord(groupIds, 'The group of properties.', { example: 'fetch' })
  group?: string;

  @WholeNumber({
    description: 'Maximum number of properties.',
    default: 1_000,
    minimum: 1,
    maximum: 1_000,
    example: 10,
  })
  limit: number = 1_000;

  @OptionalField('`cursor` of the previous answer: continues after its last property.')
  @IsOptional()
  @IsIn(propertyNames, { message: 'cursor must be the cursor of an answer: the name of a property' })
  cursor?: string;
}

export class NutchDifference {
  @Field("Nutch's default.", '-1')
  nutch!: string;

  @Field('The default here.', '60 s')
  here!: string;

  @Field('Why.', 'a body that trickles would hold its connection forever')
  reason!: string;
}

export class PropertyDto {
  @Field('Name.', 'fetcher.server.delay')
  name!: string;

  @Field('Kind of value.', 'float', { enum: ['int', 'float', 'flag', 'text', 'choice', 'list', 'rules'] })
  kind!: string;

  @Field('Unit; empty when it has none.', 's')
  unit!: string;

  @Field('The shipped default as text; `${name}` is replaced by the value of that property.', '5.0')
  default!: string;

  @Field('The allowed values, as text.', 'a number from 0 to 86400')
  allowed!: string;

  @Field('What it does.', 'Rest of a server between two requests, counted from the end of the first.')
  description!: string;

  @Field('Its group.', 'fetch', { enum: groupIds })
  group!: string;

  @Field('The line of Nutch that has it; null for properties of this server and of external plugins.', 'both', {
    enum: ['1.x', '2.x', 'both', null],
    type: String,
    nullable: true,
  })
  nutchLine!: string | null;

  @OptionalFieldOf(NutchDifference, 'Present if the default or the meaning differs from Nutch.')
  differs?: NutchDifference;
}

export class MeaninglessProperty {
  @Field('Name of a property of Nutch.', 'storage.schema.webpage')
  name!: string;

  @Field('Why it has no meaning here.', 'Pages are kept in PostgreSQL.')
  reason!: string;
}

export class PropertyList {
  @FieldOf([PropertyDto], 'Properties, by name.')
  properties!: PropertyDto[];

  @FieldOf(
    [MeaninglessProperty],
    'Properties of Nutch that begin with `prefix` and have no meaning here. Only on the first page.',
  )
  withoutMeaning!: MeaninglessProperty[];

  @NextCursor(null)
  cursor!: string | null;
}
