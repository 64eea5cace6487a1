/**
 * The id of a request: in the answer, in its problem, in the log. A client may send one as X-Request-Id; it is accepted only
 * if it is safe to log.
 */
import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const HEADER = 'X-Request-Id';
const SHAPE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The first middleware: assigns an id to each request. */
export function assignRequestId(request: Request, response: Response, next: NextFunction): void {
  const id = request.headers['x-request-id'];
  response.setHeader(HEADER, typeof id === 'string' && SHAPE.test(id) ? id : randomUUID());
  next();
}

/** The id of the request of this answer; undefined before it was assigned. */
export const requestIdOf = (response: { getHeader?(name: string): unknown }): string | undefined => {
  const id = response.getHeader?.(HEADER);
  return typeof id === 'string' ? id : undefined;
};
