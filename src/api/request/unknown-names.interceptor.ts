/**
 * Names unknown query parameters and body fields of calls under /v1 in the header `Orbweaver-Notice`: they have no effect, and a
 * typo should not go unnoticed. Calls of NutchServer are excluded: their clients also send fields of other calls.
 */
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { ApiDescription, type KnownNames } from '../openapi/api-description.js';
import { shown } from '../problem.js';
import { nearestHint, notice, unknownNameSentences } from './notice.js';

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

const sentencesOf = (kind: string, unknown: readonly Unknown[]): string[] =>
  unknownNameSentences(kind, unknown, (name) => sentenceOf(kind, name));

function sentenceOf(kind: string, { name, at, known }: Unknown): string {
  const hint = nearestHint(name, [...known.keys()]);
  return `${kind[0]!.toUpperCase()}${kind.slice(1)} ${shown(at + name)} is not known here and changes nothing${hint}.`;
}
