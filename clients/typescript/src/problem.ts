import type { FieldErrorDto, ProblemCode } from './generated/schemas.js';

/**
 * What can go wrong with a call, as two classes: the server answered with a problem, or there was no whole answer. Neither
 * carries the request, so that a key never ends in a log.
 */

/** What an answer of RFC 9457 says, as far as it could be read. */
export interface ProblemParts {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly detail: string;
  readonly errors: readonly FieldErrorDto[];
  /** Seconds of the header Retry-After, when there was one. */
  readonly retryAfter: number | undefined;
}

/** The server refused the call. Branch on `code`; `detail` is for people. */
export class OrbweaverProblem extends Error implements ProblemParts {
  /** The stable code of the kind of problem; a status without a problem document gives `HTTP_<status>`. */
  readonly code: ProblemCode | (string & {});
  /** The HTTP status. */
  readonly status: number;
  readonly title: string;
  /** What happened, what was given, what is allowed. */
  readonly detail: string;
  /** The fields that were not valid. */
  readonly errors: readonly FieldErrorDto[];
  readonly retryAfter: number | undefined;

  constructor(parts: ProblemParts) {
    super(parts.detail || parts.title);
    this.name = 'OrbweaverProblem';
    this.code = parts.code;
    this.status = parts.status;
    this.title = parts.title;
    this.detail = parts.detail;
    this.errors = parts.errors;
    this.retryAfter = parts.retryAfter;
  }
}

/** No answer came, it ended early, it took too long, or it was no answer of this API. `cause` is the system's error code. */
export class OrbweaverUnreachable extends Error {
  constructor(
    message: string,
    override readonly cause?: string,
  ) {
    super(message);
    this.name = 'OrbweaverUnreachable';
  }
}

/** Reads the body of a refused call; whatever it is, an error comes out. */
export function problemOf(status: number, body: string, retryAfter: unknown): OrbweaverProblem {
  const problem = readObject(body);
  const text = (name: string): string => (typeof problem[name] === 'string' ? problem[name] : '');
  const seconds = Number(retryAfter ?? Number.NaN);
  return new OrbweaverProblem({
    code: text('code') || `HTTP_${status}`,
    status,
    title: text('title') || `HTTP status ${status}`,
    detail: text('detail') || `the server answered ${status}: ${body.slice(0, 200)}`,
    errors: Array.isArray(problem['errors']) ? (problem['errors'] as FieldErrorDto[]) : [],
    retryAfter: Number.isFinite(seconds) ? seconds : undefined,
  });
}

function readObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
