/**
 * Problems of the limits of a server: of bodies (413, 415), of the limits of a client (429), and of the database (503).
 * Which operations can return them follows from what they need and read.
 */
import type { OpenAPIObject } from '@nestjs/swagger';
import { OPEN_PATH } from '../access/access.js';
import { tooManyRequests } from '../access/access.problems.js';
import { DEFAULT_REQUEST_RATE } from '../../conf/env-defaults.js';
import {
  type Problem,
  bodiesTooMany,
  bodyTooLarge,
  connectionsTaken,
  dataLocked,
  databaseUnavailable,
  documentOf,
  mediaTypeUnsupported,
  queryTooLong,
} from '../problem.js';
import { bodyLimits } from '../request/body.interceptor.js';
import { BODY_LIMIT, NEEDED_SCOPE } from './route-facts.js';

type Operation = NonNullable<OpenAPIObject['paths'][string]['get']> & {
  [BODY_LIMIT]?: number;
  [NEEDED_SCOPE]?: string;
};
type Methods = Record<string, Operation>;

/** Operations that send no statement, or answer also if it fails. */
const WITHOUT_DATABASE: ReadonlySet<string> = new Set([
  OPEN_PATH,
  '/health/ready',
  '/metrics',
  '/v1/properties',
  '/v1/inspect/robots',
  '/reader/link',
  '/reader/node',
]);

/** Adds them to the operations that can return them, in place. Their examples are shared. */
export function describeLimitProblems(document: OpenAPIObject): void {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Methods).map(([method, operation]) => ({
      operation,
      problems: problemsOf(path, method, operation),
    })),
  );
  for (const { operation, problems } of operations) {
    for (const problem of problems) add(operation, problem);
    delete operation[BODY_LIMIT];
    delete operation[NEEDED_SCOPE];
  }
  const shared = operations.flatMap(({ problems }) => problems).filter(isSameEverywhere);
  document.components!.examples = Object.fromEntries(shared.map((problem) => [problem.code, exampleOf(problem)]));
}

/** The limit of a body differs by operation. */
const isSameEverywhere = ({ status }: Problem): boolean => status !== 413;

function problemsOf(path: string, method: string, operation: Operation): Problem[] {
  const limit = ['post', 'put', 'patch'].includes(method) ? (operation[BODY_LIMIT] ?? bodyLimits.json) : 0;
  const ofBody = [bodyTooLarge(limit), mediaTypeUnsupported('gzip coding', 'an uncompressed body'), bodiesTooMany()];
  // Requests of admin keys have no limit of connections.
  const ofKeys = operation[NEEDED_SCOPE] === 'admin' ? [] : [connectionsTaken()];
  return [
    ...(limit > 0 ? ofBody : []),
    ...(path === OPEN_PATH ? [] : [tooManyRequests(DEFAULT_REQUEST_RATE)]),
    ...(WITHOUT_DATABASE.has(path) ? [] : [...ofKeys, databaseUnavailable(), queryTooLong(), dataLocked()]),
  ];
}

/** To the other problems of the same status. */
function add({ responses }: Operation, problem: Problem): void {
  const { status, code, title } = problem;
  const { description, content } = (responses[status] ?? {}) as Answer;
  const media = content?.['application/problem+json'];
  const example = isSameEverywhere(problem) ? { $ref: `#/components/examples/${code}` } : exampleOf(problem);
  if (media?.examples && code in media.examples) return;
  responses[status] = {
    description: `${description ? `${description} ` : ''}${code}: ${title}.`,
    content: {
      'application/problem+json': {
        schema: { $ref: '#/components/schemas/ProblemDto' },
        examples: { ...media?.examples, [code]: example },
      },
    },
  } as Answer;
}

interface Answer {
  description: string;
  content?: Record<string, { schema: object; examples?: Record<string, object> }>;
}

const exampleOf = (problem: Problem) => ({ summary: problem.title, value: documentOf(problem) });
