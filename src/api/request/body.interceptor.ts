/**
 * Reads bodies, after the guards and before the pipes: an unauthorized client cannot send 16 MiB first.
 *
 * Bodies of GET and DELETE are ignored, as NutchServer's clients send `{}` with them. A route declares with `@Takes` what it
 * reads; the default is JSON of at most 1 MiB. Compressed bodies are refused, so a body cannot expand.
 */
import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  SetMetadata,
  applyDecorators,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ApiExtension } from '@nestjs/swagger';
import type { Request } from 'express';
import type { Observable } from 'rxjs';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { MemoryBudget } from '../../core/queueing/memory-budget.js';
import { clientOf } from '../access/client-identity.js';
import {
  type Problem,
  bodiesTooMany,
  bodyNotJson,
  bodyRefused,
  bodyTooLarge,
  mediaTypeUnsupported,
  shown,
} from '../problem.js';
import { heavyJobOf } from '../heavy/made-job.js';
import { BODY_LIMIT } from '../openapi/route-facts.js';
import { JsonRefused, cleanText, readJson, SEED_JSON_LIMITS, DEFAULT_JSON_LIMITS } from '../../core/json-text.js';

/**
 * json: a JSON value; inspect: the same, up to 2 MiB; seeds: the same, large; value: one value as text, form field `value` or
 * JSON; file: unparsed text, up to 2 MiB; none: ignored.
 */
export type BodyKind = 'json' | 'inspect' | 'seeds' | 'value' | 'file' | 'none';

const KIND_KEY = 'api:body';
export const Takes = (kind: BodyKind) =>
  applyDecorators(SetMetadata(KIND_KEY, kind), ApiExtension(BODY_LIMIT, bodyLimits[kind]));

export const bodyLimits: Record<BodyKind, number> = {
  json: 1_048_576,
  inspect: 2_097_152,
  seeds: 16_777_216,
  value: 1_048_576,
  file: 2_097_152,
  none: 0,
};
/**
 * Bytes of all bodies of this process. Each body is bounded by its route, but a thousand clients that stop one byte before
 * the end of 16 MiB would use 16 GiB. A request beyond the budget is refused and may be retried.
 */
export const bodyBudget = new MemoryBudget({ max: 268_435_456, maxPerKey: 134_217_728, reserved: 67_108_864 });
/** A body over its limit is read and discarded up to this size, so that its sender receives the answer. */
const MAX_DISCARDED = 67_108_864;

/** Charsets of bodies. Java's HTTP clients send texts as ISO-8859-1 unless another charset is configured. */
const UTF_8: ReadonlySet<string> = new Set(['', 'utf-8', 'utf8', 'us-ascii']);
const LATIN_1: ReadonlySet<string> = new Set(['iso-8859-1', 'latin1']);

@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    if (heavyJobOf(request) === undefined) request.body = await bodyOf(request, bodyKindOf(this.reflector, context));
    return next.handle();
  }
}

export const bodyKindOf = (reflector: Reflector, context: ExecutionContext): BodyKind =>
  reflector.get<BodyKind | undefined>(KIND_KEY, context.getHandler()) ?? 'json';

const isRead = ({ method }: Request, kind: BodyKind): boolean =>
  kind !== 'none' && ['POST', 'PUT', 'PATCH'].includes(method);

const readBodies = new WeakMap<Request, Promise<Buffer>>();

/** The bytes of a body, read once; empty if the route reads none. Throws BODY_TOO_LARGE, BODIES_TOO_MANY, BODY_REFUSED. */
export function bodyBytes(request: Request, kind: BodyKind): Promise<Buffer> {
  if (!isRead(request, kind)) return Promise.resolve(Buffer.alloc(0));
  const bytes = readBodies.get(request) ?? readBody(request, bodyLimits[kind]);
  readBodies.set(request, bytes);
  return bytes;
}

async function bodyOf(request: Request, kind: BodyKind): Promise<unknown> {
  if (!isRead(request, kind)) return undefined;
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') throw mediaTypeUnsupported(`${encoding} coding`, 'an uncompressed body');
  const { type, charset } = mediaTypeOf(request.headers['content-type'] ?? '');
  const bytes = await bodyBytes(request, kind);
  const text = LATIN_1.has(charset) ? bytes.toString('latin1') : decodeBody(bytes, charset);
  if (kind === 'file') return fileText(text, type);
  return kind === 'value' ? propertyValue(text, type) : jsonOf(text, type, kind);
}

function jsonOf(text: string, type: string, kind: BodyKind): unknown {
  if (type !== '' && type !== 'application/json' && !type.endsWith('+json') && type !== 'text/json') {
    throw mediaTypeUnsupported(type, 'application/json');
  }
  return text.trim() === '' ? undefined : parsed(text, kind);
}

