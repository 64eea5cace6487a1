import { type TaskWait, waitKinds } from '../../core/job/task-wait.js';
import { Field, FieldOrNull, TimeField } from '../openapi/fields.js';

export class WaitDto implements TaskWait {
  @Field(
    '`parser`: a slow parser (a PDF, Markdown, a plugin). `job`: another job, which has a lock. `host`: a fetch queue whose delay has not passed, that is blocked, or whose lease another task has, while the task has no request running. `database`: an attempt that succeeds, after one has failed for more than a second.',
    'parser',
    { enum: waitKinds },
  )
  for!: TaskWait['for'];

  @Field('What it waits for, as text.', 'the parser: 37 pages')
  what!: string;

  @FieldOrNull(String, 'The page being processed.', 'http://site.test/long')
  url!: string | null;

  @Field('Number of waiting pages, including the one being processed; null if unknown.', 37, {
    type: 'integer',
    nullable: true,
  })
  pages!: number | null;

  @TimeField('Since when the task waits, or processes that page. ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  since!: string;
}
