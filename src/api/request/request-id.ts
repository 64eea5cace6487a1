/**
 * The name of a request: in the answer, in its problem, in the log. A client that has one sends it as X-Request-Id;
 * what is no plain name is not taken over, since it would stand in our log.
 */
import { randomUUID } from 'node:crypto';
import type { NextFunction, Request, Response } from 'express';

const HEADER = 'X-Request-Id';
const SHAPE = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$/;

/** The middleware that names each request, before all others. */
export function nameRequest(request: Request, response: Response, next: NextFunction): void {
  const given = request.headers['x-request-id'];
  response.setHeader(HEADER, typeof given === 'string' && SHAPE.test(given) ? given : randomUUID());
  next();
}

/** The name of the request that this answers; undefined before it has one. */
export const requestIdOf = (response: { getHeader?(name: string): unknown }): string | undefined => {
  const name = response.getHeader?.(HEADER);
  return typeof name === 'string' ? name : undefined;
};
