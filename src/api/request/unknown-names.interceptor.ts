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
      const parameters = sentencesOf('query parameter', unknownIn(query, names.query, ''));
      const fields = sentencesOf('field', unknownIn(body, names.body, ''));
      notice(http.getResponse<Response>(), [...parameters, ...fields]);
    }
    return next.handle();
  }
}

interface Unknown {
  readonly name: string;
  readonly at: string;
  /** Names that are known there. */
  readonly known: KnownNames;
}

function unknownIn(value: unknown, known: KnownNames | undefined, at: string): Unknown[] {
  if (known === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  return [
    ...unknown.map((name) => ({ name, at, known })),
    ...[...known].flatMap(([name, inner]) =>
      inner === undefined ? [] : unknownIn((value as Record<string, unknown>)[name], inner, `${at}${name}.`),
    ),
  ];
}

/** A sentence for each of the first names, and the number of the others. */
function sentencesOf(kind: string, unknown: readonly Unknown[]): string[] {
  const more = unknown.length - MAX_NAMED;
  const named = unknown.slice(0, MAX_NAMED).map((unknownName) => sentenceOf(kind, unknownName));
  return more > 0 ? [...named, `Further unknown ${kind}s: ${more}.`] : named;
}

function sentenceOf(kind: string, { name, at, known }: Unknown): string {
  const nearest = nearestName(name, [...known.keys()]);
  const hint = nearest === null ? '' : `; the nearest is ${nearest}`;
  return `${kind[0]!.toUpperCase()}${kind.slice(1)} ${shown(at + name)} is not known here and changes nothing${hint}.`;
}
