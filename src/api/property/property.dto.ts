/** The table of crawl properties as /v1 shows it. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString, MaxLength } from 'class-validator';
import { propertyNames } from '../../conf/properties.js';
import { propertyGroups } from '../../conf/property-groups.js';
import { WholeNumber } from '../request/whole-number.js';

const groupIds = propertyGroups.map(({ id }) => id);

export class PropertiesQuery {
  @ApiPropertyOptional({ description: 'Beginning of the name: `fetcher.`.', example: 'fetcher.server' })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  prefix?: string;

  @ApiPropertyOptional({ description: 'Words to look for in names and meanings, in any case.', example: 'delay' })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  q?: string;

  @ApiPropertyOptional({ description: 'What they are about.', enum: groupIds, example: 'fetch' })
  @IsOptional()
  @IsIn(groupIds)
  group?: string;

  @WholeNumber({ description: 'Properties at most.', default: 1_000, minimum: 1, maximum: 1_000, example: 10 })
  limit: number = 1_000;

  @ApiPropertyOptional({ description: '`cursor` of the answer before: goes on behind its last property.' })
  @IsOptional()
  @IsIn(propertyNames, { message: 'cursor must be the cursor of an answer: the name of a property' })
  cursor?: string;
}

export class NutchDifference {
  @ApiProperty({ description: "Nutch's default.", example: '-1' })
  nutch!: string;

  @ApiProperty({ description: 'The default here.', example: '60 s' })
  here!: string;

  @ApiProperty({ description: 'Why.', example: 'a body that trickles would hold its connection for ever' })
  reason!: string;
}

export class PropertyDto {
  @ApiProperty({ description: 'Name.', example: 'fetcher.server.delay' })
  name!: string;

  @ApiProperty({
    description: 'Kind of value.',
    enum: ['int', 'float', 'flag', 'text', 'choice', 'list', 'rules'],
    example: 'float',
  })
  kind!: string;

  @ApiProperty({ description: 'Unit; empty when it has none.', example: 's' })
  unit!: string;

  @ApiProperty({ description: 'The shipped default as text; `${name}` stands for that property.', example: '5.0' })
  default!: string;

  @ApiProperty({ description: 'What it takes, in words.', example: 'a number from 0 to 86400' })
  allowed!: string;

  @ApiProperty({
    description: 'What it does.',
    example: 'Rest of a server between two requests, counted from the end of the first.',
  })
  description!: string;

  @ApiProperty({ description: 'What it is about.', enum: groupIds, example: 'fetch' })
  group!: string;

  @ApiProperty({
    description: 'The line of Nutch that has it; null for our own, and for those of plugins from outside.',
    enum: ['1.x', '2.x', 'both', null],
    type: String,
    nullable: true,
    example: 'both',
  })
  nutchLine!: string | null;

  @ApiPropertyOptional({ description: "Where the default, or the meaning, is not Nutch's.", type: NutchDifference })
  differs?: NutchDifference;
}

export class MeaninglessProperty {
  @ApiProperty({ description: 'Name of a property of Nutch.', example: 'ftp.timeout' })
  name!: string;

  @ApiProperty({ description: 'Why it means nothing here.', example: 'Only http and https are crawled.' })
  reason!: string;
}

export class PropertyList {
  @ApiProperty({ description: 'Properties, by name.', type: [PropertyDto] })
  properties!: PropertyDto[];

  @ApiProperty({
    description: 'Properties of Nutch that begin with `prefix` and mean nothing here. With the first page only.',
    type: [MeaninglessProperty],
  })
  withoutMeaning!: MeaninglessProperty[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    type: String,
    nullable: true,
    example: null,
  })
  cursor!: string | null;
}
