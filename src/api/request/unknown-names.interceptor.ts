/**
 * Names unknown query parameters and body fields of calls under /v1 in the header `Orbweaver-Notice`: they have no effect, and a
 * typo should not go unnoticed. Calls of NutchServer are excluded: their clients also send fields of other calls.
 */
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { nearestName } from '../../core/conf/nearest-name.js';
import { ApiDescription, type KnownNames } from '../openapi/api-description.js';
import { shown } from '../problem.js';
import { notice } from './notice.js';

/** Maximum number of names in a notice. */
const MAX_NAMED = 20;

@Injectable()
export class UnknownNamesInterceptor implements NestInterceptor {
  constructor(private readonly description: ApiDescription) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { method, path, query, body } = http.getRequest<Request>();
    const names = path.startsWith('/v1/') ? this.description.namesOf(method, path) : undefined;
    if (names !== undefined) {
      const parameters = unknownIn(query, names.query, '').map((one) => sentenceOf('Query parameter', one));
      const fields = unknownIn(body, names.body, '').map((one) => sentenceOf('Field', one));
      notice(http.getResponse<Response>(), [...parameters, ...fields]);
    }
    return next.handle();
  }
}

interface Unknown {
  name: string;
  nearest: string | null;
}

function unknownIn(given: unknown, known: KnownNames | undefined, at: string): Unknown[] {
  if (known === undefined || typeof given !== 'object' || given === null || Array.isArray(given)) return [];
  const names = Object.keys(given);
  const unknown = names.filter((name) => !known.has(name)).slice(0, MAX_NAMED);
  return [
    ...unknown.map((name) => ({ name: at + name, nearest: nearestName(name, [...known.keys()]) })),
    ...[...known].flatMap(([name, inner]) =>
      inner === undefined ? [] : unknownIn((given as Record<string, unknown>)[name], inner, `${at}${name}.`),
    ),
  ];
}

const sentenceOf = (what: string, { name, nearest }: Unknown): string =>
  `${what} ${shown(name)} is not known here and changes nothing${nearest === null ? '' : `; the nearest is ${nearest}`}.`;
