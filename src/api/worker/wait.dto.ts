import { type TaskWait, waitKinds } from '../../job/task-wait.js';
import { Field, FieldOrNull, TimeField } from '../openapi/fields.js';

export class WaitDto implements TaskWait {
  @Field(
    '`parser`: a parser that takes its time (a PDF, Markdown, a plugin). `job`: another job, which holds a lock. `host`: the queue of a host that rests, is left alone, or is with another task, while no server is asked.',
    'parser',
    { enum: waitKinds },
  )
  for!: TaskWait['for'];

  @Field('The same in words.', 'the parser: 37 pages')
  what!: string;

  @FieldOrNull(String, 'The page in hand.', 'http://site.test/long')
  url!: string | null;

  @Field('Pages that wait, the one in hand among them; null where that is not known.', 37, {
    type: 'integer',
    nullable: true,
  })
  pages!: number | null;

  @TimeField('Since when; with a page in hand, since when it is. ISO 8601 UTC.', '2026-11-21T08:00:00.000Z')
  since!: string;
}
