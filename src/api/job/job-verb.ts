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
  /** The meaning of `true` in the answer. */
  answer: string;
  /** The description of `{id}`. */
  names: MethodDecorator;
  /** The example for 404. */
  unknown: Problem;
}

/** Verbs that role `user` of NutchServer 2.x may use. */
const verbsOfUsers = ['stop', 'abort'];

/** `POST …/{id}/<path>`: changes the state of a job or a crawl and returns whether that was possible. Takes no body. */
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
