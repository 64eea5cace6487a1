import '../access/access.problems.js';
import '../heavy/heavy.problems.js';
import '../host/host.problems.js';
import '../job/job.problems.js';
import '../job/run-again.problems.js';
import '../legacy/legacy.problems.js';
import '../inspect/inspect.problems.js';
import '../page/page.problems.js';
import '../search/search.problems.js';
import '../seed/seed.problems.js';
import '../config/config.problems.js';
import '../crawl/crawl.problems.js';
import '../crawl/deletion.problems.js';
import { type ProblemDocument, problemCodes } from '../problem.js';
import { Field, OptionalField, OptionalFieldOf } from './fields.js';
import '../event/event.problems.js';
import '../request/idempotency.problems.js';
import '../webhook/webhook.problems.js';
import '../rule-file/rule-file.problems.js';

export class FieldErrorDto {
  @Field('The field, with the names of the objects around it; empty for the body itself.', 'args.topN')
  field!: string;

  @Field('What was given, and what is allowed.', 'args.topN must be an integer (given: "many")')
  message!: string;
}

/** The body of every error answer, as application/problem+json (RFC 9457). */
export class ProblemDto implements ProblemDocument {
  @Field('URI of this kind of problem.', 'urn:orbweaver:problem:job-unknown')
  type!: string;

  @Field('A summary of this kind of problem.', 'Unknown job')
  title!: string;

  @Field('The HTTP status.', 404)
  status!: number;

  @Field('The stable code of this kind of problem; branch on it.', 'JOB_UNKNOWN', {
    enum: problemCodes.map(({ code }) => code).sort(),
    enumName: 'ProblemCode',
  })
  code!: string;

  @Field(
    'What happened, what was given, and what is allowed.',
    'There is no job "k1-c1-FETCH-7"; GET /job lists all jobs.',
  )
  detail!: string;

  @Field('NutchServer 2.x: the name of the error.', 'JobUnknown')
  exception!: string;

  @Field('NutchServer 2.x: the same text as `detail`.', 'There is no job "k1-c1-FETCH-7"; GET /job lists all jobs.')
  message!: string;

  @OptionalFieldOf([FieldErrorDto], 'The fields that were not valid.')
  errors?: FieldErrorDto[];

  @OptionalField(
    'With a 4xx: what else was noticed about the request, as in the header `Orbweaver-Notice`: unknown fields.',
    'Field "urls" is not known here and changes nothing.',
  )
  notice?: string;

  @OptionalField(
    'With a 5xx: the id of the request, as in the header X-Request-Id and in the log of the server.',
    '5a8e2d1c-6f0b-4d3a-9c55-0d5f5b7a1e42',
  )
  requestId?: string;
}
