/**
 * `Idempotency-Key` (draft-ietf-httpapi-idempotency-key-header-07): a creating POST that is repeated with the same key gets
 * the answer of the first one, and creates nothing.
 *
 * A key is bound to the client, the path and the body. Answers are stored for 24 hours, including refusals (4xx), but not
 * server errors (5xx) and 429, so that a retry runs the request again.
 */
import { createHash } from 'node:crypto';
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  applyDecorators,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiHeader } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { type Observable, lastValueFrom, of } from 'rxjs';
import { IdempotencyStore, type KeptAnswer } from '../../job/idempotency.store.js';
import { KeyReused, type KeyedRequest, asRequest } from '../../job/idempotency.js';
import { principalOf } from '../access/access.js';
import { Database } from '../database.js';
import { KEY_TOKEN_HEADER, MADE_JOB_HEADER, heavyJobOf } from '../heavy/made-job.js';
import { Problems } from '../openapi/problem-answers.js';
import { Problem, documentOf } from '../problem.js';
import { idempotencyKeyInvalid, idempotencyKeyReused, requestRunning } from './idempotency.problems.js';

const CREATES_KEY = 'api:creates';
const KEY_SHAPE = /^[\x21-\x7e]{1,255}$/;
/** Headers that are stored with the body. */
const keptHeaders = ['Content-Type', 'Orbweaver-Notice'];

/** A POST that creates something: it may be repeated with an `Idempotency-Key`. */
export const Creates = () =>
  applyDecorators(
    SetMetadata(CREATES_KEY, true),
    ApiHeader({
      name: 'Idempotency-Key',
      description:
        'Makes the request safe to repeat: for 24 hours the same key with the same body gets the same response, with `Idempotency-Replayed: true`. 1 to 255 visible characters, for example a UUID.',
      required: false,
      schema: { type: 'string', pattern: KEY_SHAPE.source },
    }),
    Problems(requestRunning(), idempotencyKeyReused(), idempotencyKeyInvalid('a b')),
  );

@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  private readonly store: IdempotencyStore;

  constructor(
    private readonly reflector: Reflector,
    database: Database,
  ) {
    this.store = new IdempotencyStore(database.pool);
  }

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request>();
    const idempotencyKey = request.headers['idempotency-key'];
    const creates = this.reflector.get<boolean | undefined>(CREATES_KEY, context.getHandler());
    if (!creates || idempotencyKey === undefined) return next.handle();
    const response = http.getResponse<Response>();
    const heavyJob = heavyJobOf(request);
    if (heavyJob?.keyToken !== undefined) {
      // A heavy process has claimed the request, and created its job.
      const claimed = { key: keyOf(request, String(idempotencyKey)), token: heavyJob.keyToken };
      return of(await this.run(claimed, () => valueOf(next), response));
    }
    const keyed = keyedRequest(request, String(idempotencyKey));
    const admission = await this.store.begin(keyed);
    if (admission.kind === 'reused') throw idempotencyKeyReused();
    if (admission.kind === 'running') throw requestRunning();
    if (admission.kind === 'run') {
      const claimed = { key: keyed.key, token: admission.token };
      return of(await this.run(claimed, () => asRequest(keyed, () => valueOf(next)), response));
    }
    answerAgain(response, admission.answer);
    return of(undefined);
  }

  private async run(
    { key, token }: ClaimedRequest,
    work: () => Promise<unknown>,
    response: Response,
  ): Promise<unknown> {
    try {
      const value = await work();
      // In a heavy process: its answer is not the one that the client gets.
      if (response.hasHeader(MADE_JOB_HEADER)) response.setHeader(KEY_TOKEN_HEADER, token);
      // The work is done: if its answer cannot be stored, it is returned nevertheless.
      else await this.store.keep(key, token, keptAnswer(value, response)).catch(() => undefined);
      return value;
    } catch (error) {
      const refusal = error instanceof Problem && error.status < 500 && error.status !== 429 ? error : undefined;
      const ended = refusal ? this.store.keep(key, token, problemAnswer(refusal)) : this.store.giveUp(key, token);
      await ended.catch(() => undefined);
      throw error instanceof KeyReused ? idempotencyKeyReused() : error;
    }
  }
}

/** A request of which this process has the only claim. */
interface ClaimedRequest {
  readonly key: string;
  readonly token: number;
}

const hashOf = (...values: unknown[]): string => createHash('sha256').update(JSON.stringify(values)).digest('hex');

/** Throws IDEMPOTENCY_KEY_INVALID. */
function keyedRequest(request: Request, idempotencyKey: string): KeyedRequest {
  if (!KEY_SHAPE.test(idempotencyKey)) throw idempotencyKeyInvalid(idempotencyKey);
  return { key: keyOf(request, idempotencyKey), hash: hashOf(request.query, request.body ?? null) };
}

/** A trailing slash of the path is ignored. */
const keyOf = (request: Request, idempotencyKey: string): string =>
  hashOf(principalOf(request)?.name, request.method, request.path.replace(/\/$/, ''), idempotencyKey);

const valueOf = (next: CallHandler): Promise<unknown> => lastValueFrom(next.handle(), { defaultValue: undefined });

function keptAnswer(value: unknown, response: Response): KeptAnswer {
  const isText = typeof value === 'string';
  const headers: Record<string, string> = { 'Content-Type': isText ? 'text/plain' : 'application/json' };
  for (const name of keptHeaders) if (response.hasHeader(name)) headers[name] = String(response.getHeader(name));
  return { status: response.statusCode, headers, body: isText ? value : (JSON.stringify(value) ?? '') };
}

function problemAnswer(refusal: Problem): KeptAnswer {
  const headers = { ...refusal.options.headers, 'Content-Type': 'application/problem+json' };
  return { status: refusal.status, headers, body: JSON.stringify(documentOf(refusal)) };
}

function answerAgain(response: Response, { status, headers, body }: KeptAnswer): void {
  const bytes = Buffer.from(body);
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  response.setHeader('Idempotency-Replayed', 'true');
  response.setHeader('Content-Length', bytes.length);
  response.statusCode = status;
  response.end(bytes);
}
