import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsOptional, Matches } from 'class-validator';
import type { RuleFile } from '../../conf/rule-file.store.js';
import { idShape } from '../request/ids.js';
import { WholeNumber } from '../request/whole-number.js';

/** A rule file, without its content. */
export class RuleFileDto {
  @ApiProperty({ description: 'Its name.', example: 'regex-urlfilter.txt' })
  name!: string;

  @ApiProperty({ description: 'Its size in bytes.', example: 812 })
  size!: number;

  @ApiProperty({
    description: 'The property that takes a file of this name without being told, or null.',
    example: 'urlfilter.regex.file',
    nullable: true,
    type: String,
  })
  property!: string | null;

  @ApiProperty({ description: 'When it was first stored, ISO 8601 UTC.', example: '2026-11-21T08:00:00.000Z' })
  createdAt!: string;

  @ApiProperty({ description: 'When it was last stored, ISO 8601 UTC.', example: '2026-11-21T08:00:00.000Z' })
  updatedAt!: string;
}

export class RuleFilesDto {
  @ApiProperty({ description: 'Rule files by name.', type: [RuleFileDto] })
  ruleFiles!: RuleFileDto[];

  @ApiProperty({
    description: 'Give it as `cursor` to read on; null when there is nothing more.',
    example: 'regex-urlfilter.txt',
    nullable: true,
    type: String,
  })
  cursor!: string | null;
}

export class RuleFilesQuery {
  @WholeNumber({ description: 'Rule files at most.', default: 100, minimum: 1, maximum: 1_000 })
  limit: number = 100;

  @ApiPropertyOptional({ description: '`cursor` of the answer before: goes on behind it.' })
  @IsOptional()
  @Matches(idShape, { message: 'cursor must be the cursor of an answer' })
  cursor?: string;
}

export const ruleFileView = (file: RuleFile, property: string | null): RuleFileDto => ({
  name: file.name,
  size: file.size,
  property,
  createdAt: file.createdAt.toISOString(),
  updatedAt: file.updatedAt.toISOString(),
});
