import { ApiProperty } from '@nestjs/swagger';
import { type TaskWait, waitKinds } from '../../job/task-wait.js';

/** What a task waits for. */
export class WaitDto implements TaskWait {
  @ApiProperty({
    description:
      '`parser`: a parser that takes its time (a PDF, Markdown, a plugin). `job`: another job, which holds a lock. `host`: the queue of a host that rests, is left alone, or is with another task, while no server is asked.',
    enum: waitKinds,
    example: 'parser',
  })
  for!: TaskWait['for'];

  @ApiProperty({ description: 'The same in words.', example: 'the parser: 37 pages' })
  what!: string;

  @ApiProperty({ description: 'The page in hand.', type: String, nullable: true, example: 'http://site.test/long' })
  url!: string | null;

  @ApiProperty({
    description: 'Pages that wait, the one in hand among them; null where that is not known.',
    type: 'integer',
    nullable: true,
    example: 37,
  })
  pages!: number | null;

  @ApiProperty({
    description: 'Since when; with a page in hand, since when it is. ISO 8601 UTC.',
    format: 'date-time',
    example: '2026-11-21T08:00:00.000Z',
  })
  since!: string;
}
