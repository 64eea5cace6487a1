/**
 * Names unknown query parameters and body fields in the header `Orbweaver-Notice`: they have no effect, and a typo should not go
 * unnoticed. Clients of NutchServer also send fields of other calls: of those calls only likely typos are named, which resemble
 * a known name that is not given.
 */
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Observable } from 'rxjs';
import { nearestName } from '../../core/conf/nearest-name.js';
import { ApiDescription, type KnownNames } from '../openapi/api-description.js';
import { shown } from '../problem.js';
import { nearestHint, notice, unknownNameSentences } from './notice.js';

@Injectable()
export class UnknownNamesInterceptor implements NestInterceptor {
  constructor(private readonly description: ApiDescription) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const { method, path, query, body } = http.getRequest<Request>();
    const names = this.description.namesOf(method, path);
    if (names !== undefined) {
      const isNamed = path.startsWith('/v1/') ? () => true : isLikelyTypo;
      const parameters = sentencesOf('query parameter', unknownIn(query, names.query, '').filter(isNamed));
      const fields = sentencesOf('field', unknownIn(body, names.body, '').filter(isNamed));
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
  /** The object that has it. */
  readonly of: object;
}

function unknownIn(value: unknown, known: KnownNames | undefined, at: string): Unknown[] {
  if (known === undefined || typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const unknown = Object.keys(value).filter((name) => !known.has(name));
  return [
    ...unknown.map((name) => ({ name, at, known, of: value })),
    ...[...known].flatMap(([name, inner]) =>
      inner === undefined ? [] : unknownIn((value as Record<string, unknown>)[name], inner, `${at}${name}.`),
    ),
  ];
}

/** Arguments, in an object of their own, are named by the call that knows their type. */
function isLikelyTypo({ name, at, known, of }: Unknown): boolean {
  if (at !== '') return false;
  const nearest = nearestName(name, [...known.keys()]);
  return nearest !== null && !Object.hasOwn(of, nearest);
}

const sentencesOf = (kind: string, unknown: readonly Unknown[]): string[] =>
  unknownNameSentences(kind, unknown, (name) => sentenceOf(kind, name));

function sentenceOf(kind: string, { name, at, known }: Unknown): string {
  const hint = nearestHint(name, [...known.keys()]);
  return `${kind[0]!.toUpperCase()}${kind.slice(1)} ${shown(at + name)} is not known here and changes nothing${hint}.`;
}
