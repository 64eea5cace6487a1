import { ID_SHAPE } from '../../core/id-shape.js';
import type { RuleFile } from '../../conf/rule-file.store.js';
import { Field, FieldOf, FieldOrNull } from '../openapi/fields.js';
import { IdCursorField, NextCursor } from '../request/list-cursor.js';
import { WholeNumber } from '../request/whole-number.js';

export class RuleFileDto {
  @Field('Its name.', 'regex-urlfilter.txt')
  name!: string;

  @Field('Its size in bytes.', 812)
  size!: number;

  @FieldOrNull(String, 'The property that uses a file with this name by default, or null.', 'urlfilter.regex.file')
  property!: string | null;

  @Field('When it was first stored, ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  createdAt!: string;

  @Field('When it was last stored, ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  updatedAt!: string;
}

export class RuleFilesDto {
  @FieldOf([RuleFileDto], 'Rule files by name.')
  ruleFiles!: RuleFileDto[];

  @NextCursor('regex-urlfilter.txt')
  cursor!: string | null;
}

export class RuleFilesQuery {
  @WholeNumber({ description: 'Maximum number of rule files.', default: 100, minimum: 1, maximum: 1_000 })
  limit: number = 100;

  @IdCursorField(ID_SHAPE)
  cursor?: string;
}

export const ruleFileView = (file: RuleFile, property: string | null): RuleFileDto => ({
  name: file.name,
  size: file.size,
  property,
  createdAt: file.createdAt.toISOString(),
  updatedAt: file.updatedAt.toISOString(),
});
