import { HttpCode, Post, applyDecorators } from '@nestjs/common';
import { ApiOkResponse } from '@nestjs/swagger';
import { Needs } from '../access/access.guard.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import type { Problem } from '../problem.js';
import { Takes } from '../request/body.interceptor.js';

export interface Verb {
  summary: string;
  description: string;
  /** What `true` in the answer means. */
  answer: string;
  /** What `{id}` is, for the description of the address. */
  names: MethodDecorator;
  /** The example of 404. */
  unknown: Problem;
}

/** What role `user` of NutchServer 2.x may do to jobs. */
const verbsOfUsers = ['stop', 'abort'];

/** `POST …/{id}/<path>`: something that is done to a job or a crawl and returns whether the job was there for it. Takes no body. */
export const JobVerb = (path: string, { summary, description, answer, names, unknown }: Verb) =>
  applyDecorators(
    Post(`:id/${path}`),
    Needs('run', verbsOfUsers.includes(path) ? 'user' : undefined),
    HttpCode(200),
    Takes('none'),
    names,
    Operation(summary, description),
    ApiOkResponse({ description: answer, schema: { type: 'boolean', example: true } }),
    Problems(unknown),
  );
