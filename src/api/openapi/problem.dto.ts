import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import '../heavy/heavy.problems.js';
import '../host/host.problems.js';
import '../job/run-again.problems.js';
import '../legacy/legacy.problems.js';
import '../inspect/inspect.problems.js';
import '../page/page.problems.js';
import '../config/config.problems.js';
import '../crawl/crawl.problems.js';
import '../crawl/deletion.problems.js';
import { type ProblemDocument, problemCodes } from '../problem.js';
import '../event/event.problems.js';
import '../request/idempotency.problems.js';
import '../webhook/webhook.problems.js';
import '../rule-file/rule-file.problems.js';

export class FieldErrorDto {
  @ApiProperty({ description: 'The field, with the names of the objects around it.', example: 'args.topN' })
  field!: string;

  @ApiProperty({
    description: 'What was given, and what is allowed.',
    example: 'args.topN must be an integer (given: "many")',
  })
  message!: string;
}

/** Every error answer is this document, as application/problem+json (RFC 9457). */
export class ProblemDto implements ProblemDocument {
  @ApiProperty({ description: 'A name for this kind of problem.', example: 'urn:orbweaver:problem:job-unknown' })
  type!: string;

  @ApiProperty({ description: 'The kind of problem in words.', example: 'Unknown job' })
  title!: string;

  @ApiProperty({ description: 'The HTTP status.', example: 404 })
  status!: number;

  @ApiProperty({
    description: 'The stable code of this kind of problem; branch on it.',
    enum: problemCodes.map(({ code }) => code).sort(),
    enumName: 'ProblemCode',
    example: 'JOB_UNKNOWN',
  })
  code!: string;

  @ApiProperty({
    description: 'What happened, what was given, what is allowed.',
    example: 'There is no job "k1-c1-FETCH-7".',
  })
  detail!: string;

  @ApiProperty({ description: 'NutchServer 2.x: the name of the error.', example: 'JobUnknown' })
  exception!: string;

  @ApiProperty({
    description: 'NutchServer 2.x: the same words as `detail`.',
    example: 'There is no job "k1-c1-FETCH-7".',
  })
  message!: string;

  @ApiPropertyOptional({ description: 'The fields that were not valid.', type: [FieldErrorDto] })
  errors?: FieldErrorDto[];

  @ApiPropertyOptional({
    description: 'Of a 5xx: the name of the request, as in the header X-Request-Id and in the log of the server.',
    example: '5a8e2d1c-6f0b-4d3a-9c55-0d5f5b7a1e42',
  })
  requestId?: string;
}