/** The text of a file. Forms are refused: curl labels `--data-binary` so by default, and decoding would change the text. */
function fileText(text: string, type: string): unknown {
  if (!['', 'text/plain', 'text/xml', 'application/xml', 'application/octet-stream'].includes(type)) {
    throw mediaTypeUnsupported(type, 'text/plain, or XML as application/xml');
  }
  return cleaned(text);
}

/** A property value: the body itself, or field `value` of a form, or a JSON string, or `{"value": …}`. */
function propertyValue(text: string, type: string): unknown {
  if (type === 'application/x-www-form-urlencoded') return cleaned(formValue(text));
  if (type === '' && text === '') return undefined;
  if (type === '' || type === 'text/plain') return cleaned(text.replace(/\r?\n$/, ''));
  if (type !== 'application/json') {
    throw mediaTypeUnsupported(type, 'text/plain, application/x-www-form-urlencoded or application/json');
  }
  const value = text.trim() === '' ? undefined : parsed(text, 'json');
  return typeof value === 'object' && value !== null && 'value' in value ? value.value : value;
}

/** With anything beside it, the value was probably not encoded, and only a part of it. */
function formValue(text: string): string | null {
  const form = new URLSearchParams(text);
  if (form.has('value') && form.size > 1)
    throw bodyRefused('the form has more than one field: send `value` alone, with & as %26');
  return form.get('value');
}

const cleaned = (text: string | null) => (text === null ? undefined : orBodyRefused(() => cleanText(text)));

const parsed = (text: string, kind: BodyKind) =>
  orBodyRefused(() => readJson(text, kind === 'seeds' ? SEED_JSON_LIMITS : DEFAULT_JSON_LIMITS));

function orBodyRefused<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof JsonRefused) throw bodyRefused(error.message);
    const why = error instanceof Error ? error.message.slice(0, 100) : '';
    // As in a sentence: without the quotes around it, and without the backslashes that they require before quotes in it.
    throw bodyNotJson(shown(why).slice(1, -1).replaceAll('\\"', '"'));
  }
}

function decodeBody(bytes: Buffer, charset: string): string {
  if (!UTF_8.has(charset)) throw mediaTypeUnsupported(`charset ${charset}`, 'UTF-8 or ISO-8859-1');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bodyRefused('it is not UTF-8');
  }
}

function mediaTypeOf(header: string): { type: string; charset: string } {
  const [type = '', ...parameters] = header.toLowerCase().split(';');
  const charset = parameters.map((parameter) => parameter.trim()).find((parameter) => parameter.startsWith('charset='));
  return { type: type.trim(), charset: charset?.slice('charset='.length).replaceAll('"', '').trim() ?? '' };
}

/**
 * All bytes of the body. Throws BODY_TOO_LARGE when there are more than `limit`, BODIES_TOO_MANY when the budget is exhausted.
 * They count until the request has been answered, because the body of a waiting request stays in memory.
 */
async function readBody(request: Request, limit: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > MAX_DISCARDED) throw tooLarge(request, limit);
  const reading = new BodyReading(request, limit);
  try {
    return await reading.bytes;
  } finally {
    const release = () => bodyBudget.release(reading.client, reading.taken);
    if (!request.res || request.res.closed) release();
    else request.res.once('close', release);
  }
}

class BodyReading {
  /** Bytes in memory. */
  taken = 0;
  readonly bytes: Promise<Buffer>;
  readonly client: LimitedClient;
  private size = 0;
  /** Set when the body was refused: further bytes are discarded, because no code would release them. */
  private done = false;
  private readonly chunks: Buffer[] = [];

  constructor(
    private readonly request: Request,
    private readonly limit: number,
  ) {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
    this.bytes = promise;
    this.client = clientOf(request);
    const refuse = (problem: Problem) => {
      this.done = true;
      reject(problem);
    };
    request.on('data', (chunk: Buffer) => {
      const refused = this.add(chunk);
      if (refused) refuse(refused);
    });
    request.on('end', () => (this.size > limit ? refuse(bodyTooLarge(limit)) : resolve(Buffer.concat(this.chunks))));
    request.on('error', () => refuse(bodyRefused('it ended early')));
    request.on('close', () => refuse(bodyRefused('it ended early')));
  }

  private add(chunk: Buffer): Problem | undefined {
    if (this.done) return undefined;
    this.size += chunk.length;
    if (this.size > MAX_DISCARDED) return tooLarge(this.request, this.limit);
    if (this.size > this.limit) {
      this.chunks.length = 0;
      return undefined;
    }
    if (!bodyBudget.reserve(this.client, chunk.length)) {
      closeAfterAnswer(this.request);
      return bodiesTooMany();
    }
    this.taken += chunk.length;
    this.chunks.push(chunk);
    return undefined;
  }
}

/** Closes the connection after the answer instead of reading the rest of the body. */
function closeAfterAnswer({ res }: Request): void {
  if (res && !res.headersSent) res.setHeader('Connection', 'close');
}

function tooLarge(request: Request, limit: number): Problem {
  closeAfterAnswer(request);
  return bodyTooLarge(limit);
}
